"""References in an API description: what it says about its own parts, and about other files."""

from collections.abc import Iterator, Mapping

from research_agent.documents.openapi.pointers import (
    is_remote,
    pointer,
    split_reference,
    tokens_of,
)
from research_agent.documents.openapi.values import mapping

METHODS = ("get", "put", "post", "patch", "delete", "head", "options", "trace", "query")
"""The keys of a path that are operations."""
CALLED = (("paths",), ("webhooks",), ("x-webhooks",))
"""Where operations stand; the last one before OpenAPI 3.1 had webhooks."""
SCHEMAS = (("components", "schemas"), ("definitions",))
"""Where schemas stand: OpenAPI 3, Swagger 2.0."""
SCHEMES = (("components", "securitySchemes"), ("securityDefinitions",))
"""Where security schemes stand."""

_NAMED = frozenset(
    {
        "$defs", "callbacks", "content", "definitions", "dependentSchemas", "encoding", "headers",
        "links", "parameters", "pathItems", "paths", "patternProperties", "properties",
        "requestBodies", "responses", "schemas", "securityDefinitions", "securitySchemes",
        "variables", "webhooks",
    }
)  # fmt: skip
"""Keys whose value maps names to things, so that its own keys mean nothing."""
_DATA = frozenset({"const", "default", "enum", "example", "examples", "value"})
"""Keys whose value is the user's data."""


def references(value: object) -> Iterator[str]:
    """Yield every reference inside a value, in reading order; examples are not looked into.

    >>> list(references({"properties": {"default": {"$ref": "#/a"}}, "default": {"$ref": "#/b"}}))
    ['#/a']
    """
    pending: list[tuple[object, bool]] = [(value, False)]
    while pending:
        here, named = pending.pop()
        if isinstance(here, list):
            pending += [(item, False) for item in reversed(here)]
        if not isinstance(here, dict):
            continue
        if not named:
            yield from _own(here)
        pending += [
            (item, not named and key in _NAMED)
            for key, item in reversed(here.items())
            if isinstance(item, dict | list) and (named or not _is_data(key))
        ]


def owner(place: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the operation, schema or security scheme that a place belongs to, if any.

    >>> owner(("components", "schemas", "File", "properties", "id"))
    ('components', 'schemas', 'File')
    """
    for above in (*SCHEMAS, *SCHEMES):
        if place[: len(above)] == above and len(place) > len(above):
            return place[: len(above) + 1]
    if place[0:1] in CALLED and place[2:3] and place[2].lower() in METHODS:
        return place[:3]
    return None


def outside(reference: str) -> str:
    """Return the target of a reference into another file; "" for every other reference.

    >>> outside("common.yaml#/a%20b"), outside("#/a"), outside("https://x/y.json#/a")
    ('common.yaml#/a b', '', '')
    """
    path, fragment = split_reference(reference)
    is_file = path and not is_remote(path) and (fragment or "." in path or "/" in path)
    if not is_file:
        return ""
    return path + pointer(*tokens_of(fragment)) if fragment else path


def _is_data(key: str) -> bool:
    return key in _DATA or key.startswith("x-")


def _own(value: Mapping[str, object]) -> Iterator[str]:
    """Yield the references that one object makes itself."""
    if isinstance(reference := value.get("$ref"), str):
        yield reference
    named = mapping(mapping(value.get("discriminator")).get("mapping"))
    yield from (to_schema(target) for target in named.values() if isinstance(target, str))


def to_schema(target: str) -> str:
    """Return the reference that a discriminator means: a name is a schema's.

    >>> to_schema("Cat"), to_schema("#/components/schemas/Cat")
    ('#/components/schemas/Cat', '#/components/schemas/Cat')
    """
    is_name = not any(mark in target for mark in "#/") and not target.endswith((".json", ".yaml"))
    return pointer("components", "schemas", target) if is_name else target
