"""A call within limits: tries, waits, deadlines, price, places, and the error at the end."""

import time as real
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Event, Lock, Thread, Timer
from unittest.mock import Mock

import pytest

from research_agent.errors import (
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelReplyError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from research_agent.model_settings import PriceSettings
from research_agent.models.adapters import rate_limited
from research_agent.models.adapters.rate_limited import (
    LONGEST_ASKED,
    RateLimitedChat,
    RateLimitedEmbedder,
    Server,
    Slots,
)
from research_agent.ports import TextWindows
from research_agent.types import Completion, Message, ModelCall, WrittenCall
from tests.fakes import ScriptedChat, WordCount, WordEmbedder
from tests.indexing import CuttingEmbedder

MESSAGES = [Message("user", "one two three four five six")]
REPLY = Completion("a", ModelCall("answer", 1000, 50, model="m"))
DOWN = ModelUnavailableError("down", hint="Start it.")


class Time:
    """A clock that goes on when somebody sleeps or a model works."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, list[float]()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    monkeypatch.setattr(rate_limited, "time", made)
    monkeypatch.setattr("random.random", lambda: 0.5)
    return made


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for between tries."""
    monkeypatch.setattr("time.sleep", lambda _seconds: None)


class Flaky:
    """A model that takes `takes` seconds a call and fails as it is told; then it replies."""

    def __init__(self, time: Time, *faults: BaseException, takes: float = 9.0) -> None:
        self.time, self.faults, self.takes = time, list(faults), takes
        self.given: list[float] = []

    def complete(self, *_: object, seconds: float = 0.0, **__: object) -> Completion:
        self.given.append(seconds)
        if self.faults:
            fault = self.faults.pop(0)
            self.time.now += seconds if isinstance(fault, ModelTimeoutError) else 1.0
            raise fault
        self.time.now += self.takes
        return REPLY


def ask(model: Flaky, server: Server | None = None, *, seconds: float = 900.0) -> Completion:
    chat = RateLimitedChat(model, server or Server(), WordCount())
    return chat.complete("answer", MESSAGES, max_tokens=20, seconds=seconds)


def test_faults_that_pass_are_tried_again(time: Time) -> None:
    """With waits that double up to thirty seconds, of which chance takes a part.

    The reply says how many tries and seconds it took.
    """
    reply = ask(Flaky(time, *[DOWN] * 9), Server(retries=9))

    waits = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0]
    assert waits == time.slept
    cost = replace(REPLY.cost, seconds=9 * 1 + sum(waits) + 9, tries=10)
    assert replace(REPLY, cost=cost) == reply


def test_last_error_says_how_often_was_tried(time: Time) -> None:
    """It keeps its class, its hint, the wait asked for and its cause."""
    last = ModelBusyError("busy", hint="Wait.", retry_after=1.0)
    model = Flaky(time, DOWN, DOWN, last)
    with pytest.raises(ModelBusyError, match=r"busy \(after 3 tries; .* 1 s\)") as caught:
        ask(model)

    final = caught.value
    assert ("Wait.", 1.0, last) == (final.hint, final.retry_after, final.__cause__)
    assert 3 == final.tries == len(model.given)


@pytest.mark.parametrize(
    "fault", [ModelAccessError("no key"), KeyboardInterrupt(), RuntimeError("a bug")]
)
def test_other_faults_pass_at_once(time: Time, fault: BaseException) -> None:
    """As they are, also through a place that has to be given back."""
    server = Server(requests=1)
    with pytest.raises(type(fault)) as caught:
        ask(Flaky(time, fault), server)

    assert fault is caught.value
    assert ("a", []) == (ask(Flaky(time), server).text, time.slept)


@pytest.mark.parametrize(
    ("asked", "seconds", "slept"),
    [
        (20.0, 900.0, [20.25]),
        (20.0, 20.0, []),
        (LONGEST_ASKED, 900.0, [LONGEST_ASKED + 0.25]),
        (LONGEST_ASKED + 1, 900.0, []),
    ],
)
def test_retry_after_is_waited_for(
    time: Time, asked: float, seconds: float, slept: list[float]
) -> None:
    """Where it is too long, or does not fit into what is left, the error comes at once."""
    model = Flaky(time, ModelBusyError("busy", retry_after=asked))
    if slept:
        assert 2 == ask(model, seconds=seconds).cost.tries
    else:
        with pytest.raises(ModelBusyError, match=rf"busy \(it asks .* {asked:.0f} s\)"):
            ask(model, seconds=seconds)
    assert slept == time.slept


