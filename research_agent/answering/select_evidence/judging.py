"""A value for each chunk that may be left out: its gain, or where there is none its similarity."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from research_agent.answering.select_evidence.greedy_gain import greedy
from research_agent.answering.select_evidence.information_gain import Measured, gain
from research_agent.answering.select_evidence.measuring import Gauge
from research_agent.answering.select_evidence.protection import Protection, protections
from research_agent.errors import IndexingError, ModelError
from research_agent.ports import Ports
from research_agent.settings import PruneSettings
from research_agent.types import Hit
from research_agent.types.pruning import (
    PruneDecision,
    PruneSource,
    PruneStats,
    PruneWhy,
    Rule,
    kept_places,
)


def judged(
    question: str,
    hits: Sequence[Hit],
    gauge: Gauge,
    *,
    ports: Ports,
    settings: PruneSettings,
    known: PruneSource = "none",
) -> PruneStats:
    """Return a decision on each of `hits`, in their order.

    Where the question itself cannot be measured, all are judged by similarity, so that values of
    two kinds are never compared; so they are where an earlier round had to (`known`). With
    `prune.by` "gain" all stay instead. A single chunk that cannot be measured stays.
    """
    why: tuple[Protection, ...] = tuple("" for _ in hits)
    if settings.protect == "on":
        why = protections(question, [hit.chunk for hit in hits])
    every = _Candidates(tuple(hits), why, settings)
    if len(every.protected) == len(hits):
        return every.stats(_Values("none"), kept=every.protected)
    found = None
    if settings.by != "similarity" and known != "similarity":
        found = (_greedily if settings.mode == "greedy" else _one_by_one)(every, gauge)
    if not found and settings.by == "gain":
        found = every.stats(_Values("none"), kept=range(len(hits)))
    found = found or _by_similarity(question, every, ports)
    return replace(found, calls=gauge.calls, fallback=found.fallback or gauge.problem)


@dataclass(frozen=True, slots=True)
class _Values:
    """What was found out about chunks, by their places."""

    source: PruneSource
    values: Mapping[int, float] = field(default_factory=dict)
    measured: Mapping[int, Measured] = field(default_factory=dict)
    refused: Collection[int] = ()
    least: float = 0.0
    nu: float | None = None


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The chunks that would enter, and what protects each."""

    hits: tuple[Hit, ...]
    why: tuple[Protection, ...]
    settings: PruneSettings

    @property
    def protected(self) -> tuple[int, ...]:
        """The places of those that stay in any case."""
        return tuple(at for at, why in enumerate(self.why) if why)

    @property
    def others(self) -> tuple[int, ...]:
        """The places of those that are up for a decision."""
        return tuple(at for at, why in enumerate(self.why) if not why)

    def kept(self, found: _Values, *, relative: bool = False) -> Collection[int]:
        """Return the places of those that stay by the settings' rule."""
        settings = self.settings
        greedy_without_gain = settings.mode == "greedy"
        rule = Rule(
            mode="threshold" if greedy_without_gain else settings.mode,
            min_value=found.least,
            keep=settings.keep,
            keep_ratio=settings.keep_ratio,
            least=settings.least,
        )
        values = [found.values.get(at) for at in range(len(self.hits))]
        return kept_places(
            values, rule, protected=self.protected, against=found.refused, relative=relative
        )

    def stats(self, found: _Values, *, kept: Collection[int]) -> PruneStats:
        """Return the decisions, and their sums."""
        decisions = tuple(self._decision(at, found, at in kept) for at in range(len(self.hits)))
        return PruneStats(
            self.settings.mode,
            found.source,
            original=len(self.hits),
            kept=len(kept),
            protected=len(self.protected),
            unmeasured=sum(item.why == "unmeasured" for item in decisions),
            nu=found.nu,
            decisions=decisions,
        )

    def _decision(self, at: int, found: _Values, kept: bool) -> PruneDecision:  # noqa: FBT001 (private)
        value, seen = found.values.get(at), found.measured.get(at, Measured())
        by_gain = found.source == "gain"
        return PruneDecision(
            self.hits[at].chunk.chunk_id,
            kept,
            self._why(at, found, kept),
            gain=value if by_gain else None,
            nu=seen.nu,
            token_count=seen.token_count,
            similarity=None if by_gain else value,
        )

    def _why(self, at: int, found: _Values, kept: bool) -> PruneWhy:  # noqa: FBT001 (private)
        value = found.values.get(at)
        if self.why[at]:
            return self.why[at]
        if at in found.refused:
            return "floor" if kept else "refused"
        if value is None or found.source == "none":
            return "unmeasured"
        by_limit = self.settings.mode in {"threshold", "greedy"}
        return "floor" if kept and by_limit and value < found.least else found.source


def _one_by_one(every: _Candidates, gauge: Gauge) -> PruneStats | None:
    """Judge each chunk by its own gain; None where the question alone has no value."""
    alone = gauge(())
    if alone.nu is None:
        return None
    with_it = {at: gauge([every.hits[at].chunk]) for at in every.others}
    refused = {at for at, seen in with_it.items() if seen.refused}
    gains = {at: gain(alone, seen) for at, seen in with_it.items() if at not in refused}
    values = {at: value for at, value in gains.items() if value is not None}
    least = every.settings.min_gain
    found = _Values("gain", values, with_it, refused, least, alone.nu)
    return every.stats(found, kept=every.kept(found, relative=alone.refused))


def _greedily(every: _Candidates, gauge: Gauge) -> PruneStats | None:
    """Judge chunks by what each adds to those before; None where the start has no value."""
    settings = every.settings
    done = greedy(
        len(every.hits),
        lambda places: gauge([every.hits[at].chunk for at in places]),
        given=every.protected,
        min_gain=settings.min_gain,
        least=settings.least,
    )
    if done.start.nu is None:
        return None
    kept = {*done.kept, *done.undecided}
    refused = [at for at in sorted(done.refused) if at not in kept]
    kept.update(refused[: max(0, settings.least - len(kept))])
    gains = {at: value for at, value in done.gains.items() if at not in done.undecided}
    found = _Values("gain", gains, done.last, refused, settings.min_gain, done.start.nu)
    return every.stats(found, kept=kept)


def _by_similarity(question: str, every: _Candidates, ports: Ports) -> PruneStats:
    """Judge chunks by their cosine to the question; all stay where that cannot be computed."""
    ids = [every.hits[at].chunk.chunk_id for at in every.others]
    try:
        vector = ports.embedder.embed([question])[0]
        cosines = ports.vectors.similarities(vector, ids)
    except (ModelError, IndexingError) as error:
        stats = every.stats(_Values("none"), kept=range(len(every.hits)))
        return replace(stats, fallback=str(error))
    values = dict(zip(every.others, map(float, cosines), strict=True))
    found = _Values("similarity", values, least=every.settings.min_similarity)
    return every.stats(found, kept=every.kept(found))
