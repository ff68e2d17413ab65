"""The commands that look into an index: search, chunks, documents."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

import click

from research_agent.assembly.connection import connect
from research_agent.assembly.index import list_documents
from research_agent.assembly.scanned_pages import INSTALL, can_read_scans
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.interfaces.cli import options
from research_agent.interfaces.cli.options import Limits, scoped
from research_agent.interfaces.cli.process import exits, start
from research_agent.interfaces.cli.terminal import note, say, say_json
from research_agent.metering import whole
from research_agent.planning.reading import get_chunks
from research_agent.planning.tool_texts import chunks_json, unknown_ids
from research_agent.ports import ChunkStore
from research_agent.retrieval.reorder.step import reorder
from research_agent.retrieval.search.ranking import Ranked, rank
from research_agent.text.replies import check_question
from research_agent.types import Hit
from research_agent.types.calls import ChunksResult
from research_agent.types.evidence import place
from research_agent.types.records import DocumentRecord, KeptDocument, wants_ocr
from research_agent.types.references import unresolved_words
from research_agent.types.scope import Scope, check_scope, scope_of, undated_warnings

INDENT = "    "
EXPLAINED = 10
"""Chunks of a stage that are shown."""


@click.command("search")
@options.words("query")
@options.INDEX
@options.SETTINGS
@click.option("-k", "k", default=8, type=click.IntRange(1, 500), help="Chunks to show.")
@options.JSON
@click.option("--explain", is_flag=True, help="Show the kind of question and every ranking.")
@click.option("--exclude", multiple=True, metavar="CHUNK_ID", help="Leave out this chunk.")
@options.OFFLINE
@exits
@scoped
def search_command(  # noqa: PLR0913 (one argument an option)
    limits: Limits,
    /,
    *,
    query: str,
    index: str,
    config: str | None,
    k: int,
    explain: bool,
    exclude: tuple[str, ...],
    as_json: bool,
) -> int:
    """Show the chunks that match a query best, without a language model."""
    query, scope = check_question(query), replace(scope_of(limits), exclude=frozenset(exclude))
    settings = start(config)
    with connect(index, settings, os.environ) as connection:
        check_scope(scope, connection.ports.documents)
        context = RunContext(connection.ports, settings, load_prompts())
        ranked, found, notes = ranking(query, k, context, scope)
        lines = explained(ranked, connection.ports.chunks) if explain and not as_json else []
        undated = undated_warnings(scope, connection.ports.documents)
        hits, notes = found[:k], (*connection.ports.warnings(), *undated, *notes)
    if as_json:
        plan = {"plan": asdict(ranked.plan), "stages": dict(ranked.stages)} if explain else {}
        say_json({"hits": hit_rows(hits), **plan})
    else:
        say("\n".join([*lines, hits_text(hits)]))
    for one in notes:
        note(one)
    return 0


def ranking(
    query: str, k: int, context: RunContext, scope: Scope
) -> tuple[Ranked, Sequence[Hit], Sequence[str]]:
    """Return a ranking with all that reordered it, `k` hits or more, and what failed.

    Raises ModelError.
    """
    settings = context.settings
    wide = replace(settings.retrieval, top_k=max(k, settings.retrieval.top_k))
    ranked = rank(query, ports=context.ports, settings=wide, scope=scope)
    done = reorder(query, ranked.hits, context.within(whole(settings.budget)), top_k=k)
    ranked = replace(ranked, stages=(*ranked.stages, *done.value.stages))
    return ranked, done.value.hits, (*ranked.notes, *done.event.notes)


def hit_rows(hits: Sequence[Hit]) -> list[dict[str, object]]:
    """Return hits as JSON values, best first."""
    fields = ("doc_id", "start_page", "end_page", "chunk_id", "section", "text")
    return [
        {"rank": rank, "score": hit.score, "similarity": hit.similarity}
        | {name: getattr(hit.chunk, name) for name in fields}
        for rank, hit in enumerate(hits, start=1)
    ]


def hits_text(hits: Sequence[Hit]) -> str:
    """Return hits for people: place, similarity, id, and the beginning of the text."""
    lines = []
    for number, hit in enumerate(hits, start=1):
        like = "" if hit.similarity is None else f"  (similarity {hit.similarity:.2f})"
        lines.append(f"{number}. {place(hit.chunk)}{like}  [{hit.chunk.chunk_id}]")
        lines.append(f"   {' '.join(hit.chunk.text.split())[:200]}")
    return "\n".join(lines) or "nothing found"


def explained(ranked: Ranked, chunks: ChunkStore) -> list[str]:
    """Return plan and stages for people, with the places of each stage's best chunks."""
    plan = ranked.plan
    notes = [f"definition of {plan.term!r}"] if plan.term else []
    notes += [f"headings with {plan.look_up.query!r}"] if plan.look_up else []
    notes += [f"also: {query}" for query in plan.queries]
    lines = [f"plan: {'; '.join([plan.kind, *notes])}"]
    for name, ids in ranked.stages:
        lines.append(f"{name}: {len(ids)} chunks")
        for number, chunk in enumerate(chunks.chunks(ids[:EXPLAINED]), start=1):
            lines.append(f"  {number}. {place(chunk)}  [{chunk.chunk_id}]")
    return [*lines, ""]