def test_deadline_is_the_smallest_that_counts(time: Time) -> None:
    """That of a try, and never more than what is left; all tries fit into `seconds`."""
    slow = ModelTimeoutError("slow")
    usual, set_, late = Flaky(time), Flaky(time), Flaky(time, slow, slow)
    ask(usual)
    ask(set_, Server(timeout=33.0))
    ask(late, Server(timeout=25.0), seconds=60.0)

    left = pytest.approx(60.0 - 2 * 25 - 0.75)
    assert [[600.0], [33.0], [25.0, 25.0, left]] == [usual.given, set_.given, late.given]


@pytest.mark.parametrize(
    ("faults", "seconds", "tries", "ended"),
    [
        ([DOWN], 900.0, 2, 1),
        ([ModelTimeoutError("hangs")], 900.0, 2, 1),
        ([ModelTimeoutError("slow")], 3.0, 1, 0),
        ([ModelBusyError("busy")], 900.0, 2, 0),
        ([DOWN, DOWN], 900.0, 2, 2),
        ([ModelAccessError("no")], 900.0, 1, 0),
    ],
)
def test_embedded_server_is_started_anew_once(
    time: Time, faults: Sequence[ModelError], seconds: float, tries: int, ended: int
) -> None:
    """One further try, however many the settings allow; after the last fault it is ended too.

    A caller in a hurry does not end it.
    """
    model, restarts = Flaky(time, *faults), list[float]()
    server = Server(retries=9, restart=lambda: restarts.append(time.now))
    with suppress(ModelError):
        ask(model, server, seconds=seconds)

    assert (tries, ended) == (len(model.given), len(restarts))


@pytest.mark.parametrize(
    ("reply", "prompt", "written"),
    [
        (REPLY, 1000, 50),
        (Completion("a b", ModelCall("answer")), 10, 2),
        (Completion("a b", ModelCall("answer", 7)), 7, 2),
        (Completion("", ModelCall("answer"), (WrittenCall("look", "x"),)), 10, 2),
        (Completion("a b", ModelCall("answer"), finish_reason="length"), 10, 20),
    ],
)
def test_price_is_that_of_the_reply(reply: Completion, prompt: int, written: int) -> None:
    """Tokens that nobody counted are estimated, so budgets of tokens and money count.

    A reply that was cut used all that it was allowed. Without a price it is not known.
    """
    price = PriceSettings(read=1e6, written=2e6)
    chat = RateLimitedChat(ScriptedChat(reply), Server(), WordCount(), price=price)
    cost = chat.complete("answer", MESSAGES, max_tokens=20).cost

    assert (prompt, written) == (cost.prompt_tokens, cost.completion_tokens)
    assert prompt + 2 * written == cost.price
    free = RateLimitedChat(ScriptedChat(reply), Server(), WordCount())
    assert free.complete("answer", MESSAGES, max_tokens=20).cost.price is None


class Counting:
    """A model that knows how many calls were in it at a time; every third one fails."""

    def __init__(self) -> None:
        self.inside, self.most, self.calls, self.lock = 0, 0, 0, Lock()

    def complete(self, *_: object, **__: object) -> Completion:
        with self.lock:
            self.inside, self.calls = self.inside + 1, self.calls + 1
            self.most, number = max(self.most, self.inside), self.calls
        Event().wait(0.001)
        with self.lock:
            self.inside -= 1
        if number % 3 == 0:
            raise ModelReplyError("no reply") if number % 2 else ModelUnavailableError("down")
        return REPLY


class Holding:
    """A model that replies when it is let."""

    def __init__(self) -> None:
        self.entered, self.go_on, self.given = Event(), Event(), list[float]()

    def complete(self, *_: object, seconds: float = 0.0, **__: object) -> Completion:
        self.given.append(seconds)
        self.entered.set()
        self.go_on.wait(10)
        return REPLY


@pytest.fixture
def holding() -> Iterator[Holding]:
    model = Holding()
    yield model
    model.go_on.set()


def run(*works: Callable[[], object]) -> None:
    """Run all at a time; nothing may take ten seconds."""
    threads = [Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)


