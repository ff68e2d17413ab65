"""`research-agent calibrate`: fit limits to an index and the models that answer from it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import click
from pydantic_core import to_jsonable_python

from research_agent.assembly.calibration import (
    answering_digest,
    fingerprint,
    index_state,
    keep_limits,
    writers_of,
)
from research_agent.assembly.models.report import describe_models
from research_agent.config import load_prompts
from research_agent.context import RunContext, StepContext
from research_agent.errors import ConfigError, ModelError
from research_agent.interfaces.cli.options import INDEX, JSON, OFFLINE, SETTINGS
from research_agent.interfaces.cli.process import opened, start, told
from research_agent.interfaces.cli.progress import progress_bar
from research_agent.interfaces.cli.terminal import note, say, say_json
from research_agent.retrieval.confidence import retrieval_confidence
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import Settings
from research_agent.types import Hit
from research_agent.types.budget import Allowance
from research_agent.types.result import ResearchResult
from research_agent.types.scope import EVERYTHING, Scope
from research_agent.verification import calibration
from research_agent.verification.made_questions import (
    AskedQuestion,
    MadeQuestion,
    ask_made_questions,
)

BY_HEADINGS, BY_MODEL = 400, 120
"""Questions that are made where nothing else is said."""
CANDIDATES = 4
"""Chunks that are looked at for each question: many are too short or have no heading."""
ANSWER_CALLS = 2
"""Of an answer: writing it, and the check whether the evidence answers."""
QUESTION_TOKENS = 450
"""Of the call that writes a question, about."""

SHARE = click.FloatRange(0.01, 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the user has asked for."""

    questions: int
    """0: as many as `BY_MODEL` and `BY_HEADINGS` say."""
    rate: float
    max_minutes: float
    rules: bool
    """No model writes questions."""
    answers: int
    """How many of the questions are also answered, each with and without its chunks."""
    answer_rate: float
    dry_run: bool
    yes: bool
    as_json: bool


