"""Ending a question from outside: from another thread, or for a caller that has gone.

Python can interrupt a program's main thread alone. Elsewhere whoever waits for something long
looks at the `Stop` of its question, and is woken by it.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import TIMEOUT_MAX, Event, Lock, Thread
from typing import TypeVar

from research_agent.errors import ModelTimeoutError, StoppedError

T = TypeVar("T")


class Stop:
    """A question's way to be ended; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ended = False
        self._waiting: dict[object, Callable[[], object]] = {}

    @property
    def ended(self) -> bool:
        """Whether the question is to end."""
        return self._ended

    def end(self) -> None:
        """End the question, and wake all that wait for something; doing it again does nothing."""
        with self._lock:
            self._ended = True
            waiting, self._waiting = list(self._waiting.values()), {}
        for wake in waiting:
            wake()

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """Have `wake` called, from another thread, if the question ends within the block."""
        mark = object()
        with self._lock:
            ended = self._ended
            if not ended:
                self._waiting[mark] = wake
        if ended:
            wake()
        try:
            yield
        finally:
            with self._lock:
                self._waiting.pop(mark, None)


_CURRENT: ContextVar[Stop | None] = ContextVar("research_agent_stop", default=None)


@contextmanager
def stopping(stop: Stop) -> Iterator[None]:
    """Let `stop` end what is done within the block, also in threads that copy its context."""
    before = _CURRENT.set(stop)
    try:
        yield
    finally:
        _CURRENT.reset(before)


@contextmanager
def waking(wake: Callable[[], object]) -> Iterator[None]:
    """Have `wake` called if the question of this thread ends within the block."""
    stop = _CURRENT.get()
    if stop is None:
        yield
        return
    with stop.waking(wake):
        yield


def check() -> None:
    """Raise StoppedError where the question of this thread is to end."""
    stop = _CURRENT.get()
    if stop is not None and stop.ended:
        raise StoppedError("the question was stopped")


async def on_thread(threads: Executor, run: Callable[[], T]) -> T:
    """Run something on one of `threads`, in a copy of the caller's context.

    Cancelling the task ends it: who waits for a model there is woken. So does a Stop around it.
    """
    import asyncio

    stop = Stop()

    def stoppable() -> T:
        with stopping(stop):
            return run()

    loop = asyncio.get_running_loop()
    with waking(stop.end):
        try:
            return await loop.run_in_executor(threads, copy_context().run, stoppable)
        except asyncio.CancelledError:
            stop.end()
            raise


def begun(run: Callable[[], T]) -> Future[T]:
    """Run something with the caller's context, on a thread that does not keep the program."""
    future, context = Future[T](), copy_context()

    def work() -> None:
        try:
            future.set_result(context.run(run))
        except BaseException as error:  # noqa: BLE001 (raised where it is waited for)
            future.set_exception(error)

    Thread(target=work, name="model-call", daemon=True).start()
    return future


def result_within(future: Future[T], seconds: float, what: str) -> T:
    """Return a result, or raise its error; raises ModelTimeoutError, StoppedError.

    Work that takes longer cannot be interrupted: it ends by itself, and nobody waits.
    """
    ended = Event()
    future.add_done_callback(lambda _: ended.set())
    with waking(ended.set):
        ended.wait(max(0.0, min(seconds, TIMEOUT_MAX)))
    if future.done():
        return future.result()
    check()
    raise late(what, seconds)


def late(what: str, seconds: float) -> ModelTimeoutError:
    """Return the error of a reply that did not come within `seconds`."""
    return ModelTimeoutError(
        f"{what} gave no whole reply in time ({seconds:.3g} s)",
        hint="Raise models.timeout or budget.seconds, or ask for less (evidence.max_tokens, "
        "answer.max_tokens).",
    )
