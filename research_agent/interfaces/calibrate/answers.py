"""The part of `research-agent calibrate` that asks whole questions: limits of answers."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from math import ceil

from research_agent.assembly.answer_limits import answering_digest, writers_of
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.errors import ConfigError, ModelError
from research_agent.interfaces.cli.terminal import progress_bar
from research_agent.settings import Settings
from research_agent.types.result import ResearchResult
from research_agent.types.scope import EVERYTHING, Scope
from research_agent.verification.calibration.answer_limits import (
    MAX_ENTROPY,
    MIN_ANSWERABLE,
    Answered,
    AnswerLimit,
    fit_limits,
)
from research_agent.verification.calibration.made_questions import MadeQuestion
from research_agent.verification.calibration.risk_control import Of, least_answers

CALLS = 2
"""Of an answer: writing it, and the check whether the evidence answers."""
INSTRUCTIONS, WRITTEN = 250, 110
"""Tokens of an answer's prompts beside the evidence, and of its reply, about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedAnswers:
    """What the user has asked for."""

    questions: int
    """How many of the made questions are answered, each with and without its chunks; 0: none."""
    rate: float
    of: Of = "answered"
    """What the rate is a share of."""


NO_ANSWERS = WantedAnswers(questions=0, rate=0.2)


def asked_tokens(settings: Settings, wanted: WantedAnswers) -> tuple[int, int]:
    """Return how many tokens the answers read and write, about.

    >>> asked_tokens(Settings(), WantedAnswers(questions=10, rate=0.2))
    (35000, 2200)
    """
    asked = 2 * wanted.questions
    return asked * (settings.evidence.max_tokens + INSTRUCTIONS), asked * WRITTEN


def check_answers(settings: Settings, wanted: WantedAnswers) -> None:
    """Raise ConfigError where no limit could be found, or would not be used."""
    if not wanted.questions:
        return
    if settings.refuses_by != "check":
        raise ConfigError(
            "Answers are not checked where the prompt allows refusals: there is no limit to fit.",
            hint="Calibrate with answer.refusal: check",
        )
    least = ceil(least_answers(wanted.rate) / (2 if wanted.of == "asked" else 1))
    if wanted.questions < least:
        raise ConfigError(
            f"{wanted.questions} answers cannot show a share of errors of {wanted.rate:g}, "
            f"even if none of them is wrong.",
            hint=f"Take at least {least}, better ten times as many: "
            f"research-agent calibrate --answers {10 * least}",
        )


def fit_answers(
    index: str,
    settings: Settings,
    questions: Sequence[MadeQuestion],
    wanted: WantedAnswers,
    *,
    seconds: float,
) -> tuple[dict[str, AnswerLimit], tuple[Answered, ...], tuple[str, ...]]:
    """Ask the first questions twice each; return the limits, what was asked, and notes.

    No question is begun after `seconds`, and none after a model has failed.
    """
    from research_agent.interfaces.own_graphs import research, state

    told: list[Answered] = []
    notes: list[str] = []
    drafting = replace(
        settings,
        answer=replace(settings.answer, min_answerable=0.0),
        budget=replace(settings.budget, rounds=1),
    )
    with ExitStack() as opened:
        show = opened.enter_context(progress_bar())
        connection = opened.enter_context(
            connect(index, drafting, os.environ, on_bytes=partial(show, "joining the weights"))
        )
        ports = connection.ports
        graph = research.build_research_graph(ports, drafting, load_prompts())
        until = ports.clock.seconds() + seconds
        pairs = list(_pairs(questions[: wanted.questions]))
        for done, (made, scope) in enumerate(pairs):
            if ports.clock.seconds() > until:
                notes.append(f"calibrate: the time was over after {done} of {len(pairs)} answers")
                break
            try:
                output = graph.invoke(state.ResearchInput(question=made.text, scope=scope))
            except ModelError as error:
                notes.append(f"calibrate: {error}; no further answers were asked for")
                break
            result = state.ResearchOutput.model_validate(output).result
            told.append(answered(made, result, left_out=scope != EVERYTHING))
            show("answering", done + 1, len(pairs))
    limits = fit_limits(
        told,
        rate=wanted.rate,
        of=wanted.of,
        writers=writers_of(settings, os.environ),
        settings=answering_digest(settings),
    )
    return limits, tuple(told), tuple(notes)


def answered(made: MadeQuestion, result: ResearchResult, *, left_out: bool) -> Answered:
    """Return what an answer was worth: it has to cite what the question was made from."""
    cited = {citation.chunk_id for citation in result.citations}
    return Answered(
        given=result.status in ("answered", "partial"),
        wrong=left_out or cited.isdisjoint(made.golds),
        left_out=left_out,
        answerable=result.answerable,
        mean_entropy=result.uncertainty.mean_entropy,
    )


def answer_lines(
    limits: dict[str, AnswerLimit],
    asked: Sequence[Answered],
    settings: Settings,
    wanted: WantedAnswers,
) -> list[str]:
    """Return for people which limits were fitted, and what other values would lead to."""
    drafts = [one for one in asked if one.given]
    wrong, without = sum(one.wrong for one in drafts), sum(one.left_out for one in drafts)
    counted = f"{len(asked)} answers asked for: {len(drafts)} drafted, {wrong} of them wrong"
    told = [f"{counted} ({without} without the chunks that answer the question)"]
    among = " of all that is asked" if wanted.of == "asked" else ""
    before = {
        MIN_ANSWERABLE: settings.answer.min_answerable,
        MAX_ENTROPY: settings.verify.max_entropy,
    }
    for name, value in before.items():
        limit = limits.get(name)
        if limit is None:
            told.append(
                f"{name} stays {value:g}: no value keeps the share of wrong answers "
                f"at {wanted.rate:.0%}{among}"
            )
            continue
        told.append(
            f"{name}: {limit.value:g} (was {value:g}): {limit.answered} of {limit.drafts} "
            f"answers, {limit.wrong} of them wrong"
        )
        told += [
            f"  at {point.limit:g}: {point.answered} answers, {point.error:.0%} wrong"
            for point in limit.curve
        ]
    return told


def _pairs(questions: Sequence[MadeQuestion]) -> Iterator[tuple[MadeQuestion, Scope]]:
    """Yield each question with all documents, then without the chunks that answer it."""
    for made in questions:
        yield made, EVERYTHING
        yield made, Scope(exclude=made.golds)
