"""The results of a search's calls as the model that writes the calls reads them.

Chunks have aliases, k1, k2, …, in the order in which they were found: short, and no chunk id for a
small model to misspell. Results only ever grow at the end, so a prompt keeps its prefix. What a
document says is fenced: it is data, whatever it asks for.
"""

import json
from collections.abc import Callable, Mapping, Sequence

from research_agent.core.call_checking import ID_LISTS
from research_agent.core.calls import CallResult
from research_agent.core.evidence import fenced, place
from research_agent.core.types import Hit

LENGTHS = ((160, 1600), (160, 700), (80, 300), (40, 120), (0, 0))
"""Characters of a chunk that was searched for, and of one that was asked for by its id: as long
as all results fit, else shorter ones."""
MOST_TOLD = 4000
"""Characters of a list of documents, or of a problem."""


def aliases(results: Sequence[CallResult]) -> dict[str, str]:
    """Return the chunk id behind each alias.

    >>> from research_agent.core.calls import ToolCall
    >>> from research_agent.core.types import Chunk
    >>> found = (Hit(Chunk("9f", "d", "")), Hit(Chunk("a3", "d", "")))
    >>> aliases([CallResult(ToolCall(0, "t"), found), CallResult(ToolCall(1, "t"), found)])
    {'k1': '9f', 'k2': 'a3'}
    """
    ids = dict.fromkeys(hit.chunk.chunk_id for result in results for hit in result.hits)
    return {f"k{number}": chunk_id for number, chunk_id in enumerate(ids, start=1)}


def results_text(
    results: Sequence[CallResult], *, count: Callable[[str], int], max_tokens: int
) -> str:
    """Return all results, with as much of each chunk as fits into `max_tokens` for all.

    Where not even the places of all chunks fit, the first results are left out, and of the last
    one its last chunks; both are counted.
    """
    by_id = {chunk_id: alias for alias, chunk_id in aliases(results).items()}
    text = ""
    for searched, named in LENGTHS:
        text = "\n".join(_parts(results, by_id, searched, named))
        if count(text) <= max_tokens:
            return text
    for left_out in range(1, len(results)):
        parts = _parts(results[left_out:], by_id, 0, 0)
        text = "\n".join([f"(the first {left_out} results are left out)", *parts])
        if count(text) <= max_tokens:
            return text
    return _beginning(text, count, max_tokens)


def _beginning(text: str, count: Callable[[str], int], max_tokens: int) -> str:
    """Return as many lines of a result as fit, and how many chunks do not."""
    *lines, end = text.split("\n")
    fits, fails = 0, len(lines)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        shorter = "\n".join([*lines[:middle], f"(and {len(lines) - middle} more)", end])
        fits, fails = (middle, fails) if count(shorter) <= max_tokens else (fits, middle)
    return "\n".join([*lines[:fits], f"(and {len(lines) - fits} more)", end])


def _parts(
    results: Sequence[CallResult], by_id: Mapping[str, str], searched: int, named: int
) -> list[str]:
    """Return one text a result; a chunk's text is shown again only where more of it is."""
    seen: dict[str, int] = {}
    parts = []
    for result in results:
        length = searched if result.searched else named
        lines = [_line(hit, by_id, seen, length) for hit in result.hits]
        told = [fenced(result.told[:MOST_TOLD])] if result.told else []
        call = fenced(json.dumps(_shown(result.call.arguments, by_id), ensure_ascii=False))
        head = f"<results tool={result.call.name!r} arguments={call}>".replace("\n", " ")
        for hit in result.hits:
            seen[hit.chunk.chunk_id] = max(length, seen.get(hit.chunk.chunk_id, 0))
        parts.append("\n".join([head, *(told + lines or ["nothing found"]), "</results>"]))
    return parts


def _shown(arguments: Mapping[str, object], by_id: Mapping[str, str]) -> dict[str, object]:
    """Return arguments as the model wrote them: with aliases, not with ids."""
    shown = dict(arguments)
    for name in ID_LISTS:
        ids = shown.get(name)
        if isinstance(ids, list | tuple):
            shown[name] = [by_id.get(item, item) for item in ids]
    return shown


def _line(hit: Hit, by_id: Mapping[str, str], seen: Mapping[str, int], length: int) -> str:
    """Return one line a chunk: alias, place and kind, and the beginning of its text."""
    chunk = hit.chunk
    alias = by_id[chunk.chunk_id]
    text = " ".join(chunk.text.split())
    if min(length, len(text)) <= seen.get(chunk.chunk_id, -1):
        return f"{alias} (as above)"
    head = " ".join(f"{alias} ({fenced(place(chunk))}; {chunk.kind})".split())
    shown = text[:length] + ("\N{HORIZONTAL ELLIPSIS}" if len(text) > length else "")
    return f"{head}: {fenced(shown)}" if length else head
