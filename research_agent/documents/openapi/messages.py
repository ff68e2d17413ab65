"""What an operation is sent and what it answers, a line for each parameter and field."""

from collections.abc import Iterator, Mapping

from research_agent.documents.openapi.facts import facts, meaning
from research_agent.documents.openapi.lines import Line
from research_agent.documents.openapi.pointers import pointer
from research_agent.documents.openapi.schemas import Field, field_lines, nested_lines
from research_agent.documents.openapi.tree import Api
from research_agent.documents.openapi.types import type_text
from research_agent.documents.openapi.values import mapping, one_line, plain, sequence
from research_agent.types.references import Link

BROWSERS = "access-control-"
"""Response headers that begin so are for browsers; only their names are kept."""

_IN_BODY = frozenset({"body", "formData"})
"""Where Swagger 2.0 says that a parameter is part of the body."""
_IN_SCHEMA = ("schema", "in", "name", "required", "properties", "items", "content")


def parameter_lines(
    api: Api, operation: Mapping[str, object], path: Mapping[str, object]
) -> Iterator[Line]:
    """Yield a line for each parameter outside the body; the operation's own replace the path's.

    >>> limit = {"in": "query", "name": "limit", "schema": {"type": "integer"}}
    >>> [line.text for line in parameter_lines(Api({}), {"parameters": [limit]}, {})]
    ['query parameter limit (integer)']
    """
    for value in _parameters(api, operation, path):
        where = plain(value.get("in"))
        if where not in _IN_BODY:
            media = next(iter(mapping(value.get("content")).values()), None)
            schema = value.get("schema", mapping(media).get("schema", _schema_of(value)))
            yield from field_lines(api, _field(value, schema), f"{where} parameter ".lstrip())


def body_lines(
    api: Api, operation: Mapping[str, object], path: Mapping[str, object]
) -> Iterator[Line]:
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
    inside = [p for p in _parameters(api, operation, path) if plain(p.get("in")) in _IN_BODY]
    for value in inside:
        if plain(value.get("in")) == "body":
            media = {media_types: {"schema": value.get("schema")}}
            yield from _content(api, "request body", media, value, "body ")
        else:
            yield from field_lines(api, _field(value, _schema_of(value)), "body ")


def response_lines(
    api: Api, code: str, value: object, operation: Mapping[str, object]
) -> Iterator[Line]:
    """Yield a response: what it means, its type, its fields, its headers and links.

    >>> [line.text for line in response_lines(Api({}), "404", {"description": "Gone."}, {})]
    ['response 404: Gone.']
    """
    response = api.followed(value)
    media = mapping(response.get("content"))
    if "schema" in response:  # Swagger 2.0
        media = {_media_types(api, operation, "produces"): response}
    yield from _content(api, f"response {code}", media, response, f"response {code} ")
    headers = mapping(response.get("headers"))
    for name, header in headers.items():
        if not name.lower().startswith(BROWSERS):
            inner = api.followed(header)
            described = _field({**inner, "name": name}, inner.get("schema", _schema_of(inner)))
            yield from field_lines(api, described, f"response {code} header ")
    if hidden := [name for name in headers if name.lower().startswith(BROWSERS)]:
        yield Line(f"response {code} headers for browsers: {', '.join(hidden)}")
    for name, link in mapping(response.get("links")).items():
        yield _link_line(api, f"response {code} link {name}", api.followed(link))


def operation_ids(api: Api, operation: Mapping[str, object]) -> Iterator[str]:
    """Yield the operationIds that the links of an operation's responses name."""
    for response in mapping(operation.get("responses")).values():
        for link in mapping(api.followed(response).get("links")).values():
            if name := plain(api.followed(link).get("operationId")):
                yield name


def _content(
    api: Api, name: str, media: Mapping[str, object], message: Mapping[str, object], prefix: str
) -> Iterator[Line]:
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
        required = message.get("required") is True
        said = [type_text(schema), *facts(schema, {}, required=required)]
        inside = ", ".join(part for part in said if part)
        label = " ".join(filter(None, [name.strip(), ", ".join(filter(None, media_types))]))
        text = f"{label} ({inside})" if inside else label
        if told := about or meaning(schema, {}):
            text += f": {told}"
        yield Line(text, api.links(schema), label)
        yield from nested_lines(api, schema, prefix=prefix)


def _parameters(
    api: Api, operation: Mapping[str, object], path: Mapping[str, object]
) -> list[Mapping[str, object]]:
    """Return the parameters of path and operation, those of one name and place once."""
    found: dict[tuple[str, str], Mapping[str, object]] = {}
    for holder in (path, operation):
        for value in sequence(holder.get("parameters")):
            known = api.followed(value)
            if not known or "$ref" in known:
                known = {"name": plain(mapping(value).get("$ref")), **known}
            found[plain(known.get("in")), plain(known.get("name"))] = known
    return list(found.values())


def _field(value: Mapping[str, object], schema: object) -> Field:
    """Return a parameter or header as a field; what stands beside its schema counts too."""
    extra = {key: item for key, item in value.items() if key not in _IN_SCHEMA}
    required = value.get("required") is True
    name = plain(value.get("name"))
    return Field(name=name, schema=schema, required=required, extra=extra)


def _schema_of(value: Mapping[str, object]) -> Mapping[str, object]:
    """Return the schema of a parameter or header of Swagger 2.0, which stands in it."""
    about = {"name", "in", "required", "description", "schema", "content"}
    return {key: item for key, item in value.items() if key not in about}


def _media_types(api: Api, operation: Mapping[str, object], key: str) -> str:
    """Return the media types of Swagger 2.0 in one text."""
    return ", ".join(map(plain, sequence(operation.get(key, api.root.get(key)))))


def _link_line(api: Api, label: str, link: Mapping[str, object]) -> Line:
    """Return what may be called next, with a link to that operation."""
    name, reference = plain(link.get("operationId")), plain(link.get("operationRef"))
    about = one_line(link.get("description"))
    place = api.locate(reference) if reference else None
    target = f"operationId:{name}" if name else pointer(*place) if place else ""
    text = f"{label}: {name or reference}" + (f", {about}" if about else "")
    return Line(text, (Link(target, "link"),) if target else (), label)
