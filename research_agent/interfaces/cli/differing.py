"""Two results of one question side by side, as text."""

from collections.abc import Iterator

from research_agent.answering.result_difference import Changes, Difference


def difference_text(difference: Difference) -> str:
    """Return what is different, "-" before what was and "+" before what is now."""
    if difference.same:
        return "no difference"
    return "\n".join(_lines(difference))


def _lines(difference: Difference) -> Iterator[str]:
    for name, (old, new) in (
        ("status", difference.status),
        ("stop reason", difference.stop_reason),
    ):
        if old != new:
            yield f"{name}: {old} -> {new}"
    if difference.same_answer:
        yield "answer and citations: the same"
    else:
        yield "answer:"
        yield from (f"  {line.rstrip()}" for line in difference.answer)
    yield from _changes("citations", difference.citations)
    yield from _changes("evidence", difference.evidence)
    yield from _changes("queries", difference.queries)
    yield from _changes("warnings", difference.warnings)
    for name, (before, after) in difference.usage.items():
        yield f"{name}: {_number(before)} -> {_number(after)}"


def _changes(name: str, changes: Changes) -> Iterator[str]:
    if changes != Changes():
        yield f"{name}:"
        yield from (f"  - {text}" for text in changes.removed)
        yield from (f"  + {text}" for text in changes.added)


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:g}" if isinstance(value, float) else f"{value}"
