"""Which stages pay: each switched on or off alone, compared question by question."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from research_agent.evaluation.intervals import Interval, paired_difference
from research_agent.evaluation.rows import EvalRow
from research_agent.setting_fields import lines
from research_agent.settings import Settings

Changes = Mapping[str, object]
"""Values of settings, by keys such as "filter.mode"."""
SMALL = 0.05
"""The smallest gain for which it is said how many questions would show it."""
CHEAPER = 0.99
"""What has less than this share of the tokens is cheaper."""
RULE_OF_THREE = 3
"""What never happens in n questions is rarer than about 3 / n (95 %)."""


STAGES: Mapping[str, tuple[Changes, Changes]] = {
    "word search": ({"retrieval.mode": "hybrid"}, {"retrieval.mode": "dense"}),
    "vector search": ({"retrieval.mode": "hybrid"}, {"retrieval.mode": "lexical"}),
    "kinds of questions": ({"retrieval.question_kinds": "on"}, {"retrieval.question_kinds": "off"}),
    "blending": ({"blend.mode": "words"}, {"blend.mode": "off"}),
    "reranking": ({"rerank.mode": "cross-encoder"}, {"rerank.mode": "off"}),
    "refining": ({"refinement.mode": "auto"}, {"refinement.mode": "off"}),
    "calls by the model": ({"search.mode": "tool_calling"}, {"search.mode": "planned"}),
    "filter": ({"filter.mode": "score"}, {"filter.mode": "off"}),
    "filter by the model": ({"filter.mode": "llm"}, {"filter.mode": "score"}),
    "expansion": ({"filter.max_expanded": 15}, {"filter.max_expanded": 0}),
    "neighbours": ({"evidence.neighbours": 1}, {"evidence.neighbours": 0}),
    "pruning": ({"prune.mode": "threshold"}, {"prune.mode": "off"}),
    "judge": ({"verify.judge": "all"}, {"verify.judge": "off"}),
    "doubt check": (
        {"verify.max_entropy": 0.6, "verify.max_doubt": 0.6, "verify.seed_threshold": 0.5},
        {"verify.max_entropy": 10.0, "verify.max_doubt": 10.0, "verify.seed_threshold": 0.0},
    ),
    "second answer": ({"verify.samples": 2}, {"verify.samples": 1}),
    "further rounds": ({"budget.rounds": 2}, {"budget.rounds": 1}),
}
"""What switches each stage on, and what switches it off."""
SEARCHED = ("word search", "vector search", "kinds of questions", "blending", "reranking")
"""Stages that show in what a search finds; they need no language model."""
PRESETS = ("local", "full", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """What sets a configuration apart from the settings as they are."""

    stage: str
    adds: bool
    """It has the stage and the settings as they are do not; else the other way round."""
    changes: Changes


def arms(settings: Settings, *, searches: bool) -> Iterator[Arm]:
    """Yield each stage switched; with `searches` those that searches show."""
    for name in SEARCHED if searches else STAGES:
        on, off = STAGES[name]
        adds = all(_now(settings, key) in (value, "off") for key, value in off.items())
        yield Arm(stage=name, adds=adds, changes=on if adds else off)


def preset_arms(settings: Settings) -> Iterator[Arm]:
    """Yield each preset but the one that `settings` have."""
    for name in PRESETS:
        if name != settings.laid.name:
            yield Arm(stage=f"preset {name}", adds=True, changes={"preset": name})


def _now(settings: Settings, key: str) -> object:
    section, _, name = key.partition(".")
    return getattr(getattr(settings, section), name)


@dataclass(frozen=True, slots=True)
class Run:
    """What a configuration came to on a question set."""

    values: Mapping[str, float]
    """What is compared, by the question's id: nDCG of the search, or 1 where the answer or the
    refusal is right."""
    cost: tuple[float, float, float]
    """Tokens, model calls and seconds a question, as if no reply had been kept."""


def run_of(rows: Sequence[EvalRow], *, searches: bool) -> Run:
    """Return what rows come to; with `searches` of the search alone."""
    if searches:
        found = {row.qid: row.scores["ndcg@10"] for row in rows if "ndcg@10" in row.scores}
        return Run(found, (0.0, 0.0, 0.0))
    values = {row.qid: float(row.right) for row in rows if row.right is not None}
    asked = [row for row in rows if not row.error]
    spent = [(r.prompt_tokens + r.completion_tokens, r.llm_calls, r.model_seconds) for r in asked]
    tokens, calls, seconds = (sum(one) / len(asked) for one in zip(*spent, strict=True))
    return Run(values, (tokens, calls, seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """What a stage is worth: with it less without."""

    arm: Arm
    run: Run
    gain: Interval
    verdict: str
    takes: bool
    """Whether the arm's change is taken."""
    needed: int
    """Questions that would show a gain of `SMALL`, about."""


def gain_of(arm: Arm, base: Run, run: Run) -> Gain:
    """Return what a stage is worth, and whether it stays.

    It stays where the interval of its gain is above 0 and goes where it is below. Where the
    interval holds 0 the side with fewer tokens is taken; where both have as many, all stays as
    it is. Raises ValueError without a common question.
    """
    ids = [qid for qid in base.values if qid in run.values]
    one, other = (run, base) if arm.adds else (base, run)
    gain = paired_difference([one.values[x] for x in ids], [other.values[x] for x in ids])
    half = (gain.high - gain.low) / 2
    needed = math.ceil(max(RULE_OF_THREE / SMALL, len(ids) * (half / SMALL) ** 2))
    verdict = "pays" if gain.low > 0 else "harms" if gain.high < 0 else "no difference shown"
    better = gain.low > 0 if arm.adds else gain.high < 0
    cheaper = run.cost[0] < CHEAPER * base.cost[0]
    takes = better or (verdict == "no difference shown" and cheaper)
    return Gain(arm=arm, run=run, gain=gain, verdict=verdict, takes=takes, needed=needed)


def chosen(settings: Settings, gains: Sequence[Gain]) -> Changes:
    """Return the changes of `settings` that are taken.

    Of changes to one key the one whose gain is clear goes first, then the larger one. What has no
    key of its own in a file stays as it is.
    """
    taken: dict[str, object] = {}
    known = dict(lines(settings))

    def rank(one: Gain) -> tuple[bool, float]:
        mean = one.gain.mean
        return (one.verdict == "no difference shown", -mean if one.arm.adds else mean)

    for one in sorted((one for one in gains if one.takes), key=rank):
        if all(key in known and key not in taken for key in one.arm.changes):
            taken |= one.arm.changes
    return taken
