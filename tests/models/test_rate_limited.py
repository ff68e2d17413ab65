"""A call within limits: tries, waits, deadlines, rates, price, places, and the error at the end."""

import time as real
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Event, Lock, Thread, Timer
from typing import Any

import pytest

from research_agent.errors import (
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelReplyError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from research_agent.models.adapters.rate_limited import (
    Pacing,
    RateLimitedChat,
    RateLimitedEmbedder,
    Server,
    ServerLimits,
    Slots,
)
from research_agent.models.replies import Price, call_price
from research_agent.models.server_capabilities import FIRST_SECONDS, Rates, try_deadline
from research_agent.ports import TextWindows
from research_agent.types import Completion, Message, ModelCall
from tests.fakes import WordCount, WordEmbedder

MESSAGES = [Message("user", "one two three four five six")]
PROMPT = 6 + 4
REPLY = Completion("a", ModelCall("answer", 1000, 50, model="m", read_seconds=4.0))
DOWN = ModelUnavailableError("down", hint="Start it.")
RATES = Rates(10.0, 5.0)
LIMIT = try_deadline(RATES, PROMPT, 20)
FAST = Pacing(sleep=lambda _seconds: None)


class Time:
    """A clock that goes on when somebody sleeps or a model works."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self.restarts: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def server(self, rates: Rates = RATES, *, embedded: bool = False, **limits: Any) -> Server:  # noqa: ANN401 (those of ServerLimits)
        pacing = Pacing(seconds=lambda: self.now, sleep=self.sleep, chance=lambda: 0.5)
        restart = (lambda: self.restarts.append(self.now)) if embedded else None
        return Server(ServerLimits(**limits), rates=rates, restart=restart, pacing=pacing)


class Flaky:
    """A model that takes `takes` seconds a call and fails as it is told; then it replies."""

    def __init__(
        self, time: Time, *faults: BaseException, takes: float = 9.0, reply: Completion = REPLY
    ) -> None:
        self.time, self.faults, self.takes, self.reply = time, list(faults), takes, reply
        self.given: list[float] = []

    def complete(self, *_: object, seconds: float = 0.0, **__: object) -> Completion:
        self.given.append(seconds)
        if self.faults:
            fault = self.faults.pop(0)
            self.time.now += seconds if isinstance(fault, ModelTimeoutError) else 1.0
            raise fault
        self.time.now += self.takes
        return self.reply


@pytest.fixture
def time() -> Time:
    return Time()


def ask(model: Flaky, server: Server, *, seconds: float = 900.0) -> Completion:
    chat = RateLimitedChat(model, server, tokenizer=WordCount())
    return chat.complete("answer", MESSAGES, max_tokens=20, seconds=seconds)


def test_first_try_is_enough(time: Time) -> None:
    """Its time is what it took, its deadline generous, and its rates are learned.

    A model that leaves out what its server needed to start is believed.
    """
    server, model = time.server(Rates()), Flaky(time)
    reply = ask(model, server)

    assert replace(REPLY, cost=replace(REPLY.cost, seconds=9.0, tries=1)) == reply
    assert ([FIRST_SECONDS], Rates(250.0, 10.0)) == (model.given, server.rates)
    own, server = replace(REPLY, cost=replace(REPLY.cost, seconds=6.5)), time.server(Rates())
    assert 60.0 == ask(Flaky(time, takes=60.0, reply=own), server).cost.seconds
    assert Rates(250.0, 20.0) == server.rates


def test_faults_that_pass_are_tried_again(time: Time) -> None:
    """With growing waits; the reply says how many tries and seconds it took."""
    reply = ask(Flaky(time, DOWN, DOWN), time.server())

    assert [0.25, 0.5] == time.slept
    assert (3, 1 + 0.25 + 1 + 0.5 + 9) == (reply.cost.tries, reply.cost.seconds)


def test_last_error_says_how_often_was_tried(time: Time) -> None:
    """It keeps its class, its hint and its cause."""
    last = ModelBusyError("busy", hint="Wait.", retry_after=1.0)
    model = Flaky(time, DOWN, DOWN, last)
    with pytest.raises(ModelBusyError, match=r"busy \(after 3 tries; .* 1 s\)") as caught:
        ask(model, time.server())

    assert ("Wait.", last, 3) == (caught.value.hint, caught.value.__cause__, len(model.given))


@pytest.mark.parametrize(
    "fault", [ModelAccessError("no key"), KeyboardInterrupt(), RuntimeError("a bug")]
)
def test_other_faults_pass_at_once(time: Time, fault: BaseException) -> None:
    """As they are, also through a place that has to be given back."""
    server = time.server(requests=1)
    with pytest.raises(type(fault)) as caught:
        ask(Flaky(time, fault), server)

    assert fault is caught.value
    assert ("a", []) == (ask(Flaky(time), server).text, time.slept)


def test_retry_after_is_waited_for(time: Time) -> None:
    """And where it does not fit into what is left, the error comes at once and says so."""
    busy = ModelBusyError("busy", retry_after=20.0)

    assert 2 == ask(Flaky(time, busy), time.server()).cost.tries
    with pytest.raises(ModelBusyError, match=r"busy \(it asks .* 20 s\)"):
        ask(Flaky(time, busy), time.server(), seconds=20.0)
    assert [20.25] == time.slept


def test_deadline_is_the_smallest_that_counts(time: Time) -> None:
    """Derived from the rates, or as the settings say, and never more than what is left."""
    derived, set_, hurried, shaped = (Flaky(time) for _ in range(4))
    ask(derived, time.server())
    ask(set_, time.server(timeout=33.0))
    ask(hurried, time.server(timeout=33.0), seconds=3.0)
    chat = RateLimitedChat(shaped, time.server(Rates(1.0, 200.0)), tokenizer=WordCount())
    chat.complete("planner", MESSAGES, max_tokens=0, tools=[{"name": "search tool"}])

    assert [[LIMIT], [33.0], [3.0]] == [derived.given, set_.given, hurried.given]
    assert [2 * (PROMPT + 3 + 4) + 5] == shaped.given  # (the server reads the tools too)


def test_each_timeout_gives_the_next_try_longer(time: Time) -> None:
    """The rates are halved, for the calls that follow too; all tries fit into `seconds`."""
    slow = ModelTimeoutError("slow")
    server, model = time.server(), Flaky(time, slow, slow)
    ask(model, server, seconds=60.0)

    second = try_deadline(Rates(5.0, 2.5), PROMPT, 20)
    assert [LIMIT, second, pytest.approx(60.0 - LIMIT - second - 0.75)] == model.given
    assert Rates(2.5, 1.25) == server.rates


def test_caller_in_a_hurry_does_not_slow_the_rates(time: Time) -> None:
    """Nor is there another try, or the server ended, when the time is up."""
    server, model = time.server(embedded=True), Flaky(time, ModelTimeoutError("slow"))
    with pytest.raises(ModelTimeoutError, match=r"^slow$"):
        ask(model, server, seconds=3.0)

    assert (RATES, [3.0], []) == (server.rates, model.given, time.restarts)


@pytest.mark.parametrize(
    ("faults", "tries", "ended"),
    [
        ([DOWN], 2, 1),
        ([ModelTimeoutError("hangs")], 2, 1),
        ([ModelBusyError("busy")], 2, 0),
        ([DOWN, DOWN], 2, 2),
        ([ModelAccessError("no")], 1, 0),
    ],
)
def test_embedded_server_is_started_anew_once(
    time: Time, faults: Sequence[ModelError], tries: int, ended: int
) -> None:
    """One further try, however many the settings allow; after the last fault it is ended too."""
    model = Flaky(time, *faults)
    with suppress(ModelError):
        ask(model, time.server(embedded=True, retries=9))

    assert (tries, ended) == (len(model.given), len(time.restarts))


def test_try_that_starts_the_server_has_longer(time: Time) -> None:
    """The first one, and the one after the server was ended."""
    server = time.server(embedded=True, start_seconds=100.0)
    quick = replace(REPLY, cost=ModelCall("answer"))
    first, second = Flaky(time, reply=quick), Flaky(time, DOWN, reply=quick)
    ask(first, server)
    ask(second, server)

    assert [[LIMIT + 100], [LIMIT, LIMIT + 100]] == [first.given, second.given]


def test_price_is_that_of_the_reply(time: Time) -> None:
    """In the money of the settings; without a price it is not known."""
    price = Price(read=1.0, written=10.0)
    chat = RateLimitedChat(Flaky(time), time.server(), tokenizer=WordCount(), price=price)

    assert 0.0015 == chat.complete("answer", MESSAGES, max_tokens=20).cost.price
    assert ask(Flaky(time), time.server()).cost.price is None


@pytest.mark.parametrize(
    ("call", "money"),
    [
        (ModelCall("a", 1_000_000, 1_000_000), 12.0),
        (ModelCall("a", 1_000_000, 0, cached_tokens=500_000), 1.25),
        (ModelCall("a", 1_000_000, 0, cached_tokens=9_000_000), 0.5),
        (ModelCall("a", -5, -5, cached_tokens=-5), 0.0),
    ],
)
def test_cached_tokens_are_priced_apart(call: ModelCall, money: float) -> None:
    """Numbers that no server should send cost nothing less than nothing."""
    assert money == call_price(Price(read=2.0, cached=0.5, written=10.0), call)


class Counting:
    """A model that knows how many calls were in it at a time; every third one fails."""

    def __init__(self) -> None:
        self.inside, self.most, self.calls, self.lock = 0, 0, 0, Lock()

    def complete(self, *_: object, **__: object) -> Completion:
        with self.lock:
            self.inside, self.calls = self.inside + 1, self.calls + 1
            self.most, number = max(self.most, self.inside), self.calls
        real.sleep(0.001)
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


@pytest.mark.parametrize("limit", [1, 3])
def test_limit_holds_also_when_calls_fail(limit: int) -> None:
    """Two roles share their server's places; no place is lost by a fault."""
    model, server = Counting(), Server(ServerLimits(requests=limit), pacing=FAST)
    roles = [RateLimitedChat(model, server, tokenizer=WordCount()) for _ in range(2)]

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
    server = Server(ServerLimits(requests=1, timeout=2.0))
    chat = RateLimitedChat(holding, server, tokenizer=WordCount())
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


def test_second_try_that_finds_no_place_tells_the_first_fault(holding: Holding) -> None:
    """The error names the try that was made and has its fault as the cause."""
    occupied: list[Thread] = []

    def occupy(_seconds: float) -> None:
        """Take the only place while the failed call waits for its next try."""
        other = RateLimitedChat(holding, server, tokenizer=WordCount())
        occupied.append(begun(other, holding))

    server = Server(ServerLimits(requests=1), pacing=Pacing(sleep=occupy, chance=lambda: 0.0))
    with pytest.raises(ModelTimeoutError, match=r"after 1 try") as caught:
        server.ask(down, tokens=None, seconds=1.2)
    holding.go_on.set()
    occupied[0].join(10)

    assert ModelUnavailableError is type(caught.value.__cause__)


def test_interrupted_wait_gives_up_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the main thread leaves no place for nobody, whether it was given or not."""
    slots = Slots(1)

    def interrupted(self: Event, _seconds: float) -> bool:
        if given:
            slots._leave()  # noqa: SLF001 (the other thread goes just now)
            assert self.is_set()
        raise KeyboardInterrupt

    for given in (False, True):
        held = slots.place(1)
        assert held.__enter__()
        with monkeypatch.context() as patched:
            patched.setattr(Event, "wait", interrupted)
            with pytest.raises(KeyboardInterrupt), slots.place(1):
                pass
        if not given:
            held.__exit__(None, None, None)
        with slots.place(1) as first, slots.place(0) as second:
            assert (True, False) == (first, second)


def down(_seconds: float) -> int:
    raise ModelUnavailableError("down")


def test_closed_server_is_not_asked_again() -> None:
    """Who waits for the next try gets an error; a later call is sent."""
    server = Server(pacing=Pacing(sleep=lambda _seconds: server.close()))
    with pytest.raises(ModelError, match="closed before it could be asked again") as caught:
        server.ask(down, tokens=None, seconds=9.0)

    assert not caught.value.retryable
    assert isinstance(caught.value.__cause__, ModelUnavailableError)
    assert 1 == server.ask(lambda _seconds: 1, tokens=None, seconds=1.0).value


def test_closed_server_is_not_asked_by_who_waits_for_a_place(holding: Holding) -> None:
    """The place becomes free when the request that held it is ended."""
    server, caught = Server(ServerLimits(requests=1)), list[str]()
    first = begun(RateLimitedChat(holding, server, tokenizer=WordCount()), holding)

    def queue() -> None:
        try:
            server.ask(down, tokens=None, seconds=9.0)
        except ModelError as error:
            caught.append(str(error))

    def close() -> None:
        while not server._slots._waiting:  # noqa: SLF001 (nothing else tells that somebody waits)
            real.sleep(0.001)
        server.close()
        holding.go_on.set()

    run(queue, close)
    first.join(10)

    assert ["the connection to the model server was closed before it could be asked"] == caught


class FlakyEmbedder(WordEmbedder):
    """Fails as often as it is told."""

    def __init__(self, *faults: ModelError) -> None:
        super().__init__()
        self.faults = list(faults)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.faults:
            raise self.faults.pop()
        return super().embed(texts)


class CuttingEmbedder(WordEmbedder):
    def windows(self, text: str, *, header: str = "") -> tuple[str, ...]:
        return (header, text)


def test_embedder_is_asked_again() -> None:
    """Up to the same number of tries; nothing is sent for nothing."""
    embedder = FlakyEmbedder(DOWN, DOWN)
    limited = RateLimitedEmbedder(embedder, Server(pacing=FAST))

    assert ("words", []) == (limited.name, limited.embed([]))
    assert 2 == len(embedder.faults)
    assert WordEmbedder().embed(["a", "b"]) == limited.embed(["a", "b"])


def test_embedder_timeouts_do_not_slow_the_chat_models_rates() -> None:
    """A timeout of vectors says nothing about reading and writing."""
    server, late = Server(rates=RATES, pacing=FAST), [ModelTimeoutError("late")] * 3
    with pytest.raises(ModelTimeoutError, match="after 3 tries"):
        RateLimitedEmbedder(FlakyEmbedder(*late), server).embed(["a"])

    assert RATES == server.rates


def test_embedder_keeps_its_windows() -> None:
    """Where the model has none, the limited one has none either."""
    cutting = RateLimitedEmbedder(CuttingEmbedder(), Server())

    assert isinstance(cutting, TextWindows)
    assert ("h", "t") == cutting.windows("t", header="h")
    assert not isinstance(RateLimitedEmbedder(WordEmbedder(), Server()), TextWindows)
