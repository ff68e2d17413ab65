"""Tables of what the gain tells, and of what each way of pruning leaves out."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from benchmarks.intervals import Interval
from benchmarks.tables import markdown
from benchmarks.uncertainty_metrics import auroc_by_group, auroc_by_group_gain
from research_agent.verification.calibration import Judged

if TYPE_CHECKING:
    from benchmarks.pruning import Judgement, Outcome

EVERY = "threshold"
"""The way that measures every chunk, protected ones too: what the AUROC is of."""
Value = Callable[["Judgement"], float | None]
VALUES: dict[str, Value] = {
    "gain": lambda one: one.gain,
    "cosine (baseline)": lambda one: one.similarity,
    "rank (baseline)": lambda one: -float(one.rank),
}
AGAINST = {"all noise": ("near", "far"), "near": ("near",), "far": ("far",)}
HEADS = ("chunks of", "questions", "noise", *VALUES, "gain minus cosine", "gain minus rank")
KEPT = (
    "chunks of",
    "way",
    "questions",
    "tokens left out",
    "gold dropped",
    "noise dropped",
    "answers lost",
    "calls a question",
    "tokens read for it",
    "seconds",
)


def table(found: Sequence["Outcome"]) -> str:
    """Return all tables as Markdown."""
    parts = [
        "## How well the gain tells gold from noise\n",
        "AUROC over pairs of one question; intervals of 95 % by bootstrap over questions.\n",
        markdown(HEADS, _aurocs(found)),
        "\n## What is left out, each way with its defaults\n",
        markdown(KEPT, _kept(found)),
    ]
    return "\n".join(parts)


def _aurocs(found: Sequence["Outcome"]) -> Iterator[list[str]]:
    for source in dict.fromkeys(one.source for one in found):
        of = [one for one in found if one.source == source and one.way == EVERY]
        for name, kinds in AGAINST.items():
            sets = {label: _judged(of, value, kinds) for label, value in VALUES.items()}
            gains, cosines, ranks = sets.values()
            yield [
                source,
                str(sum(bool(group) for group in gains)),
                name,
                *(_interval(auroc_by_group(groups)) for groups in sets.values()),
                _interval(auroc_by_group_gain(gains, cosines), "+"),
                _interval(auroc_by_group_gain(gains, ranks), "+"),
            ]


def _judged(found: Sequence["Outcome"], value: Value, kinds: Sequence[str]) -> list[list[Judged]]:
    """Return the chunks of each question that have a gain, noise as what has to be told."""
    return [
        [
            Judged(-(value(chunk) or 0.0), chunk.kind != "gold")
            for chunk in one.chunks
            if chunk.gain is not None and chunk.kind in ("gold", *kinds)
        ]
        for one in found
    ]


def _kept(found: Sequence["Outcome"]) -> Iterator[list[str]]:
    for source in dict.fromkeys(one.source for one in found):
        for way in dict.fromkeys(one.way for one in found):
            of = [one for one in found if one.source == source and one.way == way]
            if not of:
                continue
            before, after = sum(o.tokens_before for o in of), sum(o.tokens_after for o in of)
            had = sum(one.answered_before for one in of)
            lost = sum(one.answered_before and not one.answered_after for one in of)
            yield [
                source,
                way,
                str(len(of)),
                f"{1 - after / before:.0%}" if before else "",
                _dropped(of, ("gold",)),
                _dropped(of, ("near", "far")),
                f"{lost} of {had}",
                f"{sum(one.calls for one in of) / len(of):.1f}",
                f"{sum(one.tokens_read for one in of) / len(of):.0f}",
                f"{sum(one.seconds for one in of) / len(of):.0f}",
            ]


def _dropped(found: Sequence["Outcome"], kinds: Sequence[str]) -> str:
    chunks = [chunk for one in found for chunk in one.chunks if chunk.kind in kinds]
    return f"{sum(not chunk.kept for chunk in chunks)} of {len(chunks)}"


def _interval(found: Interval, sign: str = "") -> str:
    return f"{found.mean:{sign}.2f} ({found.low:{sign}.2f} to {found.high:{sign}.2f})"
