"""Models with what a server needs around one request: a limit, a deadline, further tries."""

import json
import math
import random
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import TIMEOUT_MAX, Event, Lock
from typing import Generic, TypeVar, Unpack

from research_agent.errors import ModelBusyError, ModelError, ModelTimeoutError
from research_agent.metering import MESSAGE_TOKENS
from research_agent.models import server_capabilities as capabilities
from research_agent.models.replies import Price, call_price, span_fields
from research_agent.models.retrying import final_error, retry_delay
from research_agent.ports import CallOptions, ChatModel, Embedder, TextWindows, Tokenizer
from research_agent.stopping import check
from research_agent.telemetry import Attribute, span
from research_agent.types import Completion, Message

T = TypeVar("T")


class Slots:
    """Places for threads. One that leaves hands its place to the one that waits the longest.

    (The standard library's semaphore lets a thread that comes back at once pass those that wait.)
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[Event] = deque()
        self._lock = Lock()

    @contextmanager
    def place(self, seconds: float) -> Iterator[bool]:
        """Wait up to `seconds` for a place, and hold it meanwhile; False: there was none."""
        held = self._enter(seconds)
        try:
            yield held
        finally:
            if held:
                self._leave()

    def _enter(self, seconds: float) -> bool:
        turn = Event()
        with self._lock:
            if self._free:  # (then nobody waits)
                self._free -= 1
                return True
            self._waiting.append(turn)
        try:
            turn.wait(min(max(seconds, 0.0), TIMEOUT_MAX))
        except BaseException:  # (Ctrl-C while waiting: the place must not be given to nobody)
            if not self._withdraw(turn):
                self._leave()
            raise
        return not self._withdraw(turn)

    def _withdraw(self, turn: Event) -> bool:
        """Wait no longer; False: the place was given already."""
        with self._lock:
            if turn.is_set():
                return False
            self._waiting.remove(turn)
            return True

    def _leave(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """Time and chance, as tests replace them."""

    seconds: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random
    """A number in [0, 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """How a server may be asked."""

    requests: int = 4
    """Requests at a time."""
    retries: int = 2
    """Further tries of a request; the embedded server gets one at most."""
    timeout: float = 0.0
    """Seconds of one try; 0: derived from how fast the server was."""
    start_seconds: float = 0.0
    """What a try that may have to start the server has beside that."""


@dataclass(frozen=True, slots=True)
class Served(Generic[T]):
    """What came back at last."""

    value: T
    tries: int
    seconds: float
    """With all tries and the waiting between and before them."""
    last_seconds: float
    """Of the last try alone."""


class Server:
    """What all models at one server share: its places, its rates, and further tries.

    Safe to share between threads. A server with `restart` is the embedded one: it is asked again
    after `restart` has ended it (the next request starts it anew).
    """

    def __init__(
        self,
        limits: ServerLimits | None = None,
        *,
        rates: capabilities.Rates | None = None,
        restart: Callable[[], None] | None = None,
        pacing: Pacing | None = None,
    ) -> None:
        """Ask within `limits`; `rates` are how fast the server was in earlier runs."""
        self._limits, self._restart = limits or ServerLimits(), restart
        self._rates, self._pacing = rates or capabilities.Rates(), pacing or Pacing()
        self._slots = Slots(self._limits.requests)
        self._running = False
        self._closings = 0
        self._lock = Lock()

    @property
    def rates(self) -> capabilities.Rates:
        """The lowest speed of the server that was measured."""
        with self._lock:
            return self._rates

    def learn(self, seen: capabilities.Rates) -> None:
        """Keep what one request has shown."""
        with self._lock:
            self._rates = capabilities.slowest(self._rates, seen)

    def close(self) -> None:
        """Send no request of the calls that wait for a place or for their next try."""
        with self._lock:
            self._closings += 1

    def ask(
        self, send: Callable[[float], T], *, tokens: tuple[int, int] | None, seconds: float
    ) -> Served[T]:
        """Call `send` with the seconds it may take, until it gives a value.

        All tries, the waits between them and those for a place take at most `seconds`. Raises
        the ModelError of the last try; ModelTimeoutError where no place became free in time;
        ModelError where the server was closed meanwhile. `tokens` are those to read and to write;
        without them a try has no deadline of its own. Raises StoppedError, instead of a further
        try, where the question is stopped.
        """
        begun, closings = self._pacing.seconds(), self._closings
        tries, last = 0, None
        while True:
            check()
            left = seconds - (self._pacing.seconds() - begun)
            with self._slots.place(left) as held:
                now = self._pacing.seconds()
                left = seconds - (now - begun)
                check()
                if closings != self._closings:
                    raise _closed(tries) from last
                if not held or left <= 0:
                    raise _no_place(seconds, tries) from last
                tries += 1
                try:
                    value = self._try(send, tokens, left)
                except ModelError as error:
                    last = error
                else:
                    ended = self._pacing.seconds()
                    return Served(value, tries, ended - begun, ended - now)
            self._wait(last, tries, seconds - (self._pacing.seconds() - begun))

    def _try(self, send: Callable[[float], T], tokens: tuple[int, int] | None, left: float) -> T:
        """Send one request; where it fails, see to it that the next one can do better."""
        limit = math.inf
        if tokens is not None:
            limit = self._limits.timeout or capabilities.try_deadline(self.rates, *tokens)
            limit += 0.0 if self._running else self._limits.start_seconds
        try:
            value = send(min(limit, left))
        except ModelError as error:
            hurried = isinstance(error, ModelTimeoutError) and left < limit
            if error.retryable and not hurried:
                self._failed(error)
            raise
        self._running = True
        return value

    def _failed(self, error: ModelError) -> None:
        """Expect less of the server; end the embedded one, while no other request is sent."""
        if isinstance(error, ModelTimeoutError):
            with self._lock:
                self._rates = capabilities.halved(self._rates)
        if self._restart is not None and not isinstance(error, ModelBusyError):
            self._running = False
            self._restart()

    def _wait(self, error: ModelError, tries: int, left: float) -> None:
        """Wait until the next try; raises `error` where there is none."""
        retries = self._limits.retries if self._restart is None else min(self._limits.retries, 1)
        chance = self._pacing.chance()
        delay = retry_delay(error, tries, retries=retries, left=left, chance=chance)
        if delay is None:
            final = final_error(error, tries)
            raise final from (error if final is not error else error.__cause__)
        self._pacing.sleep(delay)


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
        "the connection to the model server was closed before it could be asked"
        + (" again" if tries else ""),
        hint="Ask before the agent is closed.",
    )
    error.tries = max(1, tries)
    return error


