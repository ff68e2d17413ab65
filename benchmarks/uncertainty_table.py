"""Tables of how well doubts tell wrong answers from right ones."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Literal

from benchmarks.intervals import Interval
from benchmarks.tables import markdown
from benchmarks.uncertainty_asking import SOURCES
from benchmarks.uncertainty_fits import (
    FOLDS,
    SPLITS,
    calibration_halves,
    controlled,
    controlled_together,
    surest,
    together,
)
from benchmarks.uncertainty_metrics import (
    area_under_risk,
    auroc,
    auroc_gain,
    auroc_interval,
    auroc_within,
)
from benchmarks.uncertainty_signals import SIGNALS
from research_agent.core.risk_control import Judged

if TYPE_CHECKING:
    from benchmarks.uncertainty import Judgement

RATE = 0.2
"""Share of wrong answers that is asked for."""
RATES = (0.2, 0.3, 0.4, 0.5)
FITTED = ('P("no") of the check', "mean entropy")
"""The doubts that `research-agent calibrate` limits."""
Population = Literal["given", "draft"]
TITLES: dict[Population, str] = {
    "given": "Answers that the product gives",
    "draft": "All drafts, also those that the check refuses",
}
HEADS = (
    "doubt",
    "n",
    "AUROC (95 %)",
    "more than answer length",
    "more than retrieval confidence",
    "pairs of one set",
    "HotpotQA",
    "NIST",
    "MuSiQue",
    "AURC",
    "ECE as it is",
    "isotonic",
    "Platt",
)
COUNTED = ("", "asked", "right", "wrong", "refused", "not judged", "seconds, median")
LIMITED = ("doubt", "mean share wrong", "all halves together", "answered", "halves without limit")
RATED = ("drafts of", "doubt", "asked", "mean share wrong", "answered", "halves without limit")
TOGETHER = "four of them, fitted together"
PARTS = (
    'P("no") of the check',
    "entropy of new words",
    "words without support",
    "sentences without support",
)
SHARES = (0.1, 0.2, 0.3, 0.5, 1.0)
"""Of the drafts, the surest first."""
SUREST = ("drafts of", "doubt", *(f"surest {share:.0%}" for share in SHARES))
SHOWN = ('P("no") of the check', 'normalised entropy with P("no")', "entropy of new words")
INSIDE = f"{TOGETHER}, in the first half alone"
OF_ASKED = ("doubt", "mean share wrong, of all asked", "answered", "halves without limit")
LENGTH, CONFIDENCE = "answer length", "1 - retrieval confidence"


def table(judged: Sequence["Judgement"]) -> str:
    """Return all tables as Markdown."""
    return "\n".join(_lines(judged))


def _lines(judged: Sequence["Judgement"]) -> Iterator[str]:
    yield markdown(COUNTED, _counts(judged))
    known = {population: _with_all(_known(judged, population), population) for population in TITLES}
    for population, title in TITLES.items():
        of = known[population]
        wrong = sum(getattr(one, population) == "wrong" for one in of)
        yield f"\n## {title}: {len(of)}, {wrong} of them wrong\n"
        yield markdown(HEADS, _signals(of, population))
    yield f"\n## Limits for at most {RATE:.0%} wrong, fitted on halves of all drafts\n"
    yield markdown(LIMITED, _limits(known["draft"]))
    yield "\n## Share wrong among the surest drafts\n"
    yield markdown(SUREST, _surest(known["draft"]))
    yield f"\n## Limits for a wrong answer to at most {RATE:.0%} of all that is asked\n"
    yield markdown(OF_ASKED, _of_asked(known["draft"]))
    yield "\n## Limits for several rates, one set of documents at a time\n"
    yield markdown(RATED, _rates(known["draft"]))


def _counts(judged: Sequence["Judgement"]) -> Iterator[list[str]]:
    for source in dict.fromkeys(one.source for one in judged):
        of = [one for one in judged if one.source == source]
        for population in TITLES:
            counted = Counter(getattr(one, population) for one in of)
            cells = [str(counted[name]) for name in COUNTED[2:6]]
            label = f"{source}, {'given' if population == 'given' else 'drafts'}"
            seconds = median(one.seconds for one in of)
            yield [label, str(len(of)), *cells, f"{seconds:.0f}"]


def _known(judged: Sequence["Judgement"], population: Population) -> list["Judgement"]:
    return [one for one in judged if getattr(one, population) in ("right", "wrong")]


def _with_all(known: Sequence["Judgement"], population: Population) -> list["Judgement"]:
    """Return the judgements with one more doubt, made of the `PARTS` of all of them."""
    parts = [[one.doubts.get(name) for name in PARTS] for one in known]
    wrong = [getattr(one, population) == "wrong" for one in known]
    if len(known) < FOLDS or len(set(wrong)) == 1:
        return list(known)
    made = together(parts, wrong)
    return [
        replace(one, doubts={**one.doubts, TOGETHER: doubt})
        for one, doubt in zip(known, made, strict=True)
    ]


def _signals(known: Sequence["Judgement"], population: Population) -> Iterator[list[str]]:
    for name in (*SIGNALS, TOGETHER):
        signal = SIGNALS.get(name)
        is_baseline = signal is not None and signal.is_baseline
        having = [one for one in known if name in one.doubts]
        of = _of(having, name, population)
        if not 0 < sum(one.wrong for one in of) < len(of):
            continue
        sets = [
            _of([one for one in having if one.source == source], name, population)
            for source in SOURCES
        ]
        halves = calibration_halves(of, is_chance=signal is None or signal.is_chance)
        yield [
            f"**{name}** (baseline)" if is_baseline else name,
            str(len(of)),
            _interval(auroc_interval(of)),
            *(
                "" if is_baseline else _gain(auroc_gain(of, _of(having, other, population)))
                for other in (LENGTH, CONFIDENCE)
            ),
            _interval(auroc_within(sets)),
            *map(_auroc, sets),
            f"{area_under_risk(of):.3f}",
            "" if halves.before is None else f"{halves.before:.3f}",
            f"{halves.isotonic:.3f}",
            f"{halves.platt:.3f}",
        ]


def _limits(known: Sequence["Judgement"]) -> Iterator[list[str]]:
    for name in (*SIGNALS, TOGETHER):
        of = _of([one for one in known if name in one.doubts], name, "draft")
        if not of:
            continue
        found = controlled(of, RATE)
        cells = [_share(found.error), _share(found.pooled), _share(found.coverage)]
        yield [name, *cells, f"{found.without} of {SPLITS}"]

    if len(known) > 2 * FOLDS:
        parts = [[one.doubts.get(name) for name in PARTS] for one in known]
        found = controlled_together(parts, [one.draft == "wrong" for one in known], RATE)
        cells = [_share(found.error), _share(found.pooled), _share(found.coverage)]
        yield [INSIDE, *cells, f"{found.without} of {SPLITS}"]


def _surest(known: Sequence["Judgement"]) -> Iterator[list[str]]:
    """Yield how many of the surest drafts of each set are wrong."""
    for source in ("all", *dict.fromkeys(one.source for one in known)):
        for name in (*SHOWN, TOGETHER, CONFIDENCE):
            of = [one for one in known if name in one.doubts and source in ("all", one.source)]
            points = [surest(_of(of, name, "draft"), share) for share in SHARES] if of else []
            if points:
                yield [source, name, *(f"{p.error:.0%} of {p.answered}" for p in points)]


def _of_asked(known: Sequence["Judgement"]) -> Iterator[list[str]]:
    for name in (*SIGNALS, TOGETHER):
        of = _of([one for one in known if name in one.doubts], name, "draft")
        if of:
            found = controlled(of, RATE, of="asked")
            cells = [_share(found.error), _share(found.coverage)]
            yield [name, *cells, f"{found.without} of {SPLITS}"]


def _rates(known: Sequence["Judgement"]) -> Iterator[list[str]]:
    for source in dict.fromkeys(one.source for one in known):
        for name in FITTED:
            of = _of([o for o in known if o.source == source and name in o.doubts], name, "draft")
            wrong = sum(one.wrong for one in of)
            for rate in RATES:
                found = controlled(of, rate)
                label = f"{source} ({wrong} of {len(of)} wrong)"
                cells = [_share(found.error), _share(found.coverage)]
                yield [label, name, f"{rate:.0%}", *cells, f"{found.without} of {SPLITS}"]


def _of(judged: Sequence["Judgement"], name: str, population: Population) -> list[Judged]:
    return [Judged(one.doubts[name], getattr(one, population) == "wrong") for one in judged]


def _auroc(judged: Sequence[Judged]) -> str:
    wrong = sum(one.wrong for one in judged)
    return f"{auroc(judged):.2f} (n {len(judged)})" if 0 < wrong < len(judged) else ""


def _interval(found: Interval) -> str:
    return f"{found.mean:.3f} ({found.low:.2f} to {found.high:.2f})"


def _gain(found: Interval) -> str:
    return f"{found.mean:+.3f} ({found.low:+.2f} to {found.high:+.2f})"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
