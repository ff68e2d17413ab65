"""The product and its peers side by side on the same questions, as Markdown."""

from collections.abc import Iterator, Sequence
from itertools import product

from benchmarks.answers_scoring import System
from benchmarks.intervals import mean_interval, paired_difference, wilson
from benchmarks.tables import markdown

NONE = "-"
QUALITY = (
    "system",
    "questions",
    "facts right",
    "facts per 100 words",
    "cited pages accepted, pooled",
    "the same, mean of questions",
    "sentences with valid quotes",
    "refused rightly",
    "refused wrongly",
    "no answer in time",
)
COSTS = (
    "system",
    "prompt tokens",
    "of these read before",
    "written tokens",
    "tokens per right answer",
    "calls",
    "seconds, mean",
    "seconds, median",
)
INTRODUCTION = (
    "Of every question that counts; intervals of shares are Wilson's, of means and differences by "
    "bootstrap over questions, all of 95 %. Tokens, calls and seconds are means a question, those "
    "that do not count included; seconds of the product are those of its model calls, of a peer "
    "all. LangChain cites the pages that it shows the model."
)
DIFFERENCES = (
    "Facts right on the answerable questions that both were asked, a question: the product minus "
    "each peer, then its arms minus the first."
)
PAIRED = ("system", "minus", "questions of both", "right", "right, other", "difference (95 %)")


def report(products: Sequence[System], peers: Sequence[System]) -> str:
    """Return the tables: quality, costs, and paired differences."""
    systems = [*products, *peers]
    parts = [
        INTRODUCTION,
        markdown(QUALITY, [_quality(system) for system in systems]),
        markdown(COSTS, [_costs(system) for system in systems]),
        DIFFERENCES,
        markdown(PAIRED, [_paired(ours, other) for ours, other in _pairs(products, peers)]),
    ]
    lines = [_not_counted(system) for system in systems]
    parts += ["Asked, not counted:", "\n".join(line for line in lines if line)]
    return "\n\n".join(parts)


def _pairs(products: Sequence[System], peers: Sequence[System]) -> Iterator[tuple[System, System]]:
    """Yield each product with each peer, then the other products with the first."""
    yield from product(products, peers)
    yield from product(products[1:], products[:1])


def _quality(of: System) -> list[str]:
    scores = of.scores
    quoted = of.quoted
    return [
        of.name,
        f"{scores['answerable']} + {scores['unanswerable']}",
        share(scores["facts_right"], scores["answerable"]),
        _number(of.facts_per_100_words, 1),
        share(scores["cited_pages_accepted"], scores["cited_pages"]),
        _mean(of.precisions),
        share(*quoted) if quoted else NONE,
        share(scores["refused_right"], scores["unanswerable"]),
        share(scores["wrongly_refused"], scores["answerable"]),
        str(of.timeouts),
    ]


def _costs(of: System) -> list[str]:
    return [
        of.name,
        _number(of.mean("prompt_tokens")),
        _number(of.mean("cached_tokens")),
        _number(of.mean("completion_tokens")),
        _number(of.tokens_per_right),
        _number(of.mean("calls", "llm_calls"), 1),
        _number(of.mean("seconds", "model_seconds"), 1),
        _number(of.median("seconds", "model_seconds"), 1),
    ]


def _paired(one: System, other: System) -> list[str]:
    both = [qid for qid in one.right if qid in other.right]
    ours, theirs = [one.right[qid] for qid in both], [other.right[qid] for qid in both]
    change = NONE
    if both:
        of = paired_difference(ours, theirs)
        change = f"{of.mean:+.2f} ({of.low:+.2f} to {of.high:+.2f})"
    counts = [str(len(both)), f"{sum(ours):.0f}", f"{sum(theirs):.0f}"]
    return [one.name, other.name, *counts, change]


def _not_counted(of: System) -> str:
    """Return one line about the questions that do not count; empty where none was asked."""
    found = [item for item in of.scores["details"] if not item["counted"]]
    told = [f"{item['qid']} {'right' if item['right'] else 'wrong'}" for item in found]
    return f"- {of.name}: {', '.join(told)}" if told else ""


def share(count: int, of: int) -> str:
    """Return a share with its interval in percent.

    >>> share(11, 20), share(0, 0)
    ('11 of 20 (34 to 74 %)', '-')
    """
    if not of:
        return NONE
    interval = wilson(count, of)
    return f"{count} of {of} ({100 * interval.low:.0f} to {100 * interval.high:.0f} %)"


def _mean(values: Sequence[float]) -> str:
    """Return a mean with its interval.

    >>> _mean([1.0, 1.0]), _mean([])
    ('1.00 (1.00 to 1.00)', '-')
    """
    if not values:
        return NONE
    of = mean_interval(values)
    return f"{of.mean:.2f} ({of.low:.2f} to {of.high:.2f})"


def _number(value: float | None, digits: int = 0) -> str:
    return NONE if value is None else f"{value:,.{digits}f}"
