"""What a request asks for beside its messages, and what a server is known to refuse of that."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from research_agent.models.adapters.openai.failures import is_overflow, told
from research_agent.ports import CallOptions

if TYPE_CHECKING:
    import openai

TOP_LOGPROBS = 5
"""Likeliest tokens asked for at each place of a free text."""
REFUSING = (400, 403, 422, 501)
WORDS: Mapping[str, re.Pattern[str]] = {
    "stream": re.compile(r"\bstream(ing|ed|_options)?\b|\binclude_usage\b"),
    "logprobs": re.compile(r"logprobs"),
    "response_format": re.compile(r"response_format|json_schema|json schema"),
    "max_tokens": re.compile(r"max_tokens"),
    "temperature": re.compile(r"temperature"),
}
"""What a request can do without, and the words a server names it by when it refuses."""
REPLY_BYTES = 65_536
TOKEN_BYTES = 256
"""What a token, or one of its alternatives, takes at most in a reply of some length."""


@dataclass(frozen=True, slots=True)
class Options:
    """What one request asks for.

    `body` goes beside langchain-openai's own parameters: it would rename the token limit, and
    hand a schema to a parser that fails where a reply is cut at its limit.
    """

    body: Mapping[str, object]
    tools: tuple[dict[str, Any], ...]
    streamed: bool
    max_tokens: int

    @property
    def max_bytes(self) -> int:
        """How large the reply may be."""
        return REPLY_BYTES + self.max_tokens * TOKEN_BYTES * (TOP_LOGPROBS + 4)

    def refused(self, error: "openai.APIStatusError") -> str:
        """Return which of the options the server refuses by name; empty where it is none."""
        if error.status_code not in REFUSING or is_overflow(error):
            return ""
        text = told(error)
        sent = {*self.body, *(("stream",) if self.streamed else ())}
        named = (name for name, words in WORDS.items() if name in sent and words.search(text))
        return next(named, "")


def request_options(asked: CallOptions, refused: Collection[str], *, temperature: float) -> Options:
    """Return what is asked for without what the server has `refused`.

    Log-probabilities and a stream are asked for in free text, without tools and a schema.
    """
    schema, tools, limit = asked.get("schema"), asked.get("tools", ()), asked["max_tokens"]
    free = not tools and schema is None
    body: dict[str, object] = {"temperature": temperature, "max_tokens": limit}
    if schema is not None:
        shape = {"name": "reply", "strict": True, "schema": dict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    if free:
        body["logprobs"] = True
    body = {name: value for name, value in body.items() if name not in refused}
    if "logprobs" in body:
        body["top_logprobs"] = TOP_LOGPROBS
    if "max_tokens" in refused:
        body["max_completion_tokens"] = limit
    streamed = free and limit > 1 and "stream" not in refused
    return Options(body, tuple(dict(tool) for tool in tools), streamed, limit)
