"""Operations of an API description, what they are sent and answer, and the tags that group them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from research_agent.documents.openapi.lines import Item, Line, requirement_line
from research_agent.documents.openapi.schemas import (
    Field,
    described,
    field_lines,
    meaning,
    nested_lines,
)
from research_agent.documents.openapi.tree import (
    METHODS,
    WEBHOOKS,
    Api,
    Place,
    in_brackets,
    mapping,
    name_words,
    named,
    one_line,
    paragraphs,
    plain,
    pointer,
    sample,
    sequence,
)
from research_agent.types.references import Link

UNTAGGED = "Operations"  # the section of operations without a tag
DEEPEST = 4
"""Keys to an operation whose callbacks are read: a callback's own callbacks may be itself."""
BROWSERS = "access-control-"
"""Response headers that begin so are for browsers; only their names are kept."""

_IN_BODY = frozenset({"body", "formData"})
"""Where Swagger 2.0 says that a parameter is part of the body."""
_IN_SCHEMA = ("schema", "in", "name", "required", "properties", "items", "content")
_NO_SCHEMA = ("name", "in", "required", "description", "schema", "content")
Values = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path, of a webhook, or of a callback."""

    method: str
    path: str
    place: Place
    value: Values
    shared: Values  # the path's own entries, which hold for all its operations

    @property
    def identifier(self) -> str:
        """The operationId; empty where there is none."""
        return named(self.value, "operationId")

    @property
    def tags(self) -> tuple[str, ...]:
        """The names of its tags, in order."""
        return tuple(filter(None, map(plain, sequence(self.value.get("tags")))))

    @property
    def address(self) -> str:
        """Method and path."""
        return f"{self.method} {self.path}"

    @property
    def summary(self) -> str:
        """What it does in one line; empty where it does not say."""
        return one_line(self.value.get("summary"))


def operations(api: Api) -> Iterator[Operation]:
    """Yield the operations in the order of the description, callbacks behind their operation."""
    for path, value in mapping(api.root.get("paths")).items():
        yield from _of_path(api, path, value, ("paths", path))
    for key in WEBHOOKS:
        for name, value in mapping(api.root.get(key)).items():
            yield from _of_path(api, f"webhook {name}", value, (key, name))


def operation_items(api: Api, all_operations: Sequence[Operation]) -> Iterator[Item]:
    """Yield each tag with its operations behind it, and operations without a tag at the end."""
    members: defaultdict[str, list[Operation]] = defaultdict(list)
    for operation in all_operations:
        for tag in dict.fromkeys(tag.casefold() for tag in operation.tags):
            members[tag].append(operation)
    for name, about in _tags(api, all_operations).items():
        own = members[name.casefold()]
        yield _tag_item(name, about, own)
        for operation in own:
            if operation.tags[0].casefold() == name.casefold():
                yield _operation_item(api, operation, name)
    yield from (
        _operation_item(api, operation, UNTAGGED)
        for operation in all_operations
        if not operation.tags
    )


def _tags(api: Api, all_operations: Sequence[Operation]) -> dict[str, Values]:
    """Return the tags as declared, then those that only operations name; case does not count."""
    declared = [(named(tag, "name"), mapping(tag)) for tag in sequence(api.root.get("tags"))]
    used = [(tag, mapping(None)) for operation in all_operations for tag in operation.tags]
    tags: dict[str, tuple[str, Values]] = {}
    for name, about in [*declared, *used]:
        if name:
            tags.setdefault(name.casefold(), (name, about))
    return dict(tags.values())


def _tag_item(name: str, about: Values, members: Sequence[Operation]) -> Item:
    lines = [Line(text) for text in paragraphs(about.get("description"))]
    if address := named(about.get("externalDocs"), "url"):
        lines.append(Line(f"more at {address}"))
    for one in members:
        text = " ".join(filter(None, [one.address, one.identifier]))
        text += f": {one.summary}" if one.summary else ""
        lines.append(Line(text, (Link(pointer(*one.place), "link"),)))
    return Item(
        heading=in_brackets(f"Operations of {name}", name_words(name)),
        lines=tuple(lines),
        anchors=(f"tag:{name}",),
        section=(name,),
        kind="list",
    )


def _operation_item(api: Api, operation: Operation, group: str) -> Item:
    name = operation.identifier
    heading = " ".join(filter(None, [operation.address, name]))
    place = pointer(*operation.place)
    own = {key: value for key, value in operation.value.items() if key != "callbacks"}
    return Item(
        heading=in_brackets(heading, name_words(name or operation.path)),
        lines=tuple(_lines(api, operation)),
        anchors=(place, f"operationId:{name}") if name else (place,),
        section=(group, operation.address),
        kind="operation",
        links=api.links([own, operation.shared.get("parameters")]),
    )


def _of_path(api: Api, path: str, value: object, place: Place) -> Iterator[Operation]:
    shared = api.followed(value)
    found = {key: shared[key] for key in shared if key.lower() in METHODS}
    found |= mapping(shared.get("additionalOperations"))
    for method, inner in found.items():
        if not isinstance(inner, dict):
            continue
        here = (*place, method)
        if method not in shared:
            here = (*place, "additionalOperations", method)
        yield Operation(method=method.upper(), path=path, place=here, value=inner, shared=shared)
        yield from _callbacks(api, inner, here)


def _callbacks(api: Api, operation: Values, place: Place) -> Iterator[Operation]:
    if len(place) > DEEPEST:
        return
    for name, callback in mapping(operation.get("callbacks")).items():
        for expression, value in api.followed(callback).items():
            below = (*place, "callbacks", name, expression)
            yield from _of_path(api, f"callback {name} {expression}", value, below)


def _lines(api: Api, operation: Operation) -> Iterator[Line]:
    own, path = operation.value, operation.shared
    said = [operation.summary]
    said += ["deprecated: better not used"] if own.get("deprecated") is True else []
    said += paragraphs(own.get("description"))
    said += [f"path: {text}" for text in paragraphs(path.get("description"))]
    if address := named(own.get("externalDocs"), "url"):
        said.append(f"more at {address}")
    yield from (Line(text) for text in dict.fromkeys(said) if text)
    if len(operation.tags) > 1:  # one alone is in the section path
        yield Line(f"tags: {', '.join(operation.tags)}")
    if "security" in own or "security" in api.root:
        yield requirement_line(api, own.get("security", api.root.get("security")))
    for server in sequence(own.get("servers", path.get("servers"))):
        yield Line(f"server: {named(server, 'url')}")
    yield from _parameter_lines(api, own, path)
    yield from _body_lines(api, own, path)
    for code, response in mapping(own.get("responses")).items():
        yield from _response_lines(api, code, response, own)
    for called in _callbacks(api, own, operation.place):
        yield Line(called.address, (Link(pointer(*called.place), "link"),))


def _parameter_lines(api: Api, operation: Values, path: Values) -> Iterator[Line]:
    for value in _parameters(api, operation, path):
        where = named(value, "in")
        if where not in _IN_BODY:
            media = next(iter(mapping(value.get("content")).values()), None)
            schema = value.get("schema", mapping(media).get("schema", _schema_of(value)))
            yield from field_lines(api, _field(value, schema), f"{where} parameter ".lstrip())


def _body_lines(api: Api, operation: Values, path: Values) -> Iterator[Line]:
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


def _response_lines(api: Api, code: str, value: object, operation: Values) -> Iterator[Line]:
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
        if not schema:
            yield from _example_lines(api, name.strip(), (*media.values(), message))


def _example_lines(api: Api, name: str, holders: Iterable[object]) -> Iterator[Line]:
    """Yield the examples of a message that has no schema: they alone tell its fields."""
    for holder in map(mapping, holders):
        values = [("", holder["example"])] if "example" in holder else []
        for key, value in mapping(holder.get("examples")).items():
            known = api.followed(value)  # (Swagger 2.0 has the example itself here)
            summary = in_brackets(key, one_line(known.get("summary")))
            values.append((summary, known.get("value", value)))
        for key, value in values:
            label = " ".join(filter(None, (name, "example", key)))
            yield Line(f"{label}: {sample(value)}", label=label)


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
