"""Calls are read however a model writes them, and can be run or say what is wrong with them."""

import json
from collections.abc import Mapping, Sequence

import pytest

from research_agent.errors import ToolInputError
from research_agent.planning.tool_calls.written_calls import (
    MOST_CALLS,
    checked_calls,
    known_name,
    written_calls,
)
from research_agent.ports import ToolSpec
from research_agent.types import Completion, ModelCall, WrittenCall
from research_agent.types.calls import CallResult, ToolCall

TOOLS = ("search_chunks_tool", "get_chunks_tool", "list_documents_tool")
SEARCH = '{"name": "search_chunks_tool", "arguments": {"query": "bread"}}'
BREAD = WrittenCall("search_chunks_tool", '{"query": "bread"}')
RYE = WrittenCall("search_chunks_tool", '{"query": "rye"}')


def read(text: str, *calls: WrittenCall) -> tuple[WrittenCall, ...]:
    return written_calls(Completion(text, ModelCall("planner"), calls), TOOLS)


@pytest.mark.parametrize(
    "text",
    [
        SEARCH,
        f"I will search.\n```json\n{SEARCH}\n```\nThen I answer.",
        f"<tool_call>\n{SEARCH}\n</tool_call>",
        f"[{SEARCH}]",
        '{"tool_calls": [' + SEARCH + "]}",
        '{"tool_calls": [{"id": "1", "type": "function", "function": ' + SEARCH + "}]}",
        '{"function_call": ' + SEARCH + "}",
        '{"name": "search_chunks_tool", "parameters": {"query": "bread"}}',
        '{"tool": "search_chunks_tool", "args": {"query": "bread"}}',
        '{"function": "functions.search_chunks_tool", "arguments": {"query": "bread"}}',
        '{"action": "search_chunks", "action_input": {"query": "bread"}}',
        json.dumps({"name": "Search_Chunks_Tool", "arguments": '{"query": "bread"}'}),
        f"{{not json}} then {SEARCH}",
    ],
)
def test_one_call_in_many_forms(text: str) -> None:
    """Fences, tags, lists, wrappers and other keys change nothing."""
    assert (BREAD,) == read(text)


@pytest.mark.parametrize("between", ["\n", ", ", "```\n```json\n", " and also "])
def test_several_objects_are_several_calls(between: str) -> None:
    """They come in the order in which they are written."""
    other = SEARCH.replace("bread", "rye")

    assert (BREAD, RYE) == read(f"```json\n{SEARCH}{between}{other}\n```")
    assert (BREAD, RYE) == read(f"[{SEARCH}, {other}]")


def test_calls_of_the_reply_come_before_its_text() -> None:
    """A server that has read the calls has left nothing for us to read."""
    assert (RYE,) == read(SEARCH, RYE)
    assert (RYE,) == read("", WrittenCall("functions.search_chunks", '{"query": "rye"}'))


def test_a_tool_that_takes_nothing_needs_no_arguments() -> None:
    """Its name alone is a call."""
    assert (WrittenCall("list_documents_tool", "{}"),) == read('{"name": "list_documents_tool"}')


def test_unknown_tools_are_calls_too() -> None:
    """The model has to be told that there is no such tool; a thing with a name is no call."""
    assert (WrittenCall("grep", '{"pattern": "x"}'),) == read(
        '{"name": "grep", "arguments": {"pattern": "x"}}'
    )
    assert () == read('The result is {"name": "ML-KEM", "bytes": 1184}.')


@pytest.mark.parametrize(
    "text",
    [
        "",
        "done",
        "search_chunks_tool",
        '{"name": "search_chunks_tool", "arguments": {"query": "bre',
        '{"query": "bread"}',
        "[1, 2, 3]",
        "{" * 5000,
        "[" * 5000,
        '{"a":' * 3000,
    ],
)
def test_what_is_no_call(text: str) -> None:
    """Prose, cut JSON and nonsense are no calls, and cost no time."""
    assert () == read(text)


def test_names_that_mean_nothing_stay_as_they_are() -> None:
    """They are told back to the model."""
    assert "grep" == known_name("grep", TOOLS)
    assert "get_chunks_tool" == known_name(" Get_Chunks", TOOLS)


class Two:
    """Two tools, whose arguments are checked; implements Tools."""

    specs: Sequence[ToolSpec] = ()
    names = ("search_chunks_tool", "get_chunks_tool")

    def check(self, _name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        if "query" not in arguments and "chunk_ids" not in arguments:
            raise ToolInputError("query is missing", hint="The arguments are: query.")
        return {name: value for name, value in arguments.items() if value != 25}


def checked(*written: tuple[str, str], results: tuple[CallResult, ...] = ()) -> list[ToolCall]:
    calls = [WrittenCall(*one) for one in written]
    keys = {"k1": "9f", "k2": "a3"}
    return list(checked_calls(calls, results, tools=Two(), keys=keys))


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


def test_keys_become_chunk_ids() -> None:
    """What is no key stays; the tool says that it knows no such chunk."""
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
    """A problem is no result of another call."""
    before = CallResult(ToolCall(0, "search_chunks_tool", problem="query is missing"))
    (call,) = checked(("search_chunks_tool", "{}"), results=(before,))

    assert (None, True) == (call.repeats, bool(call.problem))


def test_calls_of_one_turn_are_limited() -> None:
    """A model that writes a thousand calls gets the first ones."""
    many = [("search_chunks_tool", f'{{"query": "{number}"}}') for number in range(1000)]

    assert MOST_CALLS == len(checked(*many))
