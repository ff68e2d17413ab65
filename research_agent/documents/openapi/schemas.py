"""Schemas of an API description -> lines: one property a line, under its whole name."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from research_agent.documents.openapi.facts import facts, meaning, required_names
from research_agent.documents.openapi.lines import Line
from research_agent.documents.openapi.tree import Api
from research_agent.documents.openapi.types import type_text
from research_agent.documents.openapi.values import mapping, sequence

_NESTED = frozenset({"properties", "patternProperties", "$defs", "definitions", "then", "else"})
"""Keys whose schemas have lines of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A value that a request or a reply holds."""

    name: str
    """With the names of what holds it: "folder.id", "entries[].type"."""
    schema: object
    required: bool = False
    extra: Mapping[str, object] = field(default_factory=dict)
    """What stands beside the schema, as in a parameter."""
    listed: bool = True
    """Whether it has a line of its own; else only what is in it has."""


def field_lines(api: Api, value: Field, prefix: str = "") -> Iterator[Line]:
    """Yield the line of a field and those of the fields in it; what it refers to is only named.

    `prefix` stands before every name and says where the field is: "body ".

    >>> schema = {"properties": {"id": {"type": "string"}}, "required": ["id"]}
    >>> [line.text for line in field_lines(Api({}), Field(name="a", schema=schema), "body ")]
    ['body a (object)', 'body a.id (string, required)']
    """
    if value.listed:
        yield _line(api, value, prefix)
    yield from nested_lines(api, value.schema, prefix=prefix, path=value.name)


def nested_lines(
    api: Api,
    schema: object,
    *,
    prefix: str = "",
    path: str = "",
    needed: frozenset[str] = frozenset(),
) -> Iterator[Line]:
    """Yield the lines of the fields in a schema; `needed` are required, whatever it says."""
    here = mapping(schema)
    if not here:
        return
    needed |= required_names(here)
    for inner in _inner(here, path, needed):
        yield from field_lines(api, inner, prefix)
    for part in sequence(here.get("allOf")):
        yield from nested_lines(api, part, prefix=prefix, path=path, needed=needed)


def _line(api: Api, value: Field, prefix: str) -> Line:
    name = f"{prefix}{value.name}"
    said = [type_text(value.schema), *facts(value.schema, value.extra, required=value.required)]
    inside = ", ".join(part for part in said if part)
    label = f"{name} ({inside})" if inside else name
    about = meaning(value.schema, value.extra)
    text = f"{label}: {about}" if about else label
    return Line(text, api.links(_shallow(value.schema)), name)


def _inner(here: Mapping[str, object], path: str, needed: frozenset[str]) -> Iterator[Field]:
    """Yield the fields that stand directly in a schema."""
    for name, schema in mapping(here.get("properties")).items():
        required = name in needed or mapping(schema).get("required") is True
        yield Field(name=_below(path, name), schema=schema, required=required)
    for pattern, schema in mapping(here.get("patternProperties")).items():
        yield Field(name=_below(path, f"{{{pattern}}}"), schema=schema)
    key = _below(path, "{key}")
    yield Field(name=key, schema=here.get("additionalProperties"), listed=False)
    yield Field(name=f"{path}[]", schema=mapping(here.get("items")), listed=False)
    for position in ("prefixItems", "items"):
        for number, schema in enumerate(sequence(here.get(position))):
            yield Field(name=f"{path}[{number}]", schema=schema)
    for name in ("$defs", "definitions"):
        for defined, schema in mapping(here.get(name)).items():
            yield Field(name=f"{name}.{defined}", schema=schema)
    yield from _options(here, path)


def _options(here: Mapping[str, object], path: str) -> Iterator[Field]:
    """Yield what a value may be in turn, as far as it stands here and not elsewhere."""
    for choice in ("oneOf", "anyOf"):
        for number, schema in enumerate(sequence(here.get(choice)), 1):
            if mapping(schema).keys() - {"$ref", "type", "format", "nullable"}:
                yield Field(name=f"{path} option {number}".strip(), schema=schema)
    for case in ("then", "else"):
        if case in here:
            yield Field(name=f"{path} {case}".strip(), schema=here[case], listed=False)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _shallow(schema: object) -> object:
    """Return a schema without the fields that have lines of their own."""
    if isinstance(schema, list):
        return [_shallow(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _shallow(value) for key, value in schema.items() if key not in _NESTED}
