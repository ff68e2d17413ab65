"""Parts of a document that only point elsewhere: tables of contents, reference lists, covers.

They hold the words of every question and answer none, so they are kept out of the rankings; they
stay readable as neighbours of what was found. A document that is hardly more than that, such as a
list of publications, is searched.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, groupby

from research_agent.types import ChunkKind
from research_agent.types.references import LinkedChunk

BOILERPLATE: frozenset[ChunkKind] = frozenset({"contents", "references", "cover"})
"""Kinds of chunks that are not searched."""
MOST = 0.6
"""Share of the lines, or of the text, that has to look like an entry."""
LEAST_ENTRIES = 2
"""One line that looks like an entry proves nothing."""
LEAST_PAGES = 8
"""A shorter document has no title page, and no contents without dots that lead to a page."""
SENTENCE_WORDS = 6
"""A line of so many words may be a sentence, in any language."""
LINES_A_SENTENCE = 6
COVER_LINES = 4

_LEADER = re.compile(r"(?:\.\s?){3,}|\u2026|(?:\u00b7\s?){3,}")
_ENDS_WITH_PAGE = re.compile(r"(?:\s|\||\u2026|\.)\s*(?:\d{1,4}|[ivxlc]{1,7})$", re.IGNORECASE)
_PAGE = re.compile(r"(?<!\d)(?<!\d[.,])(\d{1,4})$")
_DECIMAL = re.compile(r"\d[.,]\d+$")
_NUMBERED = re.compile(
    r"^\|?\s*(?:[^\W\d_]+\s+)?(?:[A-Z]|[A-Z]?\d+(?:\.\d+)*)[.:]?(?:\s|\|).*?[^\W\d_]"
)
"""A number, also behind a word such as "Table", and then words."""
_REFERENCE = re.compile(r"^\s*(?:\[[\w+.:-]{1,24}\]|\d{1,3}\.)[\s|]+\S")
_PUBLISHED = (
    re.compile(r"\b(?:1[89]|20)\d\d\b"),
    re.compile(r"\bdoi\b|https?://", re.IGNORECASE),
    re.compile(r"\bpp?\.\s?\d|\bet al\b|\bproceedings\b|\bpress\b", re.IGNORECASE),
)
_STOP = re.compile(r"[\u3002\uff01\uff1f]$")
"""The end of a sentence in scripts that have no spaces between words."""


def boilerplate_kind(text: str, *, page: int = 1, last_page: int = 1) -> ChunkKind | None:
    """Return which kind of boilerplate a chunk is, by the shape of its lines; None for text.

    `page` is the chunk's first page, `last_page` the document's last one.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if _is_contents(lines, last_page):
        return "contents"
    if _is_references(text):
        return "references"
    return "cover" if page == 1 and last_page >= LEAST_PAGES and _is_cover(lines) else None


def searched(chunks: Sequence[LinkedChunk]) -> Sequence[LinkedChunk]:
    """Return the chunks of a document; where most of its text is boilerplate, as text."""
    kept = sum(len(chunk.text) for chunk, _ in chunks if chunk.kind not in BOILERPLATE)
    if 2 * kept >= sum(len(chunk.text) for chunk, _ in chunks):
        return chunks
    return [
        (replace(chunk, kind="text") if chunk.kind in BOILERPLATE else chunk, links)
        for chunk, links in chunks
    ]


def _is_contents(lines: Sequence[str], last_page: int) -> bool:
    led = sum(map(_is_led, lines))
    numbered = sum(bool(_NUMBERED.search(x) and _ENDS_WITH_PAGE.search(x)) for x in lines)
    if not _leads_to_pages(lines, last_page) and not _pages_go_up(lines, last_page):
        return False
    return max(led, numbered) >= LEAST_ENTRIES and max(led, numbered) >= MOST * len(lines)


def _is_led(line: str) -> bool:
    return bool(_LEADER.search(line) and _ENDS_WITH_PAGE.search(line))


def _leads_to_pages(lines: Sequence[str], last_page: int) -> bool:
    """Say whether dots lead to pages of the document, and not to prices or telephones.

    Either pages never fall before a line without dots, or the entries are in alphabetical order.
    """
    lists = [list(run) for is_led, run in groupby(lines, _is_led) if is_led]
    led = [line.casefold() for run in lists for line in run]
    if len(led) < LEAST_ENTRIES or any(map(_DECIMAL.search, led)):
        return False
    pages = [[int(match[1]) for line in run if (match := _PAGE.search(line))] for run in lists]
    is_in_order = all(run == sorted(run) for run in pages) or led == sorted(led)
    return is_in_order and max(chain(*pages), default=0) <= last_page


def _pages_go_up(lines: Sequence[str], last_page: int) -> bool:
    """Say whether the numbers at the lines' ends never fall, and rise: pages, not values."""
    found = [_PAGE.search(line) for line in lines]
    pages = [int(match[1]) for match in found if match]
    rising = len(pages) > LEAST_ENTRIES and pages == sorted(pages) and pages[0] < pages[-1]
    return rising and last_page >= LEAST_PAGES and pages[-1] <= last_page


def _is_references(text: str) -> bool:
    entries: list[str] = []
    before = 0
    for line in (line for line in text.split("\n") if line.strip()):
        if _REFERENCE.match(line):
            entries.append(line)
        elif entries:
            entries[-1] += f" {line}"
        else:
            before += len(line)
    published = [entry for entry in entries if _is_publication(entry)]
    size = sum(map(len, published))
    return len(published) >= LEAST_ENTRIES and size >= MOST * (size + before + 1)


def _is_publication(entry: str) -> bool:
    """Say whether an entry has a year, an address or a publisher; two of them below a number."""
    signs = sum(bool(pattern.search(entry)) for pattern in _PUBLISHED)
    return signs >= (1 if entry.lstrip().startswith("[") else LEAST_ENTRIES)


def _is_cover(lines: Sequence[str]) -> bool:
    """Say whether a first page is a title page: short lines, hardly a sentence, no table."""
    sentences = sum(
        len(line.split()) >= SENTENCE_WORDS or bool(_STOP.search(line)) for line in lines
    )
    table = any("|" in line for line in lines)
    return len(lines) >= COVER_LINES and not table and LINES_A_SENTENCE * sentences <= len(lines)
