"""What all models at one server share: its places, its rates, and how often it is asked again."""

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

from research_agent.errors import ModelBusyError, ModelError, ModelTimeoutError
from research_agent.models.adapters.rate_limited.slots import Slots
from research_agent.models.deadlines import Rates, halved, slowest, try_deadline
from research_agent.models.retrying import final_error, retry_delay
from research_agent.stopping import check

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """Time and chance, as tests replace them."""

    seconds: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random
    """A number in [0, 1)."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much a request asks for, in tokens."""

    prompt_tokens: int
    max_tokens: int


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
    """A server, for all roles that ask it. Safe to share between threads.

    A server with `restart` is the embedded one: it gets one further try at most, after `restart`
    has ended it (the next request starts it anew).
    """

    def __init__(  # noqa: PLR0913 (each is a setting of the server)
        self,
        *,
        requests: int = 4,
        retries: int = 2,
        timeout: float = 0.0,
        rates: Rates | None = None,
        restart: Callable[[], None] | None = None,
        start_seconds: float = 0.0,
        pacing: Pacing | None = None,
    ) -> None:
        """Send `requests` at a time, and each up to `retries` times more.

        `timeout` are the seconds of one try; 0: derived from `rates` and what is learned later.
        A try that may have to start the server has `start_seconds` more.
        """
        self._slots = Slots(requests)
        self._retries = retries if restart is None else min(retries, 1)
        self._timeout = timeout
        self._restart = restart
        self._start_seconds = start_seconds
        self._running = False
        self._rates = rates or Rates()
        self._closings = 0
        self._lock = Lock()
        self._pacing = pacing or Pacing()

    @property
    def rates(self) -> Rates:
        """How fast the server was at its slowest, as far as it is known."""
        with self._lock:
            return self._rates

    def learn(self, seen: Rates) -> None:
        """Keep what one request has shown."""
        with self._lock:
            self._rates = slowest(self._rates, seen)

    def close(self) -> None:
        """Send no request of the calls that wait for a place or for their next try."""
        with self._lock:
            self._closings += 1

    def ask(self, send: Callable[[float], T], size: Size | None, *, seconds: float) -> Served[T]:
        """Call `send` with the seconds it may take, until it gives a value.

        All tries, the waits between them and those for a place take at most `seconds`. Raises
        the ModelError of the last try; ModelTimeoutError where no place became free in time;
        ModelError where the server was closed meanwhile. Without a `size` a try has no deadline
        of its own. Raises StoppedError, instead of a further try, where the question is stopped.
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
                    value = self._try(send, size, left)
                except ModelError as error:
                    last = error
                else:
                    ended = self._pacing.seconds()
                    return Served(value, tries, ended - begun, ended - now)
            self._wait(last, tries, seconds - (self._pacing.seconds() - begun))

    def _try(self, send: Callable[[float], T], size: Size | None, left: float) -> T:
        """Send one request; where it fails, see to it that the next one can do better."""
        limit = self._limit(size)
        try:
            value = send(min(limit, left))
        except ModelError as error:
            hurried = isinstance(error, ModelTimeoutError) and left < limit
            if error.retryable and not hurried:
                self._failed(error)
            raise
        self._running = True
        return value

    def _limit(self, size: Size | None) -> float:
        """Return what one try may take, were there time without end."""
        if size is None:
            return math.inf
        start = 0.0 if self._running else self._start_seconds
        derived = try_deadline(self.rates, size.prompt_tokens, size.max_tokens)
        return start + (self._timeout or derived)

    def _failed(self, error: ModelError) -> None:
        """Expect less of the server; end the embedded one, while no other request is sent."""
        if isinstance(error, ModelTimeoutError):
            with self._lock:
                self._rates = halved(self._rates)
        if self._restart is not None and not isinstance(error, ModelBusyError):
            self._running = False
            self._restart()

    def _wait(self, error: ModelError, tries: int, left: float) -> None:
        """Wait until the next try; raises `error` where there is none."""
        delay = retry_delay(
            error, tries, retries=self._retries, left=left, chance=self._pacing.chance()
        )
        if delay is None:
            final = final_error(error, tries)
            raise final from (error if final is not error else error.__cause__)
        self._pacing.sleep(delay)


def _no_place(seconds: float, tries: int) -> ModelTimeoutError:
    """Return the error for a request that was not sent in time."""
    before = f" (after {tries} {'try' if tries == 1 else 'tries'})" if tries else ""
    error = ModelTimeoutError(
        f"other requests to the model server left no time for this one within "
        f"{seconds:.0f} s{before}",
        hint="Ask fewer questions at a time (models.concurrency), or raise models.max_requests "
        "or budget.seconds.",
    )
    error.tries = max(1, tries)
    return error


def _closed(tries: int) -> ModelError:
    """Return the error for a call that has not got its reply when all is closed."""
    error = ModelError(
        "the connection to the model server was closed before it could be asked"
        + (" again" if tries else ""),
        hint="Ask before the agent is closed.",
    )
    error.tries = max(1, tries)
    return error
