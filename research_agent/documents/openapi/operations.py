"""Operations of an API description, and the tags that group them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from research_agent.documents.openapi.descriptions import BY_LINES, lines_of, one_line, structured
from research_agent.documents.openapi.lines import Item, Line, requirement_line, told
from research_agent.documents.openapi.messages import body_lines, parameter_lines, response_lines
from research_agent.documents.openapi.tree import (
    METHODS,
    WEBHOOKS,
    Api,
    Place,
    Values,
    in_brackets,
    mapping,
    name_words,
    named,
    plain,
    pointer,
    sequence,
)
from research_agent.types.documents import Block
from research_agent.types.references import Link

UNTAGGED = "Operations"  # the section of operations without a tag
DEEPEST = 4
"""Keys to an operation whose callbacks are read: a callback's own callbacks may be itself."""


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
        yield _tag_item(api, name, about, own)
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


def _tag_item(api: Api, name: str, about: Values, members: Sequence[Operation]) -> Item:
    blocks = structured(api, about.get("description"))
    if not any(block.section or block.kind in BY_LINES for block in blocks):
        blocks = ()
    lines = [] if blocks else [Line(text) for text in lines_of(api, about.get("description"))]
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
        about=tuple(Block(b.text, section=(name, *b.section), kind=b.kind) for b in blocks),
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
    said += (text for text in lines_of(api, own.get("description")) if text != operation.summary)
    yield from (Line(text) for text in said if text)
    if about := lines_of(api, path.get("description")):
        yield from told(Line("path"), about)
    if address := named(own.get("externalDocs"), "url"):
        yield Line(f"more at {address}")
    if len(operation.tags) > 1:  # one alone is in the section path
        yield Line(f"tags: {', '.join(operation.tags)}")
    if "security" in own or "security" in api.root:
        yield requirement_line(api, own.get("security", api.root.get("security")))
    for server in sequence(own.get("servers", path.get("servers"))):
        yield Line(f"server: {named(server, 'url')}")
    yield from parameter_lines(api, own, path)
    yield from body_lines(api, own, path)
    for code, response in mapping(own.get("responses")).items():
        yield from response_lines(api, code, response, own)
    for called in _callbacks(api, own, operation.place):
        yield Line(called.address, (Link(pointer(*called.place), "link"),))
