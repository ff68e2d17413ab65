"""How much surer a chunk makes a model: normalized uncertainty, and the gain in it.

Source: "Information Gain Pruning", arXiv 2601.17532. NU(q) is the mean normalised entropy of the
tokens of a short answer to the question q, NU(q|d) the same with a chunk d in the prompt, and the
information gain of d is NU(q) - NU(q|d).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError
from research_agent.text.excerpts import excerpt
from research_agent.text.missing_parts import read_missing
from research_agent.types import Chunk, Completion, Message, Token
from research_agent.types.budget import MIN_SECONDS
from research_agent.types.claims import said_tokens
from research_agent.types.entropy import (
    mean_entropy,
    mean_of_most_uncertain,
    normalized_entropy,
    normalized_uncertainty,
    token_entropy,
)
from research_agent.types.evidence import attribute, fenced, place, readable

MAX_CALLS = 12
"""Model calls a round; what is not measured stays in the evidence."""
MAX_SECONDS = 60.0
MAX_TOKENS = 24
"""Length of each answer that is measured, with and without chunks: a reply that may not have it is
not asked for, because values of different lengths cannot be compared."""
PASSAGE_TOKENS = 300
"""What is shown of a chunk: its sentences nearest to the question."""
MOST_FAILURES = 2
"""Failed calls in a row after which no further one is made."""
Unmeasured = Literal["", "no log-probabilities", "nothing to score", "failed", "not paid"]
"""Why there is no value; empty where there is one. "no log-probabilities": the server gave none, or
they do not make up the text. "nothing to score": the reply is empty, or no token with a letter or
digit has alternatives. "failed": the call failed. "not paid": it was not made, for the budget."""


@dataclass(frozen=True, slots=True)
class Measured:
    """How unsure a model was of one short answer. Without a value `missing` says why."""

    nu: float | None = None
    """Mean of the tokens' normalised entropies, 0 (sure) to 1."""
    mean_entropy: float | None = None
    most_uncertain: float | None = None
    """Nats, the mean over the most uncertain fifth of the tokens."""
    token_count: int = 0
    """Tokens scored: a mean over few of them says little."""
    text: str = ""
    """What the model wrote: a guess, checked by nobody."""
    refused: bool = False
    """The model wrote that it does not know: it may be very sure of that."""
    tokens: tuple[Token, ...] = ()
    missing: Unmeasured = ""


def measured(reply: Completion) -> Measured:
    """Return how unsure the model was of `reply`."""
    text = reply.text.strip()
    refused = read_missing(text).is_refusal
    aligned = "".join(token.text for token in reply.tokens).strip() == text
    scored = [token for _, token in said_tokens(reply.tokens)] if aligned or not text else []
    if not scored:
        none = bool(text) and not (reply.tokens and aligned)
        missing: Unmeasured = "no log-probabilities" if none else "nothing to score"
        return Measured(text=text, refused=refused, tokens=reply.tokens, missing=missing)
    return Measured(
        nu=normalized_uncertainty(scored),
        mean_entropy=mean_entropy(scored),
        most_uncertain=mean_of_most_uncertain([token_entropy(one.alternatives) for one in scored]),
        token_count=len(scored),
        text=text,
        refused=refused,
        tokens=reply.tokens,
    )


def gain(without: Measured, with_chunk: Measured) -> float | None:
    """Return how much surer a chunk makes the model, -1 to 1; None where it is not known.

    Positive: it informs. Near 0: it says nothing new. Negative: it distracts.
    """
    if without.nu is None or with_chunk.nu is None:
        return None
    return without.nu - with_chunk.nu


class Gauge:
    """Measures one question, alone and with a chunk; a failure is a result without a value.

    Calls are made one after the other: prompts begin alike, so a server reads only the chunk anew.
    """

    def __init__(
        self,
        question: str,
        context: StepContext,
        *,
        max_calls: int = MAX_CALLS,
        max_seconds: float = MAX_SECONDS,
    ) -> None:
        self._question, self._context, self._max_calls = question, context, max_calls
        self._until = context.ports.clock.seconds() + max_seconds
        self._failures = 0
        self.calls = 0
        """Calls that were made, failed ones too."""
        self.problem = ""
        """What kept the first measurement without a value from having one."""

    def __call__(self, chunk: Chunk | None = None) -> Measured:
        """Return how unsure the model is, given `chunk`; without one, of itself."""
        meter, ports = self._context.meter, self._context.ports
        seconds = self._until - ports.clock.seconds()
        if self.calls >= self._max_calls:
            return self._without("not paid", f"the {self._max_calls} calls of a round are made")
        if seconds < MIN_SECONDS:
            return self._without("not paid", "the time for measuring is over")
        if self._failures >= MOST_FAILURES:
            return self._without("not paid", self.problem)
        before = len(meter.calls)
        try:
            reply = meter.ask(
                ports.answerer,
                "prune",
                self._messages(chunk),
                max_tokens=MAX_TOKENS,
                least_tokens=MAX_TOKENS,
                seconds=seconds,
            )
        except BudgetError as error:
            self.calls += len(meter.calls) - before
            return self._without("not paid", str(error))
        except ModelError as error:
            self.calls, self._failures = self.calls + 1, self._failures + 1
            return self._without("failed", str(error))
        self.calls, self._failures = self.calls + 1, 0
        found = measured(reply)
        self.problem = self.problem or found.missing
        return found

    def _messages(self, chunk: Chunk | None) -> Sequence[Message]:
        prompts, question = self._context.prompts, self._question
        if chunk is None:
            asked = prompts.nu_question.render(question=question)
        else:
            text, count = fenced(readable(chunk)), self._context.ports.tokenizer.count
            short = excerpt(text, question, PASSAGE_TOKENS, count)
            shown = f'<chunk source="{attribute(place(chunk))}">\n{short}\n</chunk>'
            asked = prompts.nu_chunks.render(question=question, evidence=shown)
        return [Message("system", prompts.nu_system.render()), Message("user", asked)]

    def _without(self, missing: Unmeasured, problem: str) -> Measured:
        self.problem = self.problem or problem
        return Measured(missing=missing)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token as `research-agent diagnose` shows it."""

    text: str
    logprob: float
    entropy: float | None
    """Nats; None where the token is not scored."""
    normalized: float | None
    alternatives: tuple[tuple[str, float], ...]
    """The likeliest tokens at its place, with their log-probabilities."""


def token_rows(tokens: tuple[Token, ...]) -> tuple[TokenRow, ...]:
    """Return every token of a reply with its entropy, markers and punctuation without one."""
    scored = {at for at, _ in said_tokens(tokens)}
    rows, at = list[TokenRow](), 0
    for token in tokens:
        is_scored = at in scored and bool(token.text)
        entropy = token_entropy(token.alternatives) if is_scored else None
        others = tuple((other.text, other.logprob) for other in token.alternatives)
        normalized = normalized_entropy(token) if is_scored else None
        rows.append(TokenRow(token.text, token.logprob, entropy, normalized, others))
        at += len(token.text)
    return tuple(rows)
