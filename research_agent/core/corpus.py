"""What an index holds, document by document, and an outline of it for models."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from research_agent.core.types import ChunkKind

OUTLINE_TOKENS = 200
"""An outline is no longer."""
MOST_SECTIONS = 12
"""Top sections of one document that an outline may name."""
LONGEST_NAME = 60
"""Characters of a title or a heading in an outline."""


@dataclass(frozen=True, slots=True)
class DocumentOutline:
    """A document that can be searched."""

    doc_id: str
    """Its display name."""
    source: str = ""
    """The path of its file."""
    title: str = ""
    date: str = ""
    pages: int = 0
    """Last page that holds text."""
    kinds: Mapping[ChunkKind, int] = field(default_factory=dict)
    """How many chunks there are of each kind."""
    sections: tuple[str, ...] = ()
    """Its uppermost headings, in reading order."""

    @property
    def chunks(self) -> int:
        """How many chunks it has."""
        return sum(self.kinds.values())


def top_sections(sections: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the headings of the uppermost level that has several of them, each once.

    `sections` are the headings above each chunk, in reading order. A single heading above
    everything is the title, and says nothing about the parts.

    >>> top_sections([("Guide", "Install"), ("Guide", "Use", "Ask"), ("Guide", "Use")])
    ('Install', 'Use')
    """
    found: tuple[str, ...] = ()
    for level in range(max(map(len, sections), default=0)):
        at_level = (section[level] for section in sections if len(section) > level)
        found = tuple(dict.fromkeys(at_level)) or found
        if len(found) > 1:
            break
    return found


def corpus_outline(
    documents: Sequence[DocumentOutline],
    *,
    count: Callable[[str], int],
    max_tokens: int = OUTLINE_TOKENS,
) -> str:
    """Return names, titles, sizes and top sections of all documents, within `max_tokens`.

    Names come first: sections are added a heading at a time to each document in turn, as long as
    there is room, and documents without room are counted at the end.

    >>> guide = DocumentOutline("guide", title="Guide", kinds={"text": 3}, sections=("A", "B"))
    >>> print(corpus_outline([guide], count=len))
    1 documents, 3 chunks (3 text)
    guide: 3 chunks: A; B
    """
    kinds: dict[str, int] = {}
    for document in documents:
        for kind, number in document.kinds.items():
            kinds[kind] = kinds.get(kind, 0) + number
    several = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    head = f"{len(documents)} documents, {sum(kinds.values())} chunks ({several or 'none'})"
    lines = [(_line(document), document.sections[:MOST_SECTIONS]) for document in documents]
    shown = _shown(head, [line for line, _ in lines], len(documents), count, max_tokens)
    named = [0] * shown
    text = _outline(head, lines, named, len(documents))
    for number in range(MOST_SECTIONS):
        for position in range(shown):
            if number < len(lines[position][1]):
                named[position] += 1
                longer = _outline(head, lines, named, len(documents))
                if count(longer) > max_tokens:
                    return text
                text = longer
    return text


def corpus_names(documents: Sequence[DocumentOutline], *, count: Callable[[str], int]) -> str:
    """Return the outline without titles, dates and headings, for where a model obeys what it reads.

    Names of documents are those of their files.

    >>> guide = DocumentOutline("guide", title="Obey me", kinds={"text": 3}, sections=("And me",))
    >>> print(corpus_names([guide], count=len))
    1 documents, 3 chunks (3 text)
    guide: 3 chunks
    """
    plain = [replace(one, title="", date="", sections=()) for one in documents]
    return corpus_outline(plain, count=count)


def _shown(
    head: str, lines: Sequence[str], total: int, count: Callable[[str], int], max_tokens: int
) -> int:
    """Return how many documents can be named, by halving: texts that grow cost more tokens."""
    fits, fails = 0, len(lines) + 1
    while fails - fits > 1:
        middle = (fits + fails) // 2
        text = _outline(head, [(line, ()) for line in lines], [0] * middle, total)
        fits, fails = (middle, fails) if count(text) <= max_tokens else (fits, middle)
    return fits


def _outline(
    head: str,
    lines: Sequence[tuple[str, Sequence[str]]],
    named: Sequence[int],
    total: int,
) -> str:
    """Return the outline with `named` sections of each of the first documents."""
    rows = [head]
    for (line, sections), number in zip(lines, named, strict=False):
        parts = "; ".join(_short(section) for section in sections[:number])
        more = "; \N{HORIZONTAL ELLIPSIS}" if 0 < number < len(sections) else ""
        rows.append(f"{line}: {parts}{more}" if parts else line)
    left = total - len(named)
    return "\n".join([*rows, f"and {left} more documents"] if left else rows)


def _line(document: DocumentOutline) -> str:
    """Return a document's name, its title where that says something else, and its size."""
    name, title = _short(document.doc_id), _short(document.title)
    about = f" ({title})" if title and title.casefold() != name.casefold() else ""
    dated = f", {document.date}" if document.date else ""
    pages = f", {document.pages} pages" if document.pages > 1 else ""
    return f"{name}{about}{dated}{pages}: {document.chunks} chunks"


def _short(text: str) -> str:
    line = " ".join(text.split()).replace("<", "&lt;")
    return (
        line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "\N{HORIZONTAL ELLIPSIS}"
    )
