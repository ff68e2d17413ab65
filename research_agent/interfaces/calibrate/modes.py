"""The part of `research-agent calibrate` that chooses what `answer.mode: auto` is."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from research_agent.assembly.answer_limits import answering_digest, writers_of
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.errors import ConfigError, ModelError
from research_agent.interfaces.cli.terminal import progress_bar
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.verification.calibration.answer_modes import (
    LEAST_QUESTIONS,
    MODE,
    MODES,
    Mode,
    ModeChoice,
    Tried,
    choose_mode,
    tried,
)
from research_agent.verification.calibration.made_questions import MadeQuestion

CALLS = 5
"""Of a question: two modes write, and each of the three answers is checked."""
JUDGING_TOKENS = 150
"""Of the call that judges a passage, about."""


def mode_calls(settings: Settings, questions: int) -> int:
    """Return how many calls are made at most; two modes judge the same passages.

    >>> from research_agent.settings import AnswerSettings
    >>> by_ranking = Settings(answer=AnswerSettings(passages_by="ranking"))
    >>> mode_calls(Settings(), 12), mode_calls(by_ranking, 12)
    (348, 60)
    """
    return questions * (CALLS + 2 * _judged(settings))


def _judged(settings: Settings) -> int:
    answer = settings.answer
    return answer.passages_judged if answer.passages_by == "model" else 0


def mode_tokens(settings: Settings, questions: int) -> tuple[int, int]:
    """Return how many tokens are read and written, about.

    >>> mode_tokens(Settings(), 12)
    (88200, 2640)
    """
    evidence, passages = settings.evidence.max_tokens, 2 * settings.answer.passage_words
    judging = 2 * _judged(settings) * JUDGING_TOKENS
    return questions * (2 * (evidence + 250) + passages + 10 + judging), questions * 2 * 110


def check_modes(settings: Settings, questions: int) -> None:
    """Raise ConfigError where no mode could be chosen, or would not be used."""
    if not questions:
        return
    if settings.answer.mode != "auto":
        raise ConfigError(
            f"answer.mode is {settings.answer.mode}, so nothing else would be used.",
            hint="Choose a mode with answer.mode: auto",
        )
    if questions < LEAST_QUESTIONS:
        raise ConfigError(
            f"{questions} questions say nothing about a mode.",
            hint=f"Take at least {LEAST_QUESTIONS}: research-agent calibrate --modes 20",
        )


def fit_mode(
    index: str,
    settings: Settings,
    questions: Sequence[MadeQuestion],
    *,
    seconds: float,
) -> tuple[ModeChoice, tuple[str, ...]]:
    """Answer each question in every mode; return the mode that was right most often, and notes.

    No question is begun after `seconds`, and none after a model has failed.
    """
    asked: list[dict[str, Tried]] = []
    notes: list[str] = []
    one_round = replace(settings, budget=replace(settings.budget, rounds=1))
    with ExitStack() as opened:
        show = opened.enter_context(progress_bar())
        connection = opened.enter_context(
            connect(index, one_round, os.environ, on_bytes=partial(show, "joining the weights"))
        )
        ports, used = connection.ports, connection.settings
        until = ports.clock.seconds() + seconds
        for done, made in enumerate(questions):
            if ports.clock.seconds() > until:
                notes.append(f"calibrate: the time was over after {done} questions in each mode")
                break
            try:
                asked.append({mode: _tried(made, mode, ports, used) for mode in MODES})
            except ModelError as error:
                notes.append(f"calibrate: {error}; no mode was tried any further")
                break
            show("comparing modes", done + 1, len(questions))
    chosen = choose_mode(
        asked, writers=writers_of(settings, os.environ), settings=answering_digest(settings)
    )
    return chosen, tuple(notes)


def _tried(made: MadeQuestion, mode: Mode, ports: Ports, settings: Settings) -> Tried:
    from research_agent.interfaces.own_graphs import research, state

    chosen = replace(settings, answer=replace(settings.answer, mode=mode))
    graph = research.build_research_graph(ports, chosen, load_prompts())
    output = graph.invoke(state.ResearchInput(question=made.text))
    result = state.ResearchOutput.model_validate(output).result
    return tried(made.text, made.golds, result)


def mode_lines(chosen: ModeChoice) -> list[str]:
    """Return for people what each mode brought, and which one `auto` takes.

    >>> from research_agent.verification.calibration.answer_modes import ModeCount
    >>> level = {mode: ModeCount(9, 12) for mode in MODES}
    >>> for line in mode_lines(ModeChoice(value="auto", questions=12, counts=level,
    ...     reason="all are level", writers="m", settings="s")):
    ...     print(line)
    12 questions answered in each mode
      abstractive: 9 right, 12 answered
      select_then_write: 9 right, 12 answered
      extractive: 9 right, 12 answered
    answer.mode: auto keeps its own rule: all are level
    """
    told = [f"{chosen.questions} questions answered in each mode"]
    told += [
        f"  {mode}: {count.right} right, {count.given} answered"
        for mode, count in chosen.counts.items()
    ]
    reason = chosen.reason or ("it writes so" if chosen.value == "abstractive" else "")
    kept = f"auto keeps its own rule: {reason}" if reason else f"auto is {chosen.value} here"
    return [*told, f"{MODE}: {kept}"]
