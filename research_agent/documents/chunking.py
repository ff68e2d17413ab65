"""A parsed document -> chunks, the units of retrieval."""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile, zip_longest

from research_agent.documents import chunk_anchors
from research_agent.text.boilerplate_sections import boilerplate_kind
from research_agent.text.excerpts import cuts, line_groups
from research_agent.text.sentences import sentence_spans
from research_agent.text.tables import by_columns, head_of
from research_agent.types import Chunk, ChunkKind
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.references import Link, LinkedChunk

WHOLE = 1.5  # chunk lengths up to which a table, a piece of code or a sentence stays in one chunk
INLINE = 0.3
"""A piece of code shorter than this share of the chunk length stays in the text around it."""
TINY = 0.15  # a last piece shorter than this share of the chunk length joins the chunk before it
HEADED: frozenset[ChunkKind] = frozenset({"operation", "schema", "security"})
"""Parts of an API description, which are cut at the length of a chunk."""
ALONE: frozenset[ChunkKind] = HEADED | {"table", "algorithm"}
"""Chunks of their own; where one is cut, its first line heads every part."""
LEADS = (":", "\uff1a")  # ends of a sentence that leads to what follows it
NOTES = 12  # blocks from a footnote to the next page at most
ITEMS = 50  # items that are looked at for the end of a list
SENTENCE_ENDS = '.?!:;\u3002\uff01\uff1f\u2026"\u201d)]'

_NOTE = re.compile(r"\s*(?:\d{1,3}|[*\u2020\u2021\u00a7]|[a-z])\s?(?=[^\W\d_a-z])")
"""How a footnote begins."""


@dataclass(frozen=True, slots=True)
class _Passage:
    text: str
    kind: ChunkKind
    section: tuple[str, ...]
    pages: tuple[tuple[int, int], ...]  # (offset, page), by offset; the first offset is 0
    before: str = "\n\n"  # what separates it from the passage before it in the same chunk
    carried: chunk_anchors.Carried = ()  # anchors and links; by offset before they are cut

    def part(self, start: int, end: int, before: str) -> "_Passage":
        first = bisect_right(self.pages, start, key=chunk_anchors.offset_of)
        later = self.pages[first : bisect_left(self.pages, end, first, key=chunk_anchors.offset_of)]
        pages = ((0, self.pages[first - 1][1]), *((o - start, page) for o, page in later))
        low, high = (
            bisect_left(self.carried, at, key=chunk_anchors.offset_of) for at in (start, end)
        )
        carried = chunk_anchors.shifted(self.carried[low:high], -start)
        return _Passage(self.text[start:end], self.kind, self.section, pages, before, carried)


def linked_chunks(
    doc_key: str, doc_id: str, document: ParsedDocument, *, source: str, chunk_chars: int
) -> tuple[LinkedChunk, ...]:
    r"""Return the chunks of a document in reading order, each with its anchors and links.

    There are none where it holds no text. Blocks of one section are put together up to about
    `chunk_chars` characters; a longer one is cut between sentences. A table or a longer piece of
    code is a chunk of its own, up to half as long again; a longer one is cut between rows or lines
    into parts that are linked, and each part of a table has its head. No chunk touches more than
    two pages unless one sentence does. A heading that only introduces deeper headings makes no
    chunk: it is in their section paths.

    An id depends on `doc_key`, the text and how often the text came before in the document, so
    that what is inserted elsewhere changes no other chunk's id.

    >>> document = ParsedDocument((Block("One.", anchors=("#a",)), Block("Two.", links=())))
    >>> [(chunk.text, links.anchors) for chunk, links in linked_chunks(
    ...     "k", "d", document, source="d.md", chunk_chars=1000)]
    [('One.\n\nTwo.', ('#a',))]
    """
    seen: Counter[str] = Counter()
    chunks: list[LinkedChunk] = []
    labels = dict(enumerate(document.page_labels, start=1))
    last_page = max((block.page for block in document.blocks), default=1)
    for order, passage in enumerate(_packed(document.blocks, chunk_chars)):
        first, last = passage.pages[0][1], max(page for _, page in passage.pages)
        kind = passage.kind
        if kind not in HEADED:
            kind = boilerplate_kind(passage.text, page=first, last_page=last_page) or kind
        chunk = Chunk(
            chunk_id=_chunk_id(doc_key, seen[passage.text], passage.text),
            doc_id=doc_id,
            text=passage.text,
            start_page=first,
            end_page=last,
            start_label=labels.get(first, ""),
            end_label=labels.get(last, ""),
            section=passage.section,
            kind=kind,
            title=document.title,
            date=document.date,
            source=source,
            order=order,
        )
        chunks.append((chunk, chunk_anchors.chunk_links(passage.carried)))
        seen[passage.text] += 1
    return tuple(chunks)


