"""The results of a search's calls as the model that writes the calls reads them.

Passages have keys, k1, k2, …, those of earlier rounds first, then in the order in which they were
found: short, and no chunk id for a small model to misspell. Results only ever grow at the end, so
a prompt keeps its prefix as long as all texts fit. What a document says is fenced: it is data,
whatever it asks for.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from research_agent.planning.tool_calls.written_calls import ID_LISTS
from research_agent.text.excerpts import Count, excerpt, most_that_fit
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
    head: str
    told: str
    hits: Sequence[Hit]
    query: str
    is_search: bool


def chunk_keys(results: Sequence[CallResult], read: Sequence[Hit] = ()) -> dict[str, str]:
    """Return the chunk id of each key; `read` are the passages of earlier rounds."""
    hits = (*read, *(hit for result in results for hit in result.hits))
    ids = dict.fromkeys(hit.chunk.chunk_id for hit in hits)
    return {f"k{number}": chunk_id for number, chunk_id in enumerate(ids, start=1)}


def results_text(
    results: Sequence[CallResult],
    *,
    question: str,
    count: Count,
    max_tokens: int,
    read: Sequence[Hit] = (),
) -> str:
    """Return all results, with as much of each passage as fits into `max_tokens` for all.

    Shown are the sentences with the most words of the query, or of the `question`. Where not even
    the places of all passages fit, the first results and the last passages are only counted.
    """
    key_of = {chunk_id: key for key, chunk_id in chunk_keys(results, read).items()}
    parts = [_Part(EARLIER, "", read, question, is_search=True)] if read else []
    for result in results:
        note = result.told[:MOST_TOLD]
        query = result.call.query or question
        parts.append(_Part(_head(result, key_of), note, result.hits, query, result.searched))

    def fits(text: str) -> bool:
        return count(text) <= max_tokens

    text = ""
    for lengths in LENGTHS:
        text = _written(parts, key_of, lengths, count)
        if fits(text):
            return text
    for left_out in range(1, len(parts)):
        rest = _written(parts[left_out:], key_of, (0, 0), count)
        text = f"(the first {left_out} results are left out)\n{rest}"
        if fits(text):
            return text
    return _beginning(text, fits)


def _head(result: CallResult, key_of: Mapping[str, str]) -> str:
    """Return a call as the model wrote it: with keys, not with ids."""
    shown = dict(result.call.arguments)
    for name in ID_LISTS:
        ids = shown.get(name)
        if isinstance(ids, list | tuple):
            shown[name] = [key_of.get(item, item) for item in ids]
    arguments = fenced(json.dumps(shown, ensure_ascii=False))
    return f"<results tool={result.call.name!r} arguments={arguments}>".replace("\n", " ")


def _written(
    parts: Sequence[_Part],
    key_of: Mapping[str, str],
    lengths: tuple[int, int],
    count: Count,
) -> str:
    """Return all results, `lengths` tokens of each passage at most (see LENGTHS)."""
    seen: dict[str, set[str]] = {}
    lines: list[str] = []
    for part in parts:
        notes = [fenced(part.told)] if part.told else []
        length = lengths[0] if part.is_search else lengths[1]
        found = list(_passages(part, key_of, seen, length, count))
        lines += [part.head, *(notes + found or ["nothing found"]), "</results>"]
    return "\n".join(lines)


def _passages(
    part: _Part, key_of: Mapping[str, str], seen: dict[str, set[str]], length: int, count: Count
) -> Iterator[str]:
    """Yield one line a passage: key, place and kind, and its text; none twice."""
    for hit in part.hits:
        chunk = hit.chunk
        key = f"[{key_of[chunk.chunk_id]}]"
        shown = excerpt(chunk.text, part.query, length, count) if length else ""
        before = seen.setdefault(chunk.chunk_id, set())
        if {shown, chunk.text} & before:
            yield f"{key} (as above)"
            continue
        before.add(shown)
        head = " ".join(f"{key} ({fenced(place(chunk))}; {chunk.kind})".split())
        yield f"{head}: {fenced(' '.join(shown.split()))}" if shown else head


def _beginning(text: str, fits: Callable[[str], bool]) -> str:
    """Return as many lines of a result as fit, and how many passages do not."""
    *lines, end = text.split("\n")

    def shorter(most: int) -> str:
        return "\n".join([*lines[:most], f"(and {len(lines) - most} more)", end])

    return shorter(most_that_fit(len(lines) - 1, lambda most: fits(shorter(most))))
