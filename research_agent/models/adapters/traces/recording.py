"""Ports that write what they are asked, and what they answer, to a trace."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from research_agent.errors import ModelError
from research_agent.models.replies import reply_key
from research_agent.models.traces import scores_key, vector_key
from research_agent.ports import (
    ChatModel,
    DecisionCache,
    Embedder,
    JsonSchema,
    Reranker,
    ToolSpec,
)
from research_agent.types import Completion, Message

Write = Callable[[Mapping[str, object]], None]
"""Takes one line of a trace, as JSON values."""


class _Chat:
    def __init__(self, model: ChatModel, identity: str, write: Write) -> None:
        self._model, self._identity, self._write = model, identity, write

    def complete(
        self,
        role: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        schema: JsonSchema | None = None,
        seconds: float = math.inf,
    ) -> Completion:
        """Ask the model and write the call; raises ModelError, which is written too."""
        asked: dict[str, object] = {
            "line": "call",
            "key": reply_key(
                self._identity, role, messages, max_tokens=max_tokens, tools=tools, schema=schema
            ),
            "role": role,
            "messages": [[message.role, message.text] for message in messages],
            "max_tokens": max_tokens,
            "tools": [dict(tool) for tool in tools],
            "schema": None if schema is None else dict(schema),
        }
        begun = time.monotonic()
        try:
            reply = self._model.complete(
                role, messages, max_tokens=max_tokens, tools=tools, schema=schema, seconds=seconds
            )
        except ModelError as error:
            failed = {"error": type(error).__name__, "message": str(error), "hint": error.hint}
            self._write({**asked, "failed": failed, "seconds": time.monotonic() - begun})
            raise
        self._write({**asked, "reply": asdict(reply), "seconds": time.monotonic() - begun})
        return reply


class _Embedder:
    def __init__(self, embedder: Embedder, write: Write) -> None:
        self._embedder, self._write = embedder, write

    @property
    def name(self) -> str:
        """Which model."""
        return self._embedder.name

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text, and write them without the texts."""
        vectors = self._embedder.embed(texts)
        for text, vector in zip(texts, vectors, strict=True):
            key = vector_key(self.name, text)
            self._write({"line": "vector", "key": key, "vector": [float(x) for x in vector]})
        return vectors


class _Reranker:
    def __init__(self, reranker: Reranker, write: Write) -> None:
        self._reranker, self._write = reranker, write

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> Sequence[float | None]:
        """Return the scores, and write them without the texts."""
        scores = self._reranker.scores(query, texts, seconds=seconds)
        self._write({"line": "scores", "key": scores_key(query, texts), "scores": list(scores)})
        return scores


class _Decisions:
    def __init__(self, decisions: DecisionCache, write: Write) -> None:
        self._decisions, self._write = decisions, write

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        """Return what is kept, and write it."""
        found = self._decisions.get(keys)
        if found:
            self._write({"line": "verdicts", "verdicts": dict(found)})
        return found

    def put(self, decisions: Mapping[str, str]) -> None:
        """Keep decisions."""
        self._decisions.put(decisions)


def recording_chat(model: ChatModel, identity: str, write: Write) -> ChatModel:
    """Return `model`, with every call written; `identity` tells it from other models."""
    return _Chat(model, identity, write)


def recording_embedder(embedder: Embedder, write: Write) -> Embedder:
    """Return `embedder`, with every vector written under the hash of its text."""
    return _Embedder(embedder, write)


def recording_reranker(reranker: Reranker, write: Write) -> Reranker:
    """Return `reranker`, with all scores written under a hash of what was scored."""
    return _Reranker(reranker, write)


def recording_decisions(decisions: DecisionCache, write: Write) -> DecisionCache:
    """Return `decisions`, with what was found there written."""
    return _Decisions(decisions, write)
