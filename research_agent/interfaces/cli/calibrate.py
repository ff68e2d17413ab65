"""`research-agent calibrate`: fit the limit of retrieval confidence to an index."""

import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial

import click

from research_agent.assembly.calibration import fingerprint, keep_threshold
from research_agent.assembly.index import index_state
from research_agent.assembly.models.report import describe_models
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.errors import ConfigError
from research_agent.interfaces.cli.options import INDEX, JSON, OFFLINE, SETTINGS
from research_agent.interfaces.cli.process import exits, opened, start
from research_agent.interfaces.cli.terminal import note, progress_bar, say, say_json
from research_agent.retrieval.confidence import retrieval_confidence
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import Settings
from research_agent.types import Hit
from research_agent.types.budget import Allowance
from research_agent.types.scope import EVERYTHING
from research_agent.verification import calibration
from research_agent.verification.made_questions import AskedQuestion, ask_made_questions

BY_HEADINGS, BY_MODEL = 400, 120
"""Questions, unless --questions says how many."""
CANDIDATES = 4
"""Chunks that are looked at for each question: many are too short or have no heading."""
QUESTION_TOKENS = 450
"""Of the call that writes a question, about."""


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
@click.option(
    "--rate",
    default=0.15,
    type=click.FloatRange(0.01, 0.5),
    help="Allowed share of wrong searches.",
)
@click.option(
    "--max-minutes",
    default=10.0,
    type=click.FloatRange(0.1, 1440),
    help="Start no new question after this many minutes.",
)
@click.option("--rules", is_flag=True, help="Make the questions from headings; ask no model.")
@click.option("--dry-run", is_flag=True, help="Print the cost, and stop.")
@JSON
@OFFLINE
@exits
def calibrate_command(  # noqa: PLR0913 (one argument an option)
    *,
    index: str,
    config: str | None,
    questions: int,
    rate: float,
    max_minutes: float,
    rules: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Fit confidence.bypass to your documents: when a question needs no better query."""
    settings = start(config)
    header, chunk_ids = index_state(index)
    planner = next(m for m in describe_models(settings.models, os.environ) if m.role == "planner")
    model = "" if rules or planner.state == "missing" else planner.model
    most = questions or (BY_MODEL if model else BY_HEADINGS)
    if most < (least := calibration.least_questions(rate)):
        raise ConfigError(
            f"{most} questions cannot show a share of errors below {rate:g}, "
            "even if none of them fails.",
            hint=f"Take at least {least}: research-agent calibrate --questions {2 * least}",
        )
    most = min(most, len(chunk_ids))  # (none gives two)
    author = f"written by {model}" if model else "made by rules"
    cost = f"{most} questions {author}, {most if model else 0} model calls, {most} searches"
    note(f"{cost}: at most {max_minutes:g} minutes", mark="")
    if dry_run:
        return 0
    with opened(index, settings) as connection, progress_bar() as show:
        run = RunContext(connection.ports, settings, load_prompts())
        calls = 2 * most
        allowed = Allowance(calls, 0, 4 * calls * QUESTION_TOKENS, 60 * max_minutes)
        asked = ask_made_questions(
            run.ports.chunks.chunks(calibration.sample(chunk_ids, CANDIDATES * most)),
            run.within(allowed),
            most=most,
            by_model=bool(model),
            search=partial(_search, run),
            on_progress=partial(show, "asking"),
        )
    for one in asked.event.notes:
        note(one)
    observed = [one.observed for one in asked.value]
    fitted = calibration.fit_threshold(observed, rate=rate, source=_source(asked.value, model))
    made = datetime.now(UTC).isoformat(timespec="seconds")
    path = keep_threshold(index, fingerprint(header, settings), made, fitted)
    if as_json:
        say_json({"threshold": asdict(fitted), "file": path})
    else:
        lines = _threshold_lines(fitted, settings)
        say("\n".join([*lines, f"kept in {path}"] if path else lines))
    return 0 if path else 1


def _search(run: RunContext, question: str) -> tuple[Sequence[Hit], float]:
    """Return what a question finds and its confidence, -1 where it is refined all the same."""
    hits = rank(question, ports=run.ports, settings=run.settings.retrieval, scope=EVERYTHING).hits
    found = retrieval_confidence(question, hits, replace(run.settings.confidence, bypass=0.0))
    return hits, found.value if found.decision == "bypass" else -1.0


def _source(asked: Sequence[AskedQuestion], model: str) -> str:
    names = {"rules" if one.question.by != "model" else model for one in asked} or {"rules"}
    return " and ".join(sorted(names, key="rules".__eq__))


def _threshold_lines(fitted: calibration.Threshold, settings: Settings) -> list[str]:
    line = f"{fitted.questions} questions ({fitted.source})"
    before = f"{settings.confidence.bypass:g}"
    if not fitted.holds:
        problem = f"no threshold keeps the share of errors below {fitted.rate:.0%} for certain"
        advice = "more questions (--questions), or a higher --rate, may do"
        if fitted.questions < (least := calibration.least_questions(fitted.rate)):
            advice = f"{least} questions or more can show it: more documents, or --max-minutes"
        return [line, f"{problem}; confidence.bypass stays {before}", advice]
    reached = f"{fitted.passed} questions reach it, {fitted.errors} of them found something else"
    return [
        line,
        f"confidence.bypass: {fitted.value:g} (was {before})",
        f"{reached}; the share of errors is below {fitted.bound:.1%}",
    ]
