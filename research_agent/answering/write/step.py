"""Answer: the evidence and the question to a cited text, or to a refusal."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

from research_agent.answering.write.passages import as_answer, best_passage, looked_up
from research_agent.answering.write.rewriting import (
    LEAST_TOKENS,
    Rewriting,
    aligned_text,
    token_slice,
)
from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError, ModelReplyError
from research_agent.text.missing_parts import read_missing
from research_agent.types import REFUSAL, Message, Outcome, Refused, TraceEvent
from research_agent.types.budget import BUDGET_STOPS
from research_agent.types.evidence import Evidence, render_evidence
from research_agent.types.question_plan import asked_apart, compared_things
from research_agent.types.uncertainty import unusable_tokens
from research_agent.types.verification import CUT, Answer

AnswerWithNotes = tuple[Answer, tuple[str, ...]]
"""An answer and notes for the trace."""

YES = 0.5
"""P(yes) from which a model says yes."""


def answer_question(
    question: str,
    evidence: Sequence[Evidence],
    earlier: Answer,
    context: StepContext,
    faulty: Sequence[str] = (),
) -> Outcome[Answer]:
    """Return the answer with its tokens, and whether the evidence answers the question.

    No model is asked without new evidence. `faulty` sentences of the `earlier` answer are written
    again alone with `verify.regenerate: sentence`. The value says where the budget did not pay the
    answer, or it failed after an earlier one. Raises ModelError where the first answer fails.
    """
    keys = tuple(item.key for item in evidence)
    if not evidence or keys == earlier.keys:
        if not earlier.keys:
            return Outcome(Answer(REFUSAL, refused="no_evidence"))
        event = TraceEvent(notes=("answer: no new evidence, not asked again",))
        return Outcome(replace(earlier, repeated=True), event)
    writing, meter = _Writing(question, evidence, context), context.meter
    try:
        again = writing.rewritten(earlier, faulty)
        written, notes = again or writing.answered()
        if again and written == earlier:
            return Outcome(replace(earlier, keys=keys), TraceEvent(meter.calls, notes))
        if not written.refused and context.settings.refuses_by == "check":
            written, more = writing.checked(written)
            notes += more
        written, more = writing.with_second(written)
        notes += more
    except (ModelError, BudgetError) as error:
        return Outcome(_failed(error, earlier), TraceEvent(meter.calls, (f"answer: {error}",)))
    return Outcome(replace(written, keys=keys), TraceEvent(meter.calls, notes))


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


@dataclass(frozen=True)
class _Writing:
    question: str
    evidence: Sequence[Evidence]
    context: StepContext

    def rewritten(self, earlier: Answer, faulty: Sequence[str]) -> AnswerWithNotes | None:
        if not faulty or self.context.settings.verify.regenerate != "sentence":
            return None
        asking = Rewriting(self.question, self.evidence, self.context)
        return asking.rewritten(earlier, faulty)

    def answered(self) -> AnswerWithNotes:
        """Return the model's answer, an algorithm that is asked for, or passages for a comparison.

        Raises ModelError, BudgetError.
        """
        if shown := looked_up(self.question, self.evidence):
            note = "answer: shown as it stands in the document"
            return Answer(as_answer([shown]), form="passages"), (note,)
        written, notes = self._written()
        parsed = read_missing(written.text)
        if not parsed.missing and parsed.text == written.text.strip():
            return written, notes
        if parsed.is_refusal:
            refusal = replace(written, missing=parsed.missing, refused="insufficient_evidence")
            instead, more = self._compared(refusal)
            return instead, (*notes, *more)
        at = written.text.find(parsed.text)
        spelled = "".join(token.text for token in written.tokens) == written.text and at >= 0
        tokens = token_slice(written.tokens, at, at + len(parsed.text)) if spelled else ()
        return replace(written, text=parsed.text, tokens=tokens, missing=parsed.missing), notes

    def _written(self) -> AnswerWithNotes:
        """Return what the model writes, and a note where it was cut."""
        meter, most = self.context.meter, self.context.settings.answer.max_tokens
        model, messages = self.context.ports.answerer, self._messages(self.evidence)
        reply = meter.ask(model, "answer", messages, max_tokens=most, least_tokens=LEAST_TOKENS)
        text = aligned_text(reply)
        cut = reply.finish_reason == "length"
        if not text.strip():
            end = "was cut before its answer began" if cut else "wrote an empty answer"
            first = "Raise answer.max_tokens: reasoning counts too" if cut else "Ask again"
            raise ModelReplyError(
                f"the model {end}", hint=f"{first}; or name another model: models.answer"
            )
        if not cut:
            return Answer(text, reply.tokens), ()
        limit = "what is left of budget.tokens" if meter.granted < most else "answer.max_tokens"
        if 0 < reply.cost.completion_tokens < meter.granted:
            limit = "a limit of the model server's own"
        return Answer(text, reply.tokens), (f"{CUT}{limit}",)

    def _compared(self, refusal: Answer) -> AnswerWithNotes:
        embedder = self.context.ports.embedder
        things = compared_things(self.question)
        try:
            asked = zip(asked_apart(self.question, things), things, strict=True) if things else ()
            found = [best_passage(one, thing, self.evidence, embedder) for one, thing in asked]
        except ModelError as error:
            return refusal, (f"answer: no passages on what is compared: {error}",)
        passages = [passage for passage in found if passage]
        if not things or len(passages) < len(found):
            return refusal, ()
        note = "answer: the model refused; passages on what is compared stand for its answer"
        return Answer(as_answer(passages), form="passages"), (note,)

    def checked(self, answer: Answer) -> AnswerWithNotes:
        """Refuse an answer that the evidence does not support, by the model and the cross-encoder.

        Without a verdict the answer counts as unchecked; without log-probabilities the word
        decides.
        """
        context, shown = self.context, render_evidence(self.evidence)
        asked = context.prompts.answerable.render(
            evidence=shown, question=self.question, answer=answer.text.strip()
        )
        messages = [self._system, Message("user", asked)]
        try:
            verdict = context.meter.ask_yes_no(context.ports.verifier, "verifier", messages)
        except (ModelError, BudgetError) as error:
            return replace(answer, unchecked=True), (f"answer: not checked: {error}",)
        if verdict.probability is None:
            note = "answer: the check gave neither yes nor no"
            return replace(answer, unchecked=True), (note,)
        answerable, is_refused = verdict.probability, verdict.probability < YES
        if verdict.measured:
            texts = pieces([item.hit.chunk.text for item in self.evidence])
            nearest = max(context.ports.pairs.relevance(self.question, texts))
            answerable = answerability(answerable, nearest)
            least = context.settings.answer.min_answerable
            is_refused = answerable < least or (is_refused and least > 0)
        refused: Refused = "insufficient_evidence" if is_refused else ""
        return replace(answer, answerable=answerable, refused=refused), ()

    def with_second(self, answer: Answer) -> AnswerWithNotes:
        """Return an answer with a second one, if it has no usable log-probabilities; never raises.

        The second reads the evidence in the reverse order, else a model without temperature, or a
        cache, would repeat the first. It is asked for at full length only.
        """
        sampler, most = self.context.ports.sampler, self.context.settings.answer.max_tokens
        if self.context.settings.verify.samples == 1 or sampler is None:
            return answer, ()
        answer = replace(answer, second=None)
        if answer.form != "written" or answer.refused:
            return answer, ()
        if not unusable_tokens(answer.text, answer.tokens):
            return answer, ()
        messages = self._messages(self.evidence[::-1])
        try:
            reply = self.context.meter.ask(
                sampler, "answer", messages, max_tokens=most, least_tokens=most
            )
        except (ModelError, BudgetError) as error:
            return replace(answer, second=""), (f"answer: no second answer to compare: {error}",)
        text = aligned_text(reply)
        if not text.strip():
            return replace(answer, second=""), ("answer: the second answer is empty",)
        return replace(answer, second=text), ()

    @property
    def _system(self) -> Message:
        prompt = self.context.prompts.answering(self.context.settings.refuses_by)
        return Message("system", prompt.render())

    def _messages(self, evidence: Sequence[Evidence]) -> list[Message]:
        """Return the messages that ask for an answer; those of a later check begin alike."""
        prompts, by_check = self.context.prompts, self.context.settings.refuses_by == "check"
        prompt = prompts.answer_user if by_check else prompts.answer_user_refusing
        user = prompt.render(evidence=render_evidence(evidence), question=self.question)
        return [self._system, Message("user", user)]


YES_WEIGHT, RELEVANCE, BIAS = 3.69, 0.218, -3.149
"""Of P(yes), of the largest logit, and alone."""
WIDTH, STEP = 900, 700
"""Characters of a piece of a text that the cross-encoder reads, and from one to the next."""
MOST = 5


def answerability(yes: float, relevance: float) -> float:
    """Return how likely the evidence answers a question, 0 to 1.

    `yes` is the model's probability that the evidence supports its answer, `relevance` the largest
    logit of the question and a piece of the evidence.
    """
    return 1.0 / (1.0 + exp(-(YES_WEIGHT * yes + RELEVANCE * relevance + BIAS)))


def pieces(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the overlapping pieces of texts that are compared with a question."""
    return tuple(
        text[start : start + WIDTH]
        for text in texts
        for start in range(0, min(max(len(text), 1), MOST * STEP), STEP)
    )
