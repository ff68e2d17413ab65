"""What an index keeps of a document beside its chunks: quality, lost references, its outline."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from research_agent.text.credits import authors_in
from research_agent.text.paths import shown_path
from research_agent.types import ChunkKind
from research_agent.types.documents import ParseQuality
from research_agent.types.records import DocumentOutline
from research_agent.types.references import Unresolved


def quality_of(kept: str) -> ParseQuality | None:
    """Return what was kept as JSON; None where nothing was. Raises ValueError for anything else."""
    try:
        return ParseQuality(**json.loads(kept)) if kept else None
    except TypeError as error:
        raise ValueError(f"a document's quality is {kept[:80]!r}") from error


def unresolved_of(kept: str) -> Unresolved:
    """Return what was kept as JSON; raises ValueError for anything else."""
    try:
        fields = json.loads(kept or "{}")
        names = {name: tuple(fields[name]) for name in ("dangling_names", "outside_names") if kept}
        return Unresolved(**{**fields, **names})
    except (TypeError, KeyError) as error:
        raise ValueError(f"a document's references are {kept[:80]!r}") from error


def outline_of(
    row: Mapping[str, Any], kinds: Mapping[ChunkKind, int], sections: Sequence[str]
) -> DocumentOutline:
    """Return the outline of a document from its row; raises ValueError for what is none of ours."""
    known = quality_of(row["quality"]) or ParseQuality()
    return DocumentOutline(
        doc_id=row["doc_id"],
        source=shown_path(row["path"]),
        title=row["title"],
        date=row["date"],
        pages=row["pages"],
        kinds=kinds,
        sections=tuple(sections),
        authors=authors_in(known.authors),
        doi=known.doi,
    )


def whole_documents(outlines: Iterable[DocumentOutline]) -> tuple[DocumentOutline, ...]:
    """Return outlines with one for all added texts of a source, such as a file's pages.

    Texts with another title or date stay apart.
    """
    same: defaultdict[tuple[str, ...], list[DocumentOutline]] = defaultdict(list)
    for one in outlines:
        same[one.doc_id, one.source, one.title, one.date].append(one)
    return tuple(map(_joined, same.values()))


def _joined(parts: Sequence[DocumentOutline]) -> DocumentOutline:
    ordered = sorted(parts, key=lambda part: part.pages)
    kinds = Counter[ChunkKind]()
    for part in parts:
        kinds.update(part.kinds)
    sections = tuple(dict.fromkeys(chain.from_iterable(part.sections for part in ordered)))
    return replace(ordered[0], pages=ordered[-1].pages, kinds=dict(kinds), sections=sections)


def top_sections(sections: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the headings, each once, of the uppermost level of `sections` that has several.

    >>> top_sections([("Guide",), ("Guide", "Install"), ("Guide", "Use", "Ask"), ("Guide", "Use")])
    ('Install', 'Use')
    >>> top_sections([("1 Scope",), ("2 Terms", "2.1 A"), ()]), top_sections([("Guide",)])
    (('1 Scope', '2 Terms'), ('Guide',))
    """
    found: tuple[str, ...] = ()
    for level in range(max(map(len, sections), default=0)):
        at_level = (section[level] for section in sections if len(section) > level)
        found = tuple(dict.fromkeys(at_level)) or found
        if len(found) > 1:
            break
    return found
