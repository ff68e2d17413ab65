"""Passages of the evidence that may be an answer by themselves: sentences, rows, whole algorithms.

An extractive answer is made of the documents' own words, so nothing in it can be wrong that is
right there; what it can be is beside the point.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from research_agent.retrieval.heading_lookup import by_heading
from research_agent.text.content_words import content_words, share_held
from research_agent.text.hard_facts import hard_facts
from research_agent.text.pseudocode import prettified
from research_agent.text.quote_search import unit_spans
from research_agent.text.tables import head_of
from research_agent.types import Chunk
from research_agent.types.evidence import Evidence, source_of
from research_agent.types.question_plan import plan_question
from research_agent.types.question_words import QuestionWords, phrases

SHARE_WEIGHT = 0.3
"""What holding all of the question's words adds to a cosine."""
RANK_COST = 0.06
"""What each place of its chunk among the evidence takes off."""
LIKELY = 0.5
"""A passage behind the first that a model finds less likely to be a part of the answer is none."""
LEAST_LETTERS = 12
"""A line with fewer letters says nothing by itself; a row of a table has its head beside it."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A span of one chunk of the evidence."""

    key: str
    start: int
    """Where it begins in the chunk's text, in characters."""
    text: str
    """Verbatim."""
    head: str = ""
    """Caption and head of the table that it is a row of."""
    rank: int = 0
    """Place of its chunk among the evidence, from 0."""
    score: float = 0.0

    @property
    def readable(self) -> str:
        """The text as it is compared with a question: with the head of its table."""
        return f"{self.head}\n{self.text}" if self.head else self.text


def passages_of(evidence: Sequence[Evidence]) -> tuple[Passage, ...]:
    """Return the passages of all evidence, as they stand there.

    >>> from research_agent.types import Hit
    >>> text = "The key has 1184 bytes. It may be published."
    >>> [p.text for p in passages_of([Evidence("c1", Hit(Chunk("x", "d", text)))])]
    ['The key has 1184 bytes.', 'It may be published.']
    """
    return tuple(
        passage
        for rank, item in enumerate(evidence)
        for passage in _of_chunk(item.key, item.hit.chunk, rank)
    )


def _of_chunk(key: str, chunk: Chunk, rank: int) -> list[Passage]:
    text = chunk.text
    if chunk.kind in ("algorithm", "code"):
        return [Passage(key, 0, text, rank=rank)]
    head = head_of(text) if chunk.kind == "table" else ""
    found = []
    for start, end in unit_spans(chunk):
        said = text[start:end]
        if start >= len(head) and (head or _letters(said) >= LEAST_LETTERS):
            found.append(Passage(key, start, said, head, rank))
    return found


def _letters(text: str) -> int:
    """Count letters; one of a script in which a letter is a word or syllable counts as three."""
    return sum(3 if char > "\u2e7f" else 1 for char in text if char.isalpha())


def ranked_passages(
    question: str, passages: Sequence[Passage], similarities: Sequence[float]
) -> tuple[Passage, ...]:
    """Return the passages with their scores, best first.

    The score is the cosine to the question, plus what its words hold of the question's, minus
    what a late chunk costs.
    """
    scored = [
        replace(
            passage,
            score=similarity
            + SHARE_WEIGHT * share_held(question, content_words(passage.readable))
            - RANK_COST * passage.rank,
        )
        for passage, similarity in zip(passages, similarities, strict=True)
    ]
    return tuple(sorted(scored, key=lambda p: (-p.score, p.rank, p.start)))


