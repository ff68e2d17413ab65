"""Questions with known answers -> rows and figures, by asking an open agent."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from research_agent.assembly.models.report import describe_models
from research_agent.context import RunContext
from research_agent.errors import BudgetError, EvaluationError, ModelError, QuestionSetError
from research_agent.evaluation.intervals import SEED
from research_agent.evaluation.judge import is_judged, judge_answer
from research_agent.evaluation.metrics import Summary, summary_of
from research_agent.evaluation.questions import (
    FORMAT,
    Question,
    check_against,
    read_questions,
    sampled,
)
from research_agent.evaluation.review import json_lines
from research_agent.evaluation.rows import KS, EvalRow, Seen, answered, searched
from research_agent.interfaces.cli.search import ranking
from research_agent.interfaces.evaluation.kept import kept_run, read_rows
from research_agent.interfaces.report.recording import RunRecord
from research_agent.interfaces.steps import several
from research_agent.metering import whole
from research_agent.model_settings import ModelSettings
from research_agent.settings import Settings
from research_agent.stopping import Stop
from research_agent.types import Chunk
from research_agent.types.events import Finished, Watching
from research_agent.types.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from research_agent.interfaces.agent import ResearchAgent


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalOptions:
    """How an evaluation is done."""

    retrieval_only: bool = False
    """No language model is asked."""
    limit: int = 0
    """Questions that are drawn; 0: all."""
    seed: int = SEED
    """Of that draw, and of the bootstrap."""
    parallel: int = 1
    """Questions at a time."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What an evaluation came to."""

    about: Mapping[str, str]
    """What it was done with: questions, index, config, model, mode."""
    rows: tuple[EvalRow, ...]
    """In the order of the questions."""
    seed: int = SEED
    """Of the bootstrap."""

    @cached_property
    def summary(self) -> Summary:
        """Return the figures of all rows."""
        return summary_of(self.rows, self.seed)


OnRow = Callable[[EvalRow, int, int], None]
"""Told each row, how many there are now, and how many there will be."""
DEFAULT = EvalOptions()


def evaluate(
    agent: "ResearchAgent",
    questions: str | Path | Sequence[Question],
    *,
    folder: str | Path | None = None,
    options: EvalOptions = DEFAULT,
    on_row: OnRow = lambda _row, _done, _of: None,
) -> Evaluation:
    """Ask an open agent questions whose answers are known, and measure what it does.

    `questions` is a JSON Lines file (docs/eval.md), or questions that were read. With a `folder`
    each row is kept there as it comes, and a run that was interrupted goes on; with another index,
    config, model or other questions it is refused. Raises QuestionSetError, and EvaluationError
    where the run is not valid: nothing was retrieved, every question failed, the index changed.
    """
    found = read_file(questions) if isinstance(questions, str | Path) else questions
    chosen = chosen_questions(agent, found, options)
    about = about_run(agent.run_context, chosen, options)
    rows: dict[str, EvalRow] = {}
    with kept_run(Path(folder), about) if folder else nullcontext() as keep:
        if folder:
            rows = {row.qid: row for row in read_rows(Path(folder)) if not row.error}
        for row in asked(agent, [one for one in chosen if one.qid not in rows], options):
            rows[row.qid] = row
            if keep:
                keep(row)
            on_row(row, len(rows), len(chosen))
    ordered = tuple(rows[one.qid] for one in chosen)
    return Evaluation(about=about, rows=ordered, seed=options.seed)


