"""A reply as the events of a stream, the way OpenAI and llama.cpp send them."""

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

Json = dict[str, Any]

DONE = b"data: [DONE]\n\n"


def event(value: object) -> bytes:
    """One event of a stream."""
    return f"data: {json.dumps(value)}\n\n".encode()


def events(reply: Json, *, usage: bool) -> Iterator[bytes]:
    """The events of a whole reply: one a token, its end, its usage where that is asked for."""
    (choice,) = reply["choices"]
    message = choice["message"]
    listed = (choice.get("logprobs") or {}).get("content") or []
    yield _chunk(reply, {"role": "assistant", "content": None})
    for text, entry in zip_longest(_pieces(message["content"], listed), listed):
        yield _chunk(reply, {"content": text}, logprobs=None if entry is None else [entry])
    for i, call in enumerate(message.get("tool_calls") or ()):
        yield _chunk(reply, {"tool_calls": [{"index": i, **call}]})
    if choice["finish_reason"] is None:
        return
    yield _chunk(reply, {}, reason=choice["finish_reason"])
    if usage:
        yield event({**_head(reply), "choices": [], "usage": reply["usage"]})
    yield DONE


def _pieces(text: str | None, listed: list[Json]) -> list[str]:
    """The text in pieces: its tokens where they make it up, the whole where they do not."""
    tokens = [str(entry.get("token")) for entry in listed]
    return tokens if "".join(tokens) == text else [text] if text else []


def _chunk(
    reply: Json, delta: Json, *, logprobs: list[Json] | None = None, reason: str | None = None
) -> bytes:
    listed = None if logprobs is None else {"content": logprobs}
    choice = {"index": 0, "delta": delta, "logprobs": listed, "finish_reason": reason}
    return event({**_head(reply), "choices": [choice]})


def _head(reply: Json) -> Json:
    head = {name: reply[name] for name in ("id", "created", "model")}
    return {**head, "object": "chat.completion.chunk"}
