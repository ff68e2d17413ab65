"""The one result every door returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Literal

from research_agent.text.alignment import PageSpan
from research_agent.text.sentences import SENTENCE_ENDS
from research_agent.text.visible import escaped_answer, plain
from research_agent.types import ModelCall, Refused, TraceEvent
from research_agent.types.bibliography import bibliography
from research_agent.types.claims import Claim, is_supported
from research_agent.types.evidence import Evidence
from research_agent.types.filtering import FilterStats
from research_agent.types.pruning import UNPRUNED, PruneStats
from research_agent.types.refinement import Refinement
from research_agent.types.retrieval import RetrievalConfidence
from research_agent.types.uncertainty import Uncertainty, Unsure
from research_agent.types.verification import CUT, Round, StopReason

Unconfirmed = Literal["mark", "drop", "refuse"]
"""Sentences that are not supported: shown with a mark, left out and listed in `unanswered`, or
the whole answer is refused."""


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a claim can be looked up; the chunk has the `quote` word for word."""

    key: str
    place: str
    """The place in words: document, page, printed page, section."""
    doc_id: str
    title: str
    date: str
    source: str
    """The file's path."""
    start_page: int
    end_page: int
    start_label: str
    """The page as it is printed, or "read by OCR, 91 % sure"; empty where nothing is printed."""
    end_label: str
    section: tuple[str, ...]
    chunk_id: str
    quote: str
    quote_start: int
    """Where the quote begins in the chunk's text, in characters."""
    quote_end: int
    page_spans: tuple[PageSpan, ...] = ()
    """The quote in the texts of the PDF's pages, by the library's characters: several parts where
    something else is between them. Empty where it is not known."""
    authors: tuple[str, ...] = ()
    """Who wrote the document, as its file's own properties say; empty where they do not."""
    doi: str = ""
    """Its DOI, such as 10.1000/182; empty where the file's properties have none."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a question cost; what the reply cache had cost nothing and is counted apart."""

    llm_calls: int
    """Calls to language models, failed ones too; the tries of a call count once."""
    failed_calls: int
    """Those that gave no reply; their tokens and their cost are not known."""
    retries: int
    """Tries beyond the first of every call."""
    reused_calls: int
    """Replies from the reply cache."""
    prompt_tokens: int
    cached_tokens: int
    """Those of the prompt tokens that the server had read before."""
    completion_tokens: int
    cost: float | None
    """Money, in the unit of `models.prices`; None where a model has no price there."""
    elapsed_seconds: float
    node_seconds: Mapping[str, float]
    """Summed over rounds and parallel calls."""
    tool_calls: int = 0
    """Searches and look-ups."""
    model_seconds: float = 0.0
    """Of all calls to language models together, also where they ran side by side."""

    def and_calls(self, calls: Sequence[ModelCall]) -> "Usage":
        """Return this with `calls` that were made one by one before the question was asked."""
        before = usage_of([TraceEvent(tuple(calls))])
        costs = (before.cost, self.cost)
        return replace(
            self,
            llm_calls=self.llm_calls + before.llm_calls,
            failed_calls=self.failed_calls + before.failed_calls,
            retries=self.retries + before.retries,
            reused_calls=self.reused_calls + before.reused_calls,
            prompt_tokens=self.prompt_tokens + before.prompt_tokens,
            cached_tokens=self.cached_tokens + before.cached_tokens,
            completion_tokens=self.completion_tokens + before.completion_tokens,
            cost=None if None in costs else fsum(filter(None, costs)),
            elapsed_seconds=self.elapsed_seconds + before.model_seconds,
            model_seconds=self.model_seconds + before.model_seconds,
        )


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two documents with different values of one thing."""

    claim: str
    """The sentence of the answer."""
    value: str
    key: str
    """The evidence that the sentence cites."""
    doc_id: str
    date: str
    """Of the document, ISO 8601; empty where it has none."""
    other_value: str
    other_key: str
    other_doc_id: str
    other_date: str
    other_quote: str
    """The words of the other document that give the other value."""


@dataclass(frozen=True, slots=True)
class ResearchResult:
    """An answer that can be checked, or a refusal."""

    question: str
    status: Literal["answered", "partial", "unconfirmed", "refused"]
    """"partial": a part of the question is not answered. "unconfirmed": no sentence is supported;
    the answer says so first, and names the nearest passage."""
    answer: str
    """With inline markers such as [c1], and a mark such as [unconfirmed] behind a sentence that is
    not supported; exactly REFUSAL where the status is "refused"."""
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    """The chunks that the model has read in all rounds, under their keys, with their text."""
    claims: tuple[Claim, ...]
    """Every sentence of the draft with its verdict, also those left out of the answer."""
    unanswered: tuple[str, ...]
    """What the answer, or a refusal, lacks: what the model says the documents do not hold, and
    sentences that `answer.unconfirmed: drop` leaves out."""
    refusal_reason: Refused
    confidence: RetrievalConfidence
    uncertainty: Uncertainty
    answerable: float | None
    """Probability that the evidence answers the question; None where it was not asked."""
    rounds: int
    queries: tuple[str, ...]
    refinement: Refinement
    filter_stats: FilterStats
    stop_reason: StopReason
    models: Mapping[str, str]
    """Which model answered for each role that was asked."""
    usage: Usage
    warnings: tuple[str, ...]
    """Warnings, such as fallbacks, each once."""
    conflicts: tuple[Conflict, ...] = ()
    """What other documents of the evidence say otherwise, with both places and dates."""
    prune: PruneStats = UNPRUNED
    """What was left out of the evidence, and why."""
    advice: str = ""
    """What was searched and what would help, in one line; empty for a whole answer."""
    trend: tuple[Round, ...] = ()
    """What every round came to that wrote an answer or refused: its entropy, its supported
    sentences, and why another one followed or none."""
    unsure: tuple[Unsure, ...] = ()
    """What the model was unsure of in the answer, at most three things; with words for each."""
    unsaid: tuple[str, ...] = ()
    """Doubtful sentences of all drafts; a result that is shown has none (`public_result`)."""
    supported: int = field(kw_only=True)
    """Sentences of the answer that the evidence supports."""
    unconfirmed: int = 0
    """Those that could not be confirmed; each has a mark."""
    contradicted: int = 0
    """Those that the evidence contradicts; each has a mark."""
    preset: str = ""
    """Which preset's stages acted: "local", "full" or "seed"; empty where none was chosen."""

    @property
    def cut(self) -> str:
        """The warning of an answer that was cut at a limit; empty for a whole one."""
        return next((warning for warning in self.warnings if warning.startswith(CUT)), "")

    def to_markdown(self) -> str:
        """Return question, answer, a footnote for each citation, and what it lacks, as Markdown.

        What documents and models have written is escaped: of their markup only lists survive.
        """
        answer = escaped_answer(self.answer)
        for one in self.citations:
            answer = answer.replace(f"\\[{one.key}\\]", f"[^{one.key}]")
        notes = [
            f'[^{one.key}]: {plain(one.place)}: "{plain(one.quote)}"' for one in self.citations
        ]
        lacks = "\n".join(f"- {plain(text)}" for text in self.unanswered)
        lacks = lacks and f"Not answered:\n\n{lacks}"
        parts = [f"## {plain(self.question)}", answer, plain(self.cut), lacks]
        return "\n\n".join(filter(None, [*parts, "\n".join(notes)])) + "\n"

    def bibliography(self, style: Literal["bibtex", "csl"] = "bibtex") -> str:
        """Return the cited documents as BibTeX (biblatex's fields) or CSL-JSON.

        Raises ValueError for another style.
        """
        return bibliography(self.citations, style)


