"""What the grounding benchmark found, as tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.grounding_rows import Data
from benchmarks.grounding_scores import (
    auroc,
    balanced,
    calibration_error,
    caught,
    differences,
    macro,
)
from benchmarks.intervals import Interval, wilson
from benchmarks.tables import markdown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BASE = "word coverage"
OURS = "fitted score"


@dataclass(frozen=True, slots=True)
class Arm:
    """A score of every sentence, and the limits that were chosen elsewhere."""

    name: str
    told: "NDArray[np.float64]"
    limit: "NDArray[np.float64]"
    """Below it a sentence is marked: 10 % of the supported ones elsewhere are."""
    middle: "NDArray[np.float64]"
    """The limit of the best balanced accuracy elsewhere."""


def tables(measured: Data, arms: Sequence[Arm]) -> str:
    """Return the means over families, each family, and the contradictions."""
    by_name = {arm.name: arm for arm in arms}
    base, ours = by_name[BASE], by_name[OURS]
    return "\n\n".join(
        [
            markdown(_MEAN_HEADS, _means(measured, arms, base)),
            markdown(_FAMILY_HEADS, _families(measured, base, ours)),
            _contradictions(measured),
        ]
    )


def summary(measured: Data, arms: Sequence[Arm]) -> Iterator[dict[str, object]]:
    """Yield one line a family and arm."""
    import numpy as np

    for name in np.unique(measured.family):
        of = measured.family == name
        yes = measured.supported[of]
        for arm in arms:
            told = arm.told[of]
            marked = told < arm.limit[of]
            yield {
                "family": str(name),
                "arm": arm.name,
                "sentences": len(yes),
                "supported": int(yes.sum()),
                "auroc": round(auroc(told, yes), 4),
                "caught_at_10": round(caught(told, yes), 4),
                "calibration_error": round(calibration_error(told, yes), 4),
                "marked_supported": int(marked[yes == 1].sum()),
                "marked_unsupported": int(marked[yes == 0].sum()),
            }


_MEAN_HEADS = (
    "",
    "AUROC, macro",
    "difference to word coverage (95 %)",
    "to coverage of all the text",
    "caught at 10 % of the supported marked, macro",
    "difference (95 %)",
    "balanced accuracy, macro",
    "calibration error",
)
_FAMILY_HEADS = (
    "family",
    "sentences (supported)",
    "AUROC: coverage",
    "score",
    "difference (95 %)",
    "caught: coverage",
    "score",
    "at the limit of the others, marked: supported",
    "unsupported",
    "calibration error",
)


def _means(measured: Data, arms: Sequence[Arm], base: Arm) -> Iterator[list[str]]:
    yield ["mark nothing", ".500", "", "", "0 %", "", ".500", ""]
    yield ["mark everything", ".500", "", "", "10 %", "", ".500", ""]
    of = measured.supported, measured.family
    for arm in arms:
        middle = (arm.told >= arm.middle).astype(float)
        yield [
            arm.name,
            _share(macro(auroc, arm.told, *of)),
            *(
                "" if arm is other else _gap(_differences(auroc, arm, other, measured)["mean"])
                for other in (base, arms[0])
            ),
            f"{100 * macro(caught, arm.told, *of):.0f} %",
            "" if arm is base else _gap(_differences(caught, arm, base, measured)["mean"]),
            _share(macro(balanced, middle, *of)),
            _share(calibration_error(arm.told, of[0])),
        ]


def _families(measured: Data, base: Arm, ours: Arm) -> Iterator[list[str]]:
    gaps = _differences(auroc, ours, base, measured)
    for name in sorted(set(measured.family.tolist())):
        of = measured.family == name
        yes = measured.supported[of]
        marked = ours.told[of] < ours.limit[of]
        yield [
            name,
            f"{len(yes)} ({int(yes.sum())})",
            _share(auroc(base.told[of], yes)),
            _share(auroc(ours.told[of], yes)),
            _gap(gaps[name]),
            f"{100 * caught(base.told[of], yes):.0f} %",
            f"{100 * caught(ours.told[of], yes):.0f} %",
            f"{100 * marked[yes == 1].mean():.0f} %",
            f"{100 * marked[yes == 0].mean():.0f} %",
            _share(calibration_error(ours.told[of], yes)),
        ]


def _differences(
    score: Callable[..., float], arm: Arm, base: Arm, measured: Data
) -> dict[str, Interval]:
    return differences(score, (arm.told, base.told), measured)


def _contradictions(measured: Data) -> str:
    """Return how often a sentence that counts as contradicted is unsupported."""
    found = measured.contradicted
    right = int((found & (measured.supported == 0)).sum())
    if not found.any():
        return "Contradicted: none."
    sure = wilson(right, int(found.sum()))
    families = ", ".join(
        f"{name} {int((found[of] & (measured.supported[of] == 0)).sum())} of {int(found[of].sum())}"
        for name in sorted(set(measured.family.tolist()))
        if found[of := measured.family == name].any()
    )
    return (
        f"Contradicted: {int(found.sum())}, of which unsupported {right} "
        f"({100 * sure.low:.0f} to {100 * sure.high:.0f} %): {families}."
    )


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _gap(gap: Interval) -> str:
    return f"{gap.mean:+.3f} ({gap.low:+.3f} to {gap.high:+.3f})"
