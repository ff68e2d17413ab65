"""Each fault of a model server ends in an error of ours or in a reply, inside its deadline."""

import threading
import time
from pathlib import Path

import pytest

from research_agent import errors
from research_agent.types import Completion
from tests.loopback import text_reply
from tests.loopback_faults import FAULTS
from tests.models.openai_models import ASKED, KEY, chat

SECONDS = 0.3
LATE = 2.5
"""What the fault's end may be late by, on a machine with other things to do."""

OUTCOMES: dict[str, type[errors.ModelError] | None] = {
    "429, Retry-After in seconds": errors.ModelBusyError,
    "429, Retry-After as a date": errors.ModelBusyError,
    "429, Retry-After of a day": errors.ModelBusyError,
    "500 once": errors.ModelUnavailableError,
    "500 for ever": errors.ModelUnavailableError,
    "closed without a reply": errors.ModelUnavailableError,
    "reset without a reply": errors.ModelUnavailableError,
    "reset within the reply": errors.ModelUnavailableError,
    "hang before the headers": errors.ModelTimeoutError,
    "hang within the headers": errors.ModelTimeoutError,
    "hang within the body": errors.ModelTimeoutError,
    "headers dripped": errors.ModelTimeoutError,
    "body dripped": errors.ModelTimeoutError,
    "endless body": errors.ModelReplyError,
    "body cut": errors.ModelUnavailableError,
    "null content": None,
    "empty choices": errors.ModelReplyError,
    "invalid JSON": errors.ModelReplyError,
    "2 MB reply": errors.ModelReplyError,
    "wrong content type": errors.ModelReplyError,
    "compressed though not asked": errors.ModelReplyError,
    "redirect": errors.ModelError,
    "context overflow": errors.ContextOverflowError,
    "unknown model": errors.ModelError,
    "key refused": errors.ModelAccessError,
    "log-probabilities refused": None,
}


@pytest.fixture(scope="module", autouse=True)
def _libraries() -> None:
    """Load what is loaded once, so that no fault's time counts it."""
    outcome("500 for ever", seconds=20)


def opened() -> tuple[int, int]:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0, threading.active_count()


def is_as_before(before: tuple[int, int]) -> bool:
    """Wait a moment until no more is open than before; threads of earlier tests may have ended."""

    def more() -> bool:
        return any(now > then for now, then in zip(opened(), before, strict=True))

    until = time.monotonic() + 10
    while more() and time.monotonic() < until:
        time.sleep(0.01)
    return not more()


def outcome(fault: str, *, max_tokens: int = 9, seconds: float = SECONDS) -> object:
    """Return what becomes of one call: the reply or the error."""
    with chat(FAULTS[fault](lambda _: text_reply("Paris"))) as model:
        begun = time.monotonic()
        try:
            got: Completion | errors.ModelError = model.complete(
                "answer", ASKED, max_tokens=max_tokens, seconds=seconds
            )
        except errors.ModelError as error:
            got = error
        assert time.monotonic() - begun < seconds + LATE
        return got


def test_every_fault_is_known() -> None:
    assert set(FAULTS) == set(OUTCOMES)


@pytest.mark.parametrize(("fault", "error"), OUTCOMES.items())
def test_faults(fault: str, error: type[errors.ModelError] | None) -> None:
    """The outcome is the expected one, with a hint and without secrets; nothing is left open."""
    before = opened()
    got = outcome(fault, max_tokens=9)
    assert is_as_before(before)
    if error is None:
        assert isinstance(got, Completion)
        return
    assert isinstance(got, errors.ModelError)
    assert error is type(got)
    assert got.hint
    assert not any(word in f"{got} {got.hint}" for word in (KEY, "SECRET", "DOCUMENT"))


def test_large_replies_are_refused_by_their_size() -> None:
    """The error says so; the limit grows with what was asked for."""
    assert "too large" in str(outcome("2 MB reply", max_tokens=300, seconds=5))
    got = outcome("2 MB reply", max_tokens=2000, seconds=5)
    assert isinstance(got, Completion)
    assert 2_000_000 == len(got.text)
