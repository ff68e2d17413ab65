"""A chat model that is a LangChain object."""

import json
import math
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from research_agent.errors import ConfigError, ModelError, ModelMissingError, ModelReplyError
from research_agent.models.adapters.langchain.failures import (
    object_name,
    status_of,
    translated,
    within,
)
from research_agent.models.logprobs import entries_under, read_tokens
from research_agent.ports import CallOptions, JsonSchema, ToolSpec
from research_agent.types import Completion, Message, ModelCall, WrittenCall

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

ANSWER_TOOL = "reply"
"""The tool whose arguments are a reply in a schema."""
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict")
"""Fields that limit a reply's length, by provider."""
TOP_LOGPROBS = 5
REFUSING = (0, 400, 422)
"""Statuses of a request that would do without an option; 0: the object itself refused it."""
REASONS: Mapping[str, str] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
}
BROKEN_OFF = frozenset({"content_filter", "refusal", "safety", "prohibited_content", "error"})
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

        if not isinstance(given, BaseChatModel):
            raise ConfigError(
                f"{type(given).__name__} is no chat model",
                hint="Give an object of a subclass of LangChain's BaseChatModel; what was made by "
                "bind, with_retry or with_structured_output is none.",
            )
        self._model, self._fields = given, type(given).model_fields
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
        begun = time.monotonic()
        with translated(self._what):
            ask = partial(self._ask, [(one.role, one.text) for one in messages], asked)
            reply = within(asked.get("seconds", math.inf), ask, self._what)
            return self._completion(role, reply, asked.get("schema"), time.monotonic() - begun)

    def close(self) -> None:
        """Do nothing: whoever made the object closes it."""

    def _ask(self, sent: Sequence[tuple[str, str]], asked: CallOptions) -> "AIMessage":
        """Call the object, without what it is known to refuse."""
        tools, schema = asked.get("tools", ()), asked.get("schema")
        free = not tools and schema is None
        option = "logprobs" if free and self._has_logprobs else "schema" if schema else ""
        if option and option not in self._refused:
            model = self._sized(asked["max_tokens"], logprobs=option == "logprobs")
            try:
                return self._invoked(model, sent, tools, schema)
            except Exception as error:
                if status_of(error) not in REFUSING or isinstance(error, OSError):
                    raise
        reply = self._invoked(self._sized(asked["max_tokens"]), sent, tools, None)
        self._refused |= {option}
        return reply

    def _invoked(
        self,
        model: "BaseChatModel",
        sent: Sequence[tuple[str, str]],
        tools: Sequence[ToolSpec],
        schema: JsonSchema | None,
    ) -> "AIMessage":
        from langchain_core.messages import AIMessage

        messages = list(sent)
        if schema is not None:
            about = "Gives the reply; call it exactly once."
            shape = {"name": ANSWER_TOOL, "description": about, "parameters": dict(schema)}
            forced = {"type": "function", "function": shape}
            reply: object = model.bind_tools([forced], tool_choice=ANSWER_TOOL).invoke(messages)
        elif tools:
            try:
                bound = model.bind_tools([dict(tool) for tool in tools])
            except NotImplementedError as error:
                raise ModelError(
                    f"{self._what} takes no tools", hint="Set search.mode: planned."
                ) from error
            reply = bound.invoke(messages)
        else:
            reply = model.invoke(messages)
        if not isinstance(reply, AIMessage):
            raise ModelReplyError(
                f"{self._what} replied with {type(reply).__name__}, not with an AIMessage",
                hint="Is it a chat model?",
            )
        return reply

    @property
    def _has_logprobs(self) -> bool:
        own = {"logprobs", "top_logprobs"} <= self._fields.keys()
        return own and getattr(self._model, "logprobs", False) is None

    def _sized(self, limit: int, *, logprobs: bool = False) -> "BaseChatModel":
        """Return a copy of the object with the fields of one call."""
        changed: dict[str, object] = {}
        for name in LIMITS:
            if name in self._fields:
                own = getattr(self._model, name)
                changed[name] = min(own, limit) if isinstance(own, int) and own > 0 else limit
        if logprobs:
            changed |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
        if self._temperature and "temperature" in self._fields:
            changed["temperature"] = self._temperature
        return self._model.model_copy(update=changed) if changed else self._model

    def _completion(
        self, role: str, reply: "AIMessage", schema: JsonSchema | None, seconds: float
    ) -> Completion:
        metadata, text = reply.response_metadata, str(reply.text)
        named = (metadata.get(key) for key in ("finish_reason", "stop_reason", "done_reason"))
        reason = str(next(filter(None, named), "stop")).lower()
        if reason in BROKEN_OFF:
            raise ModelReplyError(
                f"{self._what} broke its reply off ({reason})", hint="Ask in other words."
            )
        read = [WrittenCall(call["name"], json.dumps(call["args"])) for call in reply.tool_calls]
        unread = [WrittenCall(c["name"] or "", c["args"] or "") for c in reply.invalid_tool_calls]
        calls = (*read, *unread)
        if schema is not None and calls:
            text, calls = calls[0].arguments, ()
        tokens = read_tokens(entries_under(metadata.get("logprobs"), "content"), text)
        usage: Mapping[str, Any] = reply.usage_metadata or {}
        details = usage.get("input_token_details") or {}
        cost = ModelCall(
            role,
            prompt_tokens=usage.get("input_tokens") or 0,
            completion_tokens=usage.get("output_tokens") or 0,
            cached_tokens=details.get("cache_read") or 0,
            model=str(metadata.get("model_name") or metadata.get("model") or self._name),
            seconds=seconds,
        )
        return Completion(text, cost, calls, tokens, REASONS.get(reason, "stop"))


def chat_object(name: str, **options: object) -> "BaseChatModel":
    """Return the chat model that LangChain makes of a name such as "anthropic:claude-haiku-4-5".

    `options` are `base_url` and `api_key`, where they are given. Raises ModelMissingError where a
    package is missing, ConfigError where LangChain makes nothing of the name.
    """
    made: BaseChatModel = made_by_langchain("chat_models", "init_chat_model", name, options)
    return made


def made_by_langchain(module: str, function: str, name: str, options: Mapping[str, object]) -> Any:  # noqa: ANN401 (LangChain's own type)
    """Return what one of LangChain's two makers of models gives for a name."""
    from importlib import import_module

    try:
        make = getattr(import_module(f"langchain.{module}"), function)
    except ImportError as error:
        raise ModelMissingError(
            "provider: langchain needs a package",
            hint='pip install "research-agent[langchain]", and the provider\'s own package, such '
            "as langchain-anthropic.",
        ) from error
    try:
        return make(name, **options)
    except ImportError as error:  # (its message names the package and no secret)
        raise ModelMissingError(
            f"LangChain cannot make {name}: {error}", hint="Install the provider's package."
        ) from error
    except Exception as error:  # noqa: BLE001 (a class of anybody's may raise anything)
        raise ConfigError(
            f"LangChain cannot make a model of {name!r} ({type(error).__name__})",
            hint="Write provider:model, such as anthropic:claude-haiku-4-5, and set the "
            "provider's own variable to its key.",
        ) from (error if isinstance(error, ValueError) else None)
