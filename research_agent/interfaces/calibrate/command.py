"""`research-agent calibrate`."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from time import monotonic

import click

from research_agent.assembly.calibration import fingerprint, index_state, keep_thresholds
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.errors import ConfigError
from research_agent.interfaces.calibrate.answers import (
    answer_lines,
    check_answers,
    fit_answers,
)
from research_agent.interfaces.calibrate.cost import (
    PROMPT_TOKENS,
    REPLY_TOKENS,
    Cost,
    Wanted,
    cost_line,
    cost_of,
)
from research_agent.interfaces.calibrate.gains import (
    check_gains,
    fit_gains,
    gain_lines,
)
from research_agent.interfaces.cli.process import start
from research_agent.interfaces.cli.terminal import progress_bar, say, say_json
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import Settings
from research_agent.types import Hit, Outcome
from research_agent.types.budget import Allowance
from research_agent.types.confidence import retrieval_confidence
from research_agent.types.scope import Scope
from research_agent.verification.calibration.answer_limits import Answered, AnswerLimit
from research_agent.verification.calibration.fitted import (
    BYPASS,
    Threshold,
    fit_threshold,
    least_questions,
    sample,
)
from research_agent.verification.calibration.gain_limits import GainLimit
from research_agent.verification.calibration.step import AskedQuestion
from research_agent.verification.calibration.step import calibrate as ask_questions

CANDIDATES = 4
"""So many chunks are looked at for each question: many are too short or have no heading."""


def calibrate(index: str, *, config: str | None, wanted: Wanted) -> int:
    """Fit the thresholds of an index and keep them beside it; 1 where none could be fitted."""
    settings = start(config)
    header, chunk_ids = index_state(index)
    cost = cost_of(settings, wanted)
    _check(settings, cost, wanted)
    say(cost_line(cost, wanted), error=wanted.as_json)
    if wanted.dry_run:
        return 0
    if not (wanted.yes or click.confirm("Go on?", err=wanted.as_json)):
        return 0
    until = monotonic() + 60 * wanted.max_minutes
    asked = _ask(index, chunk_ids, settings, cost, wanted)
    for note in asked.event.notes:
        say(f"note: {note}", dim=True, error=True)
    fitted = fit_threshold(
        [one.observed for one in asked.value],
        [one.left_out for one in asked.value],
        rate=wanted.rate,
        source=_source(asked, cost),
    )
    now, made = fingerprint(header, settings), datetime.now(UTC).isoformat(timespec="seconds")
    limits, answers = _answers(index, asked.value, settings, wanted, until - monotonic())
    gain = _gain(index, asked.value, settings, wanted, until - monotonic())
    path = ""
    if fitted.holds or limits or gain:
        path = keep_thresholds(
            index,
            {BYPASS: fitted} if fitted.holds else {},
            made=made,
            now=now,
            answers=limits if wanted.answers.questions else None,
            gain=gain,
        )
    if wanted.as_json:
        say_json(
            {
                "threshold": asdict(fitted),
                "file": path,
                "questions": _rows(asked.value),
                "limits": {name: asdict(limit) for name, limit in limits.items()},
                "answers": [asdict(one) for one in answers],
                "gain": asdict(gain) if gain else None,
            }
        )
        return 0 if path else 1
    told = lines(fitted, settings, path if fitted.holds else "")
    if wanted.answers.questions:
        told += answer_lines(limits, answers, settings, wanted.answers)
    told += gain_lines(gain, settings, wanted.gains) if wanted.gains.questions else []
    say("\n".join([*told, f"kept in {path}"] if path and not fitted.holds else told))
    return 0 if path else 1


def lines(fitted: Threshold, settings: Settings, path: str) -> list[str]:
    """Return for people what was fitted, and what it rests on."""
    told = f"{fitted.questions} questions ({fitted.source})"
    before = f"{settings.confidence.bypass:g}"
    if not path:
        none = f"no threshold keeps the share of errors below {fitted.rate:.0%} for certain"
        more = "more questions (--questions), or a higher --rate, may do"
        return [told, f"{none}; confidence.bypass stays {before}", more]
    reached = f"{fitted.passed} questions reach it, {fitted.errors} of them found something else"
    without = f"{fitted.left_out_passed} of {fitted.left_out} reach it too"
    return [
        told,
        f"confidence.bypass: {fitted.value:g} (was {before})",
        f"{reached}; the share of errors is below {fitted.bound:.1%}",
        f"without the chunks that answer them, {without}",
        f"kept in {path}",
    ]


def _check(settings: Settings, cost: Cost, wanted: Wanted) -> None:
    """Raise ConfigError where nothing can be fitted, or so few questions cannot show anything."""
    if settings.confidence.profile == "seed":
        raise ConfigError(
            "the threshold of confidence.profile seed is part of the profile",
            hint="Calibrate with confidence.profile: default",
        )
    check_answers(settings, wanted.answers)
    check_gains(wanted.gains)
    least = least_questions(wanted.rate)
    if cost.questions < least:
        raise ConfigError(
            f"{cost.questions} questions cannot show a share of errors below {wanted.rate:g}, "
            f"even if none of them fails.",
            hint=f"Take at least {least}: research-agent calibrate --questions {2 * least}",
        )


def _ask(
    index: str, chunk_ids: Sequence[str], settings: Settings, cost: Cost, wanted: Wanted
) -> Outcome[tuple[AskedQuestion, ...]]:
    """Make the questions and ask them."""
    calls, tokens = 2 * cost.questions, 2 * cost.questions * (PROMPT_TOKENS + REPLY_TOKENS) * 4
    allowance = Allowance(calls, 0, tokens, 60 * wanted.max_minutes)
    with ExitStack() as opened:
        show = opened.enter_context(progress_bar())
        connection = opened.enter_context(
            connect(index, settings, os.environ, on_bytes=partial(show, "joining the weights"))
        )
        ports = connection.ports
        chunks = ports.chunks.chunks(sample(chunk_ids, CANDIDATES * cost.questions))
        return ask_questions(
            chunks,
            most=cost.questions,
            first=settings.evidence.max_chunks,
            by_model=bool(cost.model),
            words=settings.retrieval.words,
            search=partial(_search, ports, settings),
            assess=partial(_confidence, settings),
            allowance=allowance,
            ports=ports,
            prompt=load_prompts().calibrate,
            on_progress=partial(show, "asking"),
        )


def _answers(
    index: str,
    asked: Sequence[AskedQuestion],
    settings: Settings,
    wanted: Wanted,
    seconds: float,
) -> tuple[dict[str, AnswerLimit], tuple[Answered, ...]]:
    """Have the first questions answered, where that is wanted."""
    if not wanted.answers.questions:
        return {}, ()
    made = [one.question for one in asked]
    limits, answers, notes = fit_answers(index, settings, made, wanted.answers, seconds=seconds)
    for note in notes:
        say(f"note: {note}", dim=True, error=True)
    return limits, answers


def _gain(
    index: str,
    asked: Sequence[AskedQuestion],
    settings: Settings,
    wanted: Wanted,
    seconds: float,
) -> GainLimit | None:
    """Measure the gains of the first questions' chunks, where that is wanted."""
    if not wanted.gains.questions:
        return None
    made = [one.question for one in asked]
    limit, notes = fit_gains(index, settings, made, wanted.gains, seconds=seconds)
    for note in notes:
        say(f"note: {note}", dim=True, error=True)
    return limit


