"""A reply as langchain-openai hands it over, read into a completion."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from research_agent.core.types import Alternative, Completion, ModelCall, Token, WrittenCall
from research_agent.errors import ModelReplyError

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

COMPLETE = ("stop", "tool_calls", "length")
CONTROL = re.compile(r"<\|.*\|>")


def completion(role: str, reply: "AIMessage") -> Completion:
    """Return the reply as a value; raises ModelReplyError where the server broke it off.

    Whether an empty text is of use is for the caller to say.
    """
    metadata = reply.response_metadata
    reason = metadata.get("finish_reason")
    if reason not in COMPLETE:
        raise ModelReplyError(
            "the model server broke its reply off"
            + (f" ({reason})" if reason == "content_filter" else ""),
            hint="Ask again; where it happens each time, the server is not compatible.",
        )
    tokens = tuple(_tokens(_entries(metadata.get("logprobs"), "content")))
    text = str(reply.text) or "".join(token.text for token in tokens)
    return Completion(
        text=text,
        cost=_cost(role, reply),
        tool_calls=_calls(reply),
        tokens=tokens,
        finish_reason=reason,
    )


def _cost(role: str, reply: "AIMessage") -> ModelCall:
    usage = reply.usage_metadata
    model = str(reply.response_metadata.get("model_name") or "")
    if usage is None:
        return ModelCall(role, model=model)
    details = usage.get("input_token_details") or {}
    return ModelCall(
        role,
        prompt_tokens=usage["input_tokens"],
        completion_tokens=usage["output_tokens"],
        cached_tokens=details.get("cache_read") or 0,
        model=model,
    )


def _calls(reply: "AIMessage") -> tuple[WrittenCall, ...]:
    """Return the calls as they were written, also those whose arguments are no JSON."""
    read = [WrittenCall(call["name"], json.dumps(call["args"])) for call in reply.tool_calls]
    unread = [
        WrittenCall(call["name"] or "", call["args"] or "") for call in reply.invalid_tool_calls
    ]
    return (*read, *unread)


def _tokens(entries: Iterator[Mapping[str, object]]) -> Iterator[Token]:
    """Read the tokens; control tokens and entries without text or number are left out."""
    for entry in entries:
        text, logprob = entry.get("token"), _number(entry.get("logprob"))
        if isinstance(text, str) and text and logprob is not None and not CONTROL.fullmatch(text):
            yield Token(text, logprob, tuple(_alternatives(entry)))


def _alternatives(entry: Mapping[str, object]) -> Iterator[Alternative]:
    for top in _entries(entry, "top_logprobs"):
        text, logprob = top.get("token"), _number(top.get("logprob"))
        if isinstance(text, str) and logprob is not None:
            yield Alternative(text, logprob)


def _entries(owner: object, key: str) -> Iterator[Mapping[str, object]]:
    """Return the objects listed under `key`; none where a server wrote something else."""
    listed = owner.get(key) if isinstance(owner, Mapping) else None
    return (item for item in (listed if isinstance(listed, list) else ()) if isinstance(item, dict))


def _number(value: object) -> float | None:
    """Return a finite number, None for anything else."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None
