"""A model call within limits: tries, waits, deadlines, rates, price, and the error at the end."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from research_agent.errors import (
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from research_agent.models.adapters.rate_limited import (
    Pacing,
    RateLimitedChat,
    Server,
)
from research_agent.models.replies import Price
from research_agent.models.server_capabilities import FIRST_SECONDS, Rates, try_deadline
from research_agent.types import Completion, Message, ModelCall
from tests.fakes import WordCount
from tests.models.servers import limited

MESSAGES = [Message("user", "one two three four five six")]
PROMPT = 6 + 4
REPLY = Completion("a", ModelCall("answer", 1000, 50, model="m", read_seconds=4.0))
DOWN = ModelUnavailableError("down", hint="Start it.")
RATES = Rates(10.0, 5.0)
LIMIT = try_deadline(RATES, PROMPT, 20)


class Time:
    """A clock that goes on when somebody sleeps or a model works."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def pacing(self) -> Pacing:
        return Pacing(seconds=lambda: self.now, sleep=self.sleep, chance=lambda: 0.5)


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
    """Its time is what it took, its deadline generous, and its rates are learned."""
    server, model = limited(pacing=time.pacing()), Flaky(time)

    reply = ask(model, server)

    assert replace(REPLY, cost=replace(REPLY.cost, seconds=9.0, tries=1)) == reply
    assert [FIRST_SECONDS] == model.given
    assert Rates(250.0, 10.0) == server.rates


def test_model_that_takes_its_own_time_is_believed(time: Time) -> None:
    """What its server needed to start does not make it slow."""
    cost = replace(REPLY.cost, seconds=6.5)
    server = limited(pacing=time.pacing())

    reply = ask(Flaky(time, takes=60.0, reply=replace(REPLY, cost=cost)), server)

    assert Rates(250.0, 20.0) == server.rates
    assert 60.0 == reply.cost.seconds


def test_faults_that_pass_are_tried_again(time: Time) -> None:
    """With growing waits; the reply says how many tries and seconds it took."""
    server, model = limited(pacing=time.pacing()), Flaky(time, DOWN, DOWN)

    reply = ask(model, server)

    assert [0.25, 0.5] == time.slept
    assert (3, 1 + 0.25 + 1 + 0.5 + 9) == (reply.cost.tries, reply.cost.seconds)
    assert Rates(250.0, 10.0) == server.rates


def test_last_error_says_how_often_was_tried(time: Time) -> None:
    """It keeps its class, its hint and its cause."""
    cause = OSError("refused")
    last = ModelBusyError("busy", hint="Wait.", retry_after=1.0)
    last.__cause__ = cause
    model = Flaky(time, DOWN, DOWN, last)

    with pytest.raises(ModelBusyError, match=r"busy \(after 3 tries; .* 1 s\)") as caught:
        ask(model, limited(pacing=time.pacing()))

    assert "Wait." == caught.value.hint
    assert last is caught.value.__cause__
    assert 3 == len(model.given)


def test_lasting_fault_is_tried_once(time: Time) -> None:
    """The error arrives as it was."""
    refused = ModelAccessError("no key")
    model = Flaky(time, refused)

    with pytest.raises(ModelAccessError) as caught:
        ask(model, limited(pacing=time.pacing()))

    assert refused is caught.value
    assert ([], 1) == (time.slept, len(model.given))


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), RuntimeError("a bug")])
def test_other_exceptions_pass_at_once(time: Time, fault: BaseException) -> None:
    """Also through a place that has to be given back."""
    server = limited(requests=1, pacing=time.pacing())

    with pytest.raises(type(fault)):
        ask(Flaky(time, fault), server)

    assert "a" == ask(Flaky(time), server).text
    assert [] == time.slept


def test_retry_after_is_waited_for(time: Time) -> None:
    """And where it does not fit into what is left, the error comes at once and says so."""
    busy = ModelBusyError("busy", retry_after=20.0)

    assert 2 == ask(Flaky(time, busy), limited(pacing=time.pacing())).cost.tries
    assert [20.25] == time.slept

    with pytest.raises(ModelBusyError, match=r"busy \(it asks .* 20 s\)"):
        ask(Flaky(time, busy), limited(pacing=time.pacing()), seconds=20.0)
    assert [20.25] == time.slept


def test_deadline_is_the_smallest_that_counts(time: Time) -> None:
    """Derived from the rates, or as the settings say, and never more than what is left."""
    derived, set_, hurried = (Flaky(time) for _ in range(3))

    ask(derived, limited(rates=RATES, pacing=time.pacing()))
    ask(set_, limited(rates=RATES, timeout=33.0, pacing=time.pacing()))
    ask(hurried, limited(rates=RATES, timeout=33.0, pacing=time.pacing()), seconds=3.0)

    assert [[2 * (PROMPT / 10 + 20 / 5) + 5], [33.0], [3.0]] == [
        derived.given,
        set_.given,
        hurried.given,
    ]


