"""Replies of models kept in a file, so that a run can be scored again in seconds."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Self

from pydantic import TypeAdapter

from benchmarks.common import RECORDINGS, Asking, read
from benchmarks.peers.exchange import open_text
from research_agent.assembly.models.chats import SAMPLE_TEMPERATURE
from research_agent.errors import ModelUnavailableError
from research_agent.models.adapters.cached_chat import CachedChat
from research_agent.ports import ChatModel, JsonSchema, KeptReply, Ports, ToolSpec
from research_agent.types import Completion, Message

KEPT = TypeAdapter(KeptReply)
COMPLETION = TypeAdapter(Completion)


class Recordings:
    """Replies of one set of weights in a file of JSON lines, as people can read them.

    A line has the key (`models.replies.reply_key`: the hash of everything the reply depends on),
    the weights, how long the call took, and the reply with tokens and log-probabilities.
    """

    def __init__(self, path: Path, weights: str, known: Sequence[Path] = ()) -> None:
        """Read what is there; new lines are added one by one.

        What stands in the files `known`, of other benchmarks, is not recorded again.
        """
        self._path, self._weights = path, weights
        self._lock = Lock()
        self._known: dict[str, KeptReply] = {}
        for file in filter(Path.exists, (*known, path)):
            for row in read(file):
                self._known[row["key"]] = KEPT.validate_python(
                    {"reply": row["reply"], "seconds": row["seconds"]}
                )

    @classmethod
    def of(cls, name: str, weights: str, known: Sequence[str] = ()) -> Self:
        """Return those of the benchmark `name`, with those of the benchmarks `known`."""
        RECORDINGS.mkdir(exist_ok=True)
        own, *others = (RECORDINGS / f"{of}-{weights}.jsonl" for of in (name, *known))
        return cls(own, weights, others)

    def get(self, key: str) -> KeptReply | None:
        """Return what was recorded under `key`, None where nothing was."""
        return self._known.get(key)

    def add(self, key: str, kept: KeptReply, *, max_tokens: int) -> None:
        """Record a reply at once, so that an interrupted run loses nothing."""
        row = {
            "key": key,
            "weights": self._weights,
            "temperature": 0,
            "role": kept.reply.cost.role,
            "max_tokens": max_tokens,
            "seconds": round(kept.seconds, 3),
            "reply": COMPLETION.dump_python(kept.reply, mode="json"),
        }
        with self._lock:
            self._known[key] = kept
            with open_text(self._path, "at") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


class MissingRecordingError(Exception):
    """A call was not recorded. No error of a model: a step would go on without the reply."""


class _Nobody:
    """Is asked where there is no model; implements ChatModel."""

    def complete(self, *_: object, **__: object) -> Completion:
        raise ModelUnavailableError("nobody may be asked")


class _OneCall:
    """The recordings for one call; implements ReplyCache, and knows what the call took."""

    def __init__(self, recordings: Recordings, max_tokens: int) -> None:
        self._recordings, self._max_tokens = recordings, max_tokens
        self.seconds = 0.0

    def get(self, key: str) -> KeptReply | None:
        kept = self._recordings.get(key)
        self.seconds = kept.seconds if kept else 0.0
        return kept

    def put(self, key: str, kept: KeptReply) -> None:
        self.seconds = kept.seconds
        self._recordings.add(key, kept, max_tokens=self._max_tokens)


class RecordedChat:
    """Answers from recordings; asks `model` for what is missing and records it.

    Replies cost what they cost when they were recorded: a run from recordings keeps to the same
    budget.
    """

    def __init__(
        self,
        model: ChatModel | None,
        recordings: Recordings,
        weights: str,
        in_time: Callable[[], bool] = lambda: True,
    ) -> None:
        """Ask `model`, which runs on `weights`, while it is `in_time`; without one nobody."""
        self._model, self._recordings, self._weights = model, recordings, weights
        self._in_time = in_time
        self.seconds = 0.0
        """What the calls took when they were recorded."""

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
        """Return the recorded reply, or a fresh one that is recorded at once.

        Raises MissingRecordingError where there is neither, also where the model is busy, late or
        away: steps go on without a reply, and its answer would count as the product's. ModelError.
        """
        call = _OneCall(self._recordings, max_tokens)
        model = self._model if self._model and self._in_time() else _Nobody()
        chat = CachedChat(model, call, self._weights, on_problem=_fail)
        try:
            reply = chat.complete(
                role, messages, max_tokens=max_tokens, tools=tools, schema=schema, seconds=seconds
            )
        except ModelUnavailableError as error:
            raise MissingRecordingError(role) from error
        self.seconds += call.seconds
        if not reply.cost.reused:
            return reply
        cost = replace(reply.cost, reused=False, tries=1, seconds=call.seconds)
        return replace(reply, cost=cost)


@dataclass(frozen=True, slots=True)
class Replaying:
    """Where replies come from: what is kept of some weights, and who is asked for the rest."""

    kept: Recordings
    asking: Asking
    models: Ports | None = None
    """The ports whose models are asked; None: nobody."""

    @classmethod
    def of(cls, name: str, asking: Asking, models: Ports, known: Sequence[str] = ()) -> "Replaying":
        """Return the recordings of the benchmark `name`."""
        kept = Recordings.of(name, asking.weights, known)
        return cls(kept, asking, models if asking.live else None)

    def within(self, ports: Ports) -> tuple[Ports, RecordedChat, RecordedChat]:
        """Return ports with recorded models, the chat of every role, and that of second answers."""
        warm = f"{self.asking.weights}, temperature {SAMPLE_TEMPERATURE:g}"
        chat = self.chat(self.models.answerer if self.models else None, self.asking.weights)
        sampler = self.chat(self.models.sampler if self.models else None, warm)
        given = replace(
            ports,
            answerer=chat,
            planner=chat,
            filterer=chat,
            verifier=chat,
            sampler=ports.sampler and sampler,
            decisions=None,
        )
        return given, chat, sampler

    def chat(self, model: ChatModel | None, weights: str) -> RecordedChat:
        """Return a model that is asked for what is not recorded, while there is time."""
        return RecordedChat(model, self.kept, weights, lambda: self.asking.in_time)


def _fail(problem: str) -> None:
    """Stop a run whose replies cannot be recorded."""
    raise RuntimeError(problem)
