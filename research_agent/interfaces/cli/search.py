"""`research-agent search`."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.interfaces.cli.scope import Limits
from research_agent.interfaces.cli.starting import start
from research_agent.interfaces.cli.terminal import say, say_json
from research_agent.metering import Meter, whole
from research_agent.ports import Ports
from research_agent.retrieval.reorder.stages import Reorderer
from research_agent.retrieval.search.ranking import Ranked, rank
from research_agent.settings import Settings
from research_agent.types import Chunk, Hit
from research_agent.types.evidence import place
from research_agent.types.questions import check_question
from research_agent.types.scope import Scope, check_scope

Mode = Literal["hybrid", "dense", "lexical"]
EXPLAINED = 10
"""Chunks of a stage that are shown."""


def search(  # noqa: PLR0913 (one argument an option)
    query: str,
    *,
    index: str,
    config: str | None,
    k: int,
    as_json: bool,
    limits: Limits,
    exclude: Sequence[str] = (),
    mode: Mode | None = None,
    exact: bool = False,
    explain: bool = False,
) -> int:
    """Print the best `k` chunks for a query, and with `explain` how they were found.

    `mode` stands for `retrieval.mode`, where it is given; `exclude` are chunk ids.
    """
    query, scope = check_question(query), Scope(**limits, exclude=frozenset(exclude))
    settings = start(config)
    with connect(index, settings, os.environ) as connection:
        check_scope(scope, connection.ports.documents)
        planner = "off" if exact else settings.retrieval.planner
        wide = max(k, settings.retrieval.top_k)
        mode = mode or settings.retrieval.mode
        retrieval = replace(settings.retrieval, mode=mode, top_k=wide, planner=planner)
        ports, settings = connection.ports, replace(settings, retrieval=retrieval)
        ranked = rank(query, ports=ports, settings=retrieval, exact=exact, scope=scope)
        ranked, notes = reordered(query, ranked, k, ports, settings)
        named = ports.chunks.chunks(_shown(ranked)) if explain else ()
        notes = (*ports.warnings(), *ranked.notes, *notes)
    hits = ranked.hits[:k]
    if as_json:
        told = {"mode": mode, "plan": plan_row(ranked), "stages": stage_rows(ranked)}
        say_json({"hits": hit_rows(hits)} | (told if explain else {}))
    else:
        lines = [f"mode: {mode}", *explained(ranked, named)] if explain else []
        say("\n".join([*lines, hits_text(hits)]))
    for note in notes:
        say(f"note: {note}", dim=True, error=True)
    return 0


def reordered(
    query: str, ranked: Ranked, k: int, ports: Ports, settings: Settings
) -> tuple[Ranked, tuple[str, ...]]:
    """Return a ranking after all that may reorder it, as in a question, and what failed.

    Models that are asked have the whole budget of a question.
    """
    meter = Meter(whole(settings.budget), tokenizer=ports.tokenizer, clock=ports.clock)
    reorder = Reorderer(ports, settings, load_prompts())
    done = reorder(query, ranked.hits, top_k=k, meter=meter)
    stages = (*ranked.stages, *done.value.stages)
    return replace(ranked, hits=done.value.hits, stages=stages), done.event.notes


def hit_rows(hits: Sequence[Hit]) -> list[dict[str, object]]:
    """Return hits as JSON values, best first."""
    return [
        {
            "rank": rank,
            "score": hit.score,
            "similarity": hit.similarity,
            "doc_id": hit.chunk.doc_id,
            "start_page": hit.chunk.start_page,
            "end_page": hit.chunk.end_page,
            "chunk_id": hit.chunk.chunk_id,
            "section": list(hit.chunk.section),
            "text": hit.chunk.text,
        }
        for rank, hit in enumerate(hits, start=1)
    ]


def hits_text(hits: Sequence[Hit]) -> str:
    """Return hits for people: place, similarity, and the beginning of the text."""
    if not hits:
        return "nothing found"
    return "\n".join(
        f"{rank}. {place(hit.chunk)}{_similarity(hit)}\n   {' '.join(hit.chunk.text.split())[:200]}"
        for rank, hit in enumerate(hits, start=1)
    )


def _similarity(hit: Hit) -> str:
    """Return a hit's similarity in brackets, nothing where it is not known."""
    return "" if hit.similarity is None else f"  (similarity {hit.similarity:.2f})"


def plan_row(ranked: Ranked) -> dict[str, object]:
    """Return the plan of a search as JSON values."""
    plan = ranked.plan
    look_up = plan.look_up.query if plan.look_up else ""
    return {
        "kind": plan.kind,
        "term": plan.term,
        "look_up": look_up,
        "queries": list(plan.queries),
    }


def stage_rows(ranked: Ranked) -> list[dict[str, object]]:
    """Return the stages of a search as JSON values, in the order of work."""
    return [{"stage": name, "chunk_ids": list(ids)} for name, ids in ranked.stages]


def explained(ranked: Ranked, chunks: Sequence[Chunk]) -> list[str]:
    """Return plan and stages for people, with the places of each stage's best chunks."""
    plan = ranked.plan
    told = [f"definition of {plan.term!r}"] if plan.term else []
    told += [f"headings with {plan.look_up.query!r}"] if plan.look_up else []
    told += [f"also: {query}" for query in plan.queries]
    places = {chunk.chunk_id: place(chunk) for chunk in chunks}
    lines = [f"plan: {'; '.join([plan.kind, *told])}"]
    for name, ids in ranked.stages:
        lines.append(f"{name}: {len(ids)} chunks")
        lines += [
            f"  {number}. {places.get(chunk_id, chunk_id)}  [{chunk_id}]"
            for number, chunk_id in enumerate(ids[:EXPLAINED], start=1)
        ]
    return [*lines, ""]


def _shown(ranked: Ranked) -> list[str]:
    """Return the ids of all chunks that an explanation shows."""
    ids = [chunk_id for _, stage in ranked.stages for chunk_id in stage[:EXPLAINED]]
    return list(dict.fromkeys(ids))
