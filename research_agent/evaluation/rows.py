"""What is kept of one question of an evaluation: where its golds went, and what was answered."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from research_agent.evaluation.questions import Question
from research_agent.evaluation.ranking import Gold, Span, first_ranks, matches, scores
from research_agent.text.figures import plain
from research_agent.types import Chunk
from research_agent.types.claims import Claim, Verdict
from research_agent.types.result import Citation, ResearchResult

Stage = Literal["retrieved", "filtered", "selected", "cited"]
STAGES: tuple[Stage, ...] = ("retrieved", "filtered", "selected", "cited")
"""Found by a search, kept by the filter, read by the model, cited in the answer."""
KS = (1, 3, 5, 10)
USAGE = ("llm_calls", "reused_calls", "prompt_tokens", "completion_tokens", "cost", "model_seconds")
JudgeVerdict = Literal["", "right", "wrong", "nonsense"]
""""nonsense": the judge model's reply is no verdict, or it failed. Empty: it was not asked."""
_MARKER = re.compile(r"\[[^\]\[]{1,20}\]|[*`]")
_EXPRESSION = re.compile(r"\\|\(\?|\[[^\]]*\]|\([^)]*\|[^)]*\)|\w\|\w|\w\?")
_GROUPS = re.compile(r"(?<=\d)[,' ](?=\d{3}(?!\d))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The chunks that one search finds, all searches found, and the filter kept."""

    ranked: Sequence[Chunk]
    retrieved: Sequence[Chunk] = ()
    filtered: Sequence[Chunk] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationScore:
    """A citation of an answer, and whether it is at a gold or accepted place."""

    doc_id: str
    start_page: int
    end_page: int
    quote: str
    right: bool | None
    """None where no place is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceScore:
    """A sentence of an answer."""

    text: str
    verdict: Verdict
    quoted: bool
    """It has a citation, and the words of each are in their chunk, letter by letter."""
    has_fact: bool
    """It states one of the required facts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalRow:
    """One question of an evaluation; a line of its rows."""

    qid: str
    question: str
    answerable: bool = True
    kind: str = ""
    hits: int = 0
    """What the search found."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """Recall, reciprocal rank and nDCG of the search; empty without a gold."""
    lost: tuple[str, ...] = ()
    """For each gold the stage at which it was lost; empty where it came through to the end."""
    asked: bool = False
    """An answer was asked for; else only the search is known."""
    status: str = ""
    answer: str = ""
    facts: tuple[bool, ...] = ()
    """For each required fact whether the answer states it."""
    judged: JudgeVerdict = ""
    citations: tuple[CitationScore, ...] = ()
    golds_cited: int = 0
    sentences: tuple[SentenceScore, ...] = ()
    uncertainty: float | None = None
    uncertainty_source: str = "none"
    answerable_probability: float | None = None
    rounds: int = 0
    llm_calls: int = 0
    reused_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    judge_tokens: int = 0
    """What the judge model read and wrote, without reused replies; in no other figure."""
    model_seconds: float = 0.0
    error: str = ""
    """Why there is no answer, where asking failed."""

    @property
    def refused(self) -> bool:
        """Whether the question was refused."""
        return self.status == "refused"

    @property
    def right(self) -> bool | None:
        """Whether the answer is right; None where that is not known.

        A refusal is right where the documents have no answer; an answer where it states every
        required fact, or where the judge says so.
        """
        if not self.asked or self.error:
            return None
        if self.refused or not self.answerable:
            return self.refused and not self.answerable
        if self.facts:
            return all(self.facts)
        return self.judged == "right" if self.judged in ("right", "wrong") else None


def searched(question: Question, seen: Seen) -> EvalRow:
    """Return the row of a question that was only searched for."""
    hits = [span_of(chunk) for chunk in seen.ranked]
    found = first_ranks(hits, question.golds)
    return EvalRow(
        qid=question.qid,
        question=question.text,
        answerable=question.answerable,
        kind=question.kind,
        hits=len(hits),
        scores=scores(hits, question.golds, KS) if question.golds else {},
        lost=tuple("" if rank else "retrieved" for rank in found),
    )


def answered(
    question: Question, seen: Seen, result: ResearchResult, judged: JudgeVerdict = ""
) -> EvalRow:
    """Return the row of a question that was answered or refused."""
    answer, shown = (result.answer, result.claims) if result.status != "refused" else ("", ())
    texts = {item.key: item.hit.chunk.text for item in result.evidence}
    cited = [
        Span(x.doc_id, x.start_page, x.end_page, texts.get(x.key, x.quote))
        for x in result.citations
    ]
    usage = {name: getattr(result.usage, name) for name in USAGE}
    return replace(
        searched(question, seen),
        lost=lost(question, seen, result, cited),
        asked=True,
        status=result.status,
        answer=result.answer,
        facts=tuple(states(answer, fact) for fact in question.required_facts),
        judged=judged,
        citations=tuple(map(partial(_cited, question), result.citations, cited)),
        golds_cited=sum(any(matches(one, gold) for one in cited) for gold in question.golds),
        sentences=tuple(_sentence(question, claim, texts) for claim in shown),
        uncertainty=result.uncertainty.value,
        uncertainty_source=result.uncertainty.source,
        answerable_probability=result.answerable,
        rounds=result.rounds,
        seconds=result.usage.elapsed_seconds,
        **usage,
    )


def lost(
    question: Question, seen: Seen, result: ResearchResult, cited: Sequence[Span]
) -> tuple[str, ...]:
    """Return for each gold the stage after the last one that had it; empty where it is cited."""
    read = [item.hit.chunk for item in result.evidence]
    after = ("", *reversed(STAGES))  # (one stage, then the one before it)
    stages = [cited, *([span_of(c) for c in of] for of in (read, seen.filtered, seen.retrieved))]

    def gone(gold: Gold) -> str:
        has = (any(matches(span, gold) for span in spans) for spans in stages)
        return next((at for at, there in zip(after, has, strict=False) if there), STAGES[0])

    return tuple(map(gone, question.golds))


def span_of(chunk: Chunk) -> Span:
    """Return the place of a chunk, with its text."""
    return Span(chunk.doc_id, chunk.start_page, chunk.end_page, chunk.text)


def _sentence(question: Question, claim: Claim, texts: Mapping[str, str]) -> SentenceScore:
    has_fact = any(states(claim.text, fact) for fact in question.required_facts)
    quoted = is_quoted(claim, texts)
    return SentenceScore(text=claim.text, verdict=claim.verdict, quoted=quoted, has_fact=has_fact)


def _cited(question: Question, citation: Citation, span: Span) -> CitationScore:
    golds = [*question.golds, *(Gold((one,)) for one in question.accepted)]
    right = any(matches(span, gold) for gold in golds) if golds else None
    places = {"start_page": span.start, "end_page": span.end}
    return CitationScore(doc_id=span.doc_id, **places, quote=citation.quote, right=right)


def is_quoted(claim: Claim, texts: Mapping[str, str]) -> bool:
    """Return whether a sentence has keys, each with words that are in its chunk as they are.

    `texts` are the chunks' texts by their keys.
    """
    return bool(claim.keys) and all(
        bool(quote.quote) and texts.get(key, "")[quote.start : quote.end] == quote.quote
        for key, quote in zip(claim.keys, claim.quotes, strict=True)
    )


def states(answer: str, fact: Sequence[str]) -> bool:
    r"""Return whether an answer has one of the wordings of a fact.

    Case, white space, citation markers, bold type and thousands separators make no difference. A
    wording begins where a word or a number without a minus begins; one that ends in a digit does
    not go on with another. One that looks like a regular expression (`a|b`, `[- ]`, `keys?`, a
    backslash) is also taken as one.

    >>> states("It has **1,184** bytes [c1].", ["1184 bytes"]), states("It has 21184.", ["1184"])
    (True, False)
    >>> states("It is at -5 degrees.", ["5 degrees"]), states("At 3-5 degrees.", ["5 degrees"])
    (False, True)
    >>> states("It resists quantum attacks.", ["quantum[- ](?:safe|secure)", r"resist\w* quantum"])
    True
    """
    texts = _forms(_MARKER.sub("", answer))
    patterns = [_pattern(form) for wording in fact for form in _forms(wording) if form.strip()]
    patterns += filter(_is_expression, fact)
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns for text in texts)


def _is_expression(wording: str) -> bool:
    if not _EXPRESSION.search(wording):
        return False
    try:
        return not re.search(wording, "")
    except re.error:
        return False


def _forms(text: str) -> tuple[str, ...]:
    folded = plain(text).casefold()
    return tuple({folded, _GROUPS.sub("", folded)})


def _pattern(wording: str) -> str:
    words = wording.split()
    start, end = words[0][0], words[-1][-1]
    before = r"(?<![\d.])(?<!\W-)(?<!^-)" if start.isdigit() else ""
    before = r"(?<![a-z])" if "a" <= start <= "z" else before
    after = r"(?!\d|[.,]\d)" if end.isdigit() else ""
    return before + r"\s*".join(map(re.escape, words)) + after
