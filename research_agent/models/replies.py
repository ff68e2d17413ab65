"""The key of a model's reply in the cache, its cost, and the reasoning that it begins with."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import accumulate
from typing import Any, Unpack

from research_agent.errors import ModelReplyError
from research_agent.metering import prompt_tokens
from research_agent.model_settings import PriceSettings
from research_agent.ports import CallOptions, Tokenizer
from research_agent.types import Completion, Message, ModelCall, Token

ENDS = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "eos", "eos_token"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length"), "length"),
    **dict.fromkeys(("tool_calls", "tool_use"), "tool_calls"),
}
"""The ends of whole replies, which say all that the model had to say or was allowed to: as servers
name them, and as they are named here."""
INNER = "nostream"
"""LangGraph's tag (`TAG_NOSTREAM`) of calls whose replies are no messages of a graph."""
_THOUGHTS = re.compile(r"\s*<think>.*?</think>\s*|(?:(?!<think>).)*?</think>[ \t]*\n\s*", re.DOTALL)


def without_thoughts(
    text: str, tokens: Sequence[Token], finish_reason: str
) -> tuple[str, tuple[Token, ...]]:
    """Return a reply and its tokens without the model's reasoning in front, up to `</think>`.

    Servers that do not read it apart leave it in the text, some without the tag that begins it.
    Reasoning that was cut leaves nothing.
    """
    if finish_reason == "length" and re.match(r"\s*<think>(?!.*</think>)", text, re.DOTALL):
        return "", ()
    whole = "".join(token.text for token in tokens) or text
    if not (thoughts := _THOUGHTS.match(whole)):
        return text, tuple(tokens)
    said, starts = whole[thoughts.end() :], accumulate((len(t.text) for t in tokens), initial=0)
    kept = tuple(t for t, at in zip(tokens, starts, strict=False) if at >= thoughts.end())
    return said, kept if "".join(token.text for token in kept) == said else ()


def reply_key(
    identity: str, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
) -> str:
    """Return the SHA-256 of everything a reply depends on, in hexadecimal.

    `identity` says which model answers (`identity_of`). The committed recordings of the benchmarks
    are kept under these keys too: what is hashed must not change.
    """
    return sha256(
        json.dumps(
            asked_values(role, messages, asked) | {"weights": identity}, sort_keys=True
        ).encode()
    ).hexdigest()


def asked_values(role: str, messages: Sequence[Message], asked: CallOptions) -> dict[str, object]:
    """Return what a model is asked, as JSON values; how long it may take is no part of it."""
    schema = asked.get("schema")
    return {
        "role": role,
        "messages": [[message.role, message.text] for message in messages],
        "max_tokens": asked["max_tokens"],
        "tools": [dict(tool) for tool in asked.get("tools", ())],
        "schema": None if schema is None else dict(schema),
    }


def identity_of(*parts: object, temperature: float = 0.0) -> str:
    """Return what tells the replies of a model from all others.

    `parts` are provider, address and model, or the digest of weights and the context, and how many
    log-probabilities are asked for.

    >>> identity_of("openai", "http://localhost:8000/v1", "m", 5)
    '["openai", "http://localhost:8000/v1", "m", 5]'
    >>> identity_of("local", "cc324a", 8192, 5, temperature=0.7)
    '["local", "cc324a", 8192, 5], temperature 0.7'
    """
    identity = json.dumps(parts)
    return f"{identity}, temperature {temperature:g}" if temperature else identity


def is_whole(reply: Completion) -> bool:
    """Return whether a reply may be kept: it says something, and the server did not break it off.

    An empty reply that were kept would be given again to everybody who is told to ask again.
    """
    says_something = bool(reply.text.strip() or reply.tool_calls)
    return says_something and reply.finish_reason in ENDS.values()


def check_vectors(vectors: Sequence[Sequence[float]], texts: int, model: str) -> None:
    """Raise ModelReplyError unless there is one vector a text, all of one length."""
    if len(vectors) != texts or len({len(vector) for vector in vectors}) > 1:
        raise ModelReplyError(
            f"the embedding model sent {len(vectors)} vectors for {texts} texts, or vectors of "
            "different lengths",
            hint=f"Is {model!r} an embedding model?",
        )


def call_cost(role: str, usage: Mapping[str, Any] | None, *, model: str) -> ModelCall:
    """Return the cost of a reply from LangChain's `usage_metadata`; 0: nobody counted."""
    counts = usage or {}
    return ModelCall(
        role,
        prompt_tokens=counts.get("input_tokens") or 0,
        completion_tokens=counts.get("output_tokens") or 0,
        cached_tokens=(counts.get("input_token_details") or {}).get("cache_read") or 0,
        model=model,
    )


def counted_cost(
    reply: Completion, messages: Sequence[Message], most: int, tokenizer: Tokenizer
) -> ModelCall:
    """Return the cost of a reply to `messages`; tokens that nobody counted are estimated.

    A reply that was cut has `most` tokens, as reasoning that is not shown counts too.
    """
    cost = reply.cost
    prompt, written = cost.prompt_tokens, cost.completion_tokens
    if not written:
        calls = (f"{call.name} {call.arguments}" for call in reply.tool_calls)
        cut = reply.finish_reason == "length"
        written = most if cut else tokenizer.count("".join((reply.text, *calls)))
    return replace(
        cost,
        prompt_tokens=prompt or prompt_tokens(messages, tokenizer),
        completion_tokens=written,
    )


def call_price(price: PriceSettings, call: ModelCall) -> float:
    """Return the money for the tokens of `call`, never less than 0.

    Cached tokens are part of the prompt's and priced apart. Tries that failed are not counted:
    nobody says how many tokens they had.

    >>> price = PriceSettings(read=2.0, cached=0.5, written=10.0)
    >>> call_price(price, ModelCall("answer", 1000, 100, 400))
    0.0024
    """
    cached = min(max(call.cached_tokens, 0), max(call.prompt_tokens, 0))
    fresh = max(call.prompt_tokens, 0) - cached
    written = max(call.completion_tokens, 0)
    return (
        fresh * price.read + cached * (price.cached or price.read) + written * price.written
    ) / 1_000_000
