"""A chat model that answers from kept replies what it was asked before."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock

from research_agent.errors import ModelMissingError
from research_agent.models.replies import is_whole, reply_key
from research_agent.ports import ChatModel, JsonSchema, KeptReply, ReplyCache, ToolSpec
from research_agent.types import Completion, Message


class KeptChat:
    """Stands in front of a model, or takes its place; implements ChatModel.

    Safe to share between threads where the model and the cache are. A cache that fails (with
    OSError, or with ValueError for what it cannot read) never fails a call: the model is asked.
    """

    def __init__(
        self,
        model: ChatModel | None,
        cache: ReplyCache,
        identity: str,
        *,
        on_problem: Callable[[str], None] = lambda _problem: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep the replies of `model`, which `identity` tells from all others.

        `on_problem` is told once what is wrong with the cache.
        """
        self._model, self._cache, self._identity = model, cache, identity
        self._on_problem, self._clock = on_problem, clock
        self._told = False
        self._lock = Lock()

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
        """Return the kept reply, marked as reused, or the model's own, which is kept.

        Raises ModelError; ModelMissingError where no reply is kept and there is no model. A reply
        that a server ended for its own reasons is not kept, nor is an empty one.
        """
        key = reply_key(
            self._identity, role, messages, max_tokens=max_tokens, tools=tools, schema=schema
        )
        kept = self._kept(key)
        if kept is not None:
            return _reused(kept.reply)
        if self._model is None:
            raise ModelMissingError(
                "this call was not recorded, and there is no model to ask",
                hint="Record it: run the benchmark with --live.",
            )
        started = self._clock()
        reply = self._model.complete(
            role, messages, max_tokens=max_tokens, tools=tools, schema=schema, seconds=seconds
        )
        if is_whole(reply):
            self._keep(key, KeptReply(reply, self._clock() - started))
        return reply

    def _kept(self, key: str) -> KeptReply | None:
        try:
            return self._cache.get(key)
        except (OSError, ValueError) as error:
            self._tell(error)
            return None

    def _keep(self, key: str, kept: KeptReply) -> None:
        try:
            self._cache.put(key, kept)
        except (OSError, ValueError) as error:
            self._tell(error)

    def _tell(self, error: OSError | ValueError) -> None:
        """Say once what is wrong; what a ValueError says may hold the text of a document."""
        with self._lock:
            told, self._told = self._told, True
        if not told:
            reason = "a kept reply cannot be read"
            if isinstance(error, OSError):
                reason = error.strerror or str(error)
            self._on_problem(f"the reply cache failed: {reason}")


def _reused(reply: Completion) -> Completion:
    """Return a kept reply with what it costs this time: nothing."""
    price = None if reply.cost.price is None else 0.0
    cost = replace(reply.cost, seconds=0.0, read_seconds=None, price=price, tries=0, reused=True)
    return replace(reply, cost=cost)
