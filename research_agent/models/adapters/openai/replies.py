"""A reply as langchain-openai hands it over, whole or in chunks, read into a completion."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from research_agent.errors import ModelReplyError, ModelUnavailableError
from research_agent.models.logprobs import Entry, entries_under, read_tokens
from research_agent.models.replies import call_cost
from research_agent.types import Completion, WrittenCall

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

COMPLETE = ("stop", "tool_calls", "length")
SLACK = 64
"""Tokens that a stream may have above its limit, for servers that count otherwise."""
PIECES_A_TOKEN = 8
"""A server may send its text in smaller pieces than tokens, where it gives no log-probabilities."""


@dataclass(slots=True)
class Reply:
    """What a server has replied so far; `begun` on the monotonic clock."""

    begun: float = field(default_factory=time.monotonic)
    text: str = ""
    reason: str | None = None
    entries: list[Entry] = field(default_factory=list)
    calls: tuple[WrittenCall, ...] = ()
    model: str = ""
    usage: Mapping[str, Any] | None = None
    """The server's own counts; None where it sent none."""
    pieces: int = 0
    """Parts of the text that were streamed."""
    seconds: float = 0.0
    """From the request to the last part."""
    read_seconds: float | None = None
    """From the request to the first word; None for a plain reply."""

    def take_whole(self, message: "AIMessage") -> None:
        """Read the reply that came at once."""
        self._take(message)
        read = [WrittenCall(call["name"], json.dumps(call["args"])) for call in message.tool_calls]
        unread = [  # (as they were written: arguments that are no JSON)
            WrittenCall(call["name"] or "", call["args"] or "")
            for call in message.invalid_tool_calls
        ]
        self.calls = (*read, *unread)

    def take_chunk(self, chunk: "AIMessage", max_tokens: int) -> None:
        """Read one part of a stream; raises ModelReplyError above `max_tokens`."""
        if self._take(chunk):
            self.pieces += 1
            self.read_seconds = self.read_seconds or self.seconds
        if (
            len(self.entries) > max_tokens + SLACK
            or self.pieces > PIECES_A_TOKEN * max_tokens + SLACK
        ):
            raise ModelReplyError(
                f"the model server goes on writing above the limit of {max_tokens} tokens",
                hint="The server takes no token limit, so it cannot be used: name another one in "
                "base_url.",
            )

    def completion(self, role: str) -> Completion:
        """Return the reply as a value; raises ModelReplyError where the server broke it off.

        Whether an empty text is of use is for the caller to say.
        """
        if self.reason not in COMPLETE:
            filtered = self.reason == "content_filter"
            raise ModelReplyError(
                "the model server broke its reply off" + (" (content_filter)" * filtered),
                hint="Ask in other words: a filter of the server's forbade the reply."
                if filtered
                else "Ask again; where it happens each time, the server is not compatible.",
            )
        tokens = read_tokens(self.entries, self.text)
        cost = call_cost(
            role,
            self.usage,
            model=self.model,
            written=len(self.entries) or self.pieces,
            seconds=self.seconds,
            read_seconds=self.read_seconds,
        )
        text = self.text or "".join(token.text for token in tokens)
        return Completion(text, cost, self.calls, tokens, self.reason)

    def _take(self, message: "AIMessage") -> bool:
        """Read what both kinds have; return whether it adds to the text."""
        metadata, text = message.response_metadata, str(message.text)
        new = entries_under(metadata.get("logprobs"), "content")
        self.text += text
        self.entries.extend(new)
        self.reason = metadata.get("finish_reason") or self.reason
        self.model = str(metadata.get("model_name") or self.model)
        self.usage = message.usage_metadata or self.usage
        self.seconds = time.monotonic() - self.begun
        return bool(text or new)


def cut_off() -> ModelUnavailableError:
    """Return the error for a reply whose end is missing."""
    return ModelUnavailableError(
        "the model server's reply was cut off",
        hint="Ask again; where it happens each time, a proxy may be in between.",
    )
