"""What an operation is sent and what it answers, a line for each parameter and field."""

from collections.abc import Iterator, Mapping

from research_agent.documents.openapi.facts import described, meaning
from research_agent.documents.openapi.lines import Item, Line
from research_agent.documents.openapi.schemas import Field, field_lines, nested_lines
from research_agent.documents.openapi.tree import Api, find, pointer, references
from research_agent.documents.openapi.values import (
    in_brackets,
    mapping,
    named,
    one_line,
    plain,
    sequence,
)
from research_agent.types.references import Link

SHARED = "Shared"
BROWSERS = "access-control-"
"""Response headers that begin so are for browsers; only their names are kept."""

_IN_BODY = frozenset({"body", "formData"})
"""Where Swagger 2.0 says that a parameter is part of the body."""
_IN_SCHEMA = ("schema", "in", "name", "required", "properties", "items", "content")
_NO_SCHEMA = ("name", "in", "required", "description", "schema", "content")
_SHARED = {
    "parameters": "parameter",
    "requestBodies": "request body",
    "responses": "response",
    "headers": "header",
}

Values = Mapping[str, object]


def parameter_lines(api: Api, operation: Values, path: Values) -> Iterator[Line]:
    """Yield a line for each parameter outside the body; the operation's own replace the path's.

    >>> limit = {"in": "query", "name": "limit", "schema": {"type": "integer"}}
    >>> [line.text for line in parameter_lines(Api({}), {"parameters": [limit]}, {})]
    ['query parameter limit (integer)']
    """
    for value in _parameters(api, operation, path):
        where = named(value, "in")
        if where not in _IN_BODY:
            media = next(iter(mapping(value.get("content")).values()), None)
            schema = value.get("schema", mapping(media).get("schema", _schema_of(value)))
            yield from field_lines(api, _field(value, schema), f"{where} parameter ".lstrip())


def body_lines(api: Api, operation: Values, path: Values) -> Iterator[Line]:
    """Yield the body of a request and its fields.

    >>> body = {"content": {"text/plain": {"schema": {"type": "string"}}}, "required": True}
    >>> [line.text for line in body_lines(Api({}), {"requestBody": body}, {})]
    ['request body text/plain (string, required)']
    """
    if "requestBody" in operation:
        body = api.followed(operation["requestBody"])
        media = mapping(body.get("content"))
        yield from _content(api, "request body", media, body, "body ")
        return
    media_types = _media_types(api, operation, "consumes")
    for value in _parameters(api, operation, path):
        if named(value, "in") == "body":
            media = {media_types: {"schema": value.get("schema")}}
            yield from _content(api, "request body", media, value, "body ")
        elif named(value, "in") in _IN_BODY:
            yield from field_lines(api, _field(value, _schema_of(value)), "body ")


def response_lines(api: Api, code: str, value: object, operation: Values) -> Iterator[Line]:
    """Yield a response: what it means, its type, its fields, its headers and links.

    >>> [line.text for line in response_lines(Api({}), "404", {"description": "Gone."}, {})]
    ['response 404: Gone.']
    """
    response = api.followed(value)
    media = mapping(response.get("content"))
    if "schema" in response:  # Swagger 2.0
        media = {_media_types(api, operation, "produces"): response}
    yield from _content(api, f"response {code}", media, response, f"response {code} ")
    hidden = []
    for name, header in mapping(response.get("headers")).items():
        if name.lower().startswith(BROWSERS):
            hidden.append(name)
            continue
        inner = api.followed(header)
        field = _field({**inner, "name": name}, inner.get("schema", _schema_of(inner)))
        yield from field_lines(api, field, f"response {code} header ")
    if hidden:
        yield Line(f"response {code} headers for browsers: {', '.join(hidden)}")
    for name, link in mapping(response.get("links")).items():
        yield _link_line(api, f"response {code} link {name}", api.followed(link))


def operation_ids(api: Api, operation: Values) -> Iterator[str]:
    """Yield the operationIds that the links of an operation's responses name."""
    for response in mapping(operation.get("responses")).values():
        for link in mapping(api.followed(response).get("links")).values():
            if name := named(api.followed(link), "operationId"):
                yield name


