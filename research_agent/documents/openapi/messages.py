"""What operations of an API description are sent and answer, a parameter or field a line."""

from collections.abc import Iterator

from research_agent.documents.openapi.descriptions import one_line, remark
from research_agent.documents.openapi.examples import message_examples
from research_agent.documents.openapi.lines import Line, told
from research_agent.documents.openapi.schemas import Field, field_lines, nested_lines
from research_agent.documents.openapi.tree import (
    Api,
    Values,
    in_brackets,
    mapping,
    named,
    plain,
    pointer,
    sequence,
)
from research_agent.documents.openapi.values import described, meaning, stated
from research_agent.types.references import Link

BROWSERS = "access-control-"
"""Response headers that begin so are for browsers; only their names are kept."""

_IN_BODY = frozenset({"body", "formData"})
"""Where Swagger 2.0 says that a parameter is part of the body."""
_IN_SCHEMA = ("schema", "in", "name", "required", "properties", "items", "content")
_NO_SCHEMA = ("name", "in", "required", "description", "schema", "content")


def parameter_lines(api: Api, operation: Values, path: Values) -> Iterator[Line]:
    """Yield the lines of what is sent outside the body; `path` holds for all its operations."""
    for value in _parameters(api, operation, path):
        where = named(value, "in")
        if where not in _IN_BODY:
            media = mapping(next(iter(mapping(value.get("content")).values()), None))
            schema = value.get("schema", media.get("schema", _schema_of(value)))
            field = _field({**media, **value}, schema)
            yield from field_lines(api, field, f"{where} parameter ".lstrip())


def body_lines(api: Api, operation: Values, path: Values) -> Iterator[Line]:
    """Yield the lines of the body that is sent."""
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
    """Yield the lines of the answer with a status code, its headers and its links."""
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


def _content(api: Api, name: str, media: Values, message: Values, prefix: str) -> Iterator[Line]:
    about = remark(api, message.get("description"))
    groups: list[tuple[object, dict[str, object]]] = []
    for media_type, value in media.items():
        schema = mapping(value).get("schema", mapping(value).get("itemSchema"))
        same = next((held for known, held in groups if known == schema), None)
        if same is None:
            groups.append((schema, {media_type: value}))
        else:
            same[media_type] = value
    for schema, held in groups or [(None, {})]:
        label = " ".join(filter(None, [name, ", ".join(filter(None, held))]))
        required = message.get("required") is True
        text = in_brackets(label, described(api, schema, {}, required=required))
        line = Line(text, api.links(schema), label)
        yield from told(line, about or meaning(api, schema, {}))
        yield from nested_lines(api, schema, prefix=prefix)
        yield from message_examples(api, name, (*held.values(), message), stated(schema))


def _parameters(api: Api, operation: Values, path: Values) -> list[Values]:
    found: dict[tuple[str, str], Values] = {}
    for holder in (path, operation):
        for value in sequence(holder.get("parameters")):
            known = api.followed(value)
            if not known or "$ref" in known:
                known = {"name": named(value, "$ref"), **known}
            found[named(known, "in"), named(known, "name")] = known
    return list(found.values())


def _field(value: Values, schema: object) -> Field:
    extra = {key: item for key, item in value.items() if key not in _IN_SCHEMA}
    required = value.get("required") is True
    return Field(name=named(value, "name"), schema=schema, required=required, extra=extra)


def _schema_of(value: Values) -> Values:
    return {key: item for key, item in value.items() if key not in _NO_SCHEMA}


def _media_types(api: Api, operation: Values, key: str) -> str:
    return ", ".join(map(plain, sequence(operation.get(key, api.root.get(key)))))


def _link_line(api: Api, label: str, link: Values) -> Line:
    name, reference = named(link, "operationId"), named(link, "operationRef")
    about = one_line(link.get("description"))
    place = api.locate(reference) if reference else None
    target = f"operationId:{name}" if name else pointer(*place) if place else ""
    text = f"{label}: {name or reference}" + (f", {about}" if about else "")
    return Line(text, (Link(target, "link"),) if target else (), label)
