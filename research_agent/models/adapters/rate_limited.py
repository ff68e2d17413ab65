"""Models behind a server's limits: requests at a time, a deadline, further tries."""

import math
import random
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from threading import TIMEOUT_MAX, Condition
from typing import Generic, TypeVar, Unpack

from research_agent.errors import (
    ModelBusyError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from research_agent.model_settings import PriceSettings
from research_agent.models.replies import call_price, counted_cost
from research_agent.ports import CallOptions, ChatModel, Embedder, TextWindows, Tokenizer
from research_agent.stopping import check
from research_agent.telemetry import Attribute, span
from research_agent.types import Completion, Message

TRY_SECONDS = 600.0
"""What one try may take where the settings say nothing else."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds before another try: drawn from 0 to a limit that doubles from the first to the last."""
LONGEST_ASKED = 120.0
"""Seconds; a server that asks for a longer wait than this (Retry-After) is not asked again."""
LEAST_TRY = 1.0
"""Seconds that have to be left for another try after the wait."""

T = TypeVar("T")


class Slots:
    """Places for threads, given in the order in which they came.

    (The standard library's semaphore lets a thread that comes back at once pass those that wait.)
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[object] = deque()
        self._changed = Condition()

    @contextmanager
    def place(self, seconds: float) -> Iterator[bool]:
        """Wait up to `seconds` for a place, and hold it meanwhile; False: there was none."""
        turn, held = object(), False
        with self._changed:
            self._waiting.append(turn)
            try:
                held = self._changed.wait_for(
                    lambda: self._free > 0 and self._waiting[0] is turn,
                    min(max(seconds, 0.0), TIMEOUT_MAX),
                )
            finally:
                self._waiting.remove(turn)
                self._free -= held
                self._changed.notify_all()
        try:
            yield held
        finally:
            with self._changed:
                self._free += held
                self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class Served(Generic[T]):
    """What came back at last, after so many tries and seconds, waiting included."""

    value: T
    tries: int
    seconds: float


class Server:
    """What all models at one server share: its places, deadlines and further tries.

    Safe to share between threads. A server with `restart` is the embedded one: it is asked again
    after `restart` has ended it (the next request starts it anew).
    """

    def __init__(
        self,
        *,
        requests: int = 4,
        retries: int = 2,
        timeout: float = TRY_SECONDS,
        restart: Callable[[], None] | None = None,
    ) -> None:
        """Allow so many `requests` at a time, `retries` of each, and seconds of one try.

        The embedded server gets one further try at most.
        """
        self._slots, self._restart = Slots(requests), restart
        self._retries, self._timeout = retries, timeout
        self._closings = 0

    def close(self) -> None:
        """Send no request of the calls that wait for a place or for their next try."""
        self._closings += 1

    def ask(self, send: Callable[[float], T], *, seconds: float) -> Served[T]:
        """Call `send` with the seconds it may take, until it gives a value.

        All tries, the waits between them and those for a place take at most `seconds`. Raises
        the ModelError of the last try; ModelTimeoutError where no place became free in time;
        ModelError where the server was closed meanwhile; StoppedError.
        """
        begun, closings = time.monotonic(), self._closings
        tries, last = 0, None
        while True:
            check()
            with self._slots.place(seconds - (time.monotonic() - begun)) as held:
                check()
                left = seconds - (time.monotonic() - begun)
                if closings != self._closings:
                    raise _closed(tries) from last
                if not held or left <= 0:
                    raise _no_place(seconds, tries) from last
                tries += 1
                try:
                    value = send(min(self._timeout, left))
                    return Served(value, tries, time.monotonic() - begun)
                except ModelError as error:
                    last = error
                    self._end_embedded(error, hurried=left < self._timeout)
            delay = self._delay(last, tries, seconds - (time.monotonic() - begun))
            if delay is None:
                final = _final(last, tries)
                raise final from (last if final is not last else last.__cause__)
            time.sleep(delay)

    def _end_embedded(self, error: ModelError, *, hurried: bool) -> None:
        """End the embedded server after a fault, unless it only had too little time."""
        late = hurried and isinstance(error, ModelTimeoutError)
        if self._restart and error.retryable and not late and not isinstance(error, ModelBusyError):
            self._restart()

    def _delay(self, error: ModelError, tries: int, left: float) -> float | None:
        """Return the seconds until the next try; None for no more.

        A wait that the server asks for comes before one that is drawn by chance, so that clients
        which failed together do not come back together.
        """
        asked, retries = _asked_wait(error), self._retries
        if tries > (min(retries, 1) if self._restart else retries) or not error.retryable:
            return None
        own = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (tries - 1))
        wait = asked + random.random() * own  # noqa: S311 (no secret)
        return wait if asked <= LONGEST_ASKED and wait + LEAST_TRY <= left else None


def _asked_wait(error: ModelError) -> float:
    return (error.retry_after or 0.0) if isinstance(error, ModelUnavailableError) else 0.0


def _final(error: ModelError, tries: int) -> ModelError:
    """Return the error of the last try, with the number of tries and the wait it asked for."""
    asked = _asked_wait(error)
    notes = [f"after {tries} tries"] if tries > 1 else []
    notes += [f"it asks to be left alone for {math.ceil(asked)} s"] if asked else []
    if not notes:
        return error
    final = copy(error)
    final.args, final.tries = (f"{error} ({'; '.join(notes)})",), tries
    return final


def _no_place(seconds: float, tries: int) -> ModelTimeoutError:
    before = f" (after {tries} {'try' if tries == 1 else 'tries'})" if tries else ""
    error = ModelTimeoutError(
        f"other requests to the model server left no time for this one within "
        f"{seconds:.0f} s{before}",
        hint="Ask fewer questions at a time (models.concurrency), or raise that number "
        "or budget.seconds.",
    )
    error.tries = max(1, tries)
    return error


def _closed(tries: int) -> ModelError:
    error = ModelError(
        "the connection to the model server was closed before it could be asked",
        hint="Ask before the agent is closed.",
    )
    error.tries = max(1, tries)
    return error


class RateLimitedChat:
    """A chat model whose calls are one request each, behind its server; implements ChatModel.

    It fills the reply's seconds, tries and price, and the tokens where the model did not count
    them. Safe to share between threads where the model is.
    """

    def __init__(
        self,
        model: ChatModel,
        server: Server,
        tokenizer: Tokenizer,
        *,
        price: PriceSettings | None = None,
        called: Mapping[str, str] | None = None,
    ) -> None:
        """Ask `model` at `server`; without a `price` what a call costs is not known.

        `tokenizer` estimates tokens that the model does not count. `called` are attributes of its
        spans: provider and model.
        """
        self._model, self._server, self._price = model, server, price
        self._tokenizer, self._called = tokenizer, called or {}

    def complete(
        self, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
    ) -> Completion:
        """Return the reply within its seconds, waiting and all tries included.

        Raises the ModelError of the last try, which names their number; ModelTimeoutError where
        the time ran out while other requests were sent.
        """

        def send(left: float) -> Completion:
            now: CallOptions = {**asked, "seconds": left}
            return self._model.complete(role, messages, **now)

        about: dict[str, Attribute] = {
            "gen_ai.operation.name": "chat",
            **self._called,
            "gen_ai.request.max_tokens": asked["max_tokens"],
            "research_agent.role": role,
        }
        name = f"chat {self._called.get('gen_ai.request.model', '')}".rstrip()
        with span(name, about, client=True) as noted:
            served = self._server.ask(send, seconds=asked.get("seconds", math.inf))
            reply = served.value
            cost = counted_cost(reply, messages, asked["max_tokens"], self._tokenizer)
            noted["gen_ai.response.model"] = cost.model
            noted["gen_ai.response.finish_reasons"] = [reply.finish_reason]
            noted["gen_ai.usage.input_tokens"] = cost.prompt_tokens
            noted["gen_ai.usage.output_tokens"] = cost.completion_tokens
            noted["research_agent.tries"] = served.tries
        price = None if self._price is None else call_price(self._price, cost)
        paid = replace(cost, seconds=served.seconds, tries=served.tries, price=price)
        return replace(reply, cost=paid)


class RateLimitedEmbedder:
    """An embedding model behind its server; implements Embedder, and TextWindows where it does.

    A request's own deadline is the wrapped model's. No further try is begun when a call has
    taken `seconds`.
    """

    windows: Callable[..., Sequence[str]]
    """Only there where the wrapped model has it."""

    def __init__(self, embedder: Embedder, server: Server, *, seconds: float = TRY_SECONDS) -> None:
        self._embedder, self._server, self._seconds = embedder, server, seconds
        self.name = embedder.name
        if isinstance(embedder, TextWindows):
            self.windows = embedder.windows

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text; raises the ModelError of the last try."""
        if not texts:
            return []
        return self._server.ask(lambda _: self._embedder.embed(texts), seconds=self._seconds).value
