"""What a filter did to the hits of a question, and what that is worth over many questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmarks.intervals import Interval, mean_interval, paired_difference, sign_test
from benchmarks.sought import KINDS, Question
from research_agent.settings import RetrievalSettings
from research_agent.types import Chunk, Hit, ModelCall
from research_agent.types.filtering import ChunkDecision, Filtered

RRF_K = RetrievalSettings().rrf_k


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One hit that a model has judged."""

    relevant: bool
    verdict: float
    """From 0, to be discarded, to 1."""
    rank: int
    similarity: float
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question in one arm."""

    kinds: tuple[str, ...]
    """Of what is sought."""
    seen: tuple[bool, ...]
    """Which of it is among the hits looked at."""
    kept: tuple[bool, ...]
    """Which of it is in the result."""
    by_rank: tuple[bool, ...]
    """Which of it is among as many first hits of the ranking as the result has chunks."""
    chunks: int
    """In the result."""
    irrelevant: int
    """Hits looked at that hold nothing of what is sought."""
    irrelevant_kept: int
    judged: tuple[Judged, ...]
    tokens_before: int
    tokens_after: int
    prompt_tokens: int
    cached_tokens: int
    longest_prompt: int
    calls: int
    model_seconds: float
    best_similarity: float
    fallback: str
    completion_tokens: int = 0
    expanded: int = 0
    """Chunks in the result that a kept hit refers to."""
    dangling_before: int = 0
    """References of kept hits that lead to no chunk of the result, before expansion."""
    dangling_after: int = 0
    all_discarded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a filter was given and what it made of that."""

    question: Question
    ranking: Sequence[Hit]
    found: Filtered
    calls: Sequence[ModelCall]
    seconds: float


def asked(choice: Choice) -> Asked:
    """Return what is to be known of one choice."""
    question, stats = choice.question, choice.found.stats
    hits = {hit.chunk.chunk_id: hit for hit in choice.ranking}
    looked_at = [hits[decision.chunk_id] for decision in stats.decisions]
    result = [hit.chunk for hit in choice.found.hits]
    others = [hit.chunk for hit in looked_at if not question.is_relevant(hit.chunk)]
    kept = {chunk.chunk_id for chunk in result}
    return Asked(
        kinds=tuple(one.kind for one in question.sought),
        seen=shown(question, [hit.chunk for hit in looked_at]),
        kept=shown(question, result),
        by_rank=shown(question, [hit.chunk for hit in choice.ranking[: len(result)]]),
        chunks=len(result),
        irrelevant=len(others),
        irrelevant_kept=sum(chunk.chunk_id in kept for chunk in others),
        judged=tuple(_judged(question, looked_at, stats.decisions)),
        tokens_before=stats.tokens_before,
        tokens_after=stats.tokens_after,
        prompt_tokens=sum(call.prompt_tokens for call in choice.calls),
        cached_tokens=sum(call.cached_tokens for call in choice.calls),
        longest_prompt=max((call.prompt_tokens for call in choice.calls), default=0),
        calls=len(choice.calls),
        model_seconds=round(choice.seconds, 2),
        best_similarity=round(max((hit.similarity or 0.0) for hit in choice.ranking), 3),
        fallback=stats.fallback,
        completion_tokens=sum(call.completion_tokens for call in choice.calls),
        expanded=stats.expanded,
        dangling_before=stats.dangling_before,
        dangling_after=stats.dangling_after,
        all_discarded=stats.all_discarded,
    )


def shown(question: Question, chunks: Sequence[Chunk]) -> tuple[bool, ...]:
    """Return which of what is sought the chunks show."""
    return tuple(any(one.is_in(chunk) for chunk in chunks) for one in question.sought)


def _judged(
    question: Question, hits: Sequence[Hit], decisions: Sequence[ChunkDecision]
) -> list[Judged]:
    found = []
    for rank, (hit, one) in enumerate(zip(hits, decisions, strict=True), start=1):
        if one.why not in {"model", "all_discarded"}:
            continue
        said = 0.0 if one.verdict == "discard" else 1.0
        found.append(
            Judged(
                relevant=question.is_relevant(hit.chunk),
                verdict=said if one.relevance is None else round(one.relevance, 4),
                rank=rank,
                similarity=round(hit.similarity or 0.0, 4),
                kept=one.verdict != "discard",
            )
        )
    return found