class RateLimitedChat:
    """A chat model whose calls are one request each, behind its server; implements ChatModel.

    It fills the reply's seconds, tries and price. Safe to share between threads where the model
    is.
    """

    def __init__(
        self,
        model: ChatModel,
        server: Server,
        *,
        tokenizer: Tokenizer,
        price: Price | None = None,
        called: Mapping[str, str] | None = None,
    ) -> None:
        """Ask `model` at `server`; without a `price` what a call costs is not known.

        `called` are attributes of its spans: provider and model.
        """
        self._called = called or {}
        self._model, self._server = model, server
        self._tokenizer, self._price = tokenizer, price

    def complete(
        self, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
    ) -> Completion:
        """Return the reply within its seconds, waiting and all tries included.

        Raises the ModelError of the last try, which names their number; ModelTimeoutError where
        the time ran out while other requests were sent.
        """
        shapes = [json.dumps(tool) for tool in asked.get("tools", ())]
        if (schema := asked.get("schema")) is not None:
            shapes.append(json.dumps(schema))
        texts = [*(message.text for message in messages), *shapes]
        prompt = sum(self._tokenizer.count(text) + MESSAGE_TOKENS for text in texts)

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
            served = self._server.ask(
                send, tokens=(prompt, asked["max_tokens"]), seconds=asked.get("seconds", math.inf)
            )
            noted.update(span_fields(served.value, served.tries))
        reply = served.value
        # (A model that takes its own time leaves out what its server needed to start.)
        took = reply.cost.seconds or served.last_seconds
        self._server.learn(capabilities.measured(reply.cost, took))
        price = None if self._price is None else call_price(self._price, reply.cost)
        cost = replace(reply.cost, seconds=served.seconds, tries=served.tries, price=price)
        return replace(reply, cost=cost)


class RateLimitedEmbedder:
    """An embedding model behind its server; implements Embedder, and TextWindows where it does.

    A request's own deadline is the wrapped model's. No further try is begun when a call has
    taken `seconds`.
    """

    windows: Callable[..., Sequence[str]]
    """Only there where the wrapped model has it."""

    def __init__(
        self, embedder: Embedder, server: Server, *, seconds: float = capabilities.FIRST_SECONDS
    ) -> None:
        self._embedder, self._server, self._seconds = embedder, server, seconds
        self.name = embedder.name
        if isinstance(embedder, TextWindows):
            self.windows = embedder.windows

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text; raises the ModelError of the last try."""
        if not texts:
            return []
        return self._server.ask(
            lambda _: self._embedder.embed(texts), tokens=None, seconds=self._seconds
        ).value
