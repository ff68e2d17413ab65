"""Get chunks by their ids, list the documents, and follow what chunks refer to."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from research_agent.ports import Ports
from research_agent.text.excerpts import most_that_fit
from research_agent.text.tables import cells
from research_agent.types import Chunk, Hit, TraceEvent
from research_agent.types.calls import ChunksResult, DocumentsResult, Reference
from research_agent.types.evidence import fenced, pages, place
from research_agent.types.filtering import DEPTHS
from research_agent.types.records import DocumentOutline
from research_agent.types.references import PRIORITY, Edge, expand
from research_agent.types.scope import EVERYTHING, Scope

MOST_REFERENCES = 12
MOST_COUNTED = 30
"""Further chunks up to which they are counted."""
SHOWN_NAMES, MAX_NAME = 3, 50
"""Names that are shown of what is one step away, and characters of one."""


def get_chunks(
    chunk_ids: Sequence[str], *, expand_depth: int, max_total_chunks: int, ports: Ports
) -> ChunksResult:
    """Return the chunks asked for, in this order, then what they refer to by depth."""
    different = list(dict.fromkeys(chunk_ids))
    known = {chunk.chunk_id for chunk in ports.chunks.chunks(different)}
    asked = [chunk_id for chunk_id in different if chunk_id in known]
    found = expand(asked, ports.chunks.edges, depth=expand_depth, max_total=max_total_chunks)
    chunks = ports.chunks.chunks(tuple(found.found))
    return ChunksResult(
        hits=tuple(Hit(chunk) for chunk in chunks),
        requested=found.depths.get(0, 0),
        unknown=tuple(chunk_id for chunk_id in different if chunk_id not in known),
        depths=found.depths,
        truncated=found.truncated,
        tokens=sum(ports.tokenizer.count(chunk.text) for chunk in chunks),
        references=Links(ports).references([chunk.chunk_id for chunk in chunks]),
        event=TraceEvent(lookups=1),
    )


def list_documents(ports: Ports) -> DocumentsResult:
    """Return the documents of the index as it is now, with an outline for models."""
    documents = tuple(ports.documents())
    outline = corpus_outline(documents, count=ports.tokenizer.count, max_tokens=LISTED_TOKENS)
    names = corpus_names(documents, count=ports.tokenizer.count)
    return DocumentsResult(documents, outline, TraceEvent(lookups=1), names)


@dataclass(frozen=True, slots=True)
class Links:
    """The references of one index, as one search follows them."""

    ports: Ports
    within: Scope = EVERYTHING
    """What it excludes takes nobody's place."""

    def references(self, chunk_ids: Sequence[str]) -> dict[str, tuple[Reference, ...]]:
        """Return what each of the chunks refers to; those that refer to nothing are left out."""
        wanted = set(chunk_ids)
        edges = [edge for edge in self.ports.chunks.edges(chunk_ids) if edge.source in wanted]
        targets = list(dict.fromkeys(edge.target for edge in edges))
        return references_by_chunk(edges, self.ports.chunks.chunks(targets) if targets else ())

    def further(self, chunk_ids: Sequence[str], *, depth: int, max_total: int) -> Sequence[Chunk]:
        """Return at most `max_total` other chunks within `depth` references, nearest first."""
        found = expand(
            chunk_ids,
            self.ports.chunks.edges,
            depth=depth,
            max_total=len(set(chunk_ids)) + max_total,
            excluded=self.within.exclude,
        )
        read = self.ports.chunks.chunks([one for one, far in found.found.items() if far])
        return [chunk for chunk in read if self.within.admits(chunk)]

    def reaches(self, chunk_ids: Sequence[str]) -> dict[str, "Reach"]:
        """Return where the references of these chunks lead beyond the chunks themselves.

        Those that lead to nothing new are left out.
        """
        there, found = set(chunk_ids), dict[str, Reach]()
        most = len(there) + MOST_COUNTED
        for chunk_id in self.references(chunk_ids):
            near: Sequence[Chunk] = ()
            counts = dict[int, int]()
            for steps in DEPTHS.values():
                reached = self.further([chunk_id], depth=steps, max_total=most)
                new = [chunk for chunk in reached if chunk.chunk_id not in there]
                near, counts[steps] = near if counts else new, min(len(new), MOST_COUNTED)
            if any(counts.values()):
                found[chunk_id] = Reach(tuple(dict.fromkeys(map(name_of, near))), counts)
        return found


