"""Texts that a program hands over with metadata, as LangChain's Document has them."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

from research_agent.documents.adapters.plain_text import parse_text
from research_agent.documents.chunking import linked_chunks
from research_agent.text.credits import doi_in
from research_agent.text.dates import iso_date
from research_agent.text.paths import added_path, display_names
from research_agent.types import Chunk
from research_agent.types.documents import FoundFiles, ParsedDocument, ParseQuality, SourceFile
from research_agent.types.records import text_digest

_COMPACT = re.compile(r"(?:D:)?(\d{4})(\d\d)(\d\d)(?:\d{6})?(?!\d)", re.ASCII)
"""A day in digits alone, also as a PDF has it."""
EPOCH, MILLISECONDS = 10**8, 10**11
"""Numbers from here on are seconds since 1970, or milliseconds."""


@dataclass(frozen=True, slots=True)
class GivenText:
    """A text and what is known of it."""

    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    """Under which it is kept; empty: made of text and metadata, so that equal ones are one."""

    @property
    def key(self) -> str:
        """The id, or one made of the text."""
        return self.id or self.digest[:16]

    @property
    def source(self) -> str:
        """Where the text comes from; empty where the metadata do not say."""
        return _first(self.metadata, "source", "file_path", "url")

    @property
    def path(self) -> str:
        """The path under which an index keeps it."""
        return added_path(self.key, self.source)

    @property
    def digest(self) -> str:
        """What tells it from another text, metadata included."""
        return text_digest(json.dumps([self.id, self.text, self.metadata], default=str))

    @property
    def changed(self) -> int:
        """What an index compares in place of a file's time: another number for another text."""
        return -1 - int(self.digest[:15], 16)


def parsed(given: GivenText) -> ParsedDocument:
    """Return a text as a parsed document, with what its metadata say; others are not kept.

    These are `source`, `title`, `date`, `section`, `author` or `authors`, `doi` and the page.

    `page_number` counts from 1, and so does `page`, unless `total_pages` is beside it: LangChain's
    PDF loaders count from 0. A PDF without a page has page 0, which is not shown. A date that
    cannot be read is a warning.
    """
    data, document = given.metadata, parse_text(given.text.replace("\f", "\n"))
    number, page = _whole(data.get("page_number")), _whole(data.get("page"))
    if number is None and page is not None:
        number = page + ("total_pages" in data)
    unknown = 0 if given.source.lower().endswith(".pdf") else 1
    at = unknown if number is None else max(1, number)
    named = data.get("section") or ""
    parts = named if isinstance(named, list | tuple) else str(named).split(" > ")
    section = tuple(map(str, filter(None, parts)))
    day, unread = _day(data.get("date")), f"the date {str(data.get('date'))[:40]!r} is not read"
    names, doi = _first(data, "authors", "author"), doi_in(_first(data, "doi"))
    return replace(
        document,
        blocks=tuple(
            replace(block, page=at, section=(*section, *block.section)) for block in document.blocks
        ),
        title=_first(data, "title") or document.title,
        date=day,
        warnings=document.warnings if day or not data.get("date") else (unread,),
        quality=ParseQuality(authors=names, doi=doi),
        page_labels=(),
    )


def chunks_of(text: str, metadata: Mapping[str, Any], *, chunk_chars: int) -> list[Chunk]:
    """Return the chunks of a retriever's text, of about `chunk_chars` characters."""
    given = GivenText(text, metadata)
    source = given.source or given.key
    name, document = display_names([source])[source], parsed(given)
    cut = linked_chunks(given.key, name, document, source=given.source, chunk_chars=chunk_chars)
    return [chunk for chunk, _ in cut]


class GivenTexts:
    """Texts as files that are read; implements FileSource and DocumentReader."""

    def __init__(self, texts: Sequence[GivenText]) -> None:
        self.texts = {one.path: one for one in texts}

    def find(self, paths: Collection[str]) -> FoundFiles:
        """Return the texts at `paths`, which are those of given texts."""
        found = ((path, self.texts[path]) for path in paths)
        return FoundFiles(
            tuple(SourceFile(path, path, len(one.text), one.changed) for path, one in found)
        )

    def digest(self, path: str) -> str:
        """Return what tells a text from another one."""
        return self.texts[path].digest

    def read(self, path: str) -> ParsedDocument:
        """Return the document of a text."""
        return parsed(self.texts[path])


def _whole(value: Any) -> int | None:  # noqa: ANN401 (whatever a loader has read)
    """Return a number, also one that a table or a database has made a text or a float of."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _day(value: Any) -> str:  # noqa: ANN401 (as above)
    """Return a year, a month or a day as ISO 8601 has it; empty for what is none."""
    text = _first({"date": value}, "date")
    with suppress(ValueError, OverflowError, OSError):
        if isinstance(value, int | float) and value >= EPOCH:
            seconds = value / 1000 if value >= MILLISECONDS else value
            text = datetime.fromtimestamp(seconds, UTC).isoformat()
    compact = _COMPACT.match(text)
    day = "-".join(compact.groups()) if compact else iso_date(text)
    with suppress(ValueError):  # (month 13 and the like: no date)
        return day if date.fromisoformat(f"{day}-01-01"[:10]) else ""
    return ""


def _first(data: Mapping[str, Any], *names: str) -> str:
    found = (data.get(name) for name in names)
    texts = ("; ".join(one) if isinstance(one, list) else str(one) for one in found if one)
    return next((" ".join(text.split()) for text in texts), "")