def _chunk_id(doc_key: str, ordinal: int, text: str) -> str:
    content = f"{doc_key}\n{ordinal}\n{text}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:16]


def _packed(blocks: Sequence[Block], chunk_chars: int) -> list[_Passage]:
    filled = [block for block in blocks if block.text.strip()]
    packed: list[_Passage] = []
    for (_, alone), group in groupby(filled, key=lambda b: (b.section, _is_alone(b, chunk_chars))):
        run = list(group)
        if alone:
            for number, block in enumerate(run, start=len(packed)):
                packed.extend(_parts(block, chunk_chars, number))
        else:
            texts = _running_text(run, chunk_chars)
            if packed and _is_tiny(texts, packed[-1], chunk_chars):
                packed[-1] = _joined([packed[-1], *texts])
            else:
                packed.extend(texts)
    return _without_introductions(packed)


def _is_alone(block: Block, chunk_chars: int) -> bool:
    long = len(block.text) > INLINE * chunk_chars
    return block.kind in ALONE or (block.kind == "code" and long)


def _without_introductions(packed: Sequence[_Passage]) -> list[_Passage]:
    """Drop headings that only introduce a deeper one; their anchors lead to what they introduce."""
    kept: list[_Passage] = []
    waiting: chunk_anchors.Carried = ()
    for passage, following in zip_longest(packed, packed[1:]):
        depth = len(passage.section)
        lone = depth > 0 and passage.text == passage.section[-1]
        if lone and following and following.section[:depth] == passage.section:
            waiting += tuple((0, item) for _, item in passage.carried)
            continue
        kept.append(replace(passage, carried=waiting + passage.carried) if waiting else passage)
        waiting = ()
    return kept


def _is_tiny(texts: Sequence[_Passage], before: _Passage, chunk_chars: int) -> bool:
    near = before.section == texts[0].section and before.kind in {"table", "code", "algorithm"}
    return near and len(texts) == 1 and len(texts[0].text) < TINY * chunk_chars


def _running_text(blocks: Sequence[Block], chunk_chars: int) -> list[_Passage]:
    units = [unit for p in _passages(blocks) for unit in _units(p, chunk_chars)]
    packed: list[list[_Passage]] = []
    size = 0
    for index, unit in enumerate(units):
        length = len(unit.before) + len(unit.text)
        fits = size + length <= chunk_chars
        ends = not fits and size + _rest(units, index) <= WHOLE * chunk_chars
        if packed and (fits or ends) and _is_near(packed[-1], unit):
            packed[-1].append(unit)
            size += length
            continue
        leads = bool(packed) and len(packed[-1]) > 1 and packed[-1][-1].text.endswith(LEADS)
        packed.append([packed[-1].pop(), unit] if leads else [unit])
        size = sum(len(passage.text) for passage in packed[-1])
    if len(packed) > 1 and size < TINY * chunk_chars and _is_near(packed[-2], packed[-1][-1]):
        packed[-2:] = [packed[-2] + packed[-1]]
    return [_joined(units) for units in packed]


def _rest(units: Sequence[_Passage], index: int) -> float:
    """Return the length of what is left of a list from its item `index` on; no end for others."""
    before = units[index - 1] if index else None
    if units[index].kind != "list" or before is None:
        return float("inf")
    if before.kind != "list" and not before.text.endswith(LEADS):
        return float("inf")
    near = units[index : index + ITEMS]
    if len(near) == ITEMS:
        return float("inf")
    items = takewhile(lambda unit: unit.kind == "list", near)
    return sum(len(unit.before) + len(unit.text) for unit in items)


def _is_near(units: Sequence[_Passage], unit: _Passage) -> bool:
    return unit.pages[-1][1] <= units[0].pages[0][1] + 1