@click.command("chunks")
@click.argument("chunk_ids", nargs=-1, required=True, metavar="ID...")
@options.INDEX
@options.SETTINGS
@click.option("--depth", default=0, type=click.IntRange(0, 10), help="Reference steps to follow.")
@click.option("--max", "most", default=100, type=click.IntRange(1, 1000), help="Most chunks shown.")
@options.JSON
@options.OFFLINE
@exits
def chunks_command(
    *,
    chunk_ids: tuple[str, ...],
    index: str,
    config: str | None,
    depth: int,
    most: int,
    as_json: bool,
) -> int:
    """Show whole chunks by id, and the chunks they refer to."""
    with connect(index, start(config), os.environ) as connection:
        ports = connection.ports
        result = get_chunks(chunk_ids, expand_depth=depth, max_total_chunks=most, ports=ports)
    if as_json:
        say_json(chunks_json(result))
    else:
        say("\n\n".join([*(_chunk_text(hit, result) for hit in result.hits), _counts(result)]))
    if result.unknown:
        say(unknown_ids(result.unknown), error=True)
    return 1 if result.unknown else 0


def _chunk_text(hit: Hit, result: ChunksResult) -> str:
    chunk = hit.chunk
    lines = [f"{place(chunk)}  [{chunk.chunk_id}]", chunk.text]
    found = result.references.get(chunk.chunk_id, ())
    lines += (f"   -> {one.place}  [{one.chunk_id}] ({one.kind})" for one in found)
    return "\n".join(lines)


def _counts(result: ChunksResult) -> str:
    depths = ", ".join(f"{number} at depth {depth}" for depth, number in result.depths.items())
    more = "; there is more: raise --max" if result.truncated else ""
    return f"{len(result.hits)} chunks ({depths or 'none'}), {result.tokens} tokens{more}"


@click.command("documents")
@options.INDEX
@options.JSON
@options.OFFLINE
@exits
def documents_command(*, index: str, as_json: bool) -> int:
    """List the documents of an index and how well each was read."""
    found = list_documents(index)
    if as_json:
        say_json([_as_json(item) for item in found])
        return 0
    say("\n".join(line for item in found for line in document_lines(item)))
    chunks = [item.record.chunks for item in found if item.record.status == "indexed"]
    without = f"; {other} without text" if (other := len(found) - len(chunks)) else ""
    say(f"{len(chunks)} documents, {sum(chunks)} chunks{without}")
    return 0


def document_lines(item: KeptDocument) -> Iterator[str]:
    """Yield a line with name, title and date of a document, and below what is known of it."""
    record, quality = item.record, item.record.quality
    about = " \N{MIDDLE DOT} ".join(part for part in (record.title, record.date) if part)
    name = record.doc_id or record.path
    yield f"{name}: {about}" if about else name
    if record.doc_id:
        yield f"{INDENT}{record.path}"
    if record.status == "indexed":
        parts = []
        if quality:
            parts += [f"{quality.pages} pages"] if quality.pages else []
            parts += [f"{quality.textless} of them without text"] if quality.textless else []
            parts += [f"{quality.ocr} of them read by OCR"] if quality.ocr else []
            parts.append(f"{quality.tables} tables")
        kinds = ", ".join(f"{number} {kind}" for kind, number in item.kinds.items())
        parts.append(f"{record.chunks} chunks ({kinds})" if kinds else f"{record.chunks} chunks")
        yield f"{INDENT}{', '.join(parts)}"
        warnings = [*filter(None, [record.reason]), *unresolved_words(record.unresolved)]
        yield from (f"{INDENT}warning: {one}" for one in warnings)
    else:
        yield f"{INDENT}{record.status}: {record.reason}"
    if hint := _ocr_hint(record):
        yield f"{INDENT}hint: {hint}"
    if not record.published:
        yield f"{INDENT}not shown yet: the run that read it was interrupted; give it again"


def _ocr_hint(record: DocumentRecord) -> str:
    if not wants_ocr(record):
        return ""
    return "index it again: OCR reads it" if can_read_scans() else f"{INSTALL}, and index it again"


def _as_json(item: KeptDocument) -> dict[str, object]:
    about = asdict(item.record) | {"kinds": dict(item.kinds), "hint": _ocr_hint(item.record)}
    return {key: value for key, value in about.items() if key not in {"key", "mtime_ns"}}
