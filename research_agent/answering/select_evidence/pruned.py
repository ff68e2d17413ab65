"""Choose evidence, and leave out of it what makes the model no surer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from research_agent.answering.select_evidence.choosing import choose_evidence
from research_agent.answering.select_evidence.information_gain import Unmeasured
from research_agent.answering.select_evidence.judging import judged
from research_agent.answering.select_evidence.measuring import Gauge
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import Settings
from research_agent.types import Hit, Outcome, TraceEvent
from research_agent.types.budget import Allowance
from research_agent.types.evidence import Evidence, readable
from research_agent.types.pruning import Pruned, PruneStats, added, brought_back
from research_agent.types.scope import EVERYTHING, Scope
from research_agent.types.verification import Check

UNMEASURABLE: Unmeasured = "no log-probabilities"


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the model reads, and what was left out of it."""

    evidence: tuple[Evidence, ...]
    pruned: Pruned


def choose_pruned(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    hits: Sequence[Hit],
    earlier: Sequence[Evidence],
    before: Pruned,
    check: Check,
    *,
    allowance: Allowance,
    ports: Ports,
    prompts: Prompts,
    settings: Settings,
    scope: Scope = EVERYTHING,
) -> Outcome[Chosen]:
    """Return the evidence with the best new hits, less what pruning leaves out of them.

    Only what would enter is judged, so pruning adds nothing to the evidence. Where the check said
    that something left out may be missed (`verify`), that enters and no hit is judged any more.
    """
    desk = _Desk(earlier, ports, settings, scope)
    if check.reason == "pruned" and before.may_return:
        return Outcome(desk.with_what_was_left_out(before))
    whole = desk.chosen(hits)
    fresh = _entering(hits, desk.new(whole))
    if settings.prune.mode == "off" or before.spent or len(fresh) <= settings.prune.least:
        return Outcome(Chosen(whole, before))
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    gauge = Gauge(question, ports=ports, prompts=prompts, settings=settings.prune, meter=meter)
    by_gain, known = settings.prune.by == "gain", before.stats.source
    if by_gain and before.stats.fallback == UNMEASURABLE:  # (as an earlier round has found out)
        return Outcome(Chosen(whole, before))
    stats = judged(question, fresh, gauge, ports=ports, settings=settings.prune, known=known)
    evidence, dropped = desk.without(fresh, whole, stats)
    stats = replace(stats, tokens_before=desk.tokens(whole), tokens_after=desk.tokens(evidence))
    may_return = (*before.dropped, *dropped) if settings.prune.reinstate == "on" else ()
    pruned = Pruned(added(before.stats, stats), may_return)
    return Outcome(
        Chosen(evidence, pruned), TraceEvent(meter.calls, _notes(stats, by_gain=by_gain))
    )


@dataclass(frozen=True, slots=True)
class _Desk:
    """What is chosen from, behind the evidence of earlier rounds."""

    earlier: Sequence[Evidence]
    ports: Ports
    settings: Settings
    scope: Scope

    def chosen(self, hits: Sequence[Hit]) -> tuple[Evidence, ...]:
        """Return the evidence with the best of `hits` and what belongs to them."""
        return choose_evidence(
            hits,
            self.earlier,
            ports=self.ports,
            settings=self.settings.evidence,
            scope=self.scope,
        )

    def new(self, evidence: Sequence[Evidence]) -> Sequence[Evidence]:
        """Return what is in none of the earlier rounds."""
        return evidence[len(self.earlier) :]

    def tokens(self, evidence: Sequence[Evidence]) -> int:
        """Return the tokens of what is new."""
        texts = (readable(item.hit.chunk) for item in self.new(evidence))
        return sum(map(self.ports.tokenizer.count, texts))

    def with_what_was_left_out(self, before: Pruned) -> Chosen:
        """Return the evidence with all that an earlier round left out."""
        whole = self.chosen(before.dropped)
        ids = {item.hit.chunk.chunk_id for item in self.new(whole)}
        back = {hit.chunk.chunk_id for hit in before.dropped} & ids
        return Chosen(whole, brought_back(before, back, self.tokens(whole)))

    def without(
        self, fresh: Sequence[Hit], whole: tuple[Evidence, ...], stats: PruneStats
    ) -> tuple[tuple[Evidence, ...], tuple[Hit, ...]]:
        """Return the evidence of the hits that are kept, and those that are not."""
        kept = {item.chunk_id for item in stats.decisions if item.kept}
        if len(kept) == len(fresh):
            return whole, ()
        evidence = self.chosen([hit for hit in fresh if hit.chunk.chunk_id in kept])
        # (what is left out may enter all the same, as a neighbour)
        there = {item.hit.chunk.chunk_id for item in evidence}
        return evidence, tuple(hit for hit in fresh if hit.chunk.chunk_id not in there)


def _entering(hits: Sequence[Hit], fresh: Sequence[Evidence]) -> list[Hit]:
    """Return the hits that enter, without what only belongs to them."""
    found = {hit.chunk.chunk_id for hit in hits}
    return [item.hit for item in fresh if item.hit.chunk.chunk_id in found]


def _notes(stats: PruneStats, *, by_gain: bool) -> tuple[str, ...]:
    """Return what went another way than planned; "gain" plans for no log-probabilities too."""
    if not stats.fallback or (by_gain and stats.fallback == UNMEASURABLE):
        return ()
    if stats.source == "similarity":
        return (f"prune: chunks were judged by similarity: {stats.fallback}",)
    return (f"prune: {stats.unmeasured} chunks were not measured, kept: {stats.fallback}",)
