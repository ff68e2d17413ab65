"""Texts that a program hands over with metadata, as LangChain's Document has them."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from research_agent.documents.adapters.plain_text import parse_text
from research_agent.documents.chunking import linked_chunks
from research_agent.errors import PathError
from research_agent.text.credits import doi_in
from research_agent.text.paths import ADDED, display_names
from research_agent.types import Chunk
from research_agent.types.documents import FoundFiles, ParsedDocument, ParseQuality, SourceFile
from research_agent.types.records import text_digest

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")
_PAGES = "total_pages"
"""LangChain's PDF loaders write it, and they count `page` from 0."""


@dataclass(frozen=True, slots=True)
class GivenText:
    """A text and what is known of it."""

    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    """Under which it is kept; empty: made of text and metadata, so that equal ones are one."""

    @property
    def key(self) -> str:
        """The id, as it may stand in a path."""
        return self.id.replace("/", "_") or self.digest[:16]

    @property
    def source(self) -> str:
        """Where the text comes from; empty where the metadata do not say."""
        return _first(self.metadata, "source", "file_path", "url")

    @property
    def path(self) -> str:
        """The path under which an index keeps it."""
        return f"{ADDED}{self.key}/{self.source or self.key}"

    @property
    def digest(self) -> str:
        """What tells it from another text, metadata included."""
        return text_digest(json.dumps([self.id, self.text, self.metadata], default=str))


def parsed(given: GivenText) -> ParsedDocument:
    """Return a text as a parsed document: what its metadata say.

    These are `source`, `title`, `date`, `section`, `author` or `authors`, `doi` and the page.

    `page_number` counts from 1, and so does `page`, unless `total_pages` is beside it: LangChain's
    PDF loaders count from 0. A PDF without a page has page 0, which is not shown. Other metadata
    are not kept.
    """
    data = given.metadata
    page, named = _page(data, given.source), data.get("section") or ()
    section = tuple(named.split(" > ") if isinstance(named, str) else map(str, named))
    document = parse_text(given.text.replace("\f", "\n"))
    blocks = (
        replace(block, page=page, section=(*section, *block.section)) for block in document.blocks
    )
    date = _DATE.match(_first(data, "date"))
    return replace(
        document,
        blocks=tuple(blocks),
        title=_first(data, "title") or document.title,
        date=date[0] if date else "",
        quality=ParseQuality(
            authors=_first(data, "authors", "author"), doi=doi_in(_first(data, "doi"))
        ),
        page_labels=(),
    )


def chunks_of(chunk_chars: int) -> Callable[[str, Mapping[str, Any]], Sequence[Chunk]]:
    """Return what makes chunks of a retriever's texts, of about `chunk_chars` characters."""

    def read(text: str, metadata: Mapping[str, Any]) -> list[Chunk]:
        given = GivenText(text, metadata)
        source = given.source or given.key
        name = display_names([source])[source]
        cut = linked_chunks(
            given.key, name, parsed(given), source=given.source, chunk_chars=chunk_chars
        )
        return [chunk for chunk, _ in cut]

    return read


class GivenTexts:
    """Texts as files that are read; implements FileSource and DocumentReader."""

    def __init__(self, texts: Sequence[GivenText]) -> None:
        """Have `texts`, each under its path."""
        self.texts = {one.path: one for one in texts}

    def find(self, paths: Collection[str]) -> FoundFiles:
        """Return the texts at `paths`; raises PathError for one that is not there."""
        for path in paths:
            if path not in self.texts:
                raise PathError(f"{path} was not given", hint="Name a text that was.")
        sizes = {path: len(self.texts[path].text) for path in paths}
        return FoundFiles(tuple(SourceFile(path, path, size, -1) for path, size in sizes.items()))

    def digest(self, path: str) -> str:
        """Return what tells a text from another one."""
        return self.texts[path].digest

    def read(self, path: str) -> ParsedDocument:
        """Return the document of a text."""
        return parsed(self.texts[path])


def _page(data: Mapping[str, Any], source: str) -> int:
    number, page = data.get("page_number"), data.get("page")
    if isinstance(number, int):
        return max(1, number)
    if isinstance(page, int):
        return max(1, page + (_PAGES in data))
    return 0 if source.lower().endswith(".pdf") else 1


def _first(data: Mapping[str, Any], *names: str) -> str:
    """Return the first of some values that is a text."""
    found = (data.get(name) for name in names)
    texts = ("; ".join(one) if isinstance(one, list) else str(one) for one in found if one)
    return next((" ".join(text.split()) for text in texts), "")
