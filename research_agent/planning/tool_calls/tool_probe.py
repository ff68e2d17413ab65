"""One short question that shows whether a model writes tool calls that can be used."""

import json
from collections.abc import Mapping

from research_agent.planning.tool_calls.call_reading import written_calls
from research_agent.types import Completion, Message

NAME = "look_up_word"
PROBE_TOOL: Mapping[str, object] = {
    "type": "function",
    "function": {
        "name": NAME,
        "description": "Look a word up in a dictionary.",
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string", "description": "The word."}},
            "required": ["word"],
        },
    },
}
PROBE_MESSAGES = (
    Message(
        "user",
        f"Use the tool {NAME} to look up the word: bread. "
        "Answer with the tool call alone, and with nothing else.",
    ),
)
PROBE_TOKENS = 80
"""Length of the reply at most; a call needs some thirty tokens."""


def is_usable(reply: Completion) -> bool:
    """Return whether the reply to `PROBE_MESSAGES` is one call with the right argument.

    >>> from research_agent.types import ModelCall
    >>> text = '{"name": "look_up_word", "arguments": {"word": "Bread"}}'
    >>> is_usable(Completion(text, ModelCall("planner")))
    True
    >>> is_usable(Completion("The word bread means", ModelCall("planner")))
    False
    """
    calls = written_calls(reply, [NAME])
    if len(calls) != 1 or calls[0].name != NAME:
        return False
    try:
        arguments = json.loads(calls[0].arguments)
    except (ValueError, RecursionError):
        return False
    word = arguments.get("word") if isinstance(arguments, dict) else None
    return isinstance(word, str) and word.strip().casefold() == "bread"
