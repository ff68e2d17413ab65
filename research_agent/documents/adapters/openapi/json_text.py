"""JSON -> plain values; numbers stay the text they are."""

import json
from collections import Counter

from research_agent.errors import DocumentError

MEND = "mend that place and index the file again"
DEEPEST = 100
"""Containers in containers at most; descriptions of real APIs have about 30."""


def load_json(text: str) -> tuple[object, tuple[str, ...]]:
    """Return the values and the keys that stand twice, of which the last one counts.

    Raises DocumentError with line and column for what is no JSON.

    >>> load_json('{"a": 1.10, "b": [true, null], "a": 2}')
    ({'a': '2', 'b': [True, None]}, ('a',))
    """
    twice: list[str] = []

    def to_dict(pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            twice.extend(key for key, count in counts.items() if count > 1)
        return made

    try:
        value: object = json.loads(
            text,
            strict=False,
            parse_int=str,
            parse_float=str,
            parse_constant=str,
            object_pairs_hook=to_dict,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DocumentError(f"not valid JSON: {error.msg} ({where})", hint=MEND) from error
    except RecursionError as error:
        raise too_deep() from error
    check_depth(value)
    return value, tuple(twice)


def too_deep(where: str = "") -> DocumentError:
    """Return the error for containers that are nested too deep."""
    return DocumentError(
        f"nested more than {DEEPEST} levels deep{where}",
        hint="no description of an API is; leave the file out with documents.exclude",
    )


def check_depth(value: object) -> None:
    """Raise DocumentError where containers are nested too deep."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return
    raise too_deep()
