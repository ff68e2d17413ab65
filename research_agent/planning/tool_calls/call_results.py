"""The results of a search's calls as the model that writes the calls reads them.

Passages have keys, k1, k2, …, those of earlier rounds first, then in the order in which they were
found: short, and no chunk id for a small model to misspell. Results only ever grow at the end, so
a prompt keeps its prefix as long as all texts fit. What a document says is fenced: it is data,
whatever it asks for.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from research_agent.planning.tool_calls.call_checking import ID_LISTS
from research_agent.text.excerpts import excerpt
from research_agent.types import Hit
from research_agent.types.calls import CallResult
from research_agent.types.evidence import fenced, place

LENGTHS = ((150, 1500), (150, 700), (100, 400), (60, 150), (30, 60), (0, 0))
"""Tokens of a passage that was searched for, and of one that was asked for by its key: as long
as all results fit, else shorter ones."""
MOST_TOLD = 4000
"""Characters of a list of documents, or of a problem."""
EARLIER = '<results from="earlier rounds; the answer has them already">'


@dataclass(frozen=True, slots=True)
class _Part:
    """One result: what stands above its passages, and what they are shown for."""

    head: str
    told: str
    hits: Sequence[Hit]
    query: str
    is_search: bool


def aliases(results: Sequence[CallResult], read: Sequence[Hit] = ()) -> dict[str, str]:
    """Return the chunk id behind each key; `read` are the passages of earlier rounds.

    >>> from research_agent.types.calls import ToolCall
    >>> from research_agent.types import Chunk
    >>> found = (Hit(Chunk("9f", "d", "")), Hit(Chunk("a3", "d", "")))
    >>> aliases([CallResult(ToolCall(0, "t"), found), CallResult(ToolCall(1, "t"), found)])
    {'k1': '9f', 'k2': 'a3'}
    """
    hits = (*read, *(hit for result in results for hit in result.hits))
    ids = dict.fromkeys(hit.chunk.chunk_id for hit in hits)
    return {f"k{number}": chunk_id for number, chunk_id in enumerate(ids, start=1)}


def results_text(
    results: Sequence[CallResult],
    *,
    question: str,
    count: Callable[[str], int],
    max_tokens: int,
    read: Sequence[Hit] = (),
) -> str:
    """Return all results, with as much of each passage as fits into `max_tokens` for all.

    Of a passage that is too long the sentences are shown that hold the most words of the query
    that found it, or of the `question`. Where not even the places of all passages fit, the first
    results are left out, and of the last one its last passages; both are counted.
    """
    by_id = {chunk_id: alias for alias, chunk_id in aliases(results, read).items()}
    parts = [_part(result, by_id, question) for result in results]
    if read:
        parts.insert(0, _Part(EARLIER, "", read, question, is_search=True))
    text = ""
    for searched, named in LENGTHS:
        text = _written(parts, by_id, count, searched, named)
        if count(text) <= max_tokens:
            return text
    for left_out in range(1, len(parts)):
        rest = _written(parts[left_out:], by_id, count, 0, 0)
        text = f"(the first {left_out} results are left out)\n{rest}"
        if count(text) <= max_tokens:
            return text
    return _beginning(text, count, max_tokens)


def _beginning(text: str, count: Callable[[str], int], max_tokens: int) -> str:
    """Return as many lines of a result as fit, and how many passages do not."""
    *lines, end = text.split("\n")
    fits, fails = 0, len(lines)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        shorter = "\n".join([*lines[:middle], f"(and {len(lines) - middle} more)", end])
        fits, fails = (middle, fails) if count(shorter) <= max_tokens else (fits, middle)
    return "\n".join([*lines[:fits], f"(and {len(lines) - fits} more)", end])


def _part(result: CallResult, by_id: Mapping[str, str], question: str) -> _Part:
    """Return what one call has found; a wrong call has the model's own words above it."""
    call = fenced(json.dumps(_shown(result.call.arguments, by_id), ensure_ascii=False))
    head = f"<results tool={result.call.name!r} arguments={call}>".replace("\n", " ")
    query = result.call.query or question
    return _Part(head, result.told[:MOST_TOLD], result.hits, query, result.searched)


def _written(
    parts: Sequence[_Part],
    by_id: Mapping[str, str],
    count: Callable[[str], int],
    searched: int,
    named: int,
) -> str:
    """Return all results with at most so many tokens of each passage."""
    seen: dict[str, set[str]] = {}
    lines: list[str] = []
    for part in parts:
        length = searched if part.is_search else named
        told = [fenced(part.told)] if part.told else []
        found = list(_lines(part, by_id, seen, length, count))
        lines += [part.head, *(told + found or ["nothing found"]), "</results>"]
    return "\n".join(lines)


def _lines(
    part: _Part,
    by_id: Mapping[str, str],
    seen: dict[str, set[str]],
    length: int,
    count: Callable[[str], int],
) -> Iterator[str]:
    """Yield one line a passage: key, place and kind, and its text; none twice."""
    for hit in part.hits:
        chunk = hit.chunk
        key = f"[{by_id[chunk.chunk_id]}]"
        shown = excerpt(chunk.text, part.query, length, count) if length else ""
        before = seen.setdefault(chunk.chunk_id, set())
        if {shown, chunk.text} & before:
            yield f"{key} (as above)"
            continue
        before.add(shown)
        head = " ".join(f"{key} ({fenced(place(chunk))}; {chunk.kind})".split())
        yield f"{head}: {fenced(' '.join(shown.split()))}" if shown else head


def _shown(arguments: Mapping[str, object], by_id: Mapping[str, str]) -> dict[str, object]:
    """Return arguments as the model wrote them: with keys, not with ids."""
    shown = dict(arguments)
    for name in ID_LISTS:
        ids = shown.get(name)
        if isinstance(ids, list | tuple):
            shown[name] = [by_id.get(item, item) for item in ids]
    return shown
