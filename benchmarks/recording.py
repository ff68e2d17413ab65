"""A chat model that records its replies, so that a run can be scored again in seconds."""

import json
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter

from research_agent.core.types import Completion, Message
from research_agent.errors import ModelMissingError
from research_agent.ports import ChatModel, JsonSchema, ToolSpec

COMPLETION = TypeAdapter(Completion)


class RecordingChat:
    """Answers from a file of recordings; asks `model` for what is missing and adds it.

    The key of a recording is the hash of everything the reply depends on: the weights, the
    messages, the limits, tools and schema. Temperature is 0 throughout. A line says which
    weights it came from and how long the call took; `python -m benchmarks answers --live`
    records again.
    """

    def __init__(self, model: ChatModel | None, path: Path, weights: str) -> None:
        """Read the recordings; without a `model` a missing one is an error."""
        self._model, self._path, self._weights = model, path, weights
        self._known: dict[str, dict[str, object]] = {}
        self.seconds = 0.0
        """What the calls took when they were recorded."""
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self._known[row["key"]] = row

    def complete(
        self,
        role: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        schema: JsonSchema | None = None,
    ) -> Completion:
        """Return the recorded reply, or a fresh one that is recorded at once."""
        asked = {
            "weights": self._weights,
            "role": role,
            "messages": [[message.role, message.text] for message in messages],
            "max_tokens": max_tokens,
            "tools": list(tools),
            "schema": schema,
        }
        key = sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        if key not in self._known:
            self._record(key, role, messages, max_tokens, tools, schema)
        row = self._known[key]
        self.seconds += TypeAdapter(float).validate_python(row["seconds"])
        return COMPLETION.validate_python(row["reply"])

    def _record(
        self,
        key: str,
        role: str,
        messages: Sequence[Message],
        max_tokens: int,
        tools: Sequence[ToolSpec],
        schema: JsonSchema | None,
    ) -> None:
        if self._model is None:
            raise ModelMissingError("no recording of this call", hint="Run again with --live.")
        started = time.perf_counter()
        reply = self._model.complete(
            role, messages, max_tokens=max_tokens, tools=tools, schema=schema
        )
        row: dict[str, object] = {
            "key": key,
            "weights": self._weights,
            "temperature": 0,
            "role": role,
            "max_tokens": max_tokens,
            "seconds": round(time.perf_counter() - started, 3),
            "reply": COMPLETION.dump_python(reply, mode="json"),
        }
        self._known[key] = row
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
