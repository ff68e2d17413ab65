"""Answer: the evidence and the question to a cited text, or to a refusal."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.core.budget import BUDGET_STOPS, Allowance
from research_agent.core.entropy import yes_or_no
from research_agent.core.evidence import Evidence, render_evidence
from research_agent.core.named_things import is_out_of_scope
from research_agent.core.refusals import REFUSAL, Refused, is_refusal
from research_agent.core.types import Completion, Message, Outcome, TraceEvent
from research_agent.core.verification import Answer
from research_agent.errors import BudgetError, ModelError, ModelReplyError
from research_agent.metering import Meter
from research_agent.ports import ChatModel, Ports
from research_agent.prompts import Prompts
from research_agent.settings import AnswerSettings

LEAST_TOKENS = 16
"""A shorter answer is not asked for."""


def answer_question(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    evidence: Sequence[Evidence],
    earlier: Answer,
    *,
    allowance: Allowance,
    ports: Ports,
    prompts: Prompts,
    settings: AnswerSettings,
) -> Outcome[Answer]:
    """Return the model's answer with its tokens, and whether the evidence answers the question.

    Without evidence no model is asked, and neither with the evidence of the `earlier` round: the
    answer would be the same; nor where the evidence names nothing that the question names. With
    `refusal: check` a yes/no question about the written answer decides about a refusal, because
    small models refuse too much where the prompt allows it. Both prompts begin alike, so a server
    reads the evidence once.

    The value says so where the budget did not pay the answer, or where it failed after an
    `earlier` one was written. Raises ModelError where the first answer fails.
    """
    keys = tuple(item.key for item in evidence)
    if not evidence or keys == earlier.keys:
        return _not_asked(earlier)
    if is_out_of_scope(question, evidence, ports.documents):
        event = TraceEvent(notes=("answer: the evidence names nothing that the question names",))
        return Outcome(Answer(REFUSAL, keys=keys, refused="wrong_scope"), event)
    checked = settings.refusal == "check"
    prompt = prompts.answer_system if checked else prompts.answer_system_refusing
    system, shown = Message("system", prompt.render()), render_evidence(evidence)
    user = Message("user", prompts.answer_user.render(evidence=shown, question=question))
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    try:
        written, notes = _written(meter, ports.answerer, [system, user], settings.max_tokens)
    except (ModelError, BudgetError) as error:
        return Outcome(_failed(error, earlier), TraceEvent(meter.calls, (f"answer: {error}",)))
    written = replace(written, keys=keys)
    if is_refusal(written.text):
        written = replace(written, refused="insufficient_evidence")
    elif checked:
        said = written.text.strip()
        asked = prompts.answerable.render(evidence=shown, question=question, answer=said)
        messages = [system, Message("user", asked)]
        written, why = _judged(written, messages, meter, ports.verifier, settings.min_answerable)
        notes += why
    return Outcome(written, TraceEvent(meter.calls, notes))


def _not_asked(earlier: Answer) -> Outcome[Answer]:
    """Return the answer of the `earlier` round once more; a refusal where there is none."""
    if not earlier.keys:
        return Outcome(Answer(REFUSAL, refused="no_evidence"))
    event = TraceEvent(notes=("answer: no new evidence, not asked again",))
    return Outcome(replace(earlier, repeated=True), event)


def _written(
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


def _failed(error: ModelError | BudgetError, earlier: Answer) -> Answer:
    """Return an answer that says why it was not written; raises `error` where it is the first.

    A budget that is spent is no error: without an answer before, it is a refusal.
    """
    if isinstance(error, BudgetError):
        refused: Refused = "" if earlier.text else "budget"
        return Answer(refused=refused, failed=BUDGET_STOPS[error.which])
    if not earlier.text:
        raise error
    return Answer(failed="error")


def _judged(
    written: Answer, messages: Sequence[Message], meter: Meter, model: ChatModel, least: float
) -> tuple[Answer, tuple[str, ...]]:
    """Refuse what the model says the evidence does not answer; without a verdict nothing is."""
    try:
        answerable = yes_or_no(meter.ask(model, "verifier", messages, max_tokens=1))
    except (ModelError, BudgetError) as error:
        return replace(written, unchecked=True), (f"answer: not checked: {error}",)
    if answerable is None:
        note = "answer: the check gave neither yes nor no"
        return replace(written, unchecked=True), (note,)
    refused: Refused = "insufficient_evidence" if answerable < least else ""
    return replace(written, answerable=answerable, refused=refused), ()


def aligned_text(reply: Completion) -> str:
    """Return the reply's text so that its tokens lie on it, character by character.

    Servers strip the text but not the tokens.
    """
    joined = "".join(token.text for token in reply.tokens)
    return joined if joined.strip() == reply.text.strip() else reply.text
