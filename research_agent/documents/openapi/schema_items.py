"""Schemas of an API description as items, and shared parts that no operation uses."""

from collections.abc import Iterator

from research_agent.documents.openapi.facts import facts, required_names, stated
from research_agent.documents.openapi.lines import Item, Line
from research_agent.documents.openapi.messages import body_lines, parameter_lines, response_lines
from research_agent.documents.openapi.pointers import find, pointer
from research_agent.documents.openapi.references import SCHEMAS, references, to_schema
from research_agent.documents.openapi.schemas import nested_lines
from research_agent.documents.openapi.tree import Api
from research_agent.documents.openapi.types import reference_name, type_text
from research_agent.documents.openapi.values import mapping, name_words, one_line, paragraphs, plain

SECTION = "Schemas"
SHARED = "Shared"


def schema_items(api: Api) -> Iterator[Item]:
    """Yield the schemas in the order of the description.

    >>> schema = {"title": "A pet", "properties": {"id": {"type": "string"}}}
    >>> item, = schema_items(Api({"definitions": {"Pet": schema}}))
    >>> item.heading, [line.text for line in item.lines], item.anchors
    ('Schema Pet (A pet)', ['id (string)'], ('#/definitions/Pet',))
    """
    for above in SCHEMAS:
        for name, schema in mapping(find(api.root, above)).items():
            yield Item(
                heading=_heading(name, schema),
                lines=tuple(_lines(api, schema)),
                anchors=(pointer(*above, name),),
                section=(SECTION, name),
                kind="schema",
                links=api.links(schema),
            )


def shared_items(api: Api) -> Iterator[Item]:
    """Yield parameters, bodies, responses and headers that nothing in the description uses.

    Those that are used stand where they are used.

    >>> api = Api({"parameters": {"Limit": {"in": "query", "name": "limit", "type": "integer"}}})
    >>> [(item.heading, item.lines[0].text) for item in shared_items(api)]
    [('Shared parameter Limit', 'query parameter limit (integer)')]
    """
    used = {api.locate(reference) for reference in references(api.root)}
    for above in ((), ("components",)):
        for key in ("parameters", "requestBodies", "responses", "headers"):
            for name, value in mapping(find(api.root, (*above, key))).items():
                place = (*above, key, name)
                if place not in used:
                    yield Item(
                        heading=f"Shared {_SINGULAR[key]} {name}",
                        lines=tuple(_shared(api, key, name, value)),
                        anchors=(pointer(*place),),
                        section=(SHARED, name),
                        kind="list",
                        links=api.links(value),
                    )


_SINGULAR = {
    "parameters": "parameter",
    "requestBodies": "request body",
    "responses": "response",
    "headers": "header",
}


def _heading(name: str, schema: object) -> str:
    """Return the first line of a schema: its name, and its title or the words of its name."""
    title = one_line(stated(schema).get("title"))
    said = title if title.casefold() != name.casefold() else ""
    words = said or name_words(name)
    return f"Schema {name} ({words})" if words else f"Schema {name}"


def _lines(api: Api, schema: object) -> Iterator[Line]:
    here = stated(schema)
    for text in paragraphs(here.get("description")):
        yield Line(text)
    kind = ", ".join(filter(None, [type_text(schema), *facts(schema, {}, required=False)]))
    if kind and kind != "object":
        yield Line(f"type: {kind}", label="type")
    needed = required_names(schema) - mapping(here.get("properties")).keys()
    if needed:
        yield Line(f"required: {', '.join(sorted(needed))}")
    yield from _discriminator(here)
    yield from nested_lines(api, schema)


def _discriminator(here: object) -> Iterator[Line]:
    """Yield which field says what a value is, and how."""
    value = mapping(here).get("discriminator")
    name = plain(mapping(value).get("propertyName")) or plain(value)
    chosen = mapping(mapping(value).get("mapping"))
    cases = [f"{case} is {reference_name(to_schema(plain(to)))}" for case, to in chosen.items()]
    if name:
        yield Line(f"told apart by {name}" + (f": {', '.join(cases)}" if cases else ""))


def _shared(api: Api, key: str, name: str, value: object) -> Iterator[Line]:
    if key == "parameters":
        yield from parameter_lines(api, {"parameters": [value]}, {})
        yield from body_lines(api, {"parameters": [value]}, {})
    elif key == "requestBodies":
        yield from body_lines(api, {"requestBody": value}, {})
    elif key == "responses":
        yield from response_lines(api, "", value, {})
    else:
        header = {**mapping(value), "in": "header", "name": name}
        yield from parameter_lines(api, {"parameters": [header]}, {})
