"""A chat model whose messages can be seen."""

import math
from collections.abc import Sequence

from research_agent.interfaces.cli.terminal import say
from research_agent.ports import ChatModel, JsonSchema, ToolSpec
from research_agent.types import Completion, Message


class ShownChat:
    """Prints what is sent to a model and what comes back, to stderr."""

    def __init__(self, model: ChatModel) -> None:
        """Stand in front of `model`."""
        self._model = model

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
        """Print the messages, ask the model, print its reply."""
        for message in messages:
            say(f"--- to {role} ({message.role}):\n{message.text}", error=True)
        reply = self._model.complete(
            role,
            messages,
            max_tokens=max_tokens,
            tools=tools,
            schema=schema,
            seconds=seconds,
        )
        say(f"--- from {role}:\n{reply.text}", error=True)
        return reply
