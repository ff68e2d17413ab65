"""Tags of an API description: groups of operations."""

from collections.abc import Mapping, Sequence

from research_agent.documents.openapi.lines import Item, Line
from research_agent.documents.openapi.operations import Operation
from research_agent.documents.openapi.pointers import pointer
from research_agent.documents.openapi.tree import Api
from research_agent.documents.openapi.values import mapping, name_words, paragraphs, plain, sequence
from research_agent.types.references import Link


def tag_names(api: Api, found: Sequence[Operation]) -> tuple[str, ...]:
    """Return the tags in the order of the description, then those that only operations name.

    Tags that differ in case alone are one.

    >>> tag_names(Api({"tags": [{"name": "Pets"}, {"name": "pets"}, {}]}), ())
    ('Pets',)
    """
    declared = [plain(mapping(tag).get("name")) for tag in sequence(api.root.get("tags"))]
    used = [tag for operation in found for tag in operation.tags]
    names: dict[str, str] = {}
    for name in filter(None, [*declared, *used]):
        names.setdefault(name.casefold(), name)
    return tuple(names.values())


def tag_item(api: Api, name: str, members: Sequence[Operation]) -> Item:
    """Return a tag with its description and its operations, a line for each.

    >>> tag_item(Api({"tags": [{"name": "Pets", "description": "All."}]}), "Pets", ()).lines[0].text
    'All.'
    """
    about = _declared(api, name)
    words = name_words(name)
    lines = [Line(text) for text in paragraphs(about.get("description"))]
    if address := plain(mapping(about.get("externalDocs")).get("url")):
        lines.append(Line(f"more at {address}"))
    return Item(
        heading=f"Operations of {name}" + (f" ({words})" if words else ""),
        lines=(*lines, *map(_member, members)),
        anchors=(f"tag:{name}",),
        section=(name,),
        kind="list",
    )


def _declared(api: Api, name: str) -> Mapping[str, object]:
    tags = map(mapping, sequence(api.root.get("tags")))
    return next((t for t in tags if plain(t.get("name")).casefold() == name.casefold()), {})


def _member(operation: Operation) -> Line:
    """Return one operation in a line, with a link to it."""
    text = " ".join(filter(None, [operation.address, operation.identifier]))
    text += f": {operation.summary}" if operation.summary else ""
    return Line(text, (Link(pointer(*operation.place), "link"),))
