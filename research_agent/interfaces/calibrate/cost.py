"""What `research-agent calibrate` is asked for, and what that will take."""

import os
from dataclasses import dataclass

from research_agent.assembly.models import describe_models
from research_agent.interfaces.calibrate.answers import (
    CALLS,
    NO_ANSWERS,
    WantedAnswers,
    asked_tokens,
)
from research_agent.interfaces.calibrate.gains import CALLS as GAIN_CALLS
from research_agent.interfaces.calibrate.gains import NO_GAINS, WantedGains, gain_tokens
from research_agent.settings import Settings

BY_RULES, BY_MODEL = 400, 120
"""Questions that are made where nothing else is said."""
PROMPT_TOKENS, REPLY_TOKENS = 420, 30
"""Of the call that writes a question, about."""
READ_RATE, WRITE_RATE = 80.0, 25.0
"""Tokens a second of the embedded model on two cores, about; servers are faster."""
SEARCH_SECONDS = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the user has asked for."""

    questions: int
    """0: as many as `BY_MODEL` and `BY_RULES` say."""
    rate: float
    max_minutes: float
    rules: bool
    dry_run: bool
    yes: bool
    as_json: bool
    answers: WantedAnswers = NO_ANSWERS
    gains: WantedGains = NO_GAINS


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run will take, as far as it can be told before."""

    questions: int
    model: str
    """Who writes them; empty: rules."""
    seconds: float
    answers: int = 0
    """Answers asked for; each takes two calls, and one to the planner where it is asked."""
    gain_calls: int = 0
    """Calls that measure gains."""

    @property
    def calls(self) -> int:
        """Calls to models."""
        made = self.questions if self.model else 0
        return made + CALLS * self.answers + self.gain_calls


def cost_of(settings: Settings, wanted: Wanted) -> Cost:
    """Return who will write how many questions, and about how long that takes."""
    planner = next(m for m in describe_models(settings.models, os.environ) if m.role == "planner")
    model = "" if wanted.rules or planner.state == "missing" else planner.model
    questions = wanted.questions or (BY_MODEL if model else BY_RULES)
    seconds = questions * 2 * SEARCH_SECONDS
    if model:
        seconds += questions * (PROMPT_TOKENS / READ_RATE + REPLY_TOKENS / WRITE_RATE)
    read, written = asked_tokens(settings, wanted.answers)
    for_gains, for_guesses = gain_tokens(wanted.gains.questions)
    seconds += (read + for_gains) / READ_RATE + (written + for_guesses) / WRITE_RATE
    answers, calls = 2 * wanted.answers.questions, GAIN_CALLS * wanted.gains.questions
    return Cost(questions, model, seconds, answers, calls)


def cost_line(cost: Cost, wanted: Wanted) -> str:
    """Return what a run will take, in a sentence.

    >>> wanted = Wanted(questions=0, rate=0.1, max_minutes=10, rules=True, dry_run=False,
    ...     yes=True, as_json=False)
    >>> cost_line(Cost(400, "", 24.0), wanted)
    '400 questions made by rules, 0 model calls, 800 searches: about 24 s; at most 10 minutes'
    """
    author = f"written by {cost.model}" if cost.model else "made by rules"
    answers = f"{cost.answers} answers, " if cost.answers else ""
    return (
        f"{cost.questions} questions {author}, {answers}{cost.calls} model calls, "
        f"{2 * cost.questions} searches: about {cost.seconds:.0f} s; "
        f"at most {wanted.max_minutes:g} minutes"
    )
