"""A chat model that answers a repeated prompt from the cache of replies."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Unpack

from research_agent.kept_replies import is_asked_anew
from research_agent.models.replies import is_whole, reply_key
from research_agent.ports import CallOptions, ChatModel, KeptReply, ReplyCache
from research_agent.types import Completion, Message


class CachedChat:
    """Stands in front of a model; implements ChatModel.

    Safe to share between threads where the model and the cache are. A cache that fails (with
    OSError, or with ValueError for what it cannot read) never fails a call: the model is asked.
    """

    def __init__(
        self,
        model: ChatModel,
        cache: ReplyCache,
        identity: str,
        *,
        counted: bool = False,
        on_problem: Callable[[str], None] = lambda _problem: None,
    ) -> None:
        """Keep the replies of `model`, which `identity` tells from all others.

        `counted`: a kept reply costs what it cost when it was made. `on_problem` is called once
        with what is wrong with the cache.
        """
        self._model, self._cache, self._identity = model, cache, identity
        self._counted, self._on_problem = counted, on_problem
        self._told = False
        self._lock = Lock()

    def complete(
        self, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
    ) -> Completion:
        """Return the kept reply, marked as reused, or the model's own, which is kept.

        It is the model's own for a question that is asked anew. Raises ModelError. A reply that a
        server ended for its own reasons is not kept, nor is an empty one.
        """
        key = reply_key(self._identity, role, messages, **asked)
        kept = None if is_asked_anew() else self._cached(lambda: self._cache.get(key))
        if kept is not None:
            cost = kept.reply.cost
            if self._counted:
                return replace(kept.reply, cost=replace(cost, seconds=kept.seconds))
            price = None if cost.price is None else 0.0
            cost = replace(cost, seconds=0.0, price=price, tries=0, reused=True)
            return replace(kept.reply, cost=cost)
        started = time.monotonic()
        reply = self._model.complete(role, messages, **asked)
        if is_whole(reply):
            new = KeptReply(reply, time.monotonic() - started)
            self._cached(lambda: self._cache.put(key, new))
        return reply

    def _cached(self, use: Callable[[], KeptReply | None]) -> KeptReply | None:
        try:
            return use()
        except (OSError, ValueError) as error:
            with self._lock:
                told, self._told = self._told, True
            if not told:
                reason = "a kept reply cannot be read"  # (a ValueError's text may be a document's)
                if isinstance(error, OSError):
                    reason = error.strerror or str(error)
                self._on_problem(f"the reply cache failed: {reason}")
            return None
