"""A second answer from the same evidence, where no log-probabilities tell how sure one is."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.answering.write.aligning import aligned_text
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import ChatModel
from research_agent.types import Message
from research_agent.types.uncertainty import unusable_tokens
from research_agent.types.verification import Answer


def with_second(
    answer: Answer,
    messages: Sequence[Message],
    *,
    meter: Meter,
    sampler: ChatModel,
    max_tokens: int,
) -> tuple[Answer, tuple[str, ...]]:
    """Return `answer` with a second one that is sampled freely, and a note where that failed.

    It is asked for only where a model has written the answer, it is no refusal, and its
    log-probabilities cannot be used. It is asked for only at its full length; else both would
    differ by what was cut off. Never raises: a call that
    fails, is not paid or says nothing leaves an empty second answer.
    """
    answer = replace(answer, second=None)
    if answer.form != "written" or answer.refused:
        return answer, ()
    if not unusable_tokens(answer.text, answer.tokens):
        return answer, ()
    try:
        reply = meter.ask(
            sampler, "answer", messages, max_tokens=max_tokens, least_tokens=max_tokens
        )
    except (ModelError, BudgetError) as error:
        return replace(answer, second=""), (f"answer: no second answer to compare: {error}",)
    text = aligned_text(reply)
    if not text.strip():
        return replace(answer, second=""), ("answer: the second answer is empty",)
    return replace(answer, second=text), ()
