"""`research-agent eval make`: a question set from an index, written and checked by a model."""

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import click

from research_agent.assembly.index import index_state
from research_agent.assembly.models.report import describe_models
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.errors import IndexMissingError
from research_agent.evaluation.making import Kept, Maker, Row, make
from research_agent.evaluation.passages import shuffled, tasks, wanted
from research_agent.evaluation.review import csv_text
from research_agent.interfaces.cli.options import INDEX, MODEL, OFFLINE, SETTINGS
from research_agent.interfaces.cli.process import opened, start, told
from research_agent.interfaces.cli.terminal import note, progress_bar, say
from research_agent.interfaces.report.writing import check_target, page_html
from research_agent.private_files import replace_text
from research_agent.retrieval.search.ranking import rank

PASSAGES = 60
"""Passages that are read for each question: many are too short, or no table."""
CALLS, TOKENS = 4, 900
"""Calls for a question that is kept, with those that are dropped, and tokens of one; about."""


@click.command("make")
@INDEX
@MODEL
@SETTINGS
@click.option("--questions", default=50, type=click.IntRange(1, 5000), help="Questions to write.")
@click.option("--seed", default=1, help="Chooses the passages.")
@click.option("-o", "output", default="questions.jsonl", metavar="FILE", help="Output file.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option("--dry-run", is_flag=True, help="Print the cost, and stop.")
@OFFLINE
@told
def make_command(  # noqa: PLR0913 (one argument for each option)
    *,
    index: str,
    config: str | None,
    questions: int,
    seed: int,
    output: str,
    force: bool,
    dry_run: bool,
) -> int:
    """Write questions about your documents with the passages that answer them, for your review.

    It also writes a page to look at (.html) and a table to edit (.csv). `eval` reads FILE or the
    table. After an interruption the same command repeats no call.
    """
    path, settings = Path(output), start(config)
    if path.suffix in (".csv", ".html"):
        raise click.UsageError(f"-o {output}: the questions are JSON Lines; name a .jsonl file")
    for end in (path.suffix, ".csv", ".html"):
        check_target(str(path.with_suffix(end)), force=force)
    _, chunk_ids = index_state(index)
    if not chunk_ids:
        raise IndexMissingError("the index has no passages", hint="research-agent index PATH")
    [model] = [m.model for m in describe_models(settings.models, os.environ) if m.role == "answer"]
    calls = CALLS * questions
    note(
        f"{questions} questions from {len(chunk_ids)} passages, written and checked by {model}: "
        f"about {calls} calls and {calls * TOKENS:,} tokens",
        mark="",
    )
    if dry_run:
        return 0
    with opened(index, settings) as connection, progress_bar() as show:
        run = RunContext(connection.ports, connection.settings, load_prompts())
        some = shuffled(chunk_ids, seed)[: max(2000, PASSAGES * questions)]
        kept = Kept(run.ports.embedder.embed)
        _make(run, some, questions, kept, lambda at: show("making questions", at, questions))
    if kept.dropped:
        note(f"{kept.dropped.total()} questions were dropped. {kept.told()}")
    _write(path, [{"qid": f"made-{at:03}"} | row for at, row in enumerate(kept.rows, 1)], model)
    beside = " and ".join(path.with_suffix(end).name for end in (".html", ".csv"))
    say(f"{len(kept.rows)} questions in {output}; review them in {beside}")
    return 0


def _make(
    run: RunContext,
    passages: Sequence[str],
    questions: int,
    kept: Kept,
    show: Callable[[int], None],
) -> None:
    chunks, models = run.ports.chunks.chunks(passages), run.settings.models
    counts, used = wanted(questions), set[str]()
    streams = {kind: tasks(kind, chunks, run.ports, used) for kind in counts}
    search = partial(rank, ports=run.ports, settings=run.settings.retrieval)
    attempt = Maker(run, lambda question, scope: search(question, scope=scope).hits).attempt
    alone = models.role("answer").provider == "local"
    threads = ThreadPoolExecutor(1 if alone else models.concurrency)
    try:
        for _ in make(streams, counts, partial(threads.map, attempt), kept):
            show(len(kept.rows))
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def _write(path: Path, rows: Sequence[Row], model: str) -> None:
    table, own = path.with_suffix(".csv"), "research_agent.interfaces.evaluation"
    page = page_html("questions.html.jinja", package=own, rows=rows, model=model, csv=table.name)
    replace_text(path, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    replace_text(table, f"\ufeff{csv_text(rows)}")  # (by this mark Excel knows UTF-8)
    replace_text(path.with_suffix(".html"), page)
