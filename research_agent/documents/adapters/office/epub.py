"""EPUB books: the chapters in the order of reading, each below its name in the contents."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
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
    for path in paths:
        try:
            blocks += _below(parse(archive.read(path), ".xhtml"), names.get(path, ""))
        except (*_FAULTS, DocumentError):
            warnings.append(f"{path} cannot be read")
    title, day = (
        " ".join((opf.findtext(f".//{{http://purl.org/dc/elements/1.1/}}{name}") or "").split())
        for name in ("title", "date")
    )
    return ParsedDocument(tuple(blocks), title=title, date=iso_date(day), warnings=tuple(warnings))


def _names(
    archive: ZipFile, package: str, items: Iterable[Mapping[str, str]], warnings: list[str]
) -> dict[str, str]:
    """Return the names of files in the contents; of damaged contents a line is in `warnings`."""
    names: dict[str, str] = {}
    for item in items:  # (the contents of EPUB 3 and of EPUB 2)
        is_nav = "nav" in item.get("properties", "").split()
        if is_nav or item.get("media-type") == "application/x-dtbncx+xml":
            beside = _path(item.get("href", ""), package)
            try:
                for href, name in _entries(_xml(archive, beside)):
                    names.setdefault(_path(href, beside), " ".join(name.split()))
            except _FAULTS:
                warnings.append(f"the contents in {beside} cannot be read")
    return names


def _xml(archive: ZipFile, path: str) -> ET.Element:
    return ET.fromstring(archive.read(path))  # noqa: S314 (in a child with limits)


def _path(href: str, beside: str) -> str:
    return normpath(join(dirname(beside), unquote(href.partition("#")[0])))


def _entries(contents: ET.Element) -> Iterator[tuple[str, str]]:
    for link in contents.iterfind(".//{*}nav//{*}a"):
        yield link.get("href", ""), "".join(link.itertext())
    for point in contents.iterfind(".//{*}navPoint"):
        content = point.find("{*}content")
        if content is not None:
            yield content.get("src", ""), point.findtext("{*}navLabel/{*}text") or ""


def _below(chapter: ParsedDocument, name: str) -> Iterator[Block]:
    top = () if not name or any(name in block.section for block in chapter.blocks) else (name,)
    for block in chapter.blocks:
        yield replace(block, section=(*top, *block.section), anchors=(), links=())