def test_tools_and_schema_count_as_prompt(time: Time) -> None:
    """The server reads them too."""
    model = Flaky(time)
    chat = RateLimitedChat(
        model, limited(rates=Rates(1.0, 200.0), pacing=time.pacing()), tokenizer=WordCount()
    )

    chat.complete("planner", MESSAGES, max_tokens=0, tools=[{"name": "search tool"}])

    assert [2 * (PROMPT + 3 + 4) + 5] == model.given


def test_each_timeout_gives_the_next_try_longer(time: Time) -> None:
    """The rates are halved, for the calls that follow too; all tries fit into `seconds`."""
    slow = ModelTimeoutError("slow")
    server, model = limited(rates=RATES, pacing=time.pacing()), Flaky(time, slow, slow)

    ask(model, server, seconds=60.0)

    second = try_deadline(Rates(5.0, 2.5), PROMPT, 20)
    assert [LIMIT, second, pytest.approx(60.0 - LIMIT - second - 0.75)] == model.given
    assert Rates(2.5, 1.25) == server.rates


def test_caller_in_a_hurry_does_not_slow_the_rates(time: Time) -> None:
    """Nor is there another try when the time is up."""
    restarts: list[float] = []
    server = limited(rates=RATES, pacing=time.pacing(), restart=lambda: restarts.append(time.now))
    model = Flaky(time, ModelTimeoutError("slow"))

    with pytest.raises(ModelTimeoutError, match=r"^slow$"):
        ask(model, server, seconds=3.0)

    assert (RATES, [3.0], []) == (server.rates, model.given, restarts)


@pytest.mark.parametrize(
    ("faults", "ended"),
    [
        ([DOWN], 1),
        ([ModelTimeoutError("hangs")], 1),
        ([ModelBusyError("busy")], 0),
        ([DOWN, DOWN], 2),
        ([ModelAccessError("no")], 0),
    ],
)
def test_embedded_server_is_started_anew_once(
    time: Time, faults: Sequence[ModelError], ended: int
) -> None:
    """One further try, however many the settings allow; after the last fault it is ended too."""
    restarts: list[float] = []
    server = limited(
        requests=1, retries=9, pacing=time.pacing(), restart=lambda: restarts.append(time.now)
    )
    model = Flaky(time, *faults)

    if len(faults) > 1 or not faults[0].retryable:
        with pytest.raises(type(faults[0])):
            ask(model, server)
    else:
        assert 2 == ask(model, server).cost.tries

    assert ended == len(restarts)
    assert len(model.given) == (2 if faults[0].retryable else 1)


def test_no_retries_means_none(time: Time) -> None:
    """For the embedded server as for others."""
    for restart in (None, lambda: None):
        with pytest.raises(ModelUnavailableError) as caught:
            ask(Flaky(time, DOWN), limited(retries=0, restart=restart, pacing=time.pacing()))
        assert DOWN is caught.value


def test_try_that_starts_the_server_has_longer(time: Time) -> None:
    """The first one, and the one after the server was ended."""
    server = limited(rates=RATES, start_seconds=100.0, restart=lambda: None, pacing=time.pacing())
    quick = replace(REPLY, cost=ModelCall("answer"))
    first, second = Flaky(time, reply=quick), Flaky(time, DOWN, reply=quick)

    ask(first, server)
    ask(second, server)

    assert [[LIMIT + 100], [LIMIT, LIMIT + 100]] == [first.given, second.given]


def test_price_is_that_of_the_reply(time: Time) -> None:
    """In the money of the settings; without a price it is not known."""
    server = limited(pacing=time.pacing())
    chat = RateLimitedChat(
        Flaky(time, DOWN), server, tokenizer=WordCount(), price=Price(read=1.0, written=10.0)
    )

    assert 0.0015 == chat.complete("answer", MESSAGES, max_tokens=20).cost.price
    assert ask(Flaky(time), server).cost.price is None


def test_real_pacing() -> None:
    """Time goes on, chance is a share, and a wait is one."""
    pacing = Pacing()
    before = pacing.seconds()
    pacing.sleep(0.01)

    assert 0.01 <= pacing.seconds() - before
    assert 0 <= pacing.chance() < 1


def test_wait_without_end_is_possible(time: Time) -> None:
    """A caller without a deadline gets the server's own."""
    model = Flaky(time)
    complete: Callable[..., Completion] = RateLimitedChat(
        model, limited(pacing=time.pacing()), tokenizer=WordCount()
    ).complete

    complete("answer", MESSAGES, max_tokens=20)

    assert [FIRST_SECONDS] == model.given
