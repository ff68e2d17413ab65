"""Operations of an API description: what is called, with what, and what comes back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from research_agent.documents.openapi.lines import Item, Line
from research_agent.documents.openapi.messages import body_lines, parameter_lines, response_lines
from research_agent.documents.openapi.pointers import pointer
from research_agent.documents.openapi.references import METHODS
from research_agent.documents.openapi.security import requirement_line
from research_agent.documents.openapi.tree import Api
from research_agent.documents.openapi.values import (
    mapping,
    name_words,
    one_line,
    paragraphs,
    plain,
    sequence,
)
from research_agent.types.references import Link

UNTAGGED = "Operations"
"""The section of operations without a tag."""
DEEPEST = 4
"""Keys to an operation whose callbacks are read: a callback's own callbacks may be itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path, of a webhook, or of a callback."""

    method: str
    path: str
    place: tuple[str, ...]
    """The keys that lead to it."""
    value: Mapping[str, object]
    shared: Mapping[str, object]
    """The path's own entries, which hold for all its operations."""

    @property
    def identifier(self) -> str:
        """The operationId; empty where there is none."""
        return plain(self.value.get("operationId"))

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
    """Yield every operation in the order of the description, callbacks after their operation.

    >>> [o.address for o in operations(Api({"paths": {"/a": {"get": {}, "x-b": {}}, "/b": None}}))]
    ['GET /a']
    """
    for path, value in mapping(api.root.get("paths")).items():
        yield from _of_path(api, path, value, ("paths", path))
    for key in ("webhooks", "x-webhooks"):
        for name, value in mapping(api.root.get(key)).items():
            yield from _of_path(api, f"webhook {name}", value, (key, name))


def operation_item(api: Api, operation: Operation, group: str) -> Item:
    """Return an operation as an item; `group` is the first part of its section path."""
    name = operation.identifier
    words = name_words(name or operation.path)
    heading = " ".join(filter(None, [operation.address, name, f"({words})" if words else ""]))
    place = pointer(*operation.place)
    own = {key: value for key, value in operation.value.items() if key != "callbacks"}
    return Item(
        heading=heading,
        lines=tuple(_lines(api, operation)),
        anchors=(place, f"operationId:{name}") if name else (place,),
        section=(group, operation.address),
        kind="operation",
        links=api.links([own, operation.shared.get("parameters")]),
    )


def _of_path(api: Api, path: str, value: object, place: tuple[str, ...]) -> Iterator[Operation]:
    """Yield the operations of one path, webhook or callback."""
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


def _callbacks(
    api: Api, operation: Mapping[str, object], place: tuple[str, ...]
) -> Iterator[Operation]:
    """Yield the calls that the other side makes in answer to an operation."""
    if len(place) > DEEPEST:
        return
    for name, callback in mapping(operation.get("callbacks")).items():
        for expression, value in api.followed(callback).items():
            below = (*place, "callbacks", name, expression)
            yield from _of_path(api, f"callback {name} {expression}", value, below)


def _lines(api: Api, operation: Operation) -> Iterator[Line]:
    """Yield what is said of an operation."""
    yield from map(Line, _about(operation))
    yield from _linked_tags(operation)
    own, path = operation.value, operation.shared
    if "security" in own or "security" in api.root:
        yield requirement_line(api, own.get("security", api.root.get("security")))
    for server in sequence(own.get("servers", path.get("servers"))):
        yield Line(f"server: {plain(mapping(server).get('url'))}")
    yield from parameter_lines(api, own, path)
    yield from body_lines(api, own, path)
    for code, response in mapping(own.get("responses")).items():
        yield from response_lines(api, code, response, own)
    for called in _callbacks(api, own, operation.place):
        yield Line(called.address, (Link(pointer(*called.place), "link"),))


def _about(operation: Operation) -> tuple[str, ...]:
    """Return summary and description, each said once."""
    own, path = operation.value, operation.shared
    said = [operation.summary]
    said += ["deprecated: better not used"] if own.get("deprecated") is True else []
    said += paragraphs(own.get("description"))
    said += [f"path: {text}" for text in paragraphs(path.get("description"))]
    if address := plain(mapping(own.get("externalDocs")).get("url")):
        said.append(f"more at {address}")
    return tuple(text for text in dict.fromkeys(said) if text)


def _linked_tags(operation: Operation) -> Iterator[Line]:
    """Yield the tags where there are several: the first is in the section path."""
    if len(operation.tags) > 1:
        yield Line(f"tags: {', '.join(operation.tags)}")
