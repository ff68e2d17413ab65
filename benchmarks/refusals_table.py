"""The tables of `benchmarks.refusals`; their layout was written before any figure was seen."""

from collections.abc import Mapping, Sequence
from statistics import fmean, median

from benchmarks.intervals import Interval
from benchmarks.refusals_scoring import (
    Errors,
    Scored,
    best_limit,
    errors_at,
    judged,
    left_out,
    risk_at,
)
from benchmarks.tables import markdown
from benchmarks.uncertainty_metrics import area_under_risk, auroc_gain, auroc_interval, auroc_within

COVERAGES = (0.9, 0.8, 0.7, 0.6, 0.5)
BEFORE = "before"


def tables(scored: Sequence[Scored], wordings: Mapping[str, str], limits: Sequence[float]) -> str:
    """Return all tables; `limits` are further limits to be shown for each wording."""
    parts = [
        "# Refusals",
        "\n".join(f'- {name}: "{text}"' for name, text in wordings.items()),
        "## Questions",
        sample_table(scored),
        "## AUROC of P(yes): answerable above unanswerable",
        auroc_table(scored, list(wordings)),
        "## Limits: chosen on the other sources, reported on the one left out",
        limits_table(scored, list(wordings), limits),
        "## Risk and coverage: share of unanswerable questions among those shown",
        risk_table(scored, list(wordings)),
        "## Drafts that are roughly right",
        right_table(scored, list(wordings)),
    ]
    return "\n\n".join(parts)


def sample_table(scored: Sequence[Scored]) -> str:
    """Return how many questions there are of each source, and how near their drafts are."""
    rows = []
    for name, some in _by_source(scored).items():
        can = [one for one in some if one.answerable]
        near = [one.f1 for one in can if one.f1 is not None]
        known = [one.right for one in can if one.right is not None]
        rows.append(
            [
                name,
                str(len(can)),
                str(len(some) - len(can)),
                f"{median(near):.2f}" if near else "",
                f"{sum(known)} of {len(known)}",
            ]
        )
    heads = ["source", "answerable", "unanswerable", "median token F1", "drafts roughly right"]
    return markdown(heads, rows)


def auroc_table(scored: Sequence[Scored], wordings: Sequence[str]) -> str:
    """Return the AUROC by source, over pairs of the same source, and what is gained on before."""
    groups = _by_source(scored)
    sources = [name for name in groups if name != "all"]
    rows = []
    for wording in wordings:
        line = [wording]
        line += [_interval(auroc_interval(judged(groups[name], wording))) for name in sources]
        line.append(_interval(auroc_within([judged(groups[name], wording) for name in sources])))
        line.append(_gain(scored, wording) if wording != BEFORE and BEFORE in wordings else "")
        rows.append(line)
    return markdown(["wording", *sources, "pairs of one source", "all pairs, - before"], rows)


def limits_table(scored: Sequence[Scored], wordings: Sequence[str], limits: Sequence[float]) -> str:
    """Return both errors by wording and source, and of refusing nothing and everything."""
    rows = []
    for wording in wordings:
        told = left_out(scored, wording)
        for source, (limit, errors) in told.items():
            rows.append([wording, source, f"{limit:.3f}", *_errors(errors)])
        total = Errors(0, 0, 0, 0)
        for _, errors in told.values():
            total = total.plus(errors)
        rows.append([wording, "**all, each left out**", "", *_errors(total)])
        chosen = best_limit(scored, wording)
        rows += [
            [wording, f"all, {how}", f"{limit:.3f}", *_errors(errors_at(scored, wording, limit))]
            for limit, how in [(chosen, "chosen on all"), *((one, "given") for one in limits)]
        ]
    rows.append(["never refuse", "all", "", *_errors(errors_at(scored, wordings[0], -1.0))])
    rows.append(["always refuse", "all", "", *_errors(errors_at(scored, wordings[0], 2.0))])
    heads = ["wording", "source", "limit", "answerable refused", "unanswerable refused"]
    return markdown([*heads, "balanced accuracy"], rows)


def risk_table(scored: Sequence[Scored], wordings: Sequence[str]) -> str:
    """Return the share of unanswerable questions among the surest drafts."""
    base = f"{fmean(not one.answerable for one in scored):.2f}"
    rows = [
        [
            wording,
            f"{area_under_risk(judged(scored, wording)):.3f}",
            *(f"{risk_at(scored, wording, coverage):.2f}" for coverage in COVERAGES),
        ]
        for wording in wordings
    ]
    rows.append(["a doubt that says nothing", base, *([base] * len(COVERAGES))])
    return markdown(["wording", "area", *(f"{one:.0%} shown" for one in COVERAGES)], rows)


def right_table(scored: Sequence[Scored], wordings: Sequence[str]) -> str:
    """Return how many of the roughly right drafts to answerable questions are refused.

    Limits are those chosen on the other sources.
    """
    can = [one for one in scored if one.answerable and one.right is not None]
    rows = []
    for wording in wordings:
        limits = {source: limit for source, (limit, _) in left_out(scored, wording).items()}
        cells = [wording]
        for right in (True, False):
            some = [one for one in can if one.right is right]
            refused = sum(one.p[wording] < limits[one.source] for one in some)
            cells.append(f"{refused} of {len(some)}")
        rows.append(cells)
    return markdown(["wording", "roughly right, refused", "others, refused"], rows)


def _by_source(scored: Sequence[Scored]) -> dict[str, list[Scored]]:
    names = sorted({one.source for one in scored})
    groups = {name: [one for one in scored if one.source == name] for name in names}
    return groups | {"all": list(scored)}


def _gain(scored: Sequence[Scored], wording: str) -> str:
    gain = auroc_gain(judged(scored, wording), judged(scored, BEFORE))
    return f"{gain.mean:+.3f} ({gain.low:+.2f} to {gain.high:+.2f})"


def _errors(errors: Errors) -> list[str]:
    """Return both shares with their intervals, and the balanced accuracy."""
    cells = []
    for count, of, share in (
        (errors.wrongly, errors.answerable, "wrongly_refused"),
        (errors.rightly, errors.unanswerable, "rightly_refused"),
    ):
        told = getattr(errors, share) if of else None
        cells.append(f"{count} of {of} ({told.low:.0%} to {told.high:.0%})" if told else "")
    return [*cells, f"{errors.balanced:.2f}"]


def _interval(of: Interval) -> str:
    return f"{of.mean:.2f} ({of.low:.2f} to {of.high:.2f})"
