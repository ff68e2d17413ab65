"""From calls as a model wrote them to calls that can be run, or that say what is wrong with them.

A wrong call is no failure: it becomes a call with a `problem`, which is its result, and which the
model reads in the next turn.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches

from research_agent.errors import ToolInputError
from research_agent.types import WrittenCall
from research_agent.types.calls import CallResult, ToolCall

MOST_CALLS = 8
"""Calls of one turn; more of them are left out."""
ID_LISTS = ("chunk_ids", "exclude_chunk_ids")
"""Arguments that hold chunk ids, for which the model writes keys."""
Check = Callable[[str, Mapping[str, object]], Mapping[str, object]]
"""Tool and arguments to the arguments that differ from the defaults; raises ToolInputError."""


def checked_calls(
    written: Sequence[WrittenCall],
    results: Sequence[CallResult],
    *,
    tools: Collection[str],
    aliases: Mapping[str, str],
    check: Check,
) -> tuple[ToolCall, ...]:
    """Return one call for each different one of the first `MOST_CALLS` that are `written`.

    Indices go on behind those of `results`. A call that was answered already names the earlier
    one. `aliases` has the chunk id behind each key.
    """
    calls: list[ToolCall] = []
    for one in written[:MOST_CALLS]:
        call = _checked(one, len(results) + len(calls), tools, aliases, check)
        if not any(_same(call, other) for other in calls):
            calls.append(_repeating(call, results))
    return tuple(calls)


def nearest(name: str, names: Collection[str]) -> str:
    """Return the name that `name` is most like, empty where it is like none.

    >>> nearest("search_chunk", ["search_chunks_tool", "get_chunks_tool"])
    'search_chunks_tool'
    """
    return next(iter(get_close_matches(name.casefold(), names, n=1, cutoff=0.5)), "")


def _checked(
    written: WrittenCall,
    index: int,
    tools: Collection[str],
    aliases: Mapping[str, str],
    check: Check,
) -> ToolCall:
    """Return one call, with its problem where it has one."""
    name = written.name[:100]
    if name not in tools:
        near = nearest(name, tools)
        meant = f"; did you mean {near}?" if near else "."
        problem = f"there is no tool {name!r}{meant} The tools are {', '.join(tools)}."
        return ToolCall(index, name, problem=problem)
    arguments = _object(written.arguments)
    if arguments is None:
        return ToolCall(index, name, problem="the arguments are not one JSON object")
    try:
        return ToolCall(index, name, check(name, _resolved(arguments, aliases)))
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


def _resolved(arguments: dict[str, object], aliases: Mapping[str, str]) -> dict[str, object]:
    """Put chunk ids in the place of keys."""
    resolved = dict(arguments)
    for name in ID_LISTS:
        given = resolved.get(name)
        if isinstance(given, str):
            resolved[name] = _id(given, aliases)
        if isinstance(given, list):
            resolved[name] = [_id(i, aliases) if isinstance(i, str) else i for i in given]
    return resolved


def _id(written: str, aliases: Mapping[str, str]) -> str:
    """Return the chunk id that a key stands for, with or without its brackets."""
    return aliases.get(written.strip().strip("[]").casefold(), written)


def _same(call: ToolCall, other: ToolCall) -> bool:
    return (call.name, call.arguments, call.problem) == (other.name, other.arguments, other.problem)


def _repeating(call: ToolCall, results: Sequence[CallResult]) -> ToolCall:
    """Return the call with the index of the same one before, where there is one."""
    for result in results:
        if not call.problem and result.call.repeats is None and _same(call, result.call):
            return ToolCall(call.index, call.name, call.arguments, repeats=result.call.index)
    return call
