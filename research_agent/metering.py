"""Model calls within a question's budget: each is checked before it is made, and counted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from research_agent.errors import BudgetError, ModelError, ToolInputError
from research_agent.ports import CallOptions, ChatModel, Clock, Tokenizer
from research_agent.setting_fields import number_range, values
from research_agent.settings import BudgetSettings, Settings
from research_agent.types import Completion, Message, ModelCall, TraceEvent
from research_agent.types.budget import NOTHING, Allowance, left
from research_agent.types.entropy import yes_or_no
from research_agent.types.limits import Limits

MESSAGE_TOKENS = 4
"""What a message costs beside its text: the marks around it."""


@dataclass(frozen=True)
class YesNo:
    """What a model says to a yes-or-no question.

    `probability` is P(yes) / (P(yes) + P(no)), None where the reply is neither. It is `measured`
    from log-probabilities, else 0 or 1 by the word alone.
    """

    probability: float | None
    measured: bool


class Meter:
    """The calls of one run of one step, kept within what is left of the budget."""

    def __init__(self, allowance: Allowance, *, tokenizer: Tokenizer, clock: Clock) -> None:
        """Allow calls within `allowance`; its seconds count from now."""
        self._allowance = allowance
        self._tokenizer, self._clock = tokenizer, clock
        self._started = clock.seconds()
        self._calls: list[ModelCall] = []
        self.granted = 0
        """Tokens that the reply to the last call was allowed to have."""

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """The calls so far, also those that failed."""
        return tuple(self._calls)

    def left(self) -> Allowance:
        """Return what is left now."""
        return self._allowance.after(self._calls, self._clock.seconds() - self._started)

    def ask(
        self,
        model: ChatModel,
        role: str,
        messages: Sequence[Message],
        *,
        least_tokens: int = 1,
        kept: Allowance = NOTHING,
        **asked: Unpack[CallOptions],
    ) -> Completion:
        """Return the model's reply; its deadline is the time that is left, or `seconds`.

        What is `kept` for a later call is not spent on this one, and a reply that may not even have
        `least_tokens` is not asked for. Raises BudgetError, also where the time ran out during a
        call that may do better with more of it, and ModelError.
        """
        prompt = prompt_tokens(messages, self._tokenizer)
        allowance = self.left().aside(kept)
        self.granted = allowance.grant(prompt, asked["max_tokens"], least_tokens)
        seconds = min(allowance.seconds, asked.get("seconds", math.inf))
        granted: CallOptions = {**asked, "max_tokens": self.granted, "seconds": seconds}
        started = self._clock.seconds()
        try:
            reply = model.complete(role, messages, **granted)
        except ModelError as error:
            took, failed = self._clock.seconds() - started, type(error).__name__
            self._calls.append(ModelCall(role, seconds=took, tries=error.tries, failed=failed))
            if error.retryable and self.left().spent() == "seconds":
                raise BudgetError("seconds", last=str(error)) from error
            raise
        self._calls.append(reply.cost)
        return reply

    def ask_yes_no(self, model: ChatModel, role: str, messages: Sequence[Message]) -> YesNo:
        """Return how likely the model says yes, from a reply of one token.

        Raises BudgetError and ModelError.
        """
        reply = self.ask(model, role, messages, max_tokens=1)
        return YesNo(yes_or_no(reply), measured=bool(reply.tokens))


def prompt_tokens(messages: Sequence[Message], tokenizer: Tokenizer) -> int:
    """Return how many tokens a model reads; an estimate for models with another vocabulary."""
    return sum(tokenizer.count(message.text) + MESSAGE_TOKENS for message in messages)


def whole(budget: BudgetSettings) -> Allowance:
    """Return what a question may cost before anything is spent."""
    return Allowance(
        budget.llm_calls, budget.tool_calls, budget.tokens, budget.seconds, budget.cost or None
    )


def limited(budget: BudgetSettings, limits: Limits) -> BudgetSettings:
    """Return the budget of one question: rounds as its caller asks for, the rest only lowered.

    Raises ToolInputError for what is no number and for more rounds than `budget.max_rounds`, and
    BudgetError for the first limit with too little left to begin with.

    >>> limited(BudgetSettings(seconds=60.0), Limits(seconds=90.0, rounds=3)).rounds
    3
    """
    smaller: dict[str, Any] = {}
    for name, limit in values(limits).items():
        if limit is None or name not in values(budget):
            continue
        allowed, least = getattr(budget, name), number_range(BudgetSettings, name)
        if not isinstance(limit, int | float):
            raise ToolInputError(f"Limits.{name} must be a number, not {limit!r}")
        if not limit >= (least.low if least else 0):
            raise BudgetError(name)
        if name == "cost" and not limit:  # (which means no limit in the settings)
            raise BudgetError(name)
        smaller[name] = min(limit, allowed) if name != "cost" or allowed else limit
    if limits.rounds is not None:
        most = budget.max_rounds
        if limits.rounds > most:
            raise ToolInputError(
                f"{limits.rounds} rounds are more than budget.max_rounds allows ({most})",
                hint=f"Ask for at most {most}, or raise budget.max_rounds.",
            )
        smaller["rounds"] = limits.rounds
    return replace(budget, **smaller)


def remaining(settings: Settings, trace: Sequence[TraceEvent]) -> Allowance:
    """Return what a question may still cost after all that `trace` tells."""
    return left(whole(settings.budget), trace)


def spare(settings: Settings, trace: Sequence[TraceEvent]) -> Allowance:
    """Return what may be spent before the answer is written.

    Better queries and filtered hits are worth nothing without an answer. Set aside are the call
    that writes it and the one that checks it, with the tokens of a round's evidence for each, and
    a quarter of all time and money.
    """
    calls = 2 if settings.refuses_by == "check" else 1
    tokens = calls * settings.evidence.max_tokens + settings.answer.max_tokens
    seconds, cost = settings.budget.seconds / 4, (settings.budget.cost or 0.0) / 4
    return remaining(settings, trace).aside(Allowance(calls, 0, tokens, seconds, cost))
