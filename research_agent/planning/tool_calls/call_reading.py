"""Tool calls in a model's reply: those it made, else those it wrote as JSON in its text.

Not every server enforces the choice of a tool, and small models write their calls into the text,
in one of many forms. Read are JSON objects anywhere in the text (in fences, in tags, behind
words), several of them, and lists of them. An object is a call where it names one of the tools,
or where it has a name and arguments: then the model meant a tool, and can be told which exist.
"""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from research_agent.types import Completion, WrittenCall

NAMES = ("name", "tool", "tool_name", "function", "action")
ARGUMENTS = ("arguments", "parameters", "args", "input", "tool_input", "action_input")
WRAPPERS = ("tool_calls", "calls", "function_call", "function", "tool_call")
"""Keys of objects that hold the calls."""
MOST_STARTS = 200
"""Places of a text where JSON is looked for."""
_DONE = re.compile(r"\bdone\b")
"""What the prompt has the model reply where it needs no further call."""
DEEPEST = 4
"""Lists and wrappers within each other that are looked into."""


def written_calls(completion: Completion, tools: Collection[str]) -> tuple[WrittenCall, ...]:
    r"""Return the calls of a reply in its order, each with its arguments as JSON text.

    >>> from research_agent.types import ModelCall
    >>> text = 'I do: ```json\\n{"name": "look", "parameters": {"at": 1}}\\n``` {"name": "look"}'
    >>> [call.arguments for call in written_calls(Completion(text, ModelCall("x")), ["look"])]
    ['{"at": 1}', '{}']
    """
    if completion.tool_calls:
        return tuple(
            WrittenCall(known_name(call.name, tools), call.arguments)
            for call in completion.tool_calls
        )
    return tuple(
        call for value in _json_values(completion.text) for call in _calls(value, tools, DEEPEST)
    )


def unusable(
    reply: Completion, calls: Sequence[WrittenCall], tools: Collection[str]
) -> Literal["cut", "text", ""]:
    """Return why a reply without `calls` is no use; empty where it has some, or ends the search.

    "cut": a call was begun; "text": something else was written, such as an answer.

    >>> from research_agent.types import ModelCall
    >>> replies = ['{"name": "look", "argum', "It is 3.", "I have enough. Done."]
    >>> [unusable(Completion(text, ModelCall("x")), (), ["look"]) for text in replies]
    ['cut', 'text', '']
    """
    text = reply.text.casefold()
    if calls:
        return ""
    begun = "{" in text and any(tool.removesuffix("_tool") in text for tool in tools)
    if begun or reply.finish_reason == "length":
        return "cut"
    return "text" if text.strip() and not _DONE.search(text) else ""


def known_name(name: str, tools: Collection[str]) -> str:
    """Return the tool that `name` means, `name` itself where it means none.

    >>> known_name("functions.Look ", ["look_tool"])
    'look_tool'
    """
    bare = name.strip().removeprefix("functions.")
    for tool in tools:
        if bare.casefold() in {tool.casefold(), tool.casefold().removesuffix("_tool")}:
            return tool
    return name


def _calls(value: object, tools: Collection[str], depth: int) -> Iterator[WrittenCall]:
    """Yield the calls that a JSON value is, or holds."""
    if isinstance(value, list) and depth:
        for item in value:
            yield from _calls(item, tools, depth - 1)
    if not isinstance(value, dict):
        return
    name = next((value[key] for key in NAMES if isinstance(value.get(key), str)), "")
    arguments = next((value[key] for key in ARGUMENTS if key in value), None)
    known = known_name(name, tools)
    if known in tools or (name and isinstance(arguments, dict | str)):
        yield WrittenCall(known, _as_text(arguments))
    elif depth:
        for key in WRAPPERS:
            if isinstance(value.get(key), dict | list):
                yield from _calls(value[key], tools, depth - 1)


def _as_text(arguments: object) -> str:
    """Return arguments as JSON text; a text is taken as it is."""
    if isinstance(arguments, str):
        return arguments
    return json.dumps({} if arguments is None else arguments, ensure_ascii=False)


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
