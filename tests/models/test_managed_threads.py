"""Many threads at one server: the limit holds, the order is that of coming, nobody is stuck."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread

import pytest

from research_agent.errors import (
    ModelError,
    ModelReplyError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from research_agent.models.adapters.rate_limited import (
    Pacing,
    RateLimitedChat,
    RateLimitedEmbedder,
    Slots,
)
from research_agent.models.server_capabilities import Rates
from research_agent.ports import TextWindows
from research_agent.types import Completion, Message, ModelCall
from tests.fakes import WordCount, WordEmbedder
from tests.models.servers import limited

REPLY = Completion("a", ModelCall("answer"))
FAST = Pacing(sleep=lambda _seconds: None)


class Counting:
    """A model that knows how many calls were in it at a time; every third one fails."""

    def __init__(self) -> None:
        self.inside, self.most, self.calls = 0, 0, 0
        self.lock = Lock()

    def complete(self, *_: object, **__: object) -> Completion:
        with self.lock:
            self.inside, self.calls = self.inside + 1, self.calls + 1
            self.most = max(self.most, self.inside)
            number = self.calls
        time.sleep(0.001)
        with self.lock:
            self.inside -= 1
        if number % 3 == 0:
            raise ModelReplyError("no reply") if number % 2 else ModelUnavailableError("down")
        return REPLY


def run(*works: Callable[[], object]) -> None:
    """Run all at a time; nothing may take ten seconds."""
    threads = [Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)


@contextmanager
def taken(slots: Slots) -> Iterator[None]:
    """Hold the one place."""
    with slots.place(1) as held:
        assert held
        yield


@pytest.mark.parametrize("limit", [1, 3])
def test_limit_holds_also_when_calls_fail(limit: int) -> None:
    """Two roles share their server's places; no place is lost by a fault."""
    model, server = Counting(), limited(requests=limit, pacing=FAST)
    roles = [RateLimitedChat(model, server, tokenizer=WordCount()) for _ in range(2)]
    done: list[int] = []

    def work(number: int) -> None:
        for _ in range(10):
            with suppress(ModelReplyError, ModelUnavailableError):
                roles[number % 2].complete("answer", [Message("user", "a")], max_tokens=1)
        done.append(number)

    run(*[lambda n=n: work(n) for n in range(8)])

    assert list(range(8)) == sorted(done)
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
                    time.sleep(0.001)

    def patient() -> None:
        ready.wait(5)
        with slots.place(5):
            order.append("patient")

    run(greedy, patient)

    assert ["greedy", "patient", "greedy"] == order[:3]
    assert 51 == len(order)


def test_waiting_uses_up_the_time() -> None:
    """Where others hold every place, the call ends in time and says why; nothing is sent."""
    entered, go_on = Event(), Event()

    class Slow:
        def complete(self, *_: object, **__: object) -> Completion:
            entered.set()
            go_on.wait(10)
            return REPLY

    model, server = Slow(), limited(requests=1)
    chat = RateLimitedChat(model, server, tokenizer=WordCount())
    first = Thread(target=lambda: chat.complete("answer", [], max_tokens=1))
    first.start()
    entered.wait(10)

    began = time.monotonic()
    with pytest.raises(ModelTimeoutError, match="other requests") as caught:
        chat.complete("answer", [], max_tokens=1, seconds=0.05)
    took = time.monotonic() - began
    go_on.set()
    first.join(10)

    assert 0.05 <= took < 2
    assert "models.max_requests" in caught.value.hint
    assert "a" == chat.complete("answer", [], max_tokens=1, seconds=5).text


def test_waiting_does_not_count_against_the_try() -> None:
    """The deadline of a try begins when the server turns to it; the reply tells all the time."""
    given: list[float] = []
    entered = Event()

    class Slow:
        def complete(self, *_: object, seconds: float = 0.0, **__: object) -> Completion:
            given.append(seconds)
            entered.set()
            time.sleep(0.1)
            return REPLY

    chat = RateLimitedChat(Slow(), limited(requests=1, timeout=2.0), tokenizer=WordCount())
    first = Thread(target=lambda: chat.complete("answer", [], max_tokens=1))
    first.start()
    entered.wait(10)

    reply = chat.complete("answer", [], max_tokens=1, seconds=60)
    first.join(10)

    assert [2.0, 2.0] == given
    assert 0.12 < reply.cost.seconds < 5


