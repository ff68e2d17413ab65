"""`research-agent chunks`: chunks in full by their ids, and what they refer to."""

import os
from collections.abc import Sequence

from research_agent.assembly.connection import connect
from research_agent.interfaces.cli.starting import start
from research_agent.interfaces.cli.terminal import say, say_json
from research_agent.planning.get_chunks import get_chunks
from research_agent.planning.referring import Referring
from research_agent.types import Hit
from research_agent.types.evidence import place
from research_agent.types.referring import Reference
from research_agent.types.tool_results import ChunksResult, chunks_json, unknown_ids


def chunks(
    chunk_ids: Sequence[str],
    *,
    index: str,
    config: str | None,
    depth: int,
    most: int,
    as_json: bool,
) -> int:
    """Print chunks, and those within `depth` references; 1 where an id is not known."""
    with connect(index, start(config), os.environ) as connection:
        result = get_chunks(
            chunk_ids,
            expand_depth=depth,
            max_total_chunks=most,
            ports=connection.ports,
            references=Referring(connection.ports).references,
        )
    if as_json:
        say_json(chunks_json(result))
    else:
        say("\n\n".join([*(_told(hit, result) for hit in result.hits), _counts(result)]))
    if result.unknown:
        say(unknown_ids(result.unknown), error=True)
    return 1 if result.unknown else 0


def _told(hit: Hit, result: ChunksResult) -> str:
    """Return a chunk for people: its place and id, its text, and what it refers to."""
    chunk = hit.chunk
    lines = [f"{place(chunk)}  [{chunk.chunk_id}]", chunk.text]
    lines += map(_refers, result.references.get(chunk.chunk_id, ()))
    return "\n".join(lines)


def _refers(reference: Reference) -> str:
    return f"   -> {reference.place}  [{reference.chunk_id}] ({reference.kind})"


def _counts(result: ChunksResult) -> str:
    """Return how many chunks there are at each depth, and whether there is more."""
    depths = ", ".join(f"{number} at depth {depth}" for depth, number in result.depths.items())
    more = "; there is more: raise --max" if result.truncated else ""
    return f"{len(result.hits)} chunks ({depths or 'none'}), {result.tokens} tokens{more}"
