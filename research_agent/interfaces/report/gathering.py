"""A result and what else is known of its run -> everything that a report shows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from research_agent.answering.draft_redaction import public_result
from research_agent.errors import IndexingError
from research_agent.interfaces.report.heat import HeatToken, heat, least_sure
from research_agent.interfaces.report.pages import Context, Draw, ShownPage, cited_pages, context
from research_agent.interfaces.report.ranking import Look, Ranking, rankings
from research_agent.interfaces.report.recording import RunRecord
from research_agent.interfaces.report.steps import Round, StepRow, rounds, step_rows
from research_agent.ports import ChunkStore
from research_agent.setting_fields import lines
from research_agent.settings import Settings
from research_agent.types import Chunk, ModelCall
from research_agent.types.claims import Claim
from research_agent.types.confidence import RetrievalConfidence
from research_agent.types.result import Citation, ResearchResult

KEY = re.compile(r"\[(?:(c\d+)|(unconfirmed|contradicted))\]")


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A piece of the answer: its words, the key of a citation, or a sentence's mark."""

    text: str = ""
    key: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A citation, with the text around its quote and the pages it stands on."""

    citation: Citation
    context: Context
    pages: tuple[int, ...]
    """Numbers of the report's pages, from 1."""


@dataclass(frozen=True, slots=True)
class Part:
    """A number that confidence is made of, with a bar for it."""

    name: str
    value: float
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that a report shows."""

    result: ResearchResult
    answer: tuple[AnswerPart, ...]
    sources: tuple[Source, ...]
    pages: tuple[ShownPage, ...]
    claims: tuple[Claim, ...]
    heat: tuple[HeatToken, ...]
    least_sure: tuple[HeatToken, ...]
    confidence: tuple[Part, ...]
    rounds: tuple[Round, ...]
    steps: tuple[StepRow, ...]
    rankings: tuple[Ranking, ...]
    calls: tuple[ModelCall, ...]
    settings: tuple[tuple[str, str, str], ...]
    """Key, value and default of the settings that are not the defaults."""


def report_of(
    result: ResearchResult, record: RunRecord, settings: Settings, chunks: ChunkStore, draw: Draw
) -> Report:
    """Return what a report on `result` shows; `chunks` and `draw` may fail, the report does not.

    A refused draft is not shown, and neither are its tokens.
    """
    result = public_result(result)
    pages = cited_pages(result, chunks, draw)
    refused = result.status == "refused"
    tokens = () if refused else heat(record.answer, record.draft)
    steps = step_rows(record.visits)
    return Report(
        result=result,
        answer=answer_parts(result.answer, {citation.key for citation in result.citations}),
        sources=tuple(_source(citation, result, pages) for citation in result.citations),
        pages=pages,
        claims=() if refused else result.claims,
        heat=tokens,
        least_sure=least_sure(tokens),
        confidence=confidence_parts(result.confidence),
        rounds=rounds(steps),
        steps=steps,
        rankings=rankings(result, record, _look(chunks)),
        calls=tuple(call for step in steps for call in step.calls),
        settings=changed_settings(settings),
    )


def answer_parts(answer: str, keys: set[str]) -> tuple[AnswerPart, ...]:
    """Return an answer in pieces; only keys that are cited are keys.

    >>> [part.key or part.text for part in answer_parts("So [c1][c9].", {"c1"})]
    ['So ', 'c1', '[c9].']
    """
    parts: list[AnswerPart] = []
    at = 0
    for match in KEY.finditer(answer):
        if match[1] in keys or match[2]:
            part = AnswerPart(key=match[1] or "", mark=match[2] or "")
            parts += [AnswerPart(answer[at : match.start()]), part]
            at = match.end()
    parts.append(AnswerPart(answer[at:]))
    return tuple(part for part in parts if part.text or part.key or part.mark)


def confidence_parts(confidence: RetrievalConfidence) -> tuple[Part, ...]:
    """Return the numbers that retrieval confidence is made of."""
    return (
        Part("Best similarity", confidence.top_similarity, "cosine of the best hit to the query"),
        Part("Background", confidence.background, "mean cosine of the hits behind the best ones"),
        Part(
            "Concentration",
            confidence.concentration,
            "how far the best hit stands above the background",
        ),
        Part("Length", confidence.length_weight, f"a query of {confidence.words} words"),
        Part("Confidence", confidence.value, "best similarity \u00d7 concentration \u00d7 length"),
    )


def changed_settings(settings: Settings) -> tuple[tuple[str, str, str], ...]:
    """Return what differs from the defaults; addresses of servers are not shown.

    >>> from research_agent.settings import SearchSettings
    >>> changed_settings(Settings(search=SearchSettings(max_turns=2)))
    (('search.max_turns', '2', '3'),)
    """
    defaults: Mapping[str, object] = dict(lines(Settings()))
    return tuple(
        (key, str(value), str(defaults.get(key)))
        for key, value in lines(settings)
        if value != defaults.get(key) and not key.startswith("models.")
    )


def _source(citation: Citation, result: ResearchResult, pages: Sequence[ShownPage]) -> Source:
    numbers = (number for number, page in enumerate(pages, start=1) if citation.key in page.keys)
    return Source(citation, context(citation, result), tuple(numbers))


def _look(chunks: ChunkStore) -> Look:
    """Return a look into the index; one that cannot be read knows no chunk."""

    def look(chunk_ids: Sequence[str]) -> Sequence[Chunk]:
        try:
            return chunks.chunks(chunk_ids)
        except IndexingError:
            return ()

    return look