def test_second_try_that_finds_no_place_tells_the_first_fault() -> None:
    """The error names the try that was made and has its fault as the cause."""
    slots_free = Event()
    server = limited(requests=1, pacing=Pacing(sleep=lambda _seconds: occupy(), chance=lambda: 0.0))
    chat = RateLimitedChat(_Once(), server, tokenizer=WordCount())
    occupied: list[Thread] = []

    def occupy() -> None:
        """Take the only place while the failed call waits for its next try."""
        inside = Event()

        class Holding:
            def complete(self, *_: object, **__: object) -> Completion:
                inside.set()
                slots_free.wait(10)
                return REPLY

        other = RateLimitedChat(Holding(), server, tokenizer=WordCount())
        occupied.append(Thread(target=lambda: other.complete("planner", [], max_tokens=1)))
        occupied[0].start()
        inside.wait(10)

    with pytest.raises(ModelTimeoutError, match=r"after 1 try") as caught:
        chat.complete("answer", [], max_tokens=1, seconds=1.2)
    slots_free.set()
    occupied[0].join(10)

    assert ModelUnavailableError is type(caught.value.__cause__)


class _Once:
    """A model that is down."""

    def complete(self, *_: object, **__: object) -> Completion:
        raise ModelUnavailableError("down")


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
        with taken(slots), slots.place(0) as second:
            assert not second


class FlakyEmbedder(WordEmbedder):
    """Fails as often as it is told."""

    def __init__(self, faults: int) -> None:
        super().__init__()
        self.faults = faults

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.faults:
            self.faults -= 1
            raise ModelUnavailableError("down")
        return super().embed(texts)


class CuttingEmbedder(FlakyEmbedder):
    """Says how long texts are cut."""

    def windows(self, text: str, *, header: str = "") -> tuple[str, ...]:
        return (header, text)


def down(_seconds: float) -> int:
    raise ModelUnavailableError("down")


def test_closed_server_is_not_asked_again() -> None:
    """Who waits for the next try gets an error; a later call is sent."""
    server = limited(pacing=Pacing(sleep=lambda _seconds: server.close()))

    with pytest.raises(ModelError, match="closed before it could be asked again") as caught:
        server.ask(down, tokens=None, seconds=9.0)

    assert not caught.value.retryable
    assert isinstance(caught.value.__cause__, ModelUnavailableError)
    assert 1 == server.ask(lambda _seconds: 1, tokens=None, seconds=1.0).value


def test_closed_server_is_not_asked_by_who_waits_for_a_place() -> None:
    """The place becomes free when the request that held it is ended."""
    server, inside, closed = limited(requests=1), Event(), Event()
    caught: list[ModelError] = []

    def hold(_seconds: float) -> int:
        inside.set()
        assert closed.wait(10)
        return 1

    def queue() -> None:
        assert inside.wait(10)
        try:
            server.ask(down, tokens=None, seconds=9.0)
        except ModelError as error:
            caught.append(error)

    def close() -> None:
        assert inside.wait(10)
        while not server._slots._waiting:  # noqa: SLF001 (nothing else tells that somebody waits)
            time.sleep(0.001)
        server.close()
        closed.set()

    run(lambda: server.ask(hold, tokens=None, seconds=9.0), queue, close)

    assert ["the connection to the model server was closed before it could be asked"] == [
        str(error) for error in caught
    ]


def test_embedder_is_asked_again() -> None:
    """Up to the same number of tries; nothing is sent for nothing."""
    embedder = FlakyEmbedder(2)
    managed = RateLimitedEmbedder(embedder, limited(pacing=FAST))

    assert "words" == managed.name
    assert [] == managed.embed([])
    assert 2 == embedder.faults
    assert WordEmbedder().embed(["a", "b"]) == managed.embed(["a", "b"])
    with pytest.raises(ModelUnavailableError, match="after 3 tries"):
        RateLimitedEmbedder(FlakyEmbedder(9), limited(pacing=FAST)).embed(["a"])


def test_embedder_timeouts_do_not_slow_the_chat_models_rates() -> None:
    """A timeout of vectors says nothing about reading and writing."""

    class Hanging(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            raise ModelTimeoutError(f"{len(texts)} texts")

    server = limited(rates=Rates(100.0, 10.0), pacing=FAST)

    with pytest.raises(ModelTimeoutError, match="after 3 tries"):
        RateLimitedEmbedder(Hanging(), server).embed(["a"])

    assert Rates(100.0, 10.0) == server.rates


def test_embedder_keeps_its_windows() -> None:
    """Where the model has none, the managed one has none either."""
    cutting = RateLimitedEmbedder(CuttingEmbedder(0), limited())

    assert isinstance(cutting, TextWindows)
    assert ("h", "t") == cutting.windows("t", header="h")
    assert not isinstance(RateLimitedEmbedder(FlakyEmbedder(0), limited()), TextWindows)
