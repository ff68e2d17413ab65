"""`research-agent eval`: searches and answers measured on known questions, and `eval make`."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from math import isnan
from pathlib import Path
from typing import Any

import click

from research_agent.assembly.index import index_state
from research_agent.assembly.models.report import describe_models
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.errors import IndexMissingError
from research_agent.evaluation.intervals import SEED
from research_agent.evaluation.making import Kept, Maker, Row, make
from research_agent.evaluation.metrics import NAMES, Summary, compared, in_common
from research_agent.evaluation.passages import shuffled, tasks, wanted
from research_agent.evaluation.review import csv_text
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.cli import options
from research_agent.interfaces.cli.process import exits, opened, start
from research_agent.interfaces.cli.terminal import note, progress_bar, say, say_json
from research_agent.interfaces.evaluation.kept import begun_rows, read_rows, restarted
from research_agent.interfaces.evaluation.pages import evaluation_json, markdown, write_pages
from research_agent.interfaces.evaluation.running import (
    EvalOptions,
    about_run,
    chosen_questions,
    estimate,
    evaluate,
    read_file,
)
from research_agent.interfaces.report.writing import check_target, page_html
from research_agent.presets import changed
from research_agent.private_files import replace_text
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import Settings

MISSED = 6
"""Exit status where a metric is not as good as --fail-under or --fail-over says."""
Resolved = tuple[str, click.Command, list[str]]


class WithMake(click.Group):
    """Takes the first argument for a question set, unless it is `make`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the command's help where nothing is given."""
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Resolved:  # noqa: ARG002
        """Return the command that is meant, and its arguments."""
        return ("make", make_command, args[1:]) if args[0] == "make" else ("", run_command, args)


@click.group(
    "eval",
    cls=WithMake,
    add_help_option=False,  # (that of the command is shown)
    context_settings={"ignore_unknown_options": True},
)
def eval_command() -> None:
    """Measure searches and answers on a question set (QUESTIONS.jsonl), or `make` one."""


@click.command("eval")
@click.argument("questions", metavar="QUESTIONS.jsonl")
@options.INDEX
@options.ASKING
@options.ROUNDS
@click.option("--retrieval-only", is_flag=True, help="Only search; ask no language model.")
@click.option("--out", metavar="FOLDER", help="Output folder. Default: eval-QUESTIONS.")
@click.option("--restart", is_flag=True, help="Delete the rows in the folder first.")
@click.option("--compare", metavar="OLD", help="Compare with the run in this folder.")
@click.option("--fail-under", multiple=True, metavar="METRIC=VALUE", help="Exit with 6 if less.")
@click.option("--fail-over", multiple=True, metavar="METRIC=VALUE", help="Exit with 6 if more.")
@click.option("--limit", default=0, type=click.IntRange(0), help="Draw N questions; 0: all.")
@click.option("--seed", default=SEED, type=click.IntRange(0), help="Of the draw and intervals.")
@click.option("--parallel", default=1, type=click.IntRange(1, 64), help="Questions at a time.")
@click.option("--dry-run", is_flag=True, help="Print the cost, and stop.")
@options.JSON
@options.OFFLINE
@exits
def run_command(  # noqa: PLR0913 (one argument an option)
    *,
    questions: str,
    index: str,
    config: str | None,
    out: str | None,
    restart: bool,
    compare: str | None,
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
    **asking: Any,  # noqa: ANN401 (the fields of EvalOptions, checked by click)
) -> int:
    """Ask the questions in a file, and measure what is found, answered, cited and refused.

    `eval make` writes such a file. Rows are written to a folder as they come, so running it again
    continues an interrupted run.
    """
    wanted, under, over = EvalOptions(**asking), _limits(fail_under), _limits(fail_over)
    only = "-retrieval" if wanted.retrieval_only else ""
    folder = Path(out or f"eval-{Path(questions).stem}{only}")
    old = read_rows(Path(compare)) if compare else ()
    found, settings = read_file(questions), _counted(start(config, tells_preset=True))
    with opened(index, settings) as connection:
        agent = ResearchAgent(connection.ports, connection.settings, load_prompts())
        with agent, progress_bar() as show:
            chosen = chosen_questions(agent, found, wanted, questions)
            if compare:
                in_common(old, [(one.qid, one.text) for one in chosen])
            about = about_run(agent.run_context, chosen, wanted)
            done = () if restart else begun_rows(folder, about)
            known = {row.qid for row in done if not row.error}
            todo = [one for one in chosen if one.qid not in known]
            note(estimate(todo, connection.settings, wanted, done or old), mark="")
            if dry_run:
                return 0
            if restart:
                restarted(folder)
            came = evaluate(
                agent,
                chosen,
                folder=folder,
                options=wanted,
                on_row=lambda _row, at, of: show("asking", at, of),
            )
    changes = compared(old, came.rows, wanted.seed) if compare else ()
    write_pages(came, changes, folder)
    if as_json:
        say_json(evaluation_json(came, changes))
    else:
        say(markdown(came, changes, shown=lambda text: " ".join(text.split())))
    note(f"rows, summary and pages: {folder}")
    missed = [*_missed(came.summary, under, "least"), *_missed(came.summary, over, "most")]
    for one in missed:
        note(one, mark="missed: ")
    return MISSED if missed else 0


def _counted(settings: Settings) -> Settings:
    """Let kept replies cost what they cost when they were made, whatever was asked before."""
    cache = settings.models.reply_cache
    mode = "counted" if cache.mode == "on" else cache.mode
    return changed(settings, {"models.reply_cache": replace(cache, mode=mode)})


def _limits(texts: Sequence[str]) -> dict[str, float]:
    limits = {}
    for text in texts:
        name, _, number = text.partition("=")
        try:
            limits[name] = float(number)
        except ValueError as error:
            raise click.UsageError(f"{text!r} is not METRIC=VALUE, such as recall@5=0.8") from error
        if isnan(limits[name]):
            raise click.UsageError(f"{text!r}: no metric can miss it")
        if name not in NAMES:
            raise click.UsageError(f"there is no metric {name}; there are: {', '.join(NAMES)}")
    return limits


def _missed(summary: Summary, limits: Mapping[str, float], at: str) -> list[str]:
    lines = []
    for name, limit in limits.items():
        figure = summary.figure(name)
        if figure is None:
            lines.append(f"{name} is not known of any question")
        elif figure.mean < limit if at == "least" else figure.mean > limit:
            lines.append(f"{name} is {figure.mean:.4g}, and should be at {at} {limit:g}")
    return lines


PASSAGES = 60
"""Passages that are read for each question: many are too short, or no table."""
CALLS, TOKENS = 4, 900
"""Calls for a question that is kept, with those that are dropped, and tokens of one; about."""


@click.command("make")
@options.INDEX
@options.MODEL
@options.SETTINGS
@click.option("--questions", default=50, type=click.IntRange(1, 5000), help="Questions to write.")
@click.option("--seed", default=1, help="Chooses the passages.")
@click.option("-o", "output", default="questions.jsonl", metavar="FILE", help="Output file.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option("--dry-run", is_flag=True, help="Print the cost, and stop.")
@options.OFFLINE
@exits
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
