"""Lines of an API description -> blocks; security schemes and requirements as such lines."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from research_agent.documents.openapi.descriptions import lines_of, one_line
from research_agent.documents.openapi.tree import (
    SCHEMES,
    Api,
    find,
    in_brackets,
    mapping,
    name_words,
    named,
    plain,
    pointer,
    sequence,
)
from research_agent.text.sentences import sentence_spans
from research_agent.types import ChunkKind
from research_agent.types.documents import Block
from research_agent.types.references import Link

LINE_CHARS = 600  # a longer line is cut between sentences
PART_CHARS = 1000  # length of a part of a list; that of a chunk by default
LONGEST_HEADING = 300  # a longer heading is cut: every part repeats it
PLACE_CHARS = 100  # characters of a line by which its references are found in a block
SECTION = "Security"
NOT_NEEDED = "security: none, no authorization is needed"

_ADDRESSES = {
    "authorizationUrl": "authorization at",
    "deviceAuthorizationUrl": "device authorization at",
    "tokenUrl": "token from",
    "refreshUrl": "refreshed at",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text that can be understood without the one before, and what it refers to."""

    text: str
    links: tuple[Link, ...] = ()
    label: str = ""  # what the line is about: repeated where the line is so long that it is cut


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An operation, a schema, a security scheme or a tag."""

    heading: str
    lines: tuple[Line, ...]
    anchors: tuple[str, ...]
    section: tuple[str, ...]
    kind: ChunkKind
    links: tuple[Link, ...] = ()
    """Everything it refers to; what no line has is linked from the whole."""
    about: tuple[Block, ...] = ()
    """Its description, where that has parts of its own; they stand above it."""


def blocks_of(item: Item) -> tuple[Block, ...]:
    """Return an item as one block, or a list as linked parts; each begins with the heading."""
    heading = textwrap.shorten(item.heading, LONGEST_HEADING, placeholder="\u2026")
    lines = [piece for line in item.lines for piece in _pieces(line)]
    groups = list(_groups(lines, PART_CHARS - len(heading) - 1)) if item.kind == "list" else [lines]
    shown = {link for line in lines for link in line.links}
    anchors = [item.anchors]
    anchors += [(f"part {n} of {item.anchors[0]}",) for n in range(2, len(groups) + 1)]
    blocks = []
    for number, group in enumerate(groups):
        links = [] if number else [link for link in item.links if link not in shown]
        links += (replace(a, text=one.text[:PLACE_CHARS]) for one in group for a in one.links)
        near = {0, number - 1, number + 1} & set(range(len(groups))) - {number}
        links += (Link(anchors[other][0], "part") for other in sorted(near))
        text = "\n".join([heading, *(line.text for line in group)])
        block = Block(text, section=item.section, kind=item.kind, anchors=anchors[number])
        blocks.append(replace(block, links=tuple(links)))
    return (*item.about, *blocks)


def told(line: Line, remark: Sequence[str]) -> Iterator[Line]:
    """Yield a line with the first line of a remark behind it, and the others below it."""
    first, *others = remark or [""]
    yield replace(line, text=f"{line.text}: {first}" if first else line.text)
    yield from map(Line, others)


def _groups(lines: Sequence[Line], room: int) -> Iterator[list[Line]]:
    group: list[Line] = []
    size = 0
    for line in lines:
        if group and size + len(line.text) + 1 > room:
            yield group
            group, size = [], 0
        group.append(line)
        size += len(line.text) + 1
    yield group


def _pieces(line: Line) -> Iterator[Line]:
    if len(line.text) <= LINE_CHARS:
        yield line
        return
    label = f"{line.label} (continued): " if 0 < len(line.label) < LINE_CHARS // 4 else ""
    width = LINE_CHARS - len(label)
    text, links = "", line.links
    for low, high in sentence_spans(line.text):
        for sentence in textwrap.wrap(line.text[low:high], width):
            if text not in {"", label} and len(text) + 1 + len(sentence) > LINE_CHARS:
                yield Line(text, links, line.label)
                text, links = label, ()
            text = text + sentence if text in {"", label} else f"{text} {sentence}"
    yield Line(text, links, line.label)


def security_items(api: Api) -> Iterator[Item]:
    """Yield the security schemes."""
    for above in SCHEMES:
        for name, value in mapping(find(api.root, above)).items():
            yield Item(
                heading=in_brackets(f"Security scheme {name}", name_words(name)),
                lines=tuple(Line(text) for text in _texts(api, name, api.followed(value))),
                anchors=(pointer(*above, name),),
                section=(SECTION, name),
                kind="security",
                links=api.links(value),
            )


def requirement_line(api: Api, value: object) -> Line:
    """Return what an operation's `security` requires, with links to the schemes.

    >>> requirement_line(Api({}), [{"key": []}, {"oauth": ["read", "write"]}]).text
    'security: key or oauth (scopes: read, write)'
    >>> requirement_line(Api({}), []).text
    'security: none, no authorization is needed'
    """
    choices = [mapping(choice) for choice in sequence(value)]
    if not any(choices):
        return Line(NOT_NEEDED)
    texts = [" and ".join(_required(name, s) for name, s in one.items()) for one in choices]
    said = " or ".join(text or "nothing" for text in texts)
    names = dict.fromkeys(name for choice in choices for name in choice)
    places = (api.place(SCHEMES, name) for name in names)
    links = tuple(Link(pointer(*place), "schema") for place in places if place)
    return Line(f"security: {said}", links, "security")


def unknown_schemes(api: Api, requirements: object) -> Iterator[str]:
    """Yield the names of security schemes that are required and nowhere described."""
    for choice in sequence(requirements):
        yield from (name for name in mapping(choice) if api.place(SCHEMES, name) is None)


def _required(name: str, scopes: object) -> str:
    listed = ", ".join(map(plain, sequence(scopes)))
    return in_brackets(name, f"scopes: {listed}" if listed else "")


def _texts(api: Api, name: str, scheme: Mapping[str, object]) -> Iterator[str]:
    yield f"requests to the API are authenticated by {_kind(scheme)}"
    yield from lines_of(api, scheme.get("description"))
    if any(name in mapping(choice) for choice in sequence(api.root.get("security"))):
        yield "required by every operation that does not say otherwise"
    if form := named(scheme, "bearerFormat"):
        yield f"format of the token: {form}"
    if url := named(scheme, "openIdConnectUrl"):
        yield f"OpenID Connect address: {url}"
    flows = dict(mapping(scheme.get("flows")))
    if flow := named(scheme, "flow"):
        flows[flow] = scheme  # as Swagger 2.0 has it
    for flow, value in flows.items():
        inner = mapping(value)
        said = [f"{words} {named(inner, key)}" for key, words in _ADDRESSES.items() if key in inner]
        yield f"flow {flow}: {', '.join(said)}" if said else f"flow {flow}"
        for scope, about in mapping(inner.get("scopes")).items():
            yield f"scope {scope}: {one_line(about)}".removesuffix(": ")


def _kind(scheme: Mapping[str, object]) -> str:
    kind = named(scheme, "type")
    return {
        "http": f"HTTP {named(scheme, 'scheme')} authentication".replace("  ", " "),
        "basic": "HTTP basic authentication",
        "apiKey": f"an API key in the {named(scheme, 'in')} {named(scheme, 'name')}".rstrip(),
        "oauth2": "OAuth 2 authorization",
        "openIdConnect": "OpenID Connect authentication",
        "mutualTLS": "mutual TLS authentication",
    }.get(kind, f"what is called {kind}" if kind else "means that are not told")
