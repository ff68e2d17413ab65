"""What a question costs beside its models is counted and timed."""

from benchmarks.overhead import Counted, measure, with_fakes
from research_agent.settings import Settings
from tests.fakes import ScriptedChat, ports


def test_files_and_calls_of_a_question_are_counted() -> None:
    """The same question goes through the same files every time; outside nothing is counted."""
    first, again = with_fakes(), with_fakes()
    assert first["files"] == again["files"] > 10
    assert first["calls"] > first["moves"] > first["files"]
    with Counted() as counted:
        len("not ours")
    assert {"files": 0, "calls": 0, "moves": 0} == counted.figures


def test_costs_of_a_question_are_timed_without_its_models() -> None:
    """One question more warms up and does not count."""
    told = measure(ports(ScriptedChat()), Settings(), ["How long is the hose?", "Where is it?"])
    assert 2 == told["questions"]
    assert 0 < told["median_ms"] <= told["max_ms"]
