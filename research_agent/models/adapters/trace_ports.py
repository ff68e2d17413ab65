"""Ports that write what is asked and answered to a trace, and ports that answer from one."""

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any, Unpack

from research_agent import errors
from research_agent.errors import ModelError, ReplayError
from research_agent.models.replies import asked_values, reply_key
from research_agent.ports import CallOptions, ChatModel, DecisionCache, Embedder, Reranker
from research_agent.types import Completion, Message

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Line = Mapping[str, Any]
Write = Callable[[Mapping[str, object]], None]
"""Takes one line of a trace, as JSON values."""


def vector_key(model: str, text: str) -> str:
    """Return the key of a text's vector."""
    return sha256(f"{model}\0{text}".encode()).hexdigest()


def scores_key(query: str, texts: Sequence[str]) -> str:
    """Return the key of a reranker's scores."""
    return sha256(json.dumps([query, *texts]).encode()).hexdigest()


class RecordingChat:
    """Writes every call of a model; implements ChatModel."""

    def __init__(self, model: ChatModel, identity: str, write: Write) -> None:
        self._model, self._identity, self._write = model, identity, write

    def complete(
        self, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
    ) -> Completion:
        """Ask the model and write the call; raises ModelError, which is written too."""
        key = reply_key(self._identity, role, messages, **asked)
        line = {"line": "call", "key": key, **asked_values(role, messages, asked)}
        begun = time.monotonic()
        try:
            reply = self._model.complete(role, messages, **asked)
        except ModelError as error:
            failed = {"error": type(error).__name__, "message": str(error), "hint": error.hint}
            self._write({**line, "failed": failed, "seconds": time.monotonic() - begun})
            raise
        self._write({**line, "reply": asdict(reply), "seconds": time.monotonic() - begun})
        return reply


class RecordingEmbedder:
    """Writes every vector under the hash of its text; implements Embedder."""

    def __init__(self, embedder: Embedder, write: Write) -> None:
        self._embedder, self._write, self.name = embedder, write, embedder.name

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text, and write them without the texts."""
        vectors = self._embedder.embed(texts)
        for text, vector in zip(texts, vectors, strict=True):
            key = vector_key(self.name, text)
            self._write({"line": "vector", "key": key, "vector": [float(x) for x in vector]})
        return vectors


class RecordingReranker:
    """Writes all scores under a hash of what was scored; implements Reranker."""

    def __init__(self, reranker: Reranker, write: Write) -> None:
        self._reranker, self._write = reranker, write

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> Sequence[float | None]:
        """Return the scores, and write them without the texts."""
        scores = self._reranker.scores(query, texts, seconds=seconds)
        self._write({"line": "scores", "key": scores_key(query, texts), "scores": list(scores)})
        return scores


class RecordingDecisions:
    """Writes the filter's verdicts that were kept; implements DecisionCache."""

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


class ReplayedChat:
    """Gives recorded replies; implements ChatModel. Threads may share it.

    A call that was recorded several times is answered in that order, the last one over and over.
    A recorded failure fails again. Replies cost what they cost then.
    """

    def __init__(self, model: ChatModel | None, lines: Iterable[Line], identity: str) -> None:
        """Ask `model` for what the `lines` of a trace do not hold; None: nobody is asked."""
        self._model, self._identity = model, identity
        self._lock = Lock()
        self._recorded: dict[str, list[Line]] = {}
        for line in lines:
            if line.get("line") == "call":
                self._recorded.setdefault(line["key"], []).append(line)
        self.replayed = 0
        """Calls that were answered from the trace."""
        self.asked = 0
        """Calls that a model was asked."""

    def complete(
        self, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
    ) -> Completion:
        """Return the recorded reply, else the model's; raises ModelError, ReplayError."""
        key = reply_key(self._identity, role, messages, **asked)
        with self._lock:
            kept = self._recorded.get(key, [])
            line = kept.pop(0) if len(kept) > 1 else next(iter(kept), None)
            self.replayed += line is not None
            self.asked += line is None and self._model is not None
        if line is not None:
            return _reply(line)
        if self._model is None:
            raise _missing(f"a prompt to the {role} model")
        return self._model.complete(role, messages, **asked)


class ReplayedEmbedder:
    """Gives recorded vectors; implements Embedder."""

    def __init__(self, embedder: Embedder, lines: Iterable[Line], *, may_ask: bool) -> None:
        """Ask `embedder` for what is not in the trace, if it may be asked."""
        self._embedder, self._may_ask, self.name = embedder, may_ask, embedder.name
        self._vectors = _by_key(lines, "vector", "vector")

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text; raises ModelError, ReplayError."""
        keys = [vector_key(self.name, text) for text in texts]
        new = [text for key, text in zip(keys, texts, strict=True) if key not in self._vectors]
        if new and not self._may_ask:
            raise _missing("a text to embed")
        made = iter(self._embedder.embed(new) if new else ())
        return [self._vectors[key] if key in self._vectors else next(made) for key in keys]


class ReplayedReranker:
    """Gives recorded scores; implements Reranker."""

    def __init__(self, reranker: Reranker | None, lines: Iterable[Line]) -> None:
        """Ask `reranker` for what is not in the trace; None: nobody is asked."""
        self._reranker = reranker
        self._scores = _by_key(lines, "scores", "scores")

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> Sequence[float | None]:
        """Return a score for each text; raises ModelError, ReplayError."""
        key = scores_key(query, texts)
        if key in self._scores:
            recorded: Sequence[float | None] = self._scores[key]
            return recorded
        if self._reranker is None:
            raise _missing("what is to be reranked")
        return self._reranker.scores(query, texts, seconds=seconds)


class RecordedDecisions:
    """The filter's verdicts that the run had found; implements DecisionCache. None are added."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._verdicts: dict[str, str] = {}
        for line in lines:
            if line.get("line") == "verdicts":
                self._verdicts |= line["verdicts"]

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        """Return what was found then."""
        return {key: self._verdicts[key] for key in keys if key in self._verdicts}

    def put(self, decisions: Mapping[str, str]) -> None:
        """Forget them: the run that is replayed did not have them."""


def _missing(what: str) -> ReplayError:
    return ReplayError(
        f"{what} is not in the trace",
        hint="Something that it depends on has changed: a setting, a prompt or the index. "
        "With --live the model of your settings is asked.",
    )


def _by_key(lines: Iterable[Line], kind: str, name: str) -> dict[str, Any]:
    return {line["key"]: line[name] for line in lines if line.get("line") == kind}


def _reply(line: Line) -> Completion:
    failed = line.get("failed")
    if not failed:
        return _codec().validate_python(line["reply"])
    kind = getattr(errors, str(failed["error"]), ModelError)
    error = kind if isinstance(kind, type) and issubclass(kind, ModelError) else ModelError
    raise error(str(failed["message"]), hint=str(failed["hint"]))


@cache
def _codec() -> "TypeAdapter[Completion]":
    from pydantic import TypeAdapter

    return TypeAdapter(Completion)
