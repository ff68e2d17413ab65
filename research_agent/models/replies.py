"""What a model's reply depends on, as a key to keep it under."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256

from research_agent.types import Completion, Message

WHOLE = ("stop", "tool_calls", "length")
"""How a reply ends that says all that the model had to say, or was allowed to."""


def reply_key(
    identity: str,
    role: str,
    messages: Sequence[Message],
    *,
    max_tokens: int,
    tools: Sequence[Mapping[str, object]] = (),
    schema: Mapping[str, object] | None = None,
) -> str:
    """Return the SHA-256 of everything a reply depends on, in hexadecimal.

    `identity` says which model answers (`served_identity`, `embedded_identity`) and how freely it
    samples (`sampled_identity`), which mostly is not at all. The committed recordings of the
    benchmarks are kept under these keys too: what is hashed must not change.

    >>> reply_key("m", "answer", [Message("user", "Hello")], max_tokens=5)[:12]
    '4500a5c8e0c9'
    """
    asked = {
        "weights": identity,
        "role": role,
        "messages": [[message.role, message.text] for message in messages],
        "max_tokens": max_tokens,
        "tools": [dict(tool) for tool in tools],
        "schema": None if schema is None else dict(schema),
    }
    return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def served_identity(provider: str, url: str, model: str, top_logprobs: int) -> str:
    """Return what tells the replies of a server's model from all others.

    >>> served_identity("openai", "http://localhost:8000/v1/", "m", 5)
    '["openai", "http://localhost:8000/v1", "m", 5]'
    """
    return json.dumps([provider, url.rstrip("/"), model, top_logprobs])


def embedded_identity(digest: str, context: int, top_logprobs: int) -> str:
    """Return what tells the replies of the embedded model from all others.

    `digest` is the SHA-256 of its weights and `context` the tokens it reads and writes at most.

    >>> embedded_identity("cc324a", 8192, 5)
    '["local", "cc324a", 8192, 5]'
    """
    return json.dumps(["local", digest, context, top_logprobs])


def sampled_identity(identity: str, temperature: float) -> str:
    """Return an identity of replies that are sampled at a temperature; at 0 it stays as it is.

    >>> sampled_identity("m", 0.0), sampled_identity("m", 0.7)
    ('m', 'm, temperature 0.7')
    """
    return f"{identity}, temperature {temperature:g}" if temperature else identity


def is_whole(reply: Completion) -> bool:
    """Return whether a reply may be kept: it says something, and the server did not break it off.

    An empty reply that were kept would be given again to everybody who is told to ask again.

    >>> from research_agent.types import ModelCall
    >>> is_whole(Completion("So", ModelCall("answer"), finish_reason="content_filter"))
    False
    >>> is_whole(Completion(" ", ModelCall("answer"), finish_reason="stop"))
    False
    """
    says_something = bool(reply.text.strip() or reply.tool_calls)
    return says_something and reply.finish_reason in WHOLE
