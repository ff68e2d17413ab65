"""Calls are read however a model writes them, and can be run or say what is wrong with them."""

import json
from collections.abc import Mapping, Sequence

import pytest

from research_agent.errors import ToolInputError
from research_agent.planning.tool_calls.written_calls import (
    MOST_CALLS,
    checked_calls,
    nearest,
    written_calls,
)
from research_agent.ports import ToolSpec
from research_agent.types import Completion, ModelCall, WrittenCall
from research_agent.types.calls import CallResult, ToolCall

TOOLS = ("search_chunks_tool", "get_chunks_tool", "list_documents_tool")
SEARCH = '{"name": "search_chunks_tool", "arguments": {"query": "bread"}}'
OTHER = SEARCH.replace("bread", "rye")
BREAD = WrittenCall("search_chunks_tool", '{"query": "bread"}')
RYE = WrittenCall("search_chunks_tool", '{"query": "rye"}')
NAMES = "The tools are search_chunks_tool, get_chunks_tool."
MISSING = "query is missing. The arguments are: query."
NO_JSON = "the arguments are not one JSON object"


def read(text: str, *calls: WrittenCall) -> tuple[WrittenCall, ...]:
    return written_calls(Completion(text, ModelCall("planner"), calls), TOOLS)


UNKNOWN = '{"name": "grep", "arguments": {"pattern": "x"}}'
ONE = (
    f"I will search.\n```json\n{SEARCH}\n```\nThen I answer.",
    f"<tool_call>\n{SEARCH}\n</tool_call>",
    f"[{SEARCH}]",
    '{"tool_calls": [{"id": "1", "type": "function", "function": ' + SEARCH + "}]}",
    '{"function_call": ' + SEARCH + "}",
    '{"name": "search_chunks_tool", "parameters": {"query": "bread"}}',
    '{"tool": "search_chunks_tool", "args": {"query": "bread"}}',
    '{"function": "functions.search_chunks_tool", "arguments": {"query": "bread"}}',
    '{"action": "search_chunks", "action_input": {"query": "bread"}}',
    json.dumps({"name": " Search_Chunks_Tool", "arguments": '{"query": "bread"}'}),
    f"{{not json}} then {SEARCH}",
)
BOTH = (
    *(f"```json\n{SEARCH}{between}{OTHER}\n```" for between in ("\n", ", ", "```\n```json\n")),
    f"[{SEARCH}, {OTHER}]",
)
NONE = (
    "",
    "search_chunks_tool",
    'The result is {"name": "ML-KEM", "bytes": 1184}.',
    '{"name": "search_chunks_tool", "arguments": {"query": "bre',
    '{"query": "bread"}',
    "[1, 2, 3]",
    "{" * 5000,
    "[" * 5000,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *((text, (BREAD,)) for text in ONE),
        *((text, (BREAD, RYE)) for text in BOTH),
        *((text, ()) for text in NONE),
        ('{"name": "list_documents_tool"}', (WrittenCall("list_documents_tool", "{}"),)),
        (UNKNOWN, (WrittenCall("grep", '{"pattern": "x"}'),)),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else len(value),
)
def test_calls_in_a_text(text: str, found: tuple[WrittenCall, ...]) -> None:
    """In many forms; a call of the reply itself comes before its text."""
    assert found == read(text)
    assert (RYE,) == read(text, WrittenCall("functions.search_chunks", '{"query": "rye"}'))


class Two:
    """Two tools, whose arguments are checked; implements Tools."""

    specs: Sequence[ToolSpec] = ()
    names = TOOLS[:2]

    def check(self, _name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        if "query" not in arguments and "chunk_ids" not in arguments:
            raise ToolInputError("query is missing", hint="The arguments are: query.")
        return {name: value for name, value in arguments.items() if value != 25}


def checked(*written: tuple[str, str], results: tuple[CallResult, ...] = ()) -> list[ToolCall]:
    calls = [WrittenCall(*one) for one in written]
    keys = {"k1": "9f", "k2": "a3"}
    return list(checked_calls(calls, results, tools=Two(), keys=keys))


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("search_chunk", "{}", f"no tool 'search_chunk'; did you mean search_chunks_tool? {NAMES}"),
        ("rm", "{}", f"there is no tool 'rm'. {NAMES}"),
        (TOOLS[0], "{}", MISSING),
        (TOOLS[0], "", MISSING),
        (TOOLS[0], "null", MISSING),
        (TOOLS[0], "bread", NO_JSON),
        (TOOLS[0], "[1]", NO_JSON),
        (TOOLS[0], '{"query": "bre', NO_JSON),
        (TOOLS[0], "[" * 9999, NO_JSON),
    ],
)
def test_wrong_call(name: str, arguments: str, problem: str) -> None:
    (call,) = checked((name, arguments))
    (again,) = checked((name, arguments), results=(CallResult(call),))

    assert call.problem.endswith(problem)
    assert (False, None) == (call.runs, again.repeats)


def test_good_calls() -> None:
    """Indices go on; defaults are left out; JSON in JSON is read; keys become chunk ids."""
    before = (CallResult(ToolCall(0, TOOLS[0], {"query": "rye"})),)
    written = (
        (TOOLS[0], '{"max_chunks": 25, "query": "bread"}'),
        (TOOLS[0], '"{\\"query\\": \\"buns\\"}"'),
        (TOOLS[1], '{"chunk_ids": ["k2", " [K1] ", "k9", 7]}'),
        (TOOLS[1], '{"chunk_ids": "k1"}'),
        (TOOLS[0], '{"query": "rye", "exclude_chunk_ids": ["k1"]}'),
    )
    calls = checked(*written, results=before)

    assert [1, 2, 3, 4, 5] == [call.index for call in calls]
    assert [
        {"query": "bread"},
        {"query": "buns"},
        {"chunk_ids": ["a3", "9f", "k9", 7]},
        {"chunk_ids": "9f"},
        {"query": "rye", "exclude_chunk_ids": ["9f"]},
    ] == [call.arguments for call in calls]
    assert all(call.runs for call in calls)


def test_repeated_calls() -> None:
    """In another order or with defaults too; twice in a turn is once; a flood is cut."""
    first = ToolCall(0, TOOLS[0], {"query": "rye", "rerank": False})
    again = ToolCall(1, TOOLS[0], dict(first.arguments), repeats=0)
    written = (TOOLS[0], '{"rerank": false, "query": "rye", "max_chunks": 25}')
    (call,) = checked(written, written, results=(CallResult(first), CallResult(again)))

    assert (2, 0, False) == (call.index, call.repeats, call.runs)
    assert MOST_CALLS == len(checked(*((TOOLS[0], f'{{"query": "{n}"}}') for n in range(1000))))
    assert "" == nearest("x", TOOLS)