def begun(chat: RateLimitedChat, model: Holding) -> Thread:
    """Ask on another thread, and return when the model is at it."""
    thread = Thread(target=lambda: chat.complete("answer", [], max_tokens=1))
    thread.start()
    assert model.entered.wait(10)
    return thread


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("limit", [1, 3])
def test_limit_holds_also_when_calls_fail(limit: int) -> None:
    """Two roles share their server's places; no place is lost by a fault."""
    model, server = Counting(), Server(requests=limit)
    roles = [RateLimitedChat(model, server, WordCount()) for _ in range(2)]

    def work(number: int) -> None:
        for _ in range(10):
            with suppress(ModelReplyError, ModelUnavailableError):
                roles[number % 2].complete("answer", MESSAGES, max_tokens=1)

    run(*[lambda n=n: work(n) for n in range(8)])

    assert limit == model.most
    assert model.calls > 80


def test_nobody_is_passed_by() -> None:
    """A thread that comes back at once waits behind those that were there before."""
    slots, order, ready = Slots(1), list[str](), Event()

    def greedy() -> None:
        for _ in range(50):
            with slots.place(5):
                order.append("greedy")
                ready.set()
                while len(slots._waiting) < 1 and "patient" not in order:  # noqa: SLF001 (who waits is not shown)
                    real.sleep(0.001)

    def patient() -> None:
        ready.wait(5)
        with slots.place(5):
            order.append("patient")

    run(greedy, patient)

    assert ["greedy", "patient", "greedy"] == order[:3]


def test_waiting_uses_up_the_time_of_the_call_and_not_of_the_try(holding: Holding) -> None:
    """Where others hold every place, the call ends in time and says why; nothing is sent."""
    server = Server(requests=1, timeout=2.0)
    chat = RateLimitedChat(holding, server, WordCount())
    first = begun(chat, holding)
    began = real.monotonic()
    with pytest.raises(ModelTimeoutError, match="other requests") as caught:
        chat.complete("answer", [], max_tokens=1, seconds=0.05)

    assert 0.05 <= real.monotonic() - began < 2
    assert "models.concurrency" in caught.value.hint
    Timer(0.1, holding.go_on.set).start()
    reply = chat.complete("answer", [], max_tokens=1, seconds=60)
    first.join(10)
    assert [2.0, 2.0] == holding.given
    assert 0.05 < reply.cost.seconds < 5


def test_interrupted_wait_gives_up_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the main thread leaves no place for nobody."""
    slots = Slots(1)

    def interrupted(*_: object) -> bool:
        raise KeyboardInterrupt

    with slots.place(1), monkeypatch.context() as patched:
        patched.setattr("threading.Condition.wait_for", interrupted)
        with pytest.raises(KeyboardInterrupt), slots.place(1):
            pass
    with slots.place(1) as first, slots.place(0) as second:
        assert (True, False) == (first, second)


def down(_seconds: float) -> int:
    raise ModelUnavailableError("down")


def test_closed_server_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for the next try gets an error; a later call is sent."""
    server = Server()
    monkeypatch.setattr("time.sleep", lambda _seconds: server.close())
    with pytest.raises(ModelError, match="closed before it could be asked") as caught:
        server.ask(down, seconds=9.0)

    assert not caught.value.retryable
    assert isinstance(caught.value.__cause__, ModelUnavailableError)
    assert 1 == server.ask(lambda _seconds: 1, seconds=1.0).value


@pytest.mark.usefixtures("quick")
def test_embedder_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the same number of tries; nothing is sent for nothing."""
    embedder, embed = WordEmbedder(), Mock(side_effect=[DOWN, DOWN, [[1.0], [0.0]]])
    monkeypatch.setattr(embedder, "embed", embed)
    limited = RateLimitedEmbedder(embedder, Server())

    assert ("words", []) == (limited.name, limited.embed([]))
    assert not embed.called
    assert [[1.0], [0.0]] == limited.embed(["a", "b"])


def test_embedder_keeps_its_windows() -> None:
    """Where the model has none, the limited one has none either."""
    cutting = RateLimitedEmbedder(CuttingEmbedder(), Server())

    assert isinstance(cutting, TextWindows)
    assert ("h\nt",) == cutting.windows("t", header="h")
    assert not isinstance(RateLimitedEmbedder(WordEmbedder(), Server()), TextWindows)
