"""EPUB books: the chapters in the order of reading, each below its names in the contents."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from posixpath import dirname, join, normpath
from urllib.parse import unquote
from xml.etree import ElementTree as ET
from zipfile import ZipFile

from research_agent.documents.adapters.office import FAULTS, opened
from research_agent.errors import DocumentError
from research_agent.text.dates import iso_date
from research_agent.types.documents import Block, ParsedDocument

CHAPTERS = {"application/xhtml+xml", "text/html"}  # types of what holds text
_LOCKED = "META-INF/encryption.xml"
_FAULTS = (*FAULTS, ET.ParseError, RuntimeError)
"""What a part raises that is missing, damaged, locked or nested too deeply."""
_TYPE = "{http://www.idpf.org/2007/ops}type"
_NAMES = ("a", "span", "navLabel")
_PLACES = {"a": "href", "content": "src"}  # of what leads to a place, the attribute that has it
_HEADING = re.compile(rb"<h([1-6])\b")

Names = tuple[str, ...]  # of a chapter and of the parts around it, the outermost first
Parse = Callable[[bytes, str], ParsedDocument]  # reads the bytes of a file with an ending


def parse_epub(data: bytes, parse: Parse) -> ParsedDocument:
    """Return the book in an EPUB file's bytes; `parse` reads its chapters; raises DocumentError.

    A chapter that is missing costs only itself, damaged contents only the names; both are warnings.
    """
    with opened(data, "EPUB") as archive:
        try:
            return _book(archive, parse)
        except DocumentError:
            raise
        except _FAULTS as error:
            raise DocumentError("not a readable EPUB") from error


def _book(archive: ZipFile, parse: Parse) -> ParsedDocument:
    root = _xml(archive, "META-INF/container.xml").find(".//{*}rootfile")
    package = "" if root is None else root.attrib["full-path"]
    opf = _xml(archive, package)
    items = {item.attrib["id"]: item.attrib for item in opf.iterfind(".//{*}manifest/{*}item")}
    spine = [items.get(ref.attrib["idref"], {}) for ref in opf.iterfind(".//{*}spine/{*}itemref")]
    paths = [_path(i["href"], package) for i in spine if i.get("media-type") in CHAPTERS]
    if _LOCKED in archive.namelist():
        parts = _xml(archive, _LOCKED).iterfind(".//{*}CipherReference")
        if locked := {unquote(part.get("URI", "")) for part in parts} & set(paths):
            raise DocumentError(f"{len(locked)} of its chapters are locked (DRM)")
    warnings: list[str] = []
    names = _names(archive, package, items.values(), warnings)
    blocks: list[Block] = []
    open_chapter: Names = ()
    for path in paths:
        starts = names.get(path, {})
        try:
            page = archive.read(path)
            chapters = _chapters(page, parse(page, ".xhtml").blocks, starts, open_chapter)
            blocks += [block for above, own in chapters for block in _below(own, above)]
            open_chapter = chapters[-1][0]
        except (*_FAULTS, DocumentError):
            warnings.append(f"{path} cannot be read")
            open_chapter = [open_chapter, *starts.values()][-1]
    title, day = (
        " ".join((opf.findtext(f".//{{http://purl.org/dc/elements/1.1/}}{name}") or "").split())
        for name in ("title", "date")
    )
    return ParsedDocument(tuple(blocks), title=title, date=iso_date(day), warnings=tuple(warnings))


def _names(
    archive: ZipFile, package: str, items: Iterable[Mapping[str, str]], warnings: list[str]
) -> dict[str, dict[str, Names]]:
    """Return the names in the contents, for each file by the anchors at which they begin.

    An empty anchor is the beginning of the file. Of damaged contents a line is in `warnings`.
    """
    names: dict[str, dict[str, Names]] = {}
    for item in items:  # (the contents of EPUB 3 and of EPUB 2)
        is_nav = "nav" in item.get("properties", "").split()
        if is_nav or item.get("media-type") == "application/x-dtbncx+xml":
            beside = _path(item.get("href", ""), package)
            own: dict[str, dict[str, Names]] = {}
            try:
                contents = _xml(archive, beside)
                for href, above in (entry for top in _tops(contents) for entry in _entries(top)):
                    starts = own.setdefault(_path(href, beside), {})
                    anchor = unquote(href.partition("#")[2])
                    known = starts.get(anchor, ())
                    if above[: len(known)] == known:  # (a part begins where its first chapter does)
                        starts[anchor] = above
            except _FAULTS:
                warnings.append(f"the contents in {beside} cannot be read")
            names = own | names
    return names


def _xml(archive: ZipFile, path: str) -> ET.Element:
    return ET.fromstring(archive.read(path))  # noqa: S314 (in a child with limits)


def _path(href: str, beside: str) -> str:
    return normpath(join(dirname(beside), unquote(href.partition("#")[0])))


def _tops(contents: ET.Element) -> Iterator[ET.Element]:
    """Yield the tables of contents of a file; others there list pages, or kinds of chapters."""
    yield from contents.iterfind(".//{*}navMap")
    for nav in contents.iterfind(".//{*}nav"):
        if "toc" in nav.get(_TYPE, "toc").split():
            yield nav


def _entries(parent: ET.Element, above: Names = ()) -> Iterator[tuple[str, Names]]:
    """Yield where each entry below `parent` leads, with the names of the entries around it."""
    names = above
    for child in parent:
        tag = child.tag.rpartition("}")[2]
        if tag in _NAMES:
            name = " ".join("".join(child.itertext()).split())
            names = (*above, name) if name else above
        else:
            yield from _entries(child, names)
        if href := child.get(_PLACES.get(tag, "")):
            yield href, names


def _chapters(
    page: bytes, blocks: Sequence[Block], starts: Mapping[str, Names], before: Names
) -> list[tuple[Names, list[Block]]]:
    """Return the chapters in a file with their names; the first one may go on from `before`.

    A chapter begins at the block with its anchor; the first does with the file if none has it.
    """
    anchors = {anchor[1:] for block in blocks for anchor in block.anchors}
    first = next(iter(starts), "")
    goes_on = not starts or first in anchors
    chapters: list[tuple[Names, list[Block]]] = [(before if goes_on else starts[first], [])]
    for block in blocks:
        here = [anchor[1:] for anchor in block.anchors]
        chapters += [(starts[anchor], []) for anchor in here if anchor in starts]
        chapters[-1][1].append(block)
    heading = _HEADING.search(page)
    is_top = heading is not None and heading[1] == b"1"
    if goes_on and is_top and any(block.section for block in chapters[0][1]):
        chapters[0] = ((), chapters[0][1])
    return chapters


def _below(blocks: Sequence[Block], names: Names) -> Iterator[Block]:
    """Yield the blocks below the names that are not among their own headings."""
    own = {heading for block in blocks for heading in block.section}
    top = tuple(takewhile(lambda name: name not in own, names))
    for block in blocks:
        yield replace(block, section=(*top, *block.section), anchors=(), links=())
