"""A chat model of Amazon Bedrock."""

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from research_agent.errors import ContextOverflowError, ModelReplyError
from research_agent.models.adapters.bedrock.connection import BedrockEndpoint, Connection
from research_agent.models.adapters.bedrock.failures import refused_option
from research_agent.models.replies import ENDS, INNER, call_cost
from research_agent.ports import CallOptions, ToolSpec
from research_agent.types import Completion, Message, WrittenCall

if TYPE_CHECKING:
    from botocore.client import BaseClient
    from langchain_aws import ChatBedrockConverse
    from langchain_core.messages import AIMessage

MAX_REPLY_BYTES = 2**20
WITHHELD = ("guardrail_intervened", "content_filtered")
ANSWER_TOOL = "reply"
"""The tool whose input is the reply, where a reply has to follow a schema."""


class BedrockChat:
    """A chat model; safe to share between threads.

    One call is one request. Only where a model refuses a part of it by name (a temperature, a
    forced tool, tools, a system prompt) the same is asked once more without that part, which is
    not sent again; a system prompt then begins the first message.
    """

    def __init__(self, endpoint: BedrockEndpoint) -> None:
        """Ask the model at `endpoint`; nothing is sent before the first call."""
        self._endpoint = endpoint
        self._connection = Connection(endpoint, self._build, max_bytes=MAX_REPLY_BYTES)
        self._refused: set[str] = set()

    def complete(
        self, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
    ) -> Completion:
        """Return the reply within its seconds; raises ModelError.

        Tools are in OpenAI's form. A schema is the input of a tool that the model is made to
        call, because Bedrock takes no other for all models.
        """
        schema, limit = asked.get("schema"), asked["max_tokens"]
        specs = [_spec(tool) for tool in asked.get("tools", ())]
        if schema is not None:
            about = "Gives the reply; call it exactly once."
            shape = {"json": dict(schema)}
            specs = [{"name": ANSWER_TOOL, "description": about, "inputSchema": shape}]

        def ask(client: "ChatBedrockConverse") -> Completion:
            reply = self._ask(client, messages, limit, specs, forced=schema is not None)
            return _completion(role, self._endpoint.model, reply, shaped=schema is not None)

        return self._connection.begin(ask, asked.get("seconds", math.inf)).result()

    def close(self) -> None:
        """Close the connections to the server."""
        self._connection.close()

    def _ask(
        self,
        client: "ChatBedrockConverse",
        messages: Sequence[Message],
        max_tokens: int,
        specs: Sequence[ToolSpec],
        *,
        forced: bool,
    ) -> "AIMessage":
        """Send the request, without what the model is known to refuse."""
        from botocore.exceptions import ClientError
        from langchain_core.messages import AIMessage

        parts = {"temperature"} | ({"tools"} if specs else set())
        parts |= {"tool_choice"} if forced else set()
        parts |= {"system"} if any(message.role == "system" for message in messages) else set()
        while True:
            sent = parts - self._refused
            limits: dict[str, object] = {"maxTokens": max_tokens}
            if "temperature" in sent:
                limits["temperature"] = self._endpoint.temperature
            options: dict[str, object] = {"inferenceConfig": limits}
            if "tools" in sent:
                tools: dict[str, object] = {"tools": [{"toolSpec": dict(spec)} for spec in specs]}
                if "tool_choice" in sent:
                    tools["toolChoice"] = {"tool": {"name": ANSWER_TOOL}}
                options["toolConfig"] = tools
            texts = [
                ("user" if one.role == "system" and "system" not in sent else one.role, one.text)
                for one in messages
            ]
            try:
                reply = client.bind(**options).invoke(texts, {"tags": [INNER]})
            except ClientError as error:
                refused = refused_option(error, sent)
                if not refused:
                    raise
                self._refused.add(refused)
                continue
            if not isinstance(reply, AIMessage):
                raise ModelReplyError(
                    "the model server's reply is not an assistant's message",
                    hint="Is base_url right? It is mostly left empty.",
                )
            return reply

    def _build(self, client: "BaseClient") -> "ChatBedrockConverse":
        from langchain_aws import ChatBedrockConverse

        # With a base model given, the library does not ask Bedrock which one an ARN stands for.
        chat = ChatBedrockConverse(
            client=client,
            bedrock_client=client,
            model_id=self._endpoint.model,
            disable_streaming=True,
            **_named(self._endpoint.model),
        )
        if (chat.profile or {}).get("temperature") is False:
            self._refused.add("temperature")
        return chat


def _named(model: str) -> dict[str, Any]:
    """Return what an ARN does not say: who made the model, and which it is.

    >>> _named("arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-lite-v1:0")
    {'provider': 'amazon', 'base_model': 'us.amazon.nova-lite-v1:0'}
    """
    if not model.startswith("arn:"):
        return {}
    name = model.rpartition("/")[2]
    return {"provider": name.rpartition(".")[0].rpartition(".")[2] or "other", "base_model": name}


def _spec(tool: ToolSpec) -> ToolSpec:
    inner = tool.get("function", tool)
    if not isinstance(inner, dict):
        raise TypeError("a tool is no object")
    shape = inner.get("parameters") or {"type": "object", "properties": {}}
    about = inner.get("description") or inner["name"]
    return {"name": inner["name"], "description": about, "inputSchema": {"json": shape}}


def _completion(role: str, model: str, reply: "AIMessage", *, shaped: bool) -> Completion:
    """Return the reply as a value; there are no log-probabilities.

    With `shaped` the input of `ANSWER_TOOL` is the text, as JSON; a model that wrote its text
    instead has that. Raises ModelReplyError, ContextOverflowError.
    """
    finish_reason = _finish_reason(str(reply.response_metadata.get("stopReason")))
    text = str(reply.text)
    calls = tuple(
        WrittenCall(call["name"], json.dumps(call["args"], ensure_ascii=False))
        for call in reply.tool_calls
    )
    if shaped:
        text = next((call.arguments for call in calls if call.name == ANSWER_TOOL), text)
        calls = ()
        finish_reason = "stop" if finish_reason == "tool_calls" else finish_reason
    cost = call_cost(role, reply.usage_metadata, model=model)
    return Completion(text, cost, calls, (), finish_reason)


def _finish_reason(stopped: str) -> str:
    if stopped in ENDS:
        return ENDS[stopped]
    if stopped == "model_context_window_exceeded":
        raise ContextOverflowError(
            "prompt and reply are longer than the model reads", hint="Lower evidence.max_tokens."
        )
    if stopped in WITHHELD:
        raise ModelReplyError(
            f"a guardrail or filter of Bedrock withheld the reply ({stopped})",
            hint="Ask in other words, or change the guardrail.",
        )
    raise ModelReplyError("the model broke its reply off", hint="Ask again.")
