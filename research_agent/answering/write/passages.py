"""Answers in the documents' own words: an algorithm that is asked for, a sentence on one thing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from research_agent.ports import Embedder
from research_agent.text.content_words import content_words, is_named, share_held
from research_agent.text.hard_facts import hard_facts
from research_agent.text.pseudocode import prettified
from research_agent.text.quote_search import unit_spans
from research_agent.text.tables import head_of
from research_agent.text.unit_vectors import cosine
from research_agent.types import Chunk
from research_agent.types.evidence import Evidence, source_of
from research_agent.types.question_plan import by_heading, plan_question
from research_agent.types.question_words import SHOWS, phrases

SHARE_WEIGHT = 0.3
"""What holding all of the question's words adds to a cosine."""
RANK_COST = 0.06
"""What each rank of its chunk among the evidence takes off."""
LEAST_LETTERS = 12
"""A line with fewer letters says nothing by itself; a row of a table has its head beside it."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, row or algorithm of one chunk of the evidence, verbatim."""

    key: str
    text: str
    head: str = ""
    """Caption and head of the table that it is a row of."""
    rank: int = 0
    """Rank of its chunk among the evidence, from 0."""

    @property
    def readable(self) -> str:
        """The text as it is compared with a question: with the head of its table."""
        return f"{self.head}\n{self.text}" if self.head else self.text


def passages_of(evidence: Sequence[Evidence]) -> Iterator[Passage]:
    """Yield the passages of all evidence, in its order."""
    for rank, item in enumerate(evidence):
        chunk = item.hit.chunk
        if chunk.kind in ("algorithm", "code"):
            yield Passage(item.key, chunk.text, rank=rank)
            continue
        head = head_of(chunk.text) if chunk.kind == "table" else ""
        for start, end in unit_spans(chunk):
            text = chunk.text[start:end]
            if start >= len(head) and (head or _letters(text) >= LEAST_LETTERS):
                yield Passage(item.key, text, head, rank)


def _letters(text: str) -> int:
    """Count letters; one of a script in which a letter is a word or syllable counts as three."""
    return sum(3 if char > "\u2e7f" else 1 for char in text if char.isalpha())


def best_passage(
    question: str, thing: str, evidence: Sequence[Evidence], embedder: Embedder
) -> Passage | None:
    """Return the passage that names `thing` and is nearest to the question; None where none does.

    By cosine + 0.3 x share of the question's words - 0.06 x rank of its chunk. Raises ModelError.
    """
    passages = [one for one in passages_of(evidence) if is_named(thing, one.readable)]
    if not passages:
        return None
    own, *vectors = embedder.embed([question, *(one.readable for one in passages)])

    def score(at: int) -> float:
        held = share_held(question, content_words(passages[at].readable))
        return cosine(own, vectors[at]) + SHARE_WEIGHT * held - RANK_COST * passages[at].rank

    return passages[max(range(len(passages)), key=score)]


def as_answer(passages: Sequence[Passage]) -> str:
    """Return passages as an answer: each line with its key, a row below the head of its table."""
    lines: list[str] = []
    last: tuple[str, str] | None = None
    for passage in passages:
        head = passage.head.split("\n") if (passage.key, passage.head) != last else []
        last = (passage.key, passage.head)
        texts = [line.strip() for line in head]
        texts += [" ".join(text.split()) for text in prettified(passage.text).split("\n")]
        lines += [f"{text} [{passage.key}]" for text in texts if text]
    return "\n".join(lines)


def looked_up(question: str, evidence: Sequence[Evidence]) -> Passage | None:
    """Return the algorithm that a question wants to see, if the evidence has it.

    It has to hold every hard fact of the question: another document has another Algorithm 2.
    """
    look_up = plan_question(question).look_up
    shown = phrases(SHOWS).search(question)
    if look_up is None or not look_up.label or not shown or "algorithm" not in look_up.kinds:
        return None
    chunks = {
        item.hit.chunk.chunk_id: (item.key, item.hit.chunk)
        for item in evidence
        if item.hit.chunk.kind in look_up.kinds and _has_facts(item.hit.chunk, question)
    }
    named = by_heading(look_up, [chunk for _, chunk in chunks.values()], question)
    return Passage(chunks[named[0].chunk_id][0], named[0].text) if named else None


def _has_facts(chunk: Chunk, question: str) -> bool:
    return all(fact.status != "missing" for fact in hard_facts(question, [source_of(chunk)]))