def _passages(blocks: Sequence[Block]) -> Iterator[_Passage]:
    """Yield the blocks, those in one that a page break cut in the middle of a sentence."""
    runs: list[list[tuple[Block, str]]] = []
    for block in _notes_last(blocks):
        text = block.text.strip("\n").rstrip()  # (an item's indent is its level)
        if runs and _is_cut(*runs[-1][-1], block, text):
            runs[-1].append((block, text))
        else:
            runs.append([(block, text)])
    above = None
    for run in runs:
        first, start = run[0][0], 0
        pages: list[tuple[int, int]] = []
        carried: list[tuple[int, str | Link]] = []
        for block, text in run:
            pages.append((start, block.page))
            carried += sorted(
                chunk_anchors.shifted(chunk_anchors.of_block(block, text), start),
                key=chunk_anchors.offset_of,
            )
            start += len(text) + 1
        whole, before = " ".join(text for _, text in run), "\n\n"
        if above == first.kind == "list":
            before = "\n"
        above = first.kind
        yield _Passage(whole, first.kind, first.section, tuple(pages), before, tuple(carried))


def _notes_last(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks; footnotes behind the sentence that goes on overleaf."""
    notes: list[Block] = []
    before: Block | None = None
    for index, block in enumerate(blocks):
        note = before is not None and block.page == before.page and _NOTE.match(block.text)
        if note and before and _goes_on(before, blocks[index + 1 : index + NOTES]):
            notes.append(block)
            continue
        yield block
        before = block
        yield from notes
        notes = []


def _goes_on(block: Block, later: Sequence[Block]) -> bool:
    if block.kind != "text" or block.text.rstrip()[-1:] in SENTENCE_ENDS:
        return False
    overleaf = next((following for following in later if following.page != block.page), None)
    if overleaf is None or overleaf.page != block.page + 1 or overleaf.kind != "text":
        return False
    return overleaf.text.lstrip()[:1].islower()


def _is_cut(before: Block, ended: str, block: Block, text: str) -> bool:
    turned = block.page == before.page + 1 and block.kind == "text"
    return turned and text[0].islower() and ended[-1] not in SENTENCE_ENDS


def _units(passage: _Passage, chunk_chars: int) -> Iterator[_Passage]:
    if len(passage.text) <= chunk_chars:
        yield passage
        return
    last = 0
    for start, end in sentence_spans(passage.text):
        before = passage.text[last:start] if last else passage.before
        last = end
        whole = end - start <= WHOLE * chunk_chars
        for low, high in [(start, end)] if whole else cuts(passage.text, start, end, chunk_chars):
            yield passage.part(low, high, before if low == start else " ")


def _joined(units: Sequence[_Passage]) -> _Passage:
    text = ""
    pages: list[tuple[int, int]] = []
    carried: chunk_anchors.Carried = ()
    for unit in units:
        text += unit.before if text else ""
        pages.extend((len(text) + offset, page) for offset, page in unit.pages)
        carried += chunk_anchors.shifted(unit.carried, len(text))
        text += unit.text
    kinds = {unit.kind for unit in units}
    kind = kinds.pop() if len(kinds) == 1 else "text"
    return _Passage(text, kind, units[0].section, tuple(pages), carried=carried)


def _parts(block: Block, chunk_chars: int, number: int) -> list[_Passage]:
    """Return a table or code, whole or in linked parts with its head; `number` is its place."""
    text = block.text.strip("\n").rstrip()
    texts = [text]
    if len(text) > WHOLE * chunk_chars:
        tables = by_columns(text, chunk_chars // 2) if block.kind == "table" else texts
        texts = [part for table in tables for part in _cut(table, block.kind, chunk_chars)]
    carried = chunk_anchors.dealt(chunk_anchors.of_block(block, block.text), texts)
    return [
        _Passage(
            part,
            block.kind,
            block.section,
            ((0, block.page),),
            carried=items + chunk_anchors.tied(number, place, len(texts)),
        )
        for place, (part, items) in enumerate(zip(texts, carried, strict=True))
    ]


def _cut(text: str, kind: ChunkKind, chunk_chars: int) -> Iterator[str]:
    """Yield a table or code in parts, each below its head where that is not too long."""
    head = (head_of(text) if kind == "table" else "") or text.partition("\n")[0]
    rest = text[len(head) + 1 :]
    repeated = kind in ALONE and bool(rest) and len(head) <= chunk_chars / 2
    above = f"{head}\n" if repeated else ""
    room = int((1 if kind in HEADED else WHOLE) * chunk_chars) - len(above)
    yield from (f"{above}{part}" for part in line_groups(rest if repeated else text, room))