def likely_passages(scored: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the first passage and those behind it whose score, a probability, is not low.

    >>> first, second = Passage("c1", 0, "a", score=0.4), Passage("c1", 9, "b", score=0.3)
    >>> [p.text for p in likely_passages([first, second])]
    ['a']
    """
    return (*scored[:1], *(passage for passage in scored[1:] if passage.score >= LIKELY))


def chosen_passages(ranked: Sequence[Passage], *, most: int, max_words: int) -> tuple[Passage, ...]:
    """Return the best passages that fit, in the order of the evidence; the first always does."""
    chosen: list[Passage] = []
    words = 0
    for passage in ranked[:most]:
        count = len(passage.text.split())
        if not chosen or words + count <= max_words:
            chosen.append(passage)
            words += count
    return tuple(sorted(chosen, key=lambda p: (p.rank, p.start)))


def as_answer(passages: Sequence[Passage]) -> str:
    r"""Return passages as an answer: each with its key, rows below the head of their table.

    >>> print(as_answer([Passage("c1", 9, "a | 1", "Table 1\n | n"), Passage("c2", 0, "It is.")]))
    Table 1 [c1]
    | n [c1]
    a | 1 [c1]
    It is. [c2]
    """
    lines: list[str] = []
    for (key, head), group in groupby(passages, key=lambda p: (p.key, p.head)):
        lines += [f"{line.strip()} [{key}]" for line in head.split("\n") if line.strip()]
        for passage in group:
            texts = prettified(passage.text).split("\n")
            lines += [f"{' '.join(text.split())} [{key}]" for text in texts if text.strip()]
    return "\n".join(lines)


def as_evidence(passages: Sequence[Passage], evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return evidence that holds the chosen passages alone, under the same keys.

    What lies between two passages of a chunk is shown as an ellipsis.
    """
    kept = []
    for item in evidence:
        own = [passage for passage in passages if passage.key == item.key]
        if own:
            chunk = item.hit.chunk
            short = replace(chunk, text=_joined(own, chunk.text))
            kept.append(replace(item, hit=replace(item.hit, chunk=short)))
    return tuple(kept)


def _joined(passages: Sequence[Passage], text: str) -> str:
    parts = [passages[0].head] if passages[0].head else []
    end = None
    for passage in passages:
        if end is not None and text[end : passage.start].strip():
            parts.append("\N{HORIZONTAL ELLIPSIS}")
        parts.append(passage.text)
        end = passage.start + len(passage.text)
    return "\n".join(parts)


def looked_up(
    question: str, evidence: Sequence[Evidence], words: Sequence[QuestionWords]
) -> tuple[Passage, ...]:
    r"""Return the algorithm that a question wants to see, if the evidence has it; else nothing.

    >>> from research_agent.types.question_words import ENGLISH
    >>> from research_agent.types import Hit
    >>> chunk = Chunk("x", "d", "Algorithm 2 Sum(a)\n1: add\n2: return", kind="algorithm")
    >>> item = Evidence("c1", Hit(chunk))
    >>> [p.key for p in looked_up("Give me Algorithm 2", [item], [ENGLISH])]
    ['c1']
    >>> looked_up("Who wrote Algorithm 2?", [item], [ENGLISH])
    ()
    """
    look_up = plan_question(question, words).look_up
    shown = any(phrases(language.shows).search(question) for language in words)
    if look_up is None or not look_up.label or not shown or "algorithm" not in look_up.kinds:
        return ()
    chunks = [
        item.hit.chunk
        for item in evidence
        if item.hit.chunk.kind in look_up.kinds and _has_what_is_named(item.hit.chunk, question)
    ]
    named = by_heading(look_up, chunks, question)
    if not named:
        return ()
    keys = {item.hit.chunk.chunk_id: item.key for item in evidence}
    return (Passage(keys[named[0].chunk_id], 0, named[0].text),)


def _has_what_is_named(chunk: Chunk, question: str) -> bool:
    """Return whether a chunk, its headings or its document has every hard fact of a question.

    An Algorithm 2 that converts a string is not the "Algorithm 2 SHAKE128" that was asked for, and
    that of another standard is not the one of "FIPS 203".
    """
    facts = hard_facts(question, [source_of(chunk)])
    return all(fact.status != "missing" for fact in facts)
