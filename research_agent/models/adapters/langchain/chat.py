"""A chat model that is a LangChain object."""

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from research_agent.errors import ModelError, ModelReplyError
from research_agent.models.adapters.langchain.calling import (
    called,
    checked,
    object_name,
    status_of,
)
from research_agent.models.logprobs import entries_under, read_tokens
from research_agent.models.replies import ENDS, INNER, call_cost, without_thoughts
from research_agent.ports import CallOptions
from research_agent.types import Completion, Message, WrittenCall

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

ANSWER_TOOL = "reply"
"""The tool whose arguments are a reply in a schema."""
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict")
"""Fields that limit a reply's length, by provider."""
LOGPROBS = {"logprobs": True, "top_logprobs": 5}
REFUSING = (0, 400, 422)
"""Statuses of a request that would do without an option; 0: the object itself refused it."""
BROKEN_OFF = ("content_filter", "refusal", "safety", "prohibited_content", "error")
"""Ends of a reply that are none of the model's own."""


class LangChainChat:
    """A chat model; safe to share between threads where the object is.

    Each call is made on a copy of the object that has the call's own token limit, and asks for
    log-probabilities in free text where the class has a field for them and the user has left it
    empty. All else is the object's own: temperature, address, key, tries. What it refuses
    (log-probabilities, a forced tool) is not asked for again. No async and no streaming is used.
    """

    def __init__(self, given: object, *, temperature: float = 0.0) -> None:
        """Ask the object `given`; a `temperature` above 0 takes the place of its own.

        Raises ConfigError where it is no BaseChatModel.
        """
        from langchain_core.language_models import BaseChatModel

        no = "; what was made by bind, with_retry or with_structured_output is none"
        self._model = checked(given, BaseChatModel, "chat model", no)  # type: ignore[type-abstract]
        self._name, self._what = object_name(given), f"the chat model {object_name(given)}"
        self._temperature = temperature
        self._refused: set[str] = set()

    def complete(
        self, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
    ) -> Completion:
        """Return the whole reply within its seconds; raises ModelError.

        A schema is the input of a tool that the model is made to call; an object that takes no
        tools is asked in free text, since prompts describe the schema too.
        """
        sent = [(one.role, one.text) for one in messages]

        def run() -> Completion:
            reply = self._reply(sent, asked)
            return self._read(role, reply, asked.get("schema") is None)

        return called(self._what, run, asked.get("seconds", math.inf))

    def close(self) -> None:
        """Do nothing: whoever made the object closes it."""

    def _reply(self, sent: Sequence[tuple[str, str]], asked: CallOptions) -> "AIMessage":
        option = "" if asked.get("tools") else "logprobs"
        if asked.get("schema") is not None:
            option = "schema"
        if option not in self._refused:
            try:
                return self._invoked(option, sent, asked)
            except Exception as error:
                if not option or status_of(error) not in REFUSING or isinstance(error, OSError):
                    raise
        reply = self._invoked("", sent, asked)
        self._refused.add(option)
        return reply

    def _invoked(
        self, option: str, sent: Sequence[tuple[str, str]], asked: CallOptions
    ) -> "AIMessage":
        model = self._model.model_copy(update=self._fields(asked["max_tokens"], option))
        tools: Sequence[Any] = [dict(tool) for tool in asked.get("tools", ())]
        if option == "schema":
            about = "Gives the reply; call it exactly once."
            shape = {"name": ANSWER_TOOL, "description": about, "parameters": asked.get("schema")}
            forced = {"type": "function", "function": shape}
            bound = model.bind_tools([forced], tool_choice=ANSWER_TOOL)
            return bound.invoke(list(sent), {"tags": [INNER]})
        try:
            asking = model.bind_tools(tools) if tools else model
        except NotImplementedError as error:
            raise ModelError(
                f"{self._what} takes no tools", hint="Set search.mode: planned."
            ) from error
        return asking.invoke(list(sent), {"tags": [INNER]})

    def _fields(self, limit: int, option: str) -> dict[str, object]:
        own = {name: getattr(self._model, name) for name in type(self._model).model_fields}
        changed: dict[str, object] = {
            name: min(own[name], limit) if isinstance(own[name], int) and own[name] > 0 else limit
            for name in LIMITS
            if name in own
        }
        if option == "logprobs" and own.keys() >= LOGPROBS.keys() and own["logprobs"] is None:
            changed |= LOGPROBS
        if self._temperature and "temperature" in own:
            changed["temperature"] = self._temperature
        return changed

    def _read(self, role: str, reply: "AIMessage", free: bool) -> Completion:  # noqa: FBT001
        metadata, text = reply.response_metadata, str(reply.text)
        named = (metadata.get(key) for key in ("finish_reason", "stop_reason", "done_reason"))
        reason = str(next(filter(None, named), "stop")).lower()
        if reason in BROKEN_OFF:
            raise ModelReplyError(
                f"{self._what} broke its reply off ({reason})", hint="Ask in other words."
            )
        calls = [WrittenCall(call["name"], json.dumps(call["args"])) for call in reply.tool_calls]
        calls += [WrittenCall(c["name"] or "", c["args"] or "") for c in reply.invalid_tool_calls]
        if calls and not free:
            text, calls = calls[0].arguments, []
        tokens = read_tokens(entries_under(metadata.get("logprobs"), "content"), text)
        model = str(metadata.get("model_name") or metadata.get("model") or self._name)
        cost = call_cost(role, reply.usage_metadata, model=model)
        ended = ENDS.get(reason, "stop")
        text, tokens = without_thoughts(text, tokens, ended)
        return Completion(text, cost, tuple(calls), tokens, ended)