@dataclass(frozen=True, slots=True)
class Reach:
    """New chunks that following the references of a chunk would add."""

    names: tuple[str, ...] = ()
    """Of the chunks one step away."""
    counts: Mapping[int, int] = field(default_factory=dict)
    """Chunks within each number of steps, ascending; `MOST_COUNTED` also means more."""

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of steps that bring more than the smaller ones."""
        before = [0, *self.counts.values()]
        pairs = zip(self.counts, before, strict=False)
        return tuple(steps for steps, less in pairs if self.counts[steps] > less)

    @property
    def told(self) -> str:
        """What a model reads: names one step away, and numbers of chunks further on."""
        parts = []
        for number in self.steps:
            shown = ", ".join(self.names[:SHOWN_NAMES])
            more = self.counts[number] - len(self.names[:SHOWN_NAMES])
            if number == 1 and self.names:
                parts.append(f"1 step: {shown}{f' and {more} more' if more > 0 else ''}")
            else:
                many = " or more" if self.counts[number] >= MOST_COUNTED else ""
                parts.append(f"{number} steps: {self.counts[number]} chunks{many}")
        return "; ".join(parts)


def references_by_chunk(
    edges: Sequence[Edge], chunks: Sequence[Chunk]
) -> dict[str, tuple[Reference, ...]]:
    """Return the first `MOST_REFERENCES` different references of each chunk, by `PRIORITY`.

    `chunks` are the targets; an edge to a chunk that is not among them is left out.
    """
    places = {chunk.chunk_id: place(chunk) for chunk in chunks}
    found: defaultdict[str, dict[str, Reference]] = defaultdict(dict)
    for edge in sorted(edges, key=lambda edge: PRIORITY.index(edge.kind)):
        if edge.target in places and len(found[edge.source]) < MOST_REFERENCES:
            reference = Reference(edge.target, edge.kind, places[edge.target])
            found[edge.source].setdefault(edge.target, reference)
    return {source: tuple(known.values()) for source, known in found.items() if known}


def name_of(chunk: Chunk) -> str:
    """Return what a chunk is called: a table by its caption, others by their heading; its page."""
    caption = chunk.text.strip().partition("\n")[0] if chunk.kind == "table" else ""
    named = "" if cells(caption) else caption
    name = named or next(iter(chunk.section[-1:]), "") or chunk.title or chunk.doc_id
    short = " ".join(name[:MAX_NAME].split())
    return f"{short} (page {chunk.start_page})" if pages(chunk) else short


OUTLINE_TOKENS = 400
"""An outline beside other things in a prompt is no longer."""
LISTED_TOKENS = 1000
"""One that was asked for is no longer."""
MOST_SECTIONS = 12
"""Top sections of one document that an outline may name."""
LONGEST_NAME = 60


def corpus_outline(
    documents: Sequence[DocumentOutline],
    *,
    count: Callable[[str], int],
    max_tokens: int = OUTLINE_TOKENS,
    first: Sequence[str] = (),
) -> str:
    """Return names, titles, sizes and top sections of all documents, within `max_tokens`.

    Each document in turn gets a heading more. Where not even titles and sizes fit, names come
    before titles, those of documents named `first` in front, and the others are counted.
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
    """
    plain = [replace(one, title="", date="", sections=()) for one in documents]
    return corpus_outline(plain, count=count)


def _names_first(
    head: str, documents: Sequence[DocumentOutline], fits: Callable[[str], bool]
) -> str:
    """Return the names of as many documents as fit, then the sizes of as many as still do."""
    names = [_short(document.doc_id) for document in documents]
    lines = [_line(document) for document in documents]

    def outline(full: int, named: int) -> str:
        others = [f"others: {'; '.join(names[full:named])}"] if named > full else []
        more = [f"and {len(names) - named} more documents"] if named < len(names) else []
        return "\n".join([head, *lines[:full], *others, *more])

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
