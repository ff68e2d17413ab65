"""How unsure the model is of a question, with and without chunks: a short answer each."""

from collections.abc import Sequence

from research_agent.answering.select_evidence.information_gain import Measured, Unmeasured, measured
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import PruneSettings
from research_agent.text.excerpts import excerpt
from research_agent.types import Chunk, Message
from research_agent.types.budget import MIN_SECONDS
from research_agent.types.evidence import attribute, fenced, place, readable

MOST_FAILURES = 2
"""After so many calls in a row without a reply no further one is made."""


class Gauge:
    """Measures one question. Not to be shared between threads; the same chunks are asked once.

    Every answer has the same limit of tokens, and a call that cannot have it is not made. Prompts
    begin alike, and further chunks come last, so that a server reads only those anew; therefore
    calls are made one after the other. A failure is a result without a value, never a guess.
    """

    def __init__(
        self,
        question: str,
        *,
        ports: Ports,
        prompts: Prompts,
        settings: PruneSettings,
        meter: Meter,
    ) -> None:
        """Ask within `meter`, `prune.max_calls` and `prune.seconds`, which count from now."""
        self._question, self._ports, self._prompts = question, ports, prompts
        self._settings, self._meter = settings, meter
        self._until = ports.clock.seconds() + settings.seconds
        self._known: dict[tuple[str, ...], Measured] = {}
        self._failures = 0
        self.calls = 0
        """Calls that were made, failed ones too."""
        self.problem = ""
        """What kept the first measurement without a value from having one."""

    def __call__(self, chunks: Sequence[Chunk]) -> Measured:
        """Return how unsure the model is, given `chunks` in this order; without any, of itself."""
        key = tuple(chunk.chunk_id for chunk in chunks)
        if key not in self._known:
            found = self._asked(chunks)
            if found.missing == "not paid":
                return found
            self._known[key] = found
        return self._known[key]

    def _asked(self, chunks: Sequence[Chunk]) -> Measured:
        settings, seconds = self._settings, self._until - self._ports.clock.seconds()
        if self.calls >= settings.max_calls:
            return self._without("not paid", "prune.max_calls is reached")
        if seconds < MIN_SECONDS:
            return self._without("not paid", "prune.seconds is over")
        if self._failures >= MOST_FAILURES:
            return self._without("not paid", self.problem)
        before = len(self._meter.calls)
        try:
            reply = self._meter.ask(
                self._ports.measurer or self._ports.answerer,
                "prune",
                [Message("system", self._prompts.nu_system.render()), self._message(chunks)],
                max_tokens=settings.max_tokens,
                least_tokens=settings.max_tokens,
                seconds=seconds,
            )
        except BudgetError as error:
            self.calls += len(self._meter.calls) - before
            return self._without("not paid", str(error))
        except ModelError as error:
            self.calls, self._failures = self.calls + 1, self._failures + 1
            return self._without("failed", str(error))
        self.calls, self._failures = self.calls + 1, 0
        found = measured(reply)
        self.problem = self.problem or found.missing
        return found

    def _message(self, chunks: Sequence[Chunk]) -> Message:
        if not chunks:
            return Message("user", self._prompts.nu_question.render(question=self._question))
        evidence = "\n".join(map(self._shown, chunks))
        asked = self._prompts.nu_chunks.render(question=self._question, evidence=evidence)
        return Message("user", asked)

    def _shown(self, chunk: Chunk) -> str:
        """Return a chunk as the model reads it: without a key, for nothing is to be cited."""
        text, count = fenced(readable(chunk)), self._ports.tokenizer.count
        short = excerpt(text, self._question, self._settings.passage_tokens, count)
        return f'<chunk source="{attribute(place(chunk))}">\n{short}\n</chunk>'

    def _without(self, missing: Unmeasured, problem: str) -> Measured:
        self.problem = self.problem or problem
        return Measured(missing=missing)
