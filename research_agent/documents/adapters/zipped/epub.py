"""EPUB books: the chapters in the order of reading, each below its name in the contents."""

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from urllib.parse import unquote
from xml.etree import ElementTree as ET
from zipfile import ZipFile

from research_agent.documents.adapters.zipped.archive import FAULTS, check_archive
from research_agent.errors import DocumentError
from research_agent.types.documents import Block, ParsedDocument

CHAPTERS = {"application/xhtml+xml", "text/html"}  # types of what holds text

_CONTAINER, _LOCKED = "META-INF/container.xml", "META-INF/encryption.xml"
_DAY = 10  # characters of a date that are the day

Parse = Callable[[bytes, str], ParsedDocument]
"""Reads the bytes of a file with an ending."""


def parse_epub(data: bytes, parse: Parse) -> ParsedDocument:
    """Return the book in an EPUB file's bytes; `parse` reads its chapters, which are HTML.

    Links are left out. A chapter that is missing costs only itself, and a warning. Raises
    DocumentError for what is no EPUB, is locked, or is too large when unpacked.
    """
    check_archive(data, "EPUB")
    try:
        with ZipFile(BytesIO(data)) as archive:
            return _Book(archive).document(parse)
    except (*FAULTS, ET.ParseError, RuntimeError) as error:
        raise DocumentError("not a readable EPUB") from error


class _Book:
    """The parts of a book; KeyError for one that has to be there and is not."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        root = self._xml(_CONTAINER).find(".//{*}rootfile")
        self._package = "" if root is None else root.attrib["full-path"]
        self._opf = self._xml(self._package)
        items = self._opf.iterfind(".//{*}manifest/{*}item")
        self._items = {item.attrib["id"]: item.attrib for item in items}

    def document(self, parse: Parse) -> ParsedDocument:
        spine = [ref.attrib["idref"] for ref in self._opf.iterfind(".//{*}spine/{*}itemref")]
        wanted = [self._items[name] for name in spine if name in self._items]
        paths = [self._path(i["href"]) for i in wanted if i.get("media-type") in CHAPTERS]
        if locked := self._locked() & set(paths):
            raise DocumentError(f"{len(locked)} of its chapters are locked (DRM)")
        names = self._contents()
        blocks: list[Block] = []
        warnings: list[str] = []
        for path in paths:
            try:
                chapter = parse(self._archive.read(path), ".xhtml")
            except (*FAULTS, DocumentError):
                warnings.append(f"{path} cannot be read")
                continue
            blocks += _below(chapter, names.get(path, ""))
        title, day = self._field("title"), self._field("date")[:_DAY]
        return ParsedDocument(tuple(blocks), title=title, date=day, warnings=tuple(warnings))

    def _xml(self, path: str) -> ET.Element:
        return ET.fromstring(self._archive.read(path))  # noqa: S314 (in a child with limits)

    def _path(self, href: str, beside: str = "") -> str:
        """Return the path that an address in a part of the book means, without its anchor."""
        folder = posixpath.dirname(beside or self._package)
        return posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0])))

    def _locked(self) -> set[str]:
        if _LOCKED not in self._archive.namelist():
            return set()
        found = self._xml(_LOCKED).iterfind(".//{*}CipherReference")
        return {unquote(one.get("URI", "")) for one in found}

    def _field(self, name: str) -> str:
        found = self._opf.find(f".//{{http://purl.org/dc/elements/1.1/}}{name}")
        return " ".join(found.text.split()) if found is not None and found.text else ""

    def _contents(self) -> dict[str, str]:
        """Return the names of chapters by their paths: EPUB 3's contents, else EPUB 2's."""
        names: dict[str, str] = {}
        for item in self._items.values():
            is_nav = "nav" in item.get("properties", "").split()
            if is_nav or item.get("media-type") == "application/x-dtbncx+xml":
                path = self._path(item["href"])
                for href, name in (_links if is_nav else _points)(self._xml(path)):
                    names.setdefault(self._path(href, path), " ".join(name.split()))
        return names


def _links(nav: ET.Element) -> Iterator[tuple[str, str]]:
    for link in nav.iterfind(".//{*}nav//{*}a"):
        yield link.get("href", ""), "".join(link.itertext())


def _points(ncx: ET.Element) -> Iterator[tuple[str, str]]:
    for point in ncx.iterfind(".//{*}navPoint"):
        content, label = point.find("{*}content"), point.find("{*}navLabel/{*}text")
        if content is not None and label is not None:
            yield content.get("src", ""), label.text or ""


def _below(chapter: ParsedDocument, name: str) -> Iterator[Block]:
    """Yield a chapter's blocks below its name, unless it is their own heading."""
    top = () if not name or any(name in block.section for block in chapter.blocks) else (name,)
    for block in chapter.blocks:
        section = (*top, *block.section) if block.section or top else ()
        yield replace(block, section=section, anchors=(), links=())
