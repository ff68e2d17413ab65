"""An outline of what an index holds, document by document, for models."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from research_agent.text.excerpts import most_that_fit
from research_agent.types.evidence import fenced
from research_agent.types.records import DocumentOutline

OUTLINE_TOKENS = 400
"""An outline beside other things in a prompt is no longer."""
LISTED_TOKENS = 1000
"""One that was asked for is no longer."""
MOST_SECTIONS = 12
"""Top sections of one document that an outline may name."""
LONGEST_NAME = 60
"""Characters of a title or a heading in an outline."""


def corpus_outline(
    documents: Sequence[DocumentOutline],
    *,
    count: Callable[[str], int],
    max_tokens: int = OUTLINE_TOKENS,
    first: Sequence[str] = (),
) -> str:
    """Return names, titles, sizes and top sections of all documents, within `max_tokens`.

    Sections are added a heading at a time to each document in turn, as long as there is room.
    Where not even titles and sizes of all fit, all names come before any title; those that still
    do not fit are counted at the end. Then the documents named `first` stand first.
    """
    kinds: Counter[str] = Counter()
    for document in documents:
        kinds.update(document.kinds)
    several = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    head = f"{len(documents)} documents, {sum(kinds.values())} chunks ({several or 'none'})"
    lines = [(_line(document), document.sections[:MOST_SECTIONS]) for document in documents]
    named = [0] * len(lines)
    text = _with_sections(head, lines, named)
    if count(text) > max_tokens:
        rank = {name: at for at, name in reversed([*enumerate(first)])}
        best = sorted(documents, key=lambda document: rank.get(document.doc_id, len(rank)))
        return _names_first(head, best, lambda outline: count(outline) <= max_tokens)
    for number in range(MOST_SECTIONS):
        for position in range(len(lines)):
            if number < len(lines[position][1]):
                named[position] += 1
                longer = _with_sections(head, lines, named)
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


def _names_first(
    head: str, documents: Sequence[DocumentOutline], fits: Callable[[str], bool]
) -> str:
    """Return the names of as many documents as fit, then the sizes of as many as still do."""
    names = [_short(document.doc_id) for document in documents]
    lines = [_line(document) for document in documents]

    def outline(told: int, named: int) -> str:
        others = [f"others: {'; '.join(names[told:named])}"] if named > told else []
        more = [f"and {len(names) - named} more documents"] if named < len(names) else []
        return "\n".join([head, *lines[:told], *others, *more])

    named = most_that_fit(len(names), lambda number: fits(outline(0, number)))
    return outline(most_that_fit(named, lambda number: fits(outline(number, named))), named)


def _with_sections(
    head: str, lines: Sequence[tuple[str, Sequence[str]]], named: Sequence[int]
) -> str:
    rows = [head]
    for (line, sections), number in zip(lines, named, strict=True):
        parts = "; ".join(_short(section) for section in sections[:number])
        more = "; \N{HORIZONTAL ELLIPSIS}" if 0 < number < len(sections) else ""
        rows.append(f"{line}: {parts}{more}" if parts else line)
    return "\n".join(rows)


def _line(document: DocumentOutline) -> str:
    name, title = _short(document.doc_id), _short(document.title)
    about = f" ({title})" if title and title.casefold() != name.casefold() else ""
    dated = f", {document.date}" if document.date else ""
    pages = f", {document.pages} pages" if document.pages > 1 else ""
    return f"{name}{about}{dated}{pages}: {document.chunks} chunks"


def _short(text: str) -> str:
    line = fenced(" ".join(text.split()))
    return (
        line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "\N{HORIZONTAL ELLIPSIS}"
    )
