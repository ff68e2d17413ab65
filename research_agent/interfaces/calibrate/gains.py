"""The part of `research-agent calibrate` that fits the gain from which on a chunk stays."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from research_agent.answering.select_evidence.gain import (
    MAX_TOKENS,
    PASSAGE_TOKENS,
    Gauge,
    Measured,
    gain,
)
from research_agent.assembly.connection import connect
from research_agent.assembly.gain_limits import gain_digest, measured_model
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.errors import ConfigError
from research_agent.interfaces.cli.terminal import progress_bar
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import Settings
from research_agent.verification.calibration.gain_limits import (
    MIN_GAIN,
    NEVER,
    GainLimit,
    Gains,
    fit_gain,
)
from research_agent.verification.calibration.made_questions import MadeQuestion
from research_agent.verification.calibration.risk_control import least_answers

CALLS = 3
"""Of a question: alone, with a chunk that answers it, and with one that does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedGains:
    """What the user has asked for."""

    questions: int
    """How many of the made questions are measured; 0: none."""
    rate: float


NO_GAINS = WantedGains(questions=0, rate=0.1)


def gain_tokens(questions: int) -> tuple[int, int]:
    """Return how many tokens are read and written, about.

    >>> gain_tokens(20)
    (15600, 1440)
    """
    return questions * (2 * PASSAGE_TOKENS + CALLS * 60), questions * CALLS * MAX_TOKENS


def check_gains(wanted: WantedGains) -> None:
    """Raise ConfigError where no limit could be found."""
    least = least_answers(wanted.rate)
    if 0 < wanted.questions < least:
        raise ConfigError(
            f"{wanted.questions} questions cannot show that a share of {wanted.rate:g} is lost, "
            f"even if none is.",
            hint=f"Take at least {least}: research-agent calibrate --gains {10 * least}",
        )


def fit_gains(
    index: str,
    settings: Settings,
    questions: Sequence[MadeQuestion],
    wanted: WantedGains,
    *,
    seconds: float,
) -> tuple[GainLimit | None, tuple[str, ...]]:
    """Measure the first questions; return the limit, None where there is none, and notes.

    No question is begun after `seconds`, and none after one that cannot be measured at all.
    """
    seen: list[Gains] = []
    notes: list[str] = []
    with ExitStack() as opened:
        show = opened.enter_context(progress_bar())
        connection = opened.enter_context(
            connect(index, settings, os.environ, on_bytes=partial(show, "joining the weights"))
        )
        ports, until = connection.ports, connection.ports.clock.seconds() + seconds
        chosen = questions[: wanted.questions]
        for done, made in enumerate(chosen):
            if ports.clock.seconds() > until:
                notes.append(f"calibrate: the time was over after {done} questions of gains")
                break
            found, problem = _gains(made, ports, settings)
            if problem:
                notes.append(f"calibrate: {problem}; no gains were measured any further")
                break
            seen += [found] if found else []
            show("measuring gains", done + 1, len(chosen))
    limit = fit_gain(
        seen,
        rate=wanted.rate,
        writers=measured_model(settings, os.environ),
        settings=gain_digest(settings),
    )
    return limit, tuple(notes)


def _gains(made: MadeQuestion, ports: Ports, settings: Settings) -> tuple[Gains | None, str]:
    """Return the gains of the best hits of both kinds; None, or a problem, without a value."""
    hits = rank(made.text, ports=ports, settings=settings.retrieval).hits
    right = next((hit.chunk for hit in hits if hit.chunk.chunk_id in made.golds), None)
    other = next((hit.chunk for hit in hits if hit.chunk.chunk_id not in made.golds), None)
    if right is None:
        return None, ""
    context = RunContext(ports, settings, load_prompts()).for_answer(())
    gauge = Gauge(made.text, context, max_calls=CALLS)
    alone = gauge()
    if alone.missing in {"no log-probabilities", "failed", "not paid"}:
        return None, gauge.problem
    value = _gain(alone, gauge(right))
    if value is None:
        return None, ""
    return Gains(value, _gain(alone, gauge(other)) if other else None), ""


def _gain(alone: Measured, given: Measured) -> float | None:
    return NEVER if given.refused else gain(alone, given)


def gain_lines(limit: GainLimit | None, settings: Settings, wanted: WantedGains) -> list[str]:
    """Return for people which limit was fitted, and what others would lead to.

    >>> gain_lines(None, Settings(), WantedGains(questions=20, rate=0.1))
    ['prune.min_gain stays 0: no value is known to lose 10% of the right chunks at most']
    """
    before = f"{settings.prune.min_gain:g}"
    if limit is None:
        none = f"no value is known to lose {wanted.rate:.0%} of the right chunks at most"
        return [f"{MIN_GAIN} stays {before}: {none}"]
    lost = f"{limit.right_lost} of {limit.questions} right chunks"
    told = [f"{MIN_GAIN}: {limit.value:g} (was {before}): leaves out {lost}"]
    told[0] += f", {limit.others_lost} of {limit.others} others"
    return told + [
        f"  at {point.limit:g}: {point.right_lost} right ones, {point.others_lost} others"
        for point in limit.curve
    ]
