"""Write: what the model answers, and what stands for an answer where it failed."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.answering.write.aligning import aligned_text
from research_agent.answering.write.passages_of_evidence import Passage, as_answer
from research_agent.errors import BudgetError, ModelError, ModelReplyError
from research_agent.metering import Meter
from research_agent.ports import ChatModel
from research_agent.types import Message, Outcome, TraceEvent
from research_agent.types.budget import BUDGET_STOPS
from research_agent.types.refusals import REFUSAL, Refused
from research_agent.types.verification import Answer

LEAST_TOKENS = 16
"""A shorter answer is not asked for."""


def written_by(
    meter: Meter, model: ChatModel, messages: Sequence[Message], max_tokens: int
) -> tuple[Answer, tuple[str, ...]]:
    """Return what the model writes, and a note where it was cut; raises ModelError, BudgetError."""
    reply = meter.ask(model, "answer", messages, max_tokens=max_tokens, least_tokens=LEAST_TOKENS)
    text = aligned_text(reply)
    if not text.strip():
        raise ModelReplyError(
            "the model's answer is empty", hint="Ask again, or name another model: models.answer"
        )
    if reply.finish_reason != "length":
        return Answer(text, reply.tokens), ()
    if 0 < reply.cost.completion_tokens < meter.granted:
        limit = "a limit of the model server's own"
    else:
        unpaid = meter.granted < max_tokens
        limit = "what is left of budget.tokens" if unpaid else "answer.max_tokens"
    return Answer(text, reply.tokens), (f"answer: cut at {limit}",)


def failed(error: ModelError | BudgetError, earlier: Answer) -> Answer:
    """Return an answer that says why it was not written; raises `error` where it is the first.

    A budget that is spent is no error: without an answer before, it is a refusal.
    """
    if isinstance(error, BudgetError):
        refused: Refused = "" if earlier.text else "budget"
        return Answer(refused=refused, failed=BUDGET_STOPS[error.which])
    if not earlier.text:
        raise error
    return Answer(failed="error")


def extracted(passages: Sequence[Passage]) -> Answer:
    """Return passages as an answer; a refusal where there is none."""
    if not passages:
        return Answer(REFUSAL, refused="insufficient_evidence")
    return Answer(as_answer(passages), form="passages")


def not_asked(earlier: Answer) -> Outcome[Answer]:
    """Return the answer of the `earlier` round once more; a refusal where there is none."""
    if not earlier.keys:
        return Outcome(Answer(REFUSAL, refused="no_evidence"))
    event = TraceEvent(notes=("answer: no new evidence, not asked again",))
    return Outcome(replace(earlier, repeated=True), event)
