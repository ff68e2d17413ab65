"""What a question costs beside its models is counted and timed."""

from benchmarks.overhead import Counted, InstantChat, graph_alone, measure, with_fakes
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


def test_the_graph_alone_asks_nobody() -> None:
    """Its nodes return what they returned before, so it costs less than the whole."""
    asked = ["How long is the hose?", "Where is it?"]
    assert 0 < graph_alone(ports(ScriptedChat()), Settings(), asked)


def test_the_instant_model_fits_what_is_asked() -> None:
    """One word for a yes or no, JSON for a schema, else many words with log-probabilities."""
    chat = InstantChat()
    assert "yes" == chat.complete("verifier", [], max_tokens=1).text
    assert "keep" in chat.complete("planner", [], max_tokens=9, schema={"type": "object"}).text
    assert 60 == len(chat.complete("answer", [], max_tokens=99).tokens)
