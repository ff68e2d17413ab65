"""A reply as langchain-openai hands it over, whole or in chunks, read into a completion."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from research_agent.errors import ModelReplyError, ModelUnavailableError
from research_agent.models.logprobs import Entry, entries_under, read_tokens
from research_agent.types import Completion, ModelCall, WrittenCall

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, AIMessageChunk

COMPLETE = ("stop", "tool_calls", "length")
SLACK = 64
"""Tokens that a stream may have above its limit, for servers that count otherwise."""
PIECES_A_TOKEN = 8
"""A server may send its text in smaller pieces than tokens, where it gives no log-probabilities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a server replied, as far as it counts here."""

    text: str
    reason: str | None
    entries: Sequence[Entry] = ()
    calls: tuple[WrittenCall, ...] = ()
    model: str = ""
    usage: Mapping[str, Any] | None = None
    """The server's own counts; None where it sent none."""
    pieces: int = 0
    """Parts of the text that were streamed."""
    seconds: float = 0.0
    """From the request to the reply's end."""
    read_seconds: float | None = None
    """From the request to the first word; None for a plain reply."""


def whole_reply(message: "AIMessage", begun: float) -> Reply:
    """Return the reply that came at once; the request began at `begun`, on the monotonic clock."""
    metadata = message.response_metadata
    return Reply(
        text=str(message.text),
        reason=metadata.get("finish_reason"),
        entries=entries_under(metadata.get("logprobs"), "content"),
        calls=_calls(message),
        model=str(metadata.get("model_name") or ""),
        usage=message.usage_metadata,
        seconds=time.monotonic() - begun,
    )


def streamed_reply(chunks: "Iterator[AIMessageChunk]", begun: float, *, max_tokens: int) -> Reply:
    """Return the reply that comes in `chunks`.

    Raises ModelUnavailableError where the stream ends before the reply does, ModelReplyError
    where it goes on above `max_tokens`.
    """
    texts: list[str] = []
    entries: list[Entry] = []
    reason: str | None = None
    model, usage, read_seconds, pieces = "", None, None, 0
    for chunk in _started(chunks):
        metadata, text = chunk.response_metadata, str(chunk.text)
        new = entries_under(metadata.get("logprobs"), "content")
        if text or new:
            read_seconds = read_seconds or time.monotonic() - begun
            pieces += 1
        texts.append(text)
        entries.extend(new)
        if len(entries) > max_tokens + SLACK or pieces > PIECES_A_TOKEN * max_tokens + SLACK:
            raise ModelReplyError(
                f"the model server goes on writing above the limit of {max_tokens} tokens",
                hint="The server takes no token limit, so it cannot be used: name another one in "
                "base_url.",
            )
        reason = metadata.get("finish_reason") or reason
        model = str(metadata.get("model_name") or model)
        usage = chunk.usage_metadata or usage
    if reason is None:
        raise cut_off()
    return Reply(
        text="".join(texts),
        reason=reason,
        entries=entries,
        model=model,
        usage=usage,
        pieces=pieces,
        seconds=time.monotonic() - begun,
        read_seconds=read_seconds,
    )


def cut_off() -> ModelUnavailableError:
    """Return the error for a reply whose end is missing."""
    return ModelUnavailableError(
        "the model server's reply was cut off",
        hint="Ask again; where it happens each time, a proxy may be in between.",
    )


def completion(role: str, reply: Reply) -> Completion:
    """Return the reply as a value; raises ModelReplyError where the server broke it off.

    Whether an empty text is of use is for the caller to say.
    """
    if reply.reason == "content_filter":
        raise ModelReplyError(
            "the model server broke its reply off (content_filter)",
            hint="Ask in other words: a filter of the server's forbade the reply.",
        )
    if reply.reason not in COMPLETE:
        raise ModelReplyError(
            "the model server broke its reply off",
            hint="Ask again; where it happens each time, the server is not compatible.",
        )
    tokens = read_tokens(reply.entries, reply.text)
    return Completion(
        text=reply.text or "".join(token.text for token in tokens),
        cost=_cost(role, reply),
        tool_calls=reply.calls,
        tokens=tokens,
        finish_reason=reply.reason,
    )


def _started(chunks: "Iterator[AIMessageChunk]") -> "Iterator[AIMessageChunk]":
    """Give the chunks; a stream without any is one that was cut off."""
    try:
        first = next(chunks)
    except StopIteration:
        raise cut_off() from None
    except ValueError as error:
        if type(error) is not ValueError:  # (what broken JSON raises is a kind of it)
            raise
        raise cut_off() from error
    yield first
    yield from chunks


def _cost(role: str, reply: Reply) -> ModelCall:
    usage = reply.usage or {}
    details = usage.get("input_token_details") or {}
    return ModelCall(
        role,
        prompt_tokens=usage.get("input_tokens") or 0,
        completion_tokens=usage.get("output_tokens") or len(reply.entries) or reply.pieces,
        cached_tokens=details.get("cache_read") or 0,
        model=reply.model,
        seconds=reply.seconds,
        read_seconds=reply.read_seconds,
    )


def _calls(message: "AIMessage") -> tuple[WrittenCall, ...]:
    """Return the calls as they were written, also those whose arguments are no JSON."""
    read = [WrittenCall(call["name"], json.dumps(call["args"])) for call in message.tool_calls]
    unread = [
        WrittenCall(call["name"] or "", call["args"] or "") for call in message.invalid_tool_calls
    ]
    return (*read, *unread)
