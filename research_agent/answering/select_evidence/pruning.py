"""Which chunks stay: by how much surer they make the model, or by their similarity."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from research_agent.answering.select_evidence.gain import Gauge, Measured, gain
from research_agent.context import StepContext
from research_agent.errors import IndexingError, ModelError
from research_agent.settings import PruneSettings
from research_agent.text.content_words import is_named
from research_agent.text.identifiers import is_value, quotations
from research_agent.text.words import fold, word_spans
from research_agent.types import Chunk, Hit
from research_agent.types.evidence import source_of
from research_agent.types.pruning import (
    Protection,
    PruneDecision,
    PruneSource,
    PruneStats,
    PruneWhy,
)

MIN_SIMILARITY = 0.3
"""Least cosine to the question, where chunks are judged by similarity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What was found out about chunks, by their places among the hits; values are of one kind."""

    source: PruneSource = "none"
    values: Mapping[int, float] = field(default_factory=dict)
    measured: Mapping[int, Measured] = field(default_factory=dict)
    refused: Collection[int] = ()
    """Given these, the model wrote that it does not know: they stay only where no other does."""
    least: float = 0.0
    relative: bool = False
    """The values are good for comparing only, for the question alone was answered by a refusal."""
    nu: float | None = None


def judged(
    question: str, hits: Sequence[Hit], context: StepContext, known: PruneSource = "none"
) -> PruneStats:
    """Return a decision on each of `hits`, in their order.

    All are judged by gain, or, where the question alone cannot be measured now or before (`known`),
    by similarity; with `prune.by` "gain" all stay instead. A chunk without a value stays.
    """
    settings = context.settings.prune
    protected = protections(question, [hit.chunk for hit in hits])
    others = {at: hit.chunk for at, hit in enumerate(hits) if not protected[at]}
    if not others:
        return _stats(hits, protected, Values(), settings)
    gauge, found, problem = Gauge(question, context), Values(), ""
    if "similarity" not in (settings.by, known):
        found = _gains(others, gauge, settings.min_gain)
    if found.source == "none" and settings.by != "gain":
        try:
            found = _similarities(question, others, context)
        except (ModelError, IndexingError) as error:
            problem = str(error)
    stats = _stats(hits, protected, found, settings)
    return replace(stats, calls=gauge.calls, fallback=problem or gauge.problem)


def _gains(chunks: Mapping[int, Chunk], gauge: Gauge, least: float) -> Values:
    """Return each chunk's gain; nothing where the question alone has no value."""
    alone = gauge()
    if alone.nu is None:
        return Values()
    given = {at: gauge(chunk) for at, chunk in chunks.items()}
    gains = {at: gain(alone, seen) for at, seen in given.items() if not seen.refused}
    return Values(
        source="gain",
        values={at: value for at, value in gains.items() if value is not None},
        measured=given,
        refused={at for at, seen in given.items() if seen.refused},
        least=least,
        relative=alone.refused,
        nu=alone.nu,
    )


def _similarities(question: str, chunks: Mapping[int, Chunk], context: StepContext) -> Values:
    vector = context.ports.embedder.embed([question])[0]
    ids = [chunk.chunk_id for chunk in chunks.values()]
    cosines = context.ports.vectors.similarities(vector, ids)
    values = dict(zip(chunks, map(float, cosines), strict=True))
    return Values(source="similarity", values=values, least=MIN_SIMILARITY)


def kept_places(count: int, found: Values, settings: PruneSettings) -> Collection[int]:
    """Return the places of those of `count` chunks that stay: one at least.

    A chunk without a value stays unless it is refused, and takes part in the count of "ratio". Of
    equal values the first stays. Where no value reaches the least one, or values are `relative`,
    those from their median up stay: a model that is sure of a wrong guess is made less sure by
    every chunk.

    >>> found = Values(values={0: 0.2, 1: 0.01, 3: -0.1}, least=0.05)
    >>> sorted(kept_places(4, found, PruneSettings(mode="threshold")))
    [0, 2]
    """
    by_value = sorted(found.values, key=lambda at: (-found.values[at], at))
    kept = set(range(count)) - {*by_value, *found.refused}
    if settings.mode == "ratio":
        room = max(1, math.ceil(count * settings.keep_ratio - 1e-9)) - len(kept)
    else:
        values, least = found.values.values(), found.least
        if values and (found.relative or max(values) < least):
            least = median(values)
        room = sum(value >= least for value in values)
    kept.update(by_value[: max(0, room)])
    return kept or [*by_value, *sorted(found.refused)][:1]


def _stats(
    hits: Sequence[Hit], protected: Sequence[Protection], found: Values, settings: PruneSettings
) -> PruneStats:
    kept = range(len(hits)) if found.source == "none" else kept_places(len(hits), found, settings)
    decisions = []
    for at, hit in enumerate(hits):
        value, seen = found.values.get(at), found.measured.get(at, Measured())
        why: PruneWhy = found.source if found.source != "none" else "unmeasured"
        if protected[at]:
            why = protected[at]
        elif at in found.refused:
            why = "floor" if at in kept else "refused"
        elif value is None:
            why = "unmeasured"
        elif at in kept and settings.mode == "threshold" and value < found.least:
            why = "floor"
        decisions.append(
            PruneDecision(
                hit.chunk.chunk_id,
                at in kept,
                why,
                gain=value if found.source == "gain" else None,
                nu=seen.nu,
                token_count=seen.token_count,
                similarity=value if found.source == "similarity" else None,
            )
        )
    return PruneStats(
        settings.mode,
        found.source,
        original=len(hits),
        kept=len(kept),
        protected=sum(map(bool, protected)),
        unmeasured=sum(item.why == "unmeasured" for item in decisions),
        nu=found.nu,
        decisions=tuple(decisions),
    )


def protections(question: str, chunks: Sequence[Chunk]) -> tuple[Protection, ...]:
    """Return for each chunk what keeps it whatever it measures, "" for nothing.

    A table (models measure cells badly), a span that the question quotes, or a name or number of
    the question that no more than half of the chunks have.
    """
    sources = [source_of(chunk) for chunk in chunks]
    quoted = [_plain(span) for span in quotations(question)]
    words = (question[start:end] for start, end in word_spans(question))
    held = {one: [is_named(one, text) for text in sources] for one in filter(is_value, words)}
    rare = {value: where for value, where in held.items() if sum(where) * 2 <= len(where)}
    found = list[Protection]()
    for at, chunk in enumerate(chunks):
        values = [value for value, where in rare.items() if where[at]]
        if chunk.kind == "table":
            found.append("table")
        elif any(span in _plain(sources[at]) for span in quoted):
            found.append("quotation")
        elif any(any(map(str.isalpha, value)) for value in values):
            found.append("identifier")
        else:
            found.append("number" if values else "")
    return tuple(found)


def _plain(text: str) -> str:
    return " ".join(fold(text).split())
