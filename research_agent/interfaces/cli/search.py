"""The commands that look into an index: search, chunks, documents."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Literal

import click

from research_agent.assembly.connection import connect
from research_agent.assembly.index import list_documents
from research_agent.assembly.scanned_pages import INSTALL, can_read_scans
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.interfaces.cli.options import INDEX, OFFLINE, SETTINGS, Limits, scoped
from research_agent.interfaces.cli.process import start, told
from research_agent.interfaces.cli.terminal import say, say_json
from research_agent.metering import whole
from research_agent.planning.reading import get_chunks
from research_agent.planning.tool_texts import chunks_json, unknown_ids
from research_agent.ports import Ports
from research_agent.retrieval.reorder.step import reorder
from research_agent.retrieval.search.ranking import Ranked, rank
from research_agent.settings import Settings
from research_agent.text.boilerplate_sections import BOILERPLATE
from research_agent.text.questions import check_question
from research_agent.types import Chunk, Hit
from research_agent.types.calls import ChunksResult, Reference
from research_agent.types.documents import ParseQuality
from research_agent.types.evidence import place
from research_agent.types.records import DocumentRecord, KeptDocument, wants_ocr
from research_agent.types.references import unresolved_words
from research_agent.types.scope import check_scope, scope_of

INDENT = "    "
EXPLAINED = 10
"""Chunks of a stage that are shown."""


@click.command("search")
@click.argument("query")
@INDEX
@SETTINGS
@click.option("-k", "k", default=8, show_default=True, type=click.IntRange(1, 500))
@click.option("--json", "as_json", is_flag=True, help="Print the hits as JSON.")
@click.option(
    "--mode",
    type=click.Choice(("hybrid", "dense", "lexical")),
    help="By meaning and words, by one alone; else retrieval.mode.",
)
@click.option("--exact", is_flag=True, help="Search the words as they are: no kind of question.")
@click.option("--explain", is_flag=True, help="Show the kind of question, and every ranking.")
@click.option("--exclude", multiple=True, metavar="CHUNK_ID", help="Not this chunk again.")
@OFFLINE
@told
@scoped
def search_command(  # noqa: PLR0913 (one argument an option)
    limits: Limits,
    *,
    query: str,
    index: str,
    config: str | None,
    k: int,
    as_json: bool,
    mode: Literal["hybrid", "dense", "lexical"] | None,
    exact: bool,
    explain: bool,
    exclude: tuple[str, ...],
) -> int:
    """Show the chunks that fit a query best; no language model is asked."""
    query, scope = check_question(query), replace(scope_of(limits), exclude=frozenset(exclude))
    settings = start(config)
    with connect(index, settings, os.environ) as connection:
        check_scope(scope, connection.ports.documents)
        planner = "off" if exact else settings.retrieval.question_kinds
        wide = max(k, settings.retrieval.top_k)
        mode = mode or settings.retrieval.mode
        retrieval = replace(settings.retrieval, mode=mode, top_k=wide, question_kinds=planner)
        ports, settings = connection.ports, replace(settings, retrieval=retrieval)
        ranked = rank(query, ports=ports, settings=retrieval, exact=exact, scope=scope)
        ranked, notes = reordered(query, ranked, k, ports, settings)
        named = ports.chunks.chunks(_shown(ranked)) if explain else ()
        notes = (*ports.warnings(), *ranked.notes, *notes)
    hits = ranked.hits[:k]
    if as_json:
        explanation = {"mode": mode, "plan": plan_row(ranked), "stages": stage_rows(ranked)}
        say_json({"hits": hit_rows(hits)} | (explanation if explain else {}))
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
    context = RunContext(ports, settings, load_prompts()).within(whole(settings.budget))
    done = reorder(query, ranked.hits, context, top_k=k)
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
    """Return hits for people: place, similarity, id, and the beginning of the text."""
    if not hits:
        return "nothing found"
    return "\n".join(
        f"{rank}. {place(hit.chunk)}{_similarity(hit)}  [{hit.chunk.chunk_id}]\n"
        f"   {' '.join(hit.chunk.text.split())[:200]}"
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
    notes = [f"definition of {plan.term!r}"] if plan.term else []
    notes += [f"headings with {plan.look_up.query!r}"] if plan.look_up else []
    notes += [f"also: {query}" for query in plan.queries]
    places = {chunk.chunk_id: place(chunk) for chunk in chunks}
    lines = [f"plan: {'; '.join([plan.kind, *notes])}"]
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


@click.command("chunks")
@click.argument("chunk_ids", nargs=-1, required=True, metavar="ID...")
@INDEX
@SETTINGS
@click.option(
    "--depth",
    default=0,
    show_default=True,
    type=click.IntRange(0, 10),
    help="Follow references so many steps.",
)
@click.option(
    "--max",
    "most",
    default=100,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Show at most so many chunks.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@OFFLINE
@told
def chunks_command(
    *,
    chunk_ids: tuple[str, ...],
    index: str,
    config: str | None,
    depth: int,
    most: int,
    as_json: bool,
) -> int:
    """Show chunks in full by their ids, and what they refer to."""
    with connect(index, start(config), os.environ) as connection:
        result = get_chunks(
            chunk_ids,
            expand_depth=depth,
            max_total_chunks=most,
            ports=connection.ports,
        )
    if as_json:
        say_json(chunks_json(result))
    else:
        say("\n\n".join([*(_chunk_text(hit, result) for hit in result.hits), _counts(result)]))
    if result.unknown:
        say(unknown_ids(result.unknown), error=True)
    return 1 if result.unknown else 0


def _chunk_text(hit: Hit, result: ChunksResult) -> str:
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


@click.command("documents")
@INDEX
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@OFFLINE
@told
def documents_command(*, index: str, as_json: bool) -> int:
    """List the documents of an index, and how well each could be read."""
    found = list_documents(index)
    if as_json:
        say_json([_as_json(item) for item in found])
        return 0
    say("\n".join(line for item in found for line in document_lines(item)))
    say(_totals(found))
    return 0


def document_lines(item: KeptDocument) -> Iterator[str]:
    """Yield a line with name, title and date of a document, and below what is known of it."""
    record = item.record
    about = " \N{MIDDLE DOT} ".join(part for part in (record.title, record.date) if part)
    name = record.doc_id or record.path
    yield f"{name}: {about}" if about else name
    if record.doc_id:
        yield f"{INDENT}{record.path}"
    if record.status == "indexed":
        yield from (f"{INDENT}{line}" for line in _of_indexed(item))
    else:
        yield f"{INDENT}{record.status}: {record.reason}"
    if hint := _ocr_hint(record):
        yield f"{INDENT}hint: {hint}"
    if not record.published:
        yield f"{INDENT}not shown yet: the run that read it was interrupted; give it again"


def _of_indexed(item: KeptDocument) -> Iterator[str]:
    """Yield how much there is of a document, and what was left out."""
    record, quality = item.record, item.record.quality
    yield _size(item)
    if quality is None:
        yield "read by an older version, which kept no more; index it again to know more"
    left = _left_out(quality) if quality else []
    kept = [
        f"{count} chunks of {kind}" for kind, count in item.kinds.items() if kind in BOILERPLATE
    ]
    if left:
        yield f"dropped: {', '.join(left)}"
    if kept:
        yield f"kept, but not searched: {', '.join(kept)}"
    if record.reason:
        yield f"warning: {record.reason}"
    yield from (f"warning: {words}" for words in unresolved_words(record.unresolved))


def _size(item: KeptDocument) -> str:
    """Return pages, tables and chunks of a document in one line."""
    record, quality = item.record, item.record.quality
    parts = []
    if quality and quality.pages:
        textless = f", {quality.textless} of them without text" if quality.textless else ""
        by_ocr = f", {quality.ocr} of them read by OCR" if quality.ocr else ""
        parts.append(f"{quality.pages} pages{textless}{by_ocr}")
    if quality:
        parts.append(f"{quality.tables} tables")
    searched = {kind: count for kind, count in item.kinds.items() if kind not in BOILERPLATE}
    kinds = ", ".join(f"{count} {kind}" for kind, count in searched.items())
    parts.append(f"{record.chunks} chunks ({kinds})" if kinds else f"{record.chunks} chunks")
    return "; ".join(parts)


def _left_out(quality: ParseQuality) -> list[str]:
    found = {"running heads": quality.running_heads, "line numbers": quality.line_numbers}
    return [f"{count} {name}" for name, count in found.items() if count]


def _ocr_hint(record: DocumentRecord) -> str:
    """Say how to get at the text of scanned pages; empty where there are none."""
    if not wants_ocr(record):
        return ""
    return "index it again: OCR reads it" if can_read_scans() else f"{INSTALL}, and index it again"


def _totals(found: Sequence[KeptDocument]) -> str:
    """Return how many documents there are, and how many could not be read."""
    indexed = [item for item in found if item.record.status == "indexed"]
    chunks, other = sum(item.record.chunks for item in indexed), len(found) - len(indexed)
    without = f"; {other} without text" if other else ""
    return f"{len(indexed)} documents, {chunks} chunks{without}"


def _as_json(item: KeptDocument) -> dict[str, object]:
    record = asdict(item.record)
    about = {key: value for key, value in record.items() if key not in {"key", "mtime_ns"}}
    return about | {"kinds": dict(item.kinds), "hint": _ocr_hint(item.record)}
