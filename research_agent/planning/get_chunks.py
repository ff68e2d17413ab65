"""Get chunks: those with the ids asked for, and what they refer to."""

from collections.abc import Callable, Mapping, Sequence

from research_agent.ports import Ports
from research_agent.types import Hit, TraceEvent
from research_agent.types.expansion import expand
from research_agent.types.referring import Reference
from research_agent.types.tool_results import ChunksResult


def get_chunks(
    chunk_ids: Sequence[str],
    *,
    expand_depth: int,
    max_total_chunks: int,
    ports: Ports,
    references: Callable[[Sequence[str]], Mapping[str, tuple[Reference, ...]]],
) -> ChunksResult:
    """Return the chunks in the order of their ids, each once, then what they refer to by depth.

    At most `max_total_chunks`, of which those asked for are the first. Ids that are not known are
    told; nothing asked for is nothing found.
    """
    different = list(dict.fromkeys(chunk_ids))
    known = {chunk.chunk_id for chunk in ports.chunks.chunks(different)}
    asked = [chunk_id for chunk_id in different if chunk_id in known]
    found = expand(
        dict.fromkeys(asked, expand_depth), ports.chunks.edges, max_total=max_total_chunks
    )
    chunks = ports.chunks.chunks(found.chunk_ids)
    return ChunksResult(
        hits=tuple(Hit(chunk) for chunk in chunks),
        requested=found.depths.get(0, 0),
        unknown=tuple(chunk_id for chunk_id in different if chunk_id not in known),
        depths=found.depths,
        truncated=found.truncated,
        tokens=sum(ports.tokenizer.count(chunk.text) for chunk in chunks),
        references=references([chunk.chunk_id for chunk in chunks]),
        event=TraceEvent(lookups=1),
    )
