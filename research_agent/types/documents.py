"""A document as a parser hands it over, and what indexing says about each file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from research_agent.types import ChunkKind
from research_agent.types.references import Link

BLANK = "no text in it: nothing is on its pages"
SCANNED = "no text in it; it looks scanned: run OCR first"
"""Why a file of pictures alone cannot be indexed."""
TEXTLESS = "have no text (scanned?)"
NAMED_RUNS = 12  # of pages without text so many runs are named
OCR = "read by OCR"
"""How the label of a page begins that has no text of its own."""


def ocr_label(sureness: float) -> str:
    """Return the label of a page that was read by OCR, which is so sure of it, from 0 to 1."""
    return f"{OCR}, {int(100 * sureness)} % sure"


def shown_label(label: str) -> str:
    """Return the label of a page for people: "printed 39", or how sure OCR is of it."""
    return label if label.startswith(OCR) else f"printed {label}"


def page_ranges(pages: Sequence[int]) -> str:
    """Return page numbers in words, the runs among them shortened; long lists end early."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    named = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return ", ".join(named[:NAMED_RUNS]) + (", …" if named[NAMED_RUNS:] else "")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list, a table or a piece of code: the smallest unit a parser tells apart."""

    text: str
    page: int = 1
    """The page it starts on, counted from 1."""
    section: tuple[str, ...] = ()
    kind: ChunkKind = "text"
    anchors: tuple[str, ...] = ()
    """Names by which a `Link` may point here: "#install", "Table 2"."""
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseQuality:
    """What a reader of a file's text cannot see: how well it could be read, and who wrote it."""

    pages: int = 0
    """Pages in the file; 0 where a format has none."""
    textless: int = 0
    """Pages on which something is drawn, but no text, and that OCR has not read: scans, figures."""
    ocr: int = 0
    """Pages whose text was read by OCR."""
    unreadable: int = 0
    tables: int = 0
    """Tables that were found, those of contents not counted."""
    running_heads: int = 0
    """Pieces of running heads and feet, page numbers included, that were dropped."""
    line_numbers: int = 0
    """Printed line numbers that were dropped."""
    authors: str = ""
    """Who wrote it, as the file's own properties say; several with semicolons."""
    doi: str = ""
    """Its DOI, as the file's own properties have it, such as 10.1000/182."""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """What a parser has read."""

    blocks: tuple[Block, ...] = ()
    title: str = ""
    date: str = ""
    """ISO 8601: a year, a month or a day; empty where the document has none."""
    page_texts: tuple[str, ...] = ()
    """The text of each page as the file has it: a character for each of the library's, so that
    places in it can be found on the page. Empty where a format has no pages."""
    page_labels: tuple[str, ...] = ()
    """The printed label of each page, "" where a page has none, or how sure OCR is of its text
    (`ocr_label`); empty without pages."""
    warnings: tuple[str, ...] = ()
    """What was left out or repaired, one short sentence each."""
    quality: ParseQuality = ParseQuality()
    textless_pages: tuple[int, ...] = ()
    """Pages on which something is drawn, but no text, where OCR is to read them."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that may be indexed."""

    path: str
    """Absolute, symlinks not resolved."""
    root: str
    """The folder (or file) the user named, under which it was found."""
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file."""

    path: str
    status: Literal["indexed", "unchanged", "skipped", "failed", "removed", "added", "changed"]
    """The last two in a preview alone: what would be indexed, for the first time or again."""
    reason: str = ""
    """Why it was skipped or failed, or what was left out; empty where all went well."""
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files below the named paths, and those that are left alone, each with its reason."""

    files: tuple[SourceFile, ...] = ()
    skipped: tuple[FileReport, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run of indexing did."""

    files: tuple[FileReport, ...] = ()
    chunks: int = 0
    """Chunks in the index now."""
    documents: int = 0
    """Documents in the index now."""
    embedded: int = 0
    """Texts embedded in this run; 0 where nothing had changed."""

    def count(self, status: str) -> int:
        """Return how many files have `status`."""
        return sum(file.status == status for file in self.files)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a picture, in its pixels, from the upper left corner."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as it is shown."""

    kind: str
    """The picture's format: "png" or "jpeg"."""
    data: str
    width: int
    height: int
    text: str
    """The page's text as the file has it now, one character for each of the library's."""
    boxes: tuple[tuple[Box, ...], ...]
    """For each span that was asked for, a box a line."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page to draw, and the spans of its text to find on it."""

    path: str
    page: int
    spans: tuple[tuple[int, int], ...] = ()
