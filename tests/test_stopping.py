"""Ending a question from outside, wherever it waits."""

import time
from contextvars import copy_context
from threading import Event, Thread, Timer
from threading import enumerate as running

import pytest

from research_agent.errors import ModelUnavailableError, StoppedError
from research_agent.models.adapters.rate_limited import Server
from research_agent.stopping import Stop, begun, check, result_within, stopping, waking


def test_nothing_is_stopped_where_nobody_may() -> None:
    with waking(lambda: pytest.fail("woken")):
        check()


def test_who_waits_is_woken_once() -> None:
    """Ending twice wakes once; who has left is not woken any more."""
    woken: list[str] = []
    stop = Stop()
    with stop.waking(lambda: woken.append("left")):
        pass
    with stop.waking(lambda: woken.append("waiting")):
        stop.end()
        stop.end()

    assert ["waiting"] == woken
    assert stop.ended


def test_who_comes_late_is_woken_at_once() -> None:
    stop, woken = Stop(), Event()
    stop.end()
    with stopping(stop), waking(woken.set):
        assert woken.is_set()
        with pytest.raises(StoppedError, match="the question was stopped"):
            check()
    check()


def test_threads_that_copy_the_context_are_stopped_too() -> None:
    """As LangGraph's are, which run several nodes at a time."""
    stop, seen = Stop(), list[BaseException]()

    def work() -> None:
        try:
            check()
        except StoppedError as error:
            seen.append(error)

    with stopping(stop):
        stop.end()
        thread = Thread(target=copy_context().run, args=(work,))
        thread.start()
        thread.join()

    assert ["the question was stopped"] == [str(error) for error in seen]


def test_server_is_not_asked_again() -> None:
    stop, asked = Stop(), list[float]()

    def send(seconds: float) -> None:
        asked.append(seconds)
        stop.end()
        raise ModelUnavailableError("down", retry_after=0.0)

    with stopping(stop), pytest.raises(StoppedError):
        Server(retries=5).ask(send, seconds=30.0)

    assert 1 == len(asked)


def test_a_call_on_a_thread_of_its_own_is_left() -> None:
    """Such a thread does not keep the program from ending."""
    stop, released = Stop(), Event()
    started = time.monotonic()
    timer = Timer(0.1, stop.end)
    timer.start()
    try:
        with stopping(stop), pytest.raises(StoppedError):
            result_within(begun(lambda: released.wait(20)), 20.0, "the model")
        assert {True} == {one.daemon for one in running() if one.name == "model-call"}
    finally:
        released.set()
        timer.join()

    assert time.monotonic() - started < 10
