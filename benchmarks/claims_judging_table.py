"""What a model said of sentences that the checks of claims pass, and what each limit would do."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.claims_sets import Collection
from benchmarks.claims_table import Judged
from benchmarks.tables import markdown
from benchmarks.uncertainty_metrics import auroc_interval
from research_agent.core.claims import CLEAR
from research_agent.core.risk_control import Judged as Doubted
from research_agent.settings import Settings

LIMITS = (0.1, 0.2, Settings().verify.min_yes, 0.4, 0.5, 0.7)
CHOICES: Mapping[str, Callable[["Asked"], bool]] = {
    "not copied word for word (the product)": lambda one: one.is_asked_about,
    "support below .75": lambda one: one.support < CLEAR,
    "all that pass": lambda _: True,
}
PARTS = {"tuned": (False,), "aside": (True,), "all": (False, True)}
HEADS = (
    "sentences asked about",
    "a yes below",
    "part",
    "altered ones caught more",
    "true ones lost",
    "labelled: mended",
    "labelled: lost",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A sentence that the checks pass, and how likely the model finds it in its source."""

    judged: Judged
    collection: Collection
    support: float
    is_asked_about: bool
    """No quote has it word for word."""
    yes: float
    """The probability."""
    seconds: float
    """Of the call when it was recorded."""

    @property
    def is_altered(self) -> bool:
        """Whether it is false."""
        return self.judged.case.set == "altered"

    @property
    def is_true(self) -> bool:
        """Whether it is an original or a paraphrase."""
        return self.judged.case.set in ("originals", "paraphrases")


def rows(found: Sequence[Asked]) -> Iterator[dict[str, object]]:
    """Yield a row for each sentence that is not kept aside."""
    for one in found:
        if not one.judged.case.aside:
            yield {
                "collection": one.collection,
                "id": one.judged.case.id,
                "expected": one.judged.case.expected,
                "verdict": one.judged.verdict,
                "support": round(one.support, 3),
                "yes": round(one.yes, 4),
                "seconds": round(one.seconds, 2),
            }


def table(found: Sequence[Asked]) -> str:
    """Return how well the probability tells altered from true, and a row for each limit."""
    lines = [_auroc(found, name, part) for name in CHOICES for part in PARTS]
    seconds = sum(one.seconds for one in found) / (len(found) or 1)
    heads = ("sentences", "part", "altered", "true", "AUROC of 1 - P(yes) (95 %)")
    told = markdown(heads, lines)
    limits = [
        _limit(found, name, limit, part) for name in CHOICES for limit in LIMITS for part in PARTS
    ]
    return f"{told}\n\nMean of a call: {seconds:.1f} s.\n\n{markdown(HEADS, limits)}"


def _auroc(found: Sequence[Asked], name: str, part: str) -> list[str]:
    of = [one for one in _part(found, part) if CHOICES[name](one)]
    altered = sum(one.is_altered for one in of)
    true = sum(one.is_true for one in of)
    told = [one for one in of if one.is_altered or one.is_true]
    at = auroc_interval([Doubted(1 - one.yes, wrong=one.is_altered) for one in told])
    return [
        name,
        part,
        str(altered),
        str(true),
        f"{at.mean:.2f} ({at.low:.2f} to {at.high:.2f})",
    ]


def _limit(found: Sequence[Asked], name: str, limit: float, part: str) -> list[str]:
    """Return what becomes of the sentences asked about, where a yes below `limit` is a no."""
    mine = _part(found, part)
    altered = [one for one in mine if one.is_altered]
    true = [one for one in mine if one.is_true]
    denied = [one for one in mine if CHOICES[name](one) and one.yes < limit]
    labelled = [one for one in denied if one.judged.case.set == "labelled"]
    mended = sum(one.judged.case.expected == "unsupported" for one in labelled)
    return [
        name,
        f"{limit:.2f}",
        part,
        f"{sum(one.is_altered for one in denied)} of {len(altered)}",
        f"{sum(one.is_true for one in denied)} of {len(true)}",
        str(mended),
        str(sum(one.judged.right for one in labelled)),
    ]


def _part(found: Sequence[Asked], part: str) -> list[Asked]:
    return [one for one in found if one.judged.case.aside in PARTS[part]]
