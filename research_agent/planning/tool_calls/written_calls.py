"""Tool calls as a model wrote them: read from its reply, and checked before they are run.

Not every server enforces the choice of a tool, and small models write their calls into the text,
in one of many forms. Read are JSON objects anywhere in the text (in fences, in tags, after words),
several of them, and lists of them. An object is a call where it names one of the tools, or where
it has a name and arguments: then the model meant a tool, and can be told which exist.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Literal, Protocol

from research_agent.errors import ToolInputError
from research_agent.ports import ToolSpec
from research_agent.types import Completion, WrittenCall
from research_agent.types.calls import CallResult, ToolCall

MOST_CALLS = 8
"""Calls of one turn; more of them are left out."""
ID_LISTS = ("chunk_ids", "exclude_chunk_ids")
"""Arguments that hold chunk ids, for which the model writes keys."""
NAMES = ("name", "tool", "tool_name", "function", "action")
ARGUMENTS = ("arguments", "parameters", "args", "input", "tool_input", "action_input")
WRAPPERS = ("tool_calls", "calls", "function_call", "function", "tool_call")
"""Keys of objects that hold the calls."""
MOST_STARTS = 200
"""Places of a text where JSON is looked for."""
DEEPEST = 4
"""Lists and wrappers within each other that are looked into."""
_DONE = re.compile(r"\bdone\b")
"""What the prompt has the model reply where it needs no further call."""


class Tools(Protocol):
    """The tools that may be called."""

    @property
    def specs(self) -> Sequence[ToolSpec]:
        """The tools' descriptions for a model."""

    @property
    def names(self) -> Sequence[str]:
        """What they are called."""

    def check(self, name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Return the arguments that differ from the defaults; raises ToolInputError."""


def written_calls(completion: Completion, tools: Collection[str]) -> tuple[WrittenCall, ...]:
    """Return the calls of a reply in its order, each with its arguments as JSON text."""
    made = completion.tool_calls
    if made:
        return tuple(WrittenCall(known_name(one.name, tools), one.arguments) for one in made)
    values = _json_values(completion.text)
    return tuple(call for value in values for call in _calls(value, tools, DEEPEST))


def unusable(
    reply: Completion, calls: Sequence[WrittenCall], tools: Collection[str]
) -> Literal["cut", "text", ""]:
    """Return why a reply without `calls` is no use; empty where it has some, or ends the search.

    "cut": a call was begun; "text": something else was written, such as an answer.
    """
    text = reply.text.casefold()
    if calls:
        return ""
    begun = "{" in text and any(tool.removesuffix("_tool") in text for tool in tools)
    if begun or reply.finish_reason == "length":
        return "cut"
    return "text" if text.strip() and not _DONE.search(text) else ""


def known_name(name: str, tools: Collection[str]) -> str:
    """Return the tool that `name` means, `name` itself where it means none."""
    bare = name.strip().removeprefix("functions.").casefold()
    for tool in tools:
        if bare in {tool.casefold(), tool.casefold().removesuffix("_tool")}:
            return tool
    return name


def checked_calls(
    written: Sequence[WrittenCall],
    results: Sequence[CallResult],
    *,
    tools: Tools,
    keys: Mapping[str, str],
) -> tuple[ToolCall, ...]:
    """Return one call for each different one of the first `MOST_CALLS` that are `written`.

    A wrong one has a `problem` for the model to read; one that was answered names the earlier one.
    `keys` has the chunk id of each key.
    """
    calls: list[ToolCall] = []
    for one in written[:MOST_CALLS]:
        call = _checked(one, len(results) + len(calls), tools, keys)
        if any(_is_same(call, other) for other in calls):
            continue
        earlier = (
            result.call.index
            for result in results
            if not call.problem and result.call.repeats is None and _is_same(call, result.call)
        )
        calls.append(replace(call, repeats=next(earlier, None)))
    return tuple(calls)


def nearest(name: str, names: Collection[str]) -> str:
    """Return the name that `name` is most like, empty where it is like none."""
    return next(iter(get_close_matches(name.casefold(), names, n=1, cutoff=0.5)), "")


def _calls(value: object, tools: Collection[str], depth: int) -> Iterator[WrittenCall]:
    if isinstance(value, list) and depth:
        for item in value:
            yield from _calls(item, tools, depth - 1)
    if not isinstance(value, dict):
        return
    name = next((value[key] for key in NAMES if isinstance(value.get(key), str)), "")
    arguments = next((value[key] for key in ARGUMENTS if key in value), None)
    known = known_name(name, tools)
    if known in tools or (name and isinstance(arguments, dict | str)):
        text = json.dumps({} if arguments is None else arguments, ensure_ascii=False)
        yield WrittenCall(known, arguments if isinstance(arguments, str) else text)
    elif depth:
        for key in WRAPPERS:
            if isinstance(value.get(key), dict | list):
                yield from _calls(value[key], tools, depth - 1)


def _json_values(text: str) -> Iterator[object]:
    """Yield the objects and lists that are written in a text, the outermost ones."""
    decoder = json.JSONDecoder()
    position = 0
    for _ in range(MOST_STARTS):
        starts = [at for at in (text.find("{", position), text.find("[", position)) if at >= 0]
        if not starts:
            return
        position = min(starts)
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            position += 1
            continue
        yield value


def _checked(written: WrittenCall, index: int, tools: Tools, keys: Mapping[str, str]) -> ToolCall:
    name = written.name[:100]
    if name not in tools.names:
        near = nearest(name, tools.names)
        meant = f"; did you mean {near}?" if near else "."
        problem = f"there is no tool {name!r}{meant} The tools are {', '.join(tools.names)}."
        return ToolCall(index, name, problem=problem)
    arguments = _object(written.arguments)
    if arguments is None:
        return ToolCall(index, name, problem="the arguments are not one JSON object")
    for argument in ID_LISTS:
        given = arguments.get(argument)
        if isinstance(given, str):
            arguments[argument] = _chunk_id(given, keys)
        if isinstance(given, list):
            ids = [_chunk_id(one, keys) if isinstance(one, str) else one for one in given]
            arguments[argument] = ids
    try:
        return ToolCall(index, name, tools.check(name, arguments))
    except ToolInputError as error:
        return ToolCall(index, name, problem=". ".join(filter(None, (str(error), error.hint))))


def _object(text: str) -> dict[str, object] | None:
    """Return the JSON object that `text` is, None where it is none; nothing is an empty one."""
    try:
        value = json.loads(text or "{}")
        if isinstance(value, str):  # (some models write JSON in JSON)
            value = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if value is None:
        return {}
    return value if isinstance(value, dict) else None


def _chunk_id(written: str, keys: Mapping[str, str]) -> str:
    return keys.get(written.strip().strip("[]").casefold(), written)


def _is_same(call: ToolCall, other: ToolCall) -> bool:
    return (call.name, call.arguments, call.problem) == (other.name, other.arguments, other.problem)