def read_file(path: str | Path) -> tuple[Question, ...]:
    """Return the questions of a file, JSON Lines or a table; raises QuestionSetError."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionSetError(f"{path} cannot be read: {error}", hint=FORMAT) from error
    lines = json_lines(text, str(path)) if str(path).endswith(".csv") else text
    return read_questions(lines, str(path))


def chosen_questions(
    agent: "ResearchAgent",
    found: Sequence[Question],
    options: EvalOptions,
    name: str = "the question set",
) -> tuple[Question, ...]:
    """Return the questions that will be asked; raises QuestionSetError, which has `name`.

    They are checked against the index: a gold that it does not have could never be found.
    """
    chosen = sampled(found, options.limit, options.seed)
    if not chosen:
        raise QuestionSetError(f"{name} holds no question", hint=FORMAT)
    if options.retrieval_only and not any(one.golds for one in chosen):
        said = f"no question of {name} has a gold: there is nothing to look for"
        raise QuestionSetError(said, hint=f"Give gold, or leave out --retrieval-only. {FORMAT}")
    ports = agent.run_context.ports
    check_against(chosen, ports.documents(), ports.contents, name)
    for one in chosen:
        if len(ports.chunks.chunks(one.left_out)) < len(one.left_out):
            lost = "a passage that is left out is not in the index any more"
            raise QuestionSetError(f"{name}, line {one.line}: {lost}", hint="Make the set anew.")
    return chosen


def about_run(
    context: RunContext, questions: Sequence[Question], options: EvalOptions
) -> dict[str, str]:
    """Return what rows depend on, by name; runs with the same can be mixed."""
    settings = context.settings
    about = {
        "questions": f"{len(questions)}, {_digest(questions)}",
        "index": context.ports.index_state() or _digest(context.ports.documents()),
        "config": f"preset {settings.preset}, {_digest(replace(settings, models=ModelSettings()))}",
    }
    if options.retrieval_only:
        return about | {"mode": "retrieval"}
    named = describe_models(settings.models, os.environ)
    models = dict.fromkeys(f"{one.provider}:{one.model}" for one in named if one.model)
    roles = _digest([(one.role, one.provider, one.model) for one in named])
    return about | {"model": f"{', '.join(models)}, {roles}", "mode": "answers"}


def estimate(
    questions: Sequence[Question],
    settings: Settings,
    options: EvalOptions,
    known: Sequence[EvalRow] = (),
) -> str:
    """Return what asking `questions` takes at the most, and about, where `known` rows tell."""
    count, budget = len(questions), settings.budget
    text = f"{several(count, 'question')} to ask"
    if options.retrieval_only:
        return f"{text}: no model is asked"
    least = count * (2 if settings.refuses_by == "check" else 1) + sum(map(is_judged, questions))
    hours = count * budget.seconds / 3600 / options.parallel
    text += f": {least} to {count * budget.llm_calls} model calls, {count * budget.tokens:,} tokens"
    text += f" and {hours:.1f} hours at most"
    text += f", cost {count * budget.cost:g}" if budget.cost else ""
    if rows := [row for row in known if row.asked and not row.error]:
        tokens = fmean(row.prompt_tokens + row.completion_tokens for row in rows)
        minutes = count * fmean(row.seconds for row in rows) / 60 / options.parallel
        cost = count * fmean(row.cost or 0.0 for row in rows)
        text += f"; about {count * tokens:,.0f} tokens, {minutes:.1f} minutes"
        text += f", cost {cost:.4g}" if cost else ""
    return text


def _digest(value: object) -> str:
    return sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def asked(
    agent: "ResearchAgent", questions: Sequence[Question], options: EvalOptions
) -> Iterator[EvalRow]:
    """Yield a row for each question, as they come; raises EvaluationError if the index changes."""
    state, stop = agent.run_context.ports.index_state, Stop()
    before, left = state(), list(reversed(questions))
    row_of = partial(_row, agent, stop=stop, retrieval_only=options.retrieval_only)
    with ThreadPoolExecutor(options.parallel, "evaluate") as threads:
        running = set[Future[EvalRow]]()
        try:
            while left or running:
                while left and len(running) < options.parallel:
                    running.add(threads.submit(row_of, left.pop()))
                done, running = wait(running, return_when=FIRST_COMPLETED)
                if (now := state()) != before:
                    said = f"the index changed during the evaluation: it was {before}, is {now}"
                    raise EvaluationError(said, hint="Begin anew (--restart), and index later.")
                yield from (one.result() for one in done)
        finally:
            stop.end()  # (those still under way, where the caller or an error ends this)


def _row(
    agent: "ResearchAgent", question: Question, *, stop: Stop, retrieval_only: bool
) -> EvalRow:
    """Return the row of one question; where a model fails, with the error in it."""
    context = agent.run_context
    seen, scope = Seen(ranked=()), Scope(exclude=frozenset(question.left_out))
    try:
        seen = Seen(ranked=ranked(question.text, context, scope))
        if retrieval_only:
            return searched(question, seen)
        record, last = RunRecord(), None
        watching = Watching(on_step=(record.see,))
        own = Stop()  # (it is ended with the question)
        with stop.waking(own.end):
            for event in agent.stream(question.text, scope=scope, stop=own, watching=watching):
                last = event
        if not isinstance(last, Finished):
            raise TypeError("the graph ended without a report")
    except (ModelError, BudgetError) as error:
        row = searched(question, seen)
        row = row if seen.ranked else replace(row, scores={}, lost=())  # (the search failed)
        return replace(row, asked=True, error=f"{error} {error.hint}".strip())
    row = answered(question, passed(seen.ranked, record, context), last.result)
    if not is_judged(question) or row.refused:
        return row
    step = context.within(whole(context.settings.budget))
    verdict = judge_answer(question, row.answer, step)
    sent = [call for call in step.meter.calls if not call.reused]
    tokens = sum(call.prompt_tokens + call.completion_tokens for call in sent)
    return replace(row, judged=verdict, judge_tokens=tokens)


def ranked(query: str, context: RunContext, scope: Scope = EVERYTHING) -> tuple[Chunk, ...]:
    """Return what `research-agent search` finds, without orders by a model; raises ModelError."""
    _, hits, _ = ranking(query, KS[-1], context, scope)
    return tuple(hit.chunk for hit in hits)


def passed(first: Sequence[Chunk], record: RunRecord, context: RunContext) -> Seen:
    """Return the chunks that a question's searches found, and those that its filter kept."""
    kept = {hit.chunk.chunk_id: hit.chunk for one in record.searches for hit in one.hits}
    found = {hit.chunk.chunk_id: hit.chunk for probe in record.probes for hit in probe.hits} | kept
    looked_at = [d.chunk_id for one in record.searches for d in one.stats.decisions]
    others = context.ports.chunks.chunks([one for one in looked_at if one not in found])
    return Seen(ranked=first, retrieved=(*found.values(), *others), filtered=tuple(kept.values()))