@click.command("calibrate")
@INDEX
@SETTINGS
@click.option(
    "--questions",
    default=0,
    show_default=False,
    type=click.IntRange(0, 100_000),
    help="Number of questions to search for.",
)
@click.option("--rate", default=0.15, type=SHARE, help="Allowed share of wrong searches.")
@click.option(
    "--max-minutes",
    default=10.0,
    type=click.FloatRange(0.1, 1440),
    help="Start no new question after this many minutes.",
)
@click.option("--rules", is_flag=True, help="Make the questions from headings; ask no model.")
@click.option(
    "--answers",
    default=0,
    type=click.IntRange(0, 10_000),
    help="Also answer this many of the questions, and fit the limits of answers.",
)
@click.option("--answer-rate", default=0.2, type=SHARE, help="Allowed share of wrong answers.")
@click.option("--dry-run", is_flag=True, help="Print what it would cost, and stop.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
@JSON
@OFFLINE
@told
def calibrate_command(
    *,
    index: str,
    config: str | None,
    **given: Any,  # noqa: ANN401 (the fields of Wanted, checked by click)
) -> int:
    """Fit confidence.bypass to your documents: when a question needs no better query.

    With --answers, also fit how sure the model has to be of an answer.
    """
    wanted, settings = Wanted(**given), start(config)
    header, chunk_ids = index_state(index)
    planner = next(m for m in describe_models(settings.models, os.environ) if m.role == "planner")
    model = "" if wanted.rules or planner.state == "missing" else planner.model
    wanted = replace(wanted, questions=wanted.questions or (BY_MODEL if model else BY_HEADINGS))
    _check(settings, wanted)
    say(_cost(model, wanted), error=wanted.as_json)
    if wanted.dry_run or not (wanted.yes or click.confirm("Go on?", err=wanted.as_json)):
        return 0
    with opened(index, settings) as connection, progress_bar() as show:
        run = RunContext(connection.ports, settings, load_prompts())
        calls = 2 * wanted.questions
        context = run.within(
            Allowance(calls, 0, 4 * calls * QUESTION_TOKENS, 60 * wanted.max_minutes)
        )
        asked = ask_made_questions(
            run.ports.chunks.chunks(calibration.sample(chunk_ids, CANDIDATES * wanted.questions)),
            context,
            most=wanted.questions,
            by_model=bool(model),
            search=partial(_search, run),
            on_progress=partial(show, "asking"),
        )
        made = [one.question for one in asked.value[: wanted.answers]]
        answers, notes = _answered(context, made, partial(show, "answering"))
    for one in (*asked.event.notes, *notes):
        note(one)
    threshold = calibration.fit_threshold(
        [one.observed for one in asked.value], rate=wanted.rate, source=_source(asked.value, model)
    )
    limits = calibration.fit_limits(
        answers,
        rate=wanted.answer_rate,
        writers=writers_of(settings, os.environ),
        settings=answering_digest(settings),
    )
    at, kept = datetime.now(UTC).isoformat(timespec="seconds"), limits if wanted.answers else None
    path = keep_limits(index, fingerprint(header, settings), at, threshold, kept)
    if wanted.as_json:
        found = {"threshold": threshold, "limits": limits, "answers": answers}
        questions = [_row(one) for one in asked.value]
        say_json({**to_jsonable_python(found), "file": path, "questions": questions})
    else:
        lines = _threshold_lines(threshold, settings)
        lines += _answer_lines(limits, answers, settings, wanted) if wanted.answers else []
        say("\n".join([*lines, f"kept in {path}"] if path else lines))
    return 0 if path else 1


def _check(settings: Settings, wanted: Wanted) -> None:
    least = calibration.least_questions(wanted.rate)
    if wanted.questions < least:
        raise ConfigError(
            f"{wanted.questions} questions cannot show a share of errors below {wanted.rate:g}, "
            f"even if none of them fails.",
            hint=f"Take at least {least}: research-agent calibrate --questions {2 * least}",
        )
    if wanted.answers and settings.refuses_by != "check":
        raise ConfigError(
            "Answers are not checked where the prompt allows refusals: there is no limit to fit.",
            hint="Calibrate with answer.refusal: check",
        )
    least = calibration.least_answers(wanted.answer_rate)
    if 0 < wanted.answers < least:
        raise ConfigError(
            f"{wanted.answers} answers cannot show a share of errors of {wanted.answer_rate:g}, "
            f"even if none of them is wrong.",
            hint=f"Take at least {least}, better ten times as many: "
            f"research-agent calibrate --answers {10 * least}",
        )


def _cost(model: str, wanted: Wanted) -> str:
    author = f"written by {model}" if model else "made by rules"
    answers = f"{2 * wanted.answers} answers, " if wanted.answers else ""
    calls = (wanted.questions if model else 0) + 2 * ANSWER_CALLS * wanted.answers
    return (
        f"{wanted.questions} questions {author}, {answers}{calls} model calls, "
        f"{wanted.questions} searches: at most {wanted.max_minutes:g} minutes"
    )


def _search(run: RunContext, question: str) -> tuple[Sequence[Hit], float]:
    """Return what a question finds, and the confidence as the graph computes it.

    It is below every threshold where the question is refined whatever it finds.
    """
    hits = rank(question, ports=run.ports, settings=run.settings.retrieval, scope=EVERYTHING).hits
    found = retrieval_confidence(question, hits, replace(run.settings.confidence, bypass=0.0))
    return hits, found.value if found.decision == "bypass" else -1.0


def _answered(
    context: StepContext, questions: Sequence[MadeQuestion], show: partial[None]
) -> tuple[list[calibration.Answered], list[str]]:
    from research_agent.interfaces.own_graphs import research, state

    settings = context.settings
    drafting = replace(
        settings,
        answer=replace(settings.answer, min_answerable=0.0),
        budget=replace(settings.budget, rounds=1),
    )
    graph = research.build_research_graph(context.ports, drafting, context.prompts)
    pairs = [
        (made, scope) for made in questions for scope in (EVERYTHING, Scope(exclude=made.golds))
    ]
    answers: list[calibration.Answered] = []
    for done, (made, scope) in enumerate(pairs):
        if context.meter.left().seconds <= 0:
            over = f"calibrate: the time was over after {done} of {len(pairs)} answers"
            return answers, [over]
        try:
            output = graph.invoke(state.ResearchInput(question=made.text, scope=scope))
        except ModelError as error:
            return answers, [f"calibrate: {error}; no further answers were asked for"]
        result = state.ResearchOutput.model_validate(output).result
        answers.append(_worth(made, result, left_out=scope != EVERYTHING))
        show(done + 1, len(pairs))
    return answers, []


def _worth(made: MadeQuestion, result: ResearchResult, *, left_out: bool) -> calibration.Answered:
    cited = {citation.chunk_id for citation in result.citations}
    return calibration.Answered(
        given=result.status in ("answered", "partial"),
        wrong=left_out or cited.isdisjoint(made.golds),
        answerable=result.answerable,
        mean_entropy=result.uncertainty.mean_entropy,
    )


def _source(asked: Sequence[AskedQuestion], model: str) -> str:
    names = {"rules" if one.question.by != "model" else model for one in asked} or {"rules"}
    return " and ".join(sorted(names, key="rules".__eq__))


def _row(one: AskedQuestion) -> dict[str, object]:
    return {
        "question": one.question.text,
        "by": one.question.by,
        "chunks": sorted(one.question.golds),
        "confidence": one.observed.confidence,
        "right": one.observed.right,
    }


def _threshold_lines(fitted: calibration.Threshold, settings: Settings) -> list[str]:
    told = f"{fitted.questions} questions ({fitted.source})"
    before = f"{settings.confidence.bypass:g}"
    if not fitted.holds:
        none = f"no threshold keeps the share of errors below {fitted.rate:.0%} for certain"
        more = "more questions (--questions), or a higher --rate, may do"
        return [told, f"{none}; confidence.bypass stays {before}", more]
    reached = f"{fitted.passed} questions reach it, {fitted.errors} of them found something else"
    return [
        told,
        f"confidence.bypass: {fitted.value:g} (was {before})",
        f"{reached}; the share of errors is below {fitted.bound:.1%}",
    ]


def _answer_lines(
    limits: dict[str, calibration.AnswerLimit],
    answers: Sequence[calibration.Answered],
    settings: Settings,
    wanted: Wanted,
) -> list[str]:
    drafts = [one for one in answers if one.given]
    wrong = sum(one.wrong for one in drafts)
    told = [f"{len(answers)} answers asked for: {len(drafts)} drafted, {wrong} of them wrong"]
    before = {
        calibration.MIN_ANSWERABLE: settings.answer.min_answerable,
        calibration.MAX_ENTROPY: settings.verify.max_entropy,
    }
    for name, value in before.items():
        if limit := limits.get(name):
            found = f"{limit.answered} of {limit.drafts} answers, {limit.wrong} of them wrong"
            told.append(f"{name}: {limit.value:g} (was {value:g}): {found}")
        else:
            none = f"no value keeps the share of wrong answers at {wanted.answer_rate:.0%}"
            told.append(f"{name} stays {value:g}: {none}")
    return told
