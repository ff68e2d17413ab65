"""What an API description says of the whole: its name, its servers, and its text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from research_agent.documents.openapi.security import requirement_line
from research_agent.documents.openapi.tree import Api, pointer
from research_agent.documents.openapi.values import (
    in_brackets,
    mapping,
    named,
    one_line,
    paragraphs,
    plain,
    sequence,
)
from research_agent.types.documents import Block

SECTION = "About"

_LAST = "# "
_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(.*)")


def about_blocks(api: Api) -> tuple[Block, ...]:
    r"""Return name, version, servers and description; its headings make sections.

    >>> api = Api({"openapi": "3.1.0", "info": {"title": "Pets", "version": "2"}})
    >>> [(block.text, block.section) for block in about_blocks(api)]
    [('Pets, version 2 (OpenAPI 3.1.0)', ('About',))]
    """
    head = "\n".join(_head(api))
    first = Block(head, section=(SECTION,), anchors=(pointer("info"), pointer("servers")))
    if "security" in api.root:
        first = replace(first, links=requirement_line(api, api.root["security"]).links)
    return (first, *_described(mapping(api.root.get("info")).get("description")))


def _head(api: Api) -> Iterator[str]:
    """Yield what is known of the whole, line by line."""
    root = api.root
    info = mapping(root.get("info"))
    name = named(info, "title") or "API"
    version = named(info, "version")
    form = f"OpenAPI {plain(root['openapi'])}" if "openapi" in root else ""
    form = form or f"Swagger {named(root, 'swagger')}"
    yield in_brackets(f"{name}, version {version}" if version else name, form)
    yield from filter(None, [one_line(info.get("summary"))])
    for url, about in _servers(root):
        yield in_brackets(f"server: {url}", about)
    if "security" in root:
        yield requirement_line(api, root["security"]).text
    for key in ("contact", "license"):
        said = [named(info.get(key), part) for part in ("name", "identifier", "email", "url")]
        if any(said):
            yield f"{key}: {', '.join(filter(None, said))}"
    if terms := named(info, "termsOfService"):
        yield f"terms of service: {terms}"
    if more := named(root.get("externalDocs"), "url"):
        yield f"more at {more}"


def _servers(root: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the address of each server and what is said of it."""
    for server in map(mapping, sequence(root.get("servers"))):
        about = [one_line(server.get("description"))]
        for name, variable in mapping(server.get("variables")).items():
            values = map(plain, sequence(mapping(variable).get("enum")))
            choice = ", ".join(values) or one_line(mapping(variable).get("description"))
            default = named(variable, "default")
            about.append(f"{name}: {default} by default" + (f", of {choice}" if choice else ""))
        yield named(server, "url"), "; ".join(filter(None, about))
    if host := named(root, "host"):  # Swagger 2.0
        for scheme in map(plain, sequence(root.get("schemes")) or ["https"]):
            yield f"{scheme}://{host}{named(root, 'basePath')}", ""
    elif base := named(root, "basePath"):
        yield base, ""


def _described(value: object) -> Iterator[Block]:
    """Yield the paragraphs of the description below its headings; "#" in code heads nothing."""
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    fenced = False
    for line in [*str(value or "").split("\n"), _LAST]:
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        heading = None if fenced and line is not _LAST else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        section = (SECTION, *(name for _, name in path))
        yield from (Block(text, section=section) for text in paragraphs("\n".join(lines)))
        path = [part for part in path if part[0] < len(heading[1])]
        path.append((len(heading[1]), one_line(heading[2].rstrip(" \t#"))))
        lines = []
