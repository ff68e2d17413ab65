"""Calls are read from wherever and however a model writes them."""

import json

import pytest

from research_agent.planning.tool_calls.call_reading import known_name, written_calls
from research_agent.types import Completion, ModelCall, WrittenCall

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
