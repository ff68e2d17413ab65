"""A chat model that is asked again after a fault, within limits."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from research_agent.metering import MESSAGE_TOKENS
from research_agent.models.adapters.rate_limited.server import Server, Size
from research_agent.models.deadlines import measured
from research_agent.models.prices import Price, call_price
from research_agent.ports import ChatModel, JsonSchema, Tokenizer, ToolSpec
from research_agent.types import Completion, Message


class ManagedChat:
    """Stands in front of a model whose calls are one request each; implements ChatModel.

    It fills the reply's seconds, tries and price. Safe to share between threads where the model
    is.
    """

    def __init__(
        self, model: ChatModel, server: Server, *, tokenizer: Tokenizer, price: Price | None = None
    ) -> None:
        """Ask `model` at `server`; without a `price` what a call costs is not known."""
        self._model, self._server = model, server
        self._tokenizer, self._price = tokenizer, price

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
        """Return the reply within `seconds`, waiting and all tries included.

        Raises the ModelError of the last try, which names their number; ModelTimeoutError where
        the time ran out while other requests were sent.
        """
        ask = partial(
            self._model.complete,
            role,
            messages,
            max_tokens=max_tokens,
            tools=tools,
            schema=schema,
        )
        size = Size(self._prompt_tokens(messages, tools, schema), max_tokens)
        served = self._server.ask(lambda left: ask(seconds=left), size, seconds=seconds)
        reply = served.value
        # (A model that takes its own time leaves out what its server needed to start.)
        took = reply.cost.seconds or served.last_seconds
        self._server.learn(measured(reply.cost, took))
        price = None if self._price is None else call_price(self._price, reply.cost)
        cost = replace(reply.cost, seconds=served.seconds, tries=served.tries, price=price)
        return replace(reply, cost=cost)

    def _prompt_tokens(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        schema: JsonSchema | None,
    ) -> int:
        """Return about how many tokens the server has to read."""
        told = [json.dumps(shape) for shape in (*tools, schema) if shape is not None]
        texts = [*(message.text for message in messages), *told]
        return sum(self._tokenizer.count(text) + MESSAGE_TOKENS for text in texts)