def area(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Return how often a relevant thing scores above another one; a tie is half; None without.

    >>> area([(0.9, True), (0.4, False), (0.9, False)]), area([(1.0, True)])
    (0.75, None)
    """
    yes = [score for score, relevant in pairs if relevant]
    no = [score for score, relevant in pairs if not relevant]
    if not yes or not no:
        return None
    return fmean((high > low) + (high == low) / 2 for high in yes for low in no)


def balanced_accuracy(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return the mean of the shares of relevant things kept and of others dropped.

    `pairs` are (relevant, kept). None where one of the two kinds is missing.

    >>> balanced_accuracy([(True, True), (False, True), (False, False)])
    0.75
    """
    yes = [kept for relevant, kept in pairs if relevant]
    no = [not kept for relevant, kept in pairs if not relevant]
    return (fmean(yes) + fmean(no)) / 2 if yes and no else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One arm over all its questions."""

    questions: int
    all_found: Mapping[str, tuple[int, int]]
    """By kind: questions with all of it in the result, and questions that want any."""
    golds: tuple[int, int]
    """What is found of all that is sought."""
    recall: float | None
    """Share kept of what was sought and looked at."""
    gone: float | None
    """Share of the irrelevant hits looked at that is not in the result."""
    difference: Interval | None
    """Recall minus that of as many first hits, question by question."""
    more: int
    """Questions for which it finds more than as many first hits do."""
    fewer: int
    sign_p: float
    verdict_area: float | None
    rank_area: float | None
    similarity_area: float | None
    fused_area: float | None
    """Of the verdict and the rank fused, as the product fuses rankings."""
    area_difference: Interval | None
    """Verdict's minus rank's, question by question."""
    balanced: float | None
    chunks: float
    tokens_after: float
    prompt_tokens: float
    read_anew: float
    """Tokens of prompts that the server had not read before."""
    longest_prompt: int
    calls: float
    model_seconds: float
    fallbacks: int
    written: float = 0.0
    """Tokens of replies."""
    expanded: float = 0.0
    dangling_before: float = 0.0
    dangling_after: float = 0.0
    all_discarded: int = 0
    """Questions for which every hit was discarded."""


def summary(rows: Sequence[Asked]) -> Summary:
    """Return the figures of an arm; raises ValueError without rows."""
    wanting = [row for row in rows if row.kinds]
    ours = [_share(row.kept) for row in wanting]
    theirs = [_share(row.by_rank) for row in wanting]
    areas = [found for row in rows if (found := _areas(row))]
    decided = [(one.relevant, one.kept) for row in rows for one in row.judged]
    more = sum(mine > other for mine, other in zip(ours, theirs, strict=True))
    fewer = sum(mine < other for mine, other in zip(ours, theirs, strict=True))
    seen = sum(sum(row.seen) for row in rows)
    others = sum(row.irrelevant for row in rows)
    both = sum(k and s for row in rows for k, s in zip(row.kept, row.seen, strict=True))
    kinds = {kind for row in rows for kind in row.kinds}
    return Summary(
        questions=len(rows),
        all_found={kind: _all_found(rows, kind) for kind in (*KINDS, "pages") if kind in kinds},
        golds=(sum(sum(row.kept) for row in rows), sum(len(row.kept) for row in rows)),
        recall=both / seen if seen else None,
        gone=1 - sum(row.irrelevant_kept for row in rows) / others if others else None,
        difference=paired_difference(ours, theirs) if ours else None,
        more=more,
        fewer=fewer,
        sign_p=sign_test(more, fewer),
        verdict_area=fmean(a[0] for a in areas) if areas else None,
        rank_area=fmean(a[1] for a in areas) if areas else None,
        similarity_area=fmean(a[2] for a in areas) if areas else None,
        fused_area=fmean(a[3] for a in areas) if areas else None,
        area_difference=mean_interval([a[0] - a[1] for a in areas]) if areas else None,
        balanced=balanced_accuracy(decided),
        chunks=fmean(row.chunks for row in rows),
        tokens_after=fmean(row.tokens_after for row in rows),
        prompt_tokens=fmean(row.prompt_tokens for row in rows),
        read_anew=fmean(row.prompt_tokens - row.cached_tokens for row in rows),
        longest_prompt=max(row.longest_prompt for row in rows),
        calls=fmean(row.calls for row in rows),
        model_seconds=fmean(row.model_seconds for row in rows),
        fallbacks=sum(bool(row.fallback) for row in rows),
        written=fmean(row.completion_tokens for row in rows),
        expanded=fmean(row.expanded for row in rows),
        dangling_before=fmean(row.dangling_before for row in rows),
        dangling_after=fmean(row.dangling_after for row in rows),
        all_discarded=sum(row.all_discarded for row in rows),
    )


def _areas(row: Asked) -> tuple[float, float, float, float] | None:
    """Return the areas of verdict, rank, similarity, and the first two fused; None without."""
    relevant = [one.relevant for one in row.judged]
    ranks = [one.rank for one in row.judged]
    said = [one.verdict for one in row.judged]
    fused = [
        1 / (RRF_K + rank) + 1 / (RRF_K + 1 + sum(other > verdict for other in said))
        for rank, verdict in zip(ranks, said, strict=True)
    ]
    near = [one.similarity for one in row.judged]
    scales = (said, [-rank for rank in ranks], near, fused)
    found = [area(list(zip(scale, relevant, strict=True))) for scale in scales]
    first, second, third, fourth = found
    if first is None or second is None or third is None or fourth is None:
        return None
    return first, second, third, fourth


def _all_found(rows: Sequence[Asked], kind: str) -> tuple[int, int]:
    wanted = [
        all(kept for kept, own in zip(row.kept, row.kinds, strict=True) if own == kind)
        for row in rows
        if kind in row.kinds
    ]
    return sum(wanted), len(wanted)


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found)