def _search(ports: Ports, settings: Settings, question: str, scope: Scope) -> Sequence[Hit]:
    return rank(question, ports=ports, settings=settings.retrieval, scope=scope).hits


def _confidence(settings: Settings, question: str, hits: Sequence[Hit]) -> float:
    """Return the confidence in what a question has found, as the graph computes it.

    It is below every threshold where the question is refined whatever it finds.
    """
    found = retrieval_confidence(
        question,
        hits,
        top_k=settings.confidence.top_k,
        concentration_scale=settings.confidence.concentration_scale,
        length_norm=settings.confidence.length_norm,
        bypass=0.0,
    )
    return found.value if found.decision == "bypass" else -1.0


def _source(asked: Outcome[tuple[AskedQuestion, ...]], cost: Cost) -> str:
    """Return who made the questions: a model, rules, or both."""
    by_model = sum(one.question.by == "model" for one in asked.value)
    names = [cost.model] if by_model else []
    return " and ".join([*names, *(["rules"] if by_model < len(asked.value) or not names else [])])


def _rows(asked: Sequence[AskedQuestion]) -> list[dict[str, object]]:
    return [
        {
            "question": one.question.text,
            "by": one.question.by,
            "chunks": sorted(one.question.golds),
            "confidence": one.observed.confidence,
            "right": one.observed.right,
            "left_out": one.left_out,
        }
        for one in asked
    ]
