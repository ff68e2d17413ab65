"""Written calls become calls that can be run, or that say what is wrong with them."""

from collections.abc import Mapping

import pytest

from research_agent.errors import ToolInputError
from research_agent.planning.tool_calls.call_checking import MOST_CALLS, checked_calls
from research_agent.types import WrittenCall
from research_agent.types.calls import CallResult, ToolCall

TOOLS = ("search_chunks_tool", "get_chunks_tool")


def check(_name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
    if "query" not in arguments and "chunk_ids" not in arguments:
        raise ToolInputError("query is missing", hint="The arguments are: query.")
    return {name: value for name, value in arguments.items() if value != 25}


def checked(*written: tuple[str, str], results: tuple[CallResult, ...] = ()) -> list[ToolCall]:
    calls = [WrittenCall(*one) for one in written]
    aliases = {"k1": "9f", "k2": "a3"}
    return list(checked_calls(calls, results, tools=TOOLS, aliases=aliases, check=check))


def test_good_call() -> None:
    """Its index goes on behind the results; arguments that are defaults are left out."""
    before = (CallResult(ToolCall(0, "search_chunks_tool", {"query": "rye"})),)
    (call,) = checked(
        ("search_chunks_tool", '{"max_chunks": 25, "query": "bread"}'), results=before
    )

    assert ToolCall(1, "search_chunks_tool", {"query": "bread"}) == call
    assert call.runs
    assert "bread" == call.query


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        (
            "search_chunk",
            "{}",
            (
                "there is no tool 'search_chunk'; did you mean search_chunks_tool? "
                "The tools are search_chunks_tool, get_chunks_tool."
            ),
        ),
        (
            "rm",
            "{}",
            "there is no tool 'rm'. The tools are search_chunks_tool, get_chunks_tool.",
        ),
        ("search_chunks_tool", "{}", "query is missing. The arguments are: query."),
        ("search_chunks_tool", "", "query is missing. The arguments are: query."),
        ("search_chunks_tool", "null", "query is missing. The arguments are: query."),
        ("search_chunks_tool", "bread", "the arguments are not one JSON object"),
        ("search_chunks_tool", "[1]", "the arguments are not one JSON object"),
        ("search_chunks_tool", '{"query": "bre', "the arguments are not one JSON object"),
        ("search_chunks_tool", "[" * 9999, "the arguments are not one JSON object"),
    ],
)
def test_wrong_call(name: str, arguments: str, problem: str) -> None:
    """It is not run, and says what is wrong."""
    (call,) = checked((name, arguments))

    assert problem == call.problem
    assert not call.runs


def test_arguments_that_are_json_in_json() -> None:
    """Some models write the object as a string once more."""
    (call,) = checked(("search_chunks_tool", '"{\\"query\\": \\"bread\\"}"'))

    assert {"query": "bread"} == call.arguments


def test_aliases_become_chunk_ids() -> None:
    """What is no alias stays; the tool says that it knows no such chunk."""
    listed, alone, excluded = checked(
        ("get_chunks_tool", '{"chunk_ids": ["k2", " k1 ", "k9", 7]}'),
        ("get_chunks_tool", '{"chunk_ids": "k1"}'),
        ("search_chunks_tool", '{"query": "rye", "exclude_chunk_ids": ["k1"]}'),
    )

    assert ["a3", "9f", "k9", 7] == listed.arguments["chunk_ids"]
    assert "9f" == alone.arguments["chunk_ids"]
    assert ["9f"] == excluded.arguments["exclude_chunk_ids"]


def test_repeated_calls() -> None:
    """The same arguments in another order, or with defaults, are the same call."""
    first = ToolCall(0, "search_chunks_tool", {"query": "rye", "rerank": False})
    again = ToolCall(1, "search_chunks_tool", dict(first.arguments), repeats=0)
    results = (CallResult(first), CallResult(again))
    (call,) = checked(
        ("search_chunks_tool", '{"rerank": false, "query": "rye", "max_chunks": 25}'),
        results=results,
    )

    assert (2, 0, False) == (call.index, call.repeats, call.runs)


def test_the_same_call_twice_in_one_turn_is_one() -> None:
    """It has one result."""
    calls = checked(*[("search_chunks_tool", '{"query": "rye"}')] * 3)

    assert [0] == [call.index for call in calls]


def test_a_call_that_was_wrong_is_wrong_again() -> None:
    """A problem is no result that could stand for another one."""
    before = CallResult(ToolCall(0, "search_chunks_tool", problem="query is missing"))
    (call,) = checked(("search_chunks_tool", "{}"), results=(before,))

    assert (None, True) == (call.repeats, bool(call.problem))


def test_calls_of_one_turn_are_limited() -> None:
    """A model that writes a thousand calls gets the first ones."""
    many = [("search_chunks_tool", f'{{"query": "{number}"}}') for number in range(1000)]

    assert MOST_CALLS == len(checked(*many))
