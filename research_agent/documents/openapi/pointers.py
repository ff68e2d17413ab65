"""JSON pointers (RFC 6901): how one part of an API description points at another.

A target has one spelling, so that equal strings mean the same place: percent signs are decoded,
and only `~` and `/` inside a name are escaped, as `~0` and `~1`.
"""

import re
from collections.abc import Mapping, Sequence

from research_agent.text.addresses import decoded

MISSING = object()
"""What `find` returns where a pointer leads nowhere."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")


def pointer(*tokens: str) -> str:
    """Return the pointer to the value below these keys.

    >>> pointer("paths", "/folder_locks", "post")
    '#/paths/~1folder_locks/post'
    """
    return "#" + "".join(f"/{token.replace('~', '~0').replace('/', '~1')}" for token in tokens)


def tokens_of(fragment: str) -> tuple[str, ...]:
    """Return the keys of what stands behind the "#" of a reference.

    >>> tokens_of("/paths/~1a%20b~1%7Bid%7D/get")
    ('paths', '/a b/{id}', 'get')
    """
    parts = decoded(fragment).split("/")[1:]
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)


def split_reference(reference: str) -> tuple[str, str]:
    """Return the path of another document, "" for the same one, and what stands behind "#".

    >>> split_reference("common.yaml#/components/schemas/Error")
    ('common.yaml', '/components/schemas/Error')
    """
    path, _, fragment = reference.strip().partition("#")
    return path, fragment


def is_remote(path: str) -> bool:
    """Say whether a reference leads to another server instead of another file.

    >>> is_remote("https://example.org/api.json"), is_remote("../common.yaml")
    (True, False)
    """
    return bool(_SCHEME.match(path))


def find(root: object, tokens: Sequence[str]) -> object:
    """Return the value below some keys; `MISSING` where there is none.

    >>> find({"a": [{"b": 1}]}, ("a", "0", "b")), find({}, ("a",)) is MISSING
    (1, True)
    """
    value = root
    for token in tokens:
        if isinstance(value, Mapping) and token in value:
            value = value[token]
        elif isinstance(value, list) and token.isdecimal() and int(token[:9]) < len(value):
            value = value[int(token[:9])]
        else:
            return MISSING
    return value
