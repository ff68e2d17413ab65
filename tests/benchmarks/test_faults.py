"""Whatever a model server does, a user gets a supported answer, a refusal or an error with a hint.

The whole chain runs: settings, connection, graph, result. `python -m benchmarks faults` asks for
each call alone under each fault; here all calls meet it, and some single ones.
"""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from benchmarks.faults import Outcome, Row, Terms, asked, asking, documents_index, rows, table
from benchmarks.faults.asking import Ended, ask_all
from research_agent.models.adapters.minilm import MiniLM

ONE_CALL = ("429, Retry-After of a day", "hang within a plain body", "null content", "key refused")
"""Faults that each call meets alone: one for each class of error."""
ONCE = ("429, Retry-After in seconds", "500 once")
"""Faults that pass, which the call for the answer meets alone."""
OF_BEDROCK = ("no fault", "500 once", "hang before the headers", "guardrail", "expired credentials")
"""What Bedrock is asked under: of the other faults the chain sees the class of error alone."""
BUSY, DOWN, REPLY = "ModelBusyError", "ModelUnavailableError", "ModelReplyError"
LATE = ("ModelTimeoutError", "refused: budget")
"""Which of the two depends on what the planner has left of the time."""
AGAIN = (DOWN, "refused: budget")
"""What is tried again; on a busy machine the time may end before the tries."""
EXPECTED: Mapping[str, tuple[str, ...]] = {
    "429, Retry-After of a day": (BUSY, "refused: budget"),
    "500 once": ("answered",),
    "500 for ever": AGAIN,
    "reset within the reply": AGAIN,
    "hang before the headers": LATE,
    "body dripped": LATE,
    "hang within a plain body": LATE,
    "endless body": (REPLY, *LATE),
    "plain body cut": AGAIN,
    "null content": (REPLY,),
    "empty choices": (REPLY,),
    "invalid JSON": (REPLY,),
    "2 MB reply": (REPLY,),
    "wrong content type": (REPLY,),
    "context overflow": ("ContextOverflowError",),
    "unknown model": ("ModelError",),
    "key refused": ("ModelAccessError",),
    "nothing left to spend": ("ModelAccessError",),
    "log-probabilities refused": ("answered",),
    "reply cut at its token limit": ("answered",),
    "plain body cut once": ("answered",),
    "guardrail": (REPLY,),
    "expired credentials": ("ModelAccessError",),
    "missing key": ("ConfigError",),
    "missing region": ("ConfigError",),
    "no AWS credentials": ("ModelAccessError",),
    "certificate that nobody signed": ("ModelError",),
    "server dies after its reply to the planner": AGAIN,
    "server dies after the answer": ("answered",),
    "truncated GGUF file": (DOWN, "ModelMissingError"),
    "weights of the wrong digest": ("ModelMissingError",),
    "disk full during the join": ("ModelMissingError",),
}
"""What becomes of a question whose calls all meet the fault."""


def is_chosen(row: Row) -> bool:
    """Return whether the test asks under a row; what it leaves out the adapters' own tests ask."""
    if row.place == "answer" and row.fault in ONCE:
        return True
    if row.place != "all":
        return row.provider == "openai" and row.fault in ONE_CALL
    if row.provider == "bedrock":
        return row.fault in OF_BEDROCK
    return row.fault in (*EXPECTED, "no fault")


ROWS = [row for row in rows() if is_chosen(row)]


@pytest.fixture
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Outcome]:
    """Ask under all the faults, some at a time: most of them wait.

    What ends otherwise than expected is asked once more, with more time: the machine may be busy.
    """
    index = documents_index(tmp_path_factory.mktemp("faults"))
    found = asked(ROWS, index, Terms(seconds=9.0, timeout=0.8, threads=8))
    odd = [row for row, told in zip(ROWS, found, strict=True) if is_odd(row, told)]
    again = ask_all(odd, index, MiniLM(), Terms(seconds=20.0, timeout=3.0, threads=1))
    rows = [*ROWS, *odd]
    return {row.name: told for row, told in zip(rows, [*found, *again], strict=True)}


def is_odd(row: Row, told: Outcome) -> bool:
    """Return whether a row did not end as it should."""
    if row.place == "all":
        return told.outcome not in EXPECTED.get(row.fault, ("answered",))
    return told.outcome != "answered" and (row.place != "answer" or row.fault in ONCE)


def test_outcomes(outcomes: Mapping[str, Outcome]) -> None:
    """Each question ends as it should: one test, as two processes would ask under all faults each.

    No traceback, nothing unsupported, nothing cut shown as whole, nothing late or given away.
    """
    assert [] == [told for told in outcomes.values() if told.broken or not told.in_time]
    assert [] == [outcomes[row.name] for row in ROWS if is_odd(row, outcomes[row.name])]
    assert set(EXPECTED) <= {row.fault for row in ROWS if row.place == "all"}
    _answer_comes_with_the_second_try(outcomes)
    _planner_and_verifier_can_fail(outcomes)
    _table_shows_what_is_broken(outcomes["openai: no fault (all)"])


def _answer_comes_with_the_second_try(outcomes: Mapping[str, Outcome]) -> None:
    """A fault that passes costs a try and nothing else."""
    found = [outcomes[row.name] for row in ROWS if row.place == "answer" and row.fault in ONCE]

    assert len(found) > len(ONCE)  # (Bedrock's too)
    assert all(told.retries for told in found)


def _planner_and_verifier_can_fail(outcomes: Mapping[str, Outcome]) -> None:
    """Where they fail alone the question is answered, and a warning says what was left out."""
    single = [told for told in outcomes.values() if told.place in ("planner", "verifier")]

    assert 2 * len(ONE_CALL) == len(single)
    for told in single:
        begin = "refine: " if told.place == "planner" else "answer: "
        assert told.warnings[0].startswith(begin)


def _table_shows_what_is_broken(found: Outcome) -> None:
    """The good server's answer comes without a warning; a row that breaks a rule is named."""
    assert () == found.warnings
    good = replace(found, deadline=6.0)
    bad = replace(good, fault="x", seconds=99.0, broken=("later than its deadline",))
    text = table([good, bad])

    assert text.endswith(
        "2 rows, the longest 99.0 s of 6, 1 break a rule.\n"
        "- openai, x (all): later than its deadline"
    )
    assert "| 99.0 | NO |" in text


@pytest.mark.parametrize(("second", "in_time"), [(1.0, True), (99.0, False)])
def test_late_row_is_asked_once_more(
    monkeypatch: pytest.MonkeyPatch, second: float, *, in_time: bool
) -> None:
    """A machine that stood still breaks no rule; a row that is late each time does."""
    ended = iter([Ended(99.0), Ended(second)])
    monkeypatch.setattr(asking, "_ended", lambda *_: next(ended))

    [told] = ask_all(ROWS[:1], "", MiniLM(), Terms(seconds=6.0, timeout=0.8))

    assert in_time == told.in_time
    assert in_time == ("later than its deadline" not in told.broken)
