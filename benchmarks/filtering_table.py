"""Filters compared, as Markdown."""

from collections.abc import Mapping

from benchmarks.filtering_scores import Summary
from benchmarks.intervals import Interval
from benchmarks.tables import markdown

SPEED = 1000
"""Tokens a second that a model of usual speed reads."""


def table(name: str, arms: Mapping[str, Summary]) -> str:
    """Return what the arms find, and what the verdicts of those that ask a model are worth."""
    parts = [f"## {name}", _found(arms)]
    if asking := {arm: of for arm, of in arms.items() if of.calls}:
        parts.append(_verdicts(asking))
    return "\n\n".join(parts)


def _found(arms: Mapping[str, Summary]) -> str:
    kinds = list(next(iter(arms.values())).all_found)
    heads = [
        "arm", "questions", *(f"all {_plural(kind)} found" for kind in kinds), "of all sought",
        "chunks", "recall of what was looked at", "irrelevant gone",
        "recall - as many first hits", "more / fewer, sign test", "tokens for the answer",
        "of them expanded", "dangling references, before", "after",
    ]  # fmt: skip
    rows = []
    for arm, of in arms.items():
        found = [f"{got} of {wanted}" for got, wanted in of.all_found.values()]
        rows.append([
            arm, str(of.questions), *found, f"{of.golds[0]} of {of.golds[1]}",
            f"{of.chunks:.1f}", share(of.recall), share(of.gone), difference(of.difference),
            f"{of.more} / {of.fewer}, p {share(of.sign_p)}", f"{of.tokens_after:.0f}",
            f"{of.expanded:.1f}", f"{of.dangling_before:.1f}", f"{of.dangling_after:.1f}",
        ])  # fmt: skip
    return markdown(heads, rows)


def _verdicts(arms: Mapping[str, Summary]) -> str:
    heads = [
        "arm", "questions", "AUC of the verdict", "of the rank", "of the similarity",
        "of verdict and rank fused",
        "verdict - rank", "balanced accuracy", "calls", "tokens sent", "read anew",
        "longest prompt", "tokens written",
        "seconds, of the model", f"seconds at {SPEED} tokens/s", "fallbacks",
        "all discarded",
    ]  # fmt: skip
    rows = [
        [
            arm, str(of.questions), share(of.verdict_area), share(of.rank_area),
            share(of.similarity_area), share(of.fused_area),
            difference(of.area_difference), share(of.balanced),
            f"{of.calls:.1f}", f"{of.prompt_tokens:.0f}", f"{of.read_anew:.0f}",
            str(of.longest_prompt), f"{of.written:.0f}", f"{of.model_seconds:.1f}",
            f"{of.read_anew / SPEED:.1f}", str(of.fallbacks), str(of.all_discarded),
        ]
        for arm, of in arms.items()
    ]  # fmt: skip
    return markdown(heads, rows)


def share(value: float | None) -> str:
    """Return a share with two digits, "-" where there is none.

    >>> share(0.5), share(1.0), share(None)
    ('.50', '1.00', '-')
    """
    if value is None:
        return "-"
    return f"{value:.2f}".removeprefix("0") if value < 1 else f"{value:.2f}"


def difference(value: Interval | None) -> str:
    """Return a mean difference with its 95 % interval.

    >>> difference(Interval(0.1, -0.05, 0.2))
    '+.10 (-.05 to +.20)'
    """
    if value is None:
        return "-"
    mean, low, high = (
        f"{number:+.2f}".replace("0.", ".", 1) for number in (value.mean, value.low, value.high)
    )
    return f"{mean} ({low} to {high})"


def _plural(kind: str) -> str:
    return {"pages": "pages", "security": "security schemes"}.get(kind, f"{kind}s")