def shared_items(api: Api) -> Iterator[Item]:
    """Yield parameters, bodies, responses and headers that nothing in the description uses.

    Those that are used are told where they are used.

    >>> api = Api({"parameters": {"Limit": {"in": "query", "name": "limit", "type": "integer"}}})
    >>> [(item.heading, item.lines[0].text) for item in shared_items(api)]
    [('Shared parameter Limit', 'query parameter limit (integer)')]
    """
    used = {api.locate(reference) for reference in references(api.root)}
    places = [(*above, key) for above in ((), ("components",)) for key in _SHARED]
    for above in places:
        for name, value in mapping(find(api.root, above)).items():
            if (*above, name) not in used:
                yield Item(
                    heading=f"Shared {_SHARED[above[-1]]} {name}",
                    lines=tuple(_shared(api, above[-1], name, value)),
                    anchors=(pointer(*above, name),),
                    section=(SHARED, name),
                    kind="list",
                    links=api.links(value),
                )


def _shared(api: Api, key: str, name: str, value: object) -> Iterator[Line]:
    if key == "responses":
        yield from response_lines(api, "", value, {})
    elif key == "requestBodies":
        yield from body_lines(api, {"requestBody": value}, {})
    else:
        header = {**mapping(value), "in": "header", "name": name}
        operation = {"parameters": [header if key == "headers" else value]}
        yield from parameter_lines(api, operation, {})
        yield from body_lines(api, operation, {})


def _content(api: Api, name: str, media: Values, message: Values, prefix: str) -> Iterator[Line]:
    """Yield a message and its fields; media types with the same schema share their lines."""
    about = one_line(message.get("description"))
    groups: list[tuple[object, list[str]]] = []
    for media_type, value in media.items():
        schema = mapping(value).get("schema", mapping(value).get("itemSchema"))
        same = next((types for known, types in groups if known == schema), None)
        if same is None:
            groups.append((schema, [media_type]))
        else:
            same.append(media_type)
    for schema, media_types in groups or [(None, [])]:
        label = " ".join(filter(None, [name.strip(), ", ".join(filter(None, media_types))]))
        required = message.get("required") is True
        text = in_brackets(label, described(schema, {}, required=required))
        if told := about or meaning(schema, {}):
            text += f": {told}"
        yield Line(text, api.links(schema), label)
        yield from nested_lines(api, schema, prefix=prefix)


def _parameters(api: Api, operation: Values, path: Values) -> list[Values]:
    """Return the parameters of path and operation, those of one name and place once."""
    found: dict[tuple[str, str], Values] = {}
    for holder in (path, operation):
        for value in sequence(holder.get("parameters")):
            known = api.followed(value)
            if not known or "$ref" in known:
                known = {"name": named(value, "$ref"), **known}
            found[named(known, "in"), named(known, "name")] = known
    return list(found.values())


def _field(value: Values, schema: object) -> Field:
    """Return a parameter or header as a field; what is written beside its schema counts too."""
    extra = {key: item for key, item in value.items() if key not in _IN_SCHEMA}
    required = value.get("required") is True
    return Field(name=named(value, "name"), schema=schema, required=required, extra=extra)


def _schema_of(value: Values) -> Values:
    """Return the schema of a parameter or header of Swagger 2.0, which is part of it."""
    return {key: item for key, item in value.items() if key not in _NO_SCHEMA}


def _media_types(api: Api, operation: Values, key: str) -> str:
    """Return the media types of Swagger 2.0 in one text."""
    return ", ".join(map(plain, sequence(operation.get(key, api.root.get(key)))))


def _link_line(api: Api, label: str, link: Values) -> Line:
    """Return what may be called next, with a link to that operation."""
    name, reference = named(link, "operationId"), named(link, "operationRef")
    about = one_line(link.get("description"))
    place = api.locate(reference) if reference else None
    target = f"operationId:{name}" if name else pointer(*place) if place else ""
    text = f"{label}: {name or reference}" + (f", {about}" if about else "")
    return Line(text, (Link(target, "link"),) if target else (), label)