def usage_of(trace: Sequence[TraceEvent]) -> Usage:
    """Add up the model calls and the seconds of a trace."""
    calls = [call for event in trace for call in event.calls]
    sent = [call for call in calls if not call.reused]
    seconds: dict[str, float] = {}
    for event in trace:
        seconds[event.node] = seconds.get(event.node, 0.0) + event.seconds
    first = min((event.started for event in trace), default=0.0)
    last = max((event.started + event.seconds for event in trace), default=0.0)
    return Usage(
        llm_calls=len(sent),
        failed_calls=sum(bool(call.failed) for call in sent),
        retries=sum(call.tries - 1 for call in sent),
        reused_calls=len(calls) - len(sent),
        prompt_tokens=sum(call.prompt_tokens for call in sent),
        cached_tokens=sum(call.cached_tokens for call in sent),
        completion_tokens=sum(call.completion_tokens for call in sent),
        cost=cost_of(sent),
        elapsed_seconds=last - first,
        node_seconds=seconds,
        tool_calls=sum(len(event.queries) + event.lookups for event in trace),
        model_seconds=fsum(call.seconds for call in sent),
    )


def cost_of(calls: Sequence[ModelCall]) -> float | None:
    """Return the money that `calls` cost, as far as they gave a reply; None where unknown."""
    prices = [call.price for call in calls if not call.failed]
    known = [price for price in prices if price is not None]
    return fsum(known) if len(known) == len(prices) else None


def in_lines(claims: Sequence[Claim]) -> str:
    """Return claims with their markers, in the lines and lists and below the headings of a draft.

    Rows and code have lines of their own.
    """
    pieces = zip(leads(claims), claims, strict=True)
    return "".join(f"{lead}{with_markers(claim)}" for lead, claim in pieces)


def leads(claims: Sequence[Claim]) -> list[str]:
    """Return what stands in front of each claim: a blank, or line ends, a heading, a list sign."""
    found: list[str] = []
    for last, claim in zip([None, *claims], claims, strict=False):
        own = claim.heading if last is None or claim.heading != last.heading else ""
        heading = f"{own}\n" if own else ""
        sign = claim.lead.lstrip("\n")
        ends = claim.lead.removesuffix(sign) or ("\n" if heading or _alone(last, claim) else " ")
        found.append(f"{ends}{heading}{sign}")
    return [found[0].lstrip(), *found[1:]] if found else []


def _alone(*claims: Claim | None) -> bool:
    return any(claim and claim.text.startswith(("|", "```")) for claim in claims)


def with_markers(claim: Claim) -> str:
    """Return a claim with its keys before the full stop, and a mark unless it is supported.

    In a row they are in its last cell: Markdown does not show what is behind it.
    """
    ends = claim.text[-1:] in f"{SENTENCE_ENDS}:"
    body, end = (claim.text[:-1], claim.text[-1]) if ends else (claim.text, ".")
    marks = "".join(f"[{key}]" for key in dict.fromkeys(claim.keys))
    marks += "" if is_supported(claim) else f"[{claim.verdict}]"
    if body.endswith("```"):  # (text behind it would keep the code open)
        return f"{body}\n{marks}"
    if not ends and _alone(claim) and body.endswith("|"):
        return f"{body[:-1].rstrip()} {marks} |"
    return f"{body} {marks}{'' if body.endswith('|') else end}"
