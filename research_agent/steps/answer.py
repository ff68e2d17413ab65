"""Answer: the evidence and the question to a cited text, or to a refusal."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.core.entropy import yes_or_no
from research_agent.core.evidence import Evidence, render_evidence
from research_agent.core.types import Completion, Message, ModelCall, Outcome, TraceEvent
from research_agent.core.verification import REFUSAL, Answer, is_refusal
from research_agent.errors import ModelReplyError
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import AnswerSettings


def answer_question(
    question: str,
    evidence: Sequence[Evidence],
    earlier: Answer,
    *,
    ports: Ports,
    prompts: Prompts,
    settings: AnswerSettings,
) -> Outcome[Answer]:
    """Return the model's answer with its tokens, and whether the evidence answers the question.

    Without evidence no model is asked, and with the evidence of the `earlier` round neither:
    the answer would be the same. With `refusal: check` the writing prompt has no refusal clause
    (small models refuse too much with one); a yes/no question about the written answer decides
    instead. Both prompts begin alike, so a server reads the evidence once.
    """
    keys = tuple(item.key for item in evidence)
    if not evidence:
        return Outcome(Answer(REFUSAL, refused="no_evidence"))
    if keys == earlier.keys:
        event = TraceEvent(notes=("answer: no new evidence, not asked again",))
        return Outcome(replace(earlier, repeated=True), event)
    checked = settings.refusal == "check"
    prompt = prompts.answer_system if checked else prompts.answer_system_refusing
    system, shown = Message("system", prompt.render()), render_evidence(evidence)
    user = Message("user", prompts.answer_user.render(evidence=shown, question=question))
    reply = ports.answerer.complete("answer", [system, user], max_tokens=settings.max_tokens)
    notes: tuple[str, ...] = ()
    if reply.finish_reason == "length":
        notes = ("answer: cut at answer.max_tokens",)
    written = Answer(aligned_text(reply), reply.tokens, keys)
    if not written.text.strip():
        raise ModelReplyError(
            "the model's answer is empty", hint="Ask again, or name another model: models.answer"
        )
    if is_refusal(written.text):
        refused = replace(written, refused="model_refused")
        return Outcome(refused, TraceEvent((reply.cost,), notes))
    if not checked:
        return Outcome(written, TraceEvent((reply.cost,), notes))
    asked = prompts.answerable.render(
        evidence=shown, question=question, answer=written.text.strip()
    )
    verdict = ports.verifier.complete("verifier", [system, Message("user", asked)], max_tokens=1)
    calls = (reply.cost, verdict.cost)
    return _judged(written, verdict, calls, notes, settings.min_answerable)


def _judged(
    written: Answer,
    verdict: Completion,
    calls: tuple[ModelCall, ...],
    notes: tuple[str, ...],
    least: float,
) -> Outcome[Answer]:
    """Refuse what the model says the evidence does not answer; without a verdict nothing is."""
    answerable = yes_or_no(verdict)
    if answerable is None:
        notes = (*notes, "answer: the check gave neither yes nor no")
    low = answerable is not None and answerable < least
    judged = replace(written, answerable=answerable, refused="not_answerable" if low else "")
    return Outcome(judged, TraceEvent(calls, notes))


def aligned_text(reply: Completion) -> str:
    """Return the reply's text so that its tokens lie on it, character by character.

    Servers strip the text but not the tokens.
    """
    joined = "".join(token.text for token in reply.tokens)
    return joined if joined.strip() == reply.text.strip() else reply.text
