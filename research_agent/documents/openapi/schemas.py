"""Schemas of an API description: as items, a property a line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from research_agent.documents.openapi.descriptions import lines_of, one_line
from research_agent.documents.openapi.examples import value_examples
from research_agent.documents.openapi.lines import Item, Line, told
from research_agent.documents.openapi.tree import (
    SCHEMAS,
    Api,
    Values,
    find,
    in_brackets,
    mapping,
    name_words,
    named,
    plain,
    pointer,
    sequence,
    to_schema,
)
from research_agent.documents.openapi.values import (
    described,
    meaning,
    reference_name,
    required_names,
    stated,
)

SECTION = "Schemas"

_CHOICES = {"oneOf": "exactly one", "anyOf": "at least one"}
_SAID_ABOVE = frozenset({"$ref", "type", "format", "nullable", "required"})
"""Keys of alternatives that have no line of their own: their type and names are said already."""

_NESTED = frozenset({"properties", "patternProperties", "$defs", "definitions", "then", "else"})
"""Keys whose schemas have lines of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A value that a request or a reply holds."""

    name: str  # with the names of what holds it: "folder.id", "entries[].type"
    schema: object
    required: bool = False
    extra: Mapping[str, object] = field(default_factory=dict)
    """What is written beside the schema, as in a parameter."""
    listed: bool = True  # whether it has a line of its own; else only what is in it has


def schema_items(api: Api) -> Iterator[Item]:
    """Yield the schemas in the order of the description."""
    for above in SCHEMAS:
        for name, schema in mapping(find(api.root, above)).items():
            title = one_line(stated(schema).get("title"))
            said = title if title.casefold() != name.casefold() else ""
            yield Item(
                heading=in_brackets(f"Schema {name}", said or name_words(name)),
                lines=tuple(_lines(api, schema)),
                anchors=(pointer(*above, name),),
                section=(SECTION, name),
                kind="schema",
                links=api.links(schema),
            )


def field_lines(api: Api, value: Field, prefix: str = "") -> Iterator[Line]:
    """Yield the lines of a field and of those in it; `prefix` says where it is: "body "."""
    if value.listed:
        name = f"{prefix}{value.name}"
        text = in_brackets(name, described(api, value.schema, value.extra, required=value.required))
        line = Line(text, api.links(_shallow(value.schema)), name)
        yield from told(line, meaning(api, value.schema, value.extra))
        here = {**stated(value.schema), **value.extra}
        yield from value_examples(api, name, here)
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
    yield from _choices(here, f"{prefix}{path}".strip())
    for inner in _inner(here, path, needed):
        yield from field_lines(api, inner, prefix)
    for part in sequence(here.get("allOf")):
        yield from nested_lines(api, part, prefix=prefix, path=path, needed=needed)


def _lines(api: Api, schema: object) -> Iterator[Line]:
    here = stated(schema)
    yield from map(Line, lines_of(api, here.get("description")))
    kind = described(api, schema, {}, required=False)
    if kind and kind != "object":
        yield Line(f"type: {kind}", label="type")
    if needed := required_names(schema) - mapping(here.get("properties")).keys():
        yield Line(f"required: {', '.join(sorted(needed))}")
    value = here.get("discriminator")
    if name := named(value, "propertyName") or plain(value):
        chosen = mapping(mapping(value).get("mapping"))
        cases = [f"{case} is {reference_name(to_schema(plain(to)))}" for case, to in chosen.items()]
        yield Line(f"told apart by {name}" + (f": {', '.join(cases)}" if cases else ""))
    yield from nested_lines(api, schema)
    yield from value_examples(api, "", here)


def _inner(here: Mapping[str, object], path: str, needed: frozenset[str]) -> Iterator[Field]:
    below = f"{path}." if path else ""
    for name, schema in mapping(here.get("properties")).items():
        required = name in needed or mapping(schema).get("required") is True
        yield Field(name=f"{below}{name}", schema=schema, required=required)
    for pattern, schema in mapping(here.get("patternProperties")).items():
        yield Field(name=f"{below}{{{pattern}}}", schema=schema)
    others = here.get("additionalProperties")
    told_of = "description" in stated(others)
    yield Field(name=f"{below}{{key}}", schema=others, listed=told_of)
    yield Field(name=f"{path}[]", schema=mapping(here.get("items")), listed=False)
    for position in ("prefixItems", "items"):
        for number, schema in enumerate(sequence(here.get(position))):
            yield Field(name=f"{path}[{number}]", schema=schema)
    for key in ("$defs", "definitions"):
        for defined, schema in mapping(here.get(key)).items():
            yield Field(name=f"{key}.{defined}", schema=schema)
    yield from _options(here, path)


def _options(here: Mapping[str, object], path: str) -> Iterator[Field]:
    for choice in _CHOICES:
        for number, schema in enumerate(sequence(here.get(choice)), 1):
            if mapping(schema).keys() - _SAID_ABOVE:
                yield Field(name=f"{path} option {number}".strip(), schema=schema)
    for case in ("then", "else"):
        if case in here:
            yield Field(name=f"{path} {case}".strip(), schema=here[case], listed=False)


def _choices(here: Values, name: str) -> Iterator[Line]:
    """Yield what the alternatives of a schema require beyond the fields that they describe."""
    for choice, words in _CHOICES.items():
        options = sequence(here.get(choice))
        rests = [required_names(o) - mapping(mapping(o).get("properties")).keys() for o in options]
        texts = [" and ".join(sorted(rest)) for rest in rests]
        if all(texts) and all(mapping(o).keys() <= {"required", "type"} for o in options):
            texts = [f"requires {words} of: {'; '.join(texts)}"] if texts else []
        else:
            texts = [f"option {n} requires {text}" for n, text in enumerate(texts, 1) if text]
        yield from (Line(f"{name} {text}".strip()) for text in texts)


def _shallow(schema: object) -> object:
    if isinstance(schema, list):
        return [_shallow(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _shallow(value) for key, value in schema.items() if key not in _NESTED}
