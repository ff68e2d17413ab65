"""A reply as langchain-aws hands it over, read into a completion."""

import json
from typing import TYPE_CHECKING

from research_agent.errors import ContextOverflowError, ModelReplyError
from research_agent.models.replies import ENDS, call_cost
from research_agent.types import Completion, WrittenCall

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

WITHHELD = ("guardrail_intervened", "content_filtered")
ANSWER_TOOL = "reply"
"""The tool whose input is the reply, where a reply has to follow a schema."""


def completion(role: str, model: str, reply: "AIMessage", *, shaped: bool) -> Completion:
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
