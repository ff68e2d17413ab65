"""Which stages pay: each switched on or off alone, compared question by question."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from research_agent.errors import EvaluationError
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
NONE = "no difference shown"


STAGES: Mapping[str, tuple[Changes, Changes]] = {
    "word search": ({"retrieval.mode": "hybrid"}, {"retrieval.mode": "dense"}),
    "vector search": ({"retrieval.mode": "hybrid"}, {"retrieval.mode": "lexical"}),
    "kinds of questions": ({"retrieval.question_kinds": True}, {"retrieval.question_kinds": False}),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """What sets a configuration apart from the settings as they are."""

    stage: str
    adds: bool
    """It has the stage and the settings as they are do not; else the other way round."""
    changes: Changes


def arms(settings: Settings, *, searches: bool, presets: bool = False) -> Iterator[Arm]:
    """Yield each stage switched, with `searches` those that searches show; or other presets."""
    for name in () if presets else SEARCHED if searches else STAGES:
        on, off = STAGES[name]
        adds = all(attrgetter(key)(settings) in (value, "off") for key, value in off.items())
        yield Arm(stage=name, adds=adds, changes=on if adds else off)
    for name in sorted({"local", "full", "seed"} - {settings.laid.name}) if presets else ():
        yield Arm(stage=f"preset {name}", adds=True, changes={"preset": name})


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
    """Questions that would show a gain of `SMALL`, about; by the rule of three at least 3 / it."""


def difference(old: Run, new: Run) -> tuple[Interval, int]:
    """Return what `new` has more than `old`, and on how many questions both are known.

    Raises EvaluationError where that is none.
    """
    ids = [qid for qid in old.values if qid in new.values]
    if not ids:
        raise EvaluationError("no question says what is right", hint="Give gold, required_facts.")
    one, other = ([run.values[qid] for qid in ids] for run in (new, old))
    return paired_difference(one, other), len(ids)


def gain_of(arm: Arm, base: Run, run: Run) -> Gain:
    """Return what a stage is worth, and whether it stays.

    It stays where the interval of its gain is above 0 and goes where it is below. Where the
    interval holds 0 the side with fewer tokens is taken; where both have as many, all stays as
    it is. Raises EvaluationError.
    """
    gain, count = difference(base, run) if arm.adds else difference(run, base)
    half = (gain.high - gain.low) / 2
    needed = math.ceil(max(3 / SMALL, count * (half / SMALL) ** 2))
    verdict = "pays" if gain.low > 0 else "harms" if gain.high < 0 else NONE
    better = gain.low > 0 if arm.adds else gain.high < 0
    cheaper = run.cost[0] < CHEAPER * base.cost[0]
    takes = better or (verdict == NONE and cheaper)
    return Gain(arm=arm, run=run, gain=gain, verdict=verdict, takes=takes, needed=needed)


def chosen(settings: Settings, gains: Sequence[Gain]) -> Changes:
    """Return the changes of `settings` that are taken.

    Of changes to one key the one whose gain is clear goes first, then the larger one. What has no
    key of its own in a file stays as it is.
    """
    taken: dict[str, object] = {}
    known = dict(lines(settings))
    best = sorted(
        (one for one in gains if one.takes),
        key=lambda x: (x.verdict == NONE, x.gain.mean * (-1 if x.arm.adds else 1)),
    )
    for one in best:
        if all(key in known and key not in taken for key in one.arm.changes):
            taken |= one.arm.changes
    return taken
