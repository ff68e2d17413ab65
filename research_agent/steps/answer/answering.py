"""Answer: the evidence and the question to a cited text, or to a refusal."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from research_agent.core.asked_value import asked_value
from research_agent.core.budget import BUDGET_STOPS, Allowance
from research_agent.core.claims import bare
from research_agent.core.entropy import yes_or_no
from research_agent.core.evidence import Evidence, render_evidence
from research_agent.core.named_things import is_out_of_scope
from research_agent.core.passages import (
    Passage,
    as_answer,
    as_evidence,
    explains_nothing,
    looked_up,
)
from research_agent.core.question_plan import asked_apart, compared_things
from research_agent.core.question_words import ENGLISH, QuestionWords
from research_agent.core.refusals import REFUSAL, Refused, is_refusal
from research_agent.core.sentences import sentence_spans
from research_agent.core.sides import unnamed
from research_agent.core.types import Completion, Message, Outcome, Token, TraceEvent
from research_agent.core.verification import Answer
from research_agent.errors import BudgetError, ModelError, ModelReplyError
from research_agent.metering import Meter
from research_agent.ports import ChatModel, Ports
from research_agent.prompts import Prompts
from research_agent.settings import AnswerSettings
from research_agent.steps.answer.passages import choose_passages

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
    words: Sequence[QuestionWords] = (ENGLISH,),
) -> Outcome[Answer]:
    """Return the answer with its tokens, and whether the evidence answers the question.

    Without evidence no model is asked, and neither with the evidence of the `earlier` round: the
    answer would be the same; nor where the evidence names nothing that the question names. With
    `refusal: check` a yes/no question about the answer decides about a refusal, because
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
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    work = _Work(question, evidence, words, meter, ports, prompts, settings)
    try:
        written, notes = work.answered()
        if is_refusal(written.text):
            written = replace(written, refused="insufficient_evidence")
        elif work.checked:
            written, more = work.judged(written)
            notes += more
    except (ModelError, BudgetError) as error:
        return Outcome(_failed(error, earlier), TraceEvent(meter.calls, (f"answer: {error}",)))
    return Outcome(replace(written, keys=keys), TraceEvent(meter.calls, notes))


Noted = tuple[Answer, tuple[str, ...]]
"""An answer and notes for the trace."""


@dataclass(frozen=True)
class _Work:
    """One run of the step."""

    question: str
    evidence: Sequence[Evidence]
    words: Sequence[QuestionWords]
    meter: Meter
    ports: Ports
    prompts: Prompts
    settings: AnswerSettings

    @property
    def checked(self) -> bool:
        """Whether a question about the answer decides about a refusal."""
        return self.settings.refusal == "check"

    def answered(self) -> Noted:
        """Return the answer in the form that the settings choose; raises ModelError, BudgetError.

        In mode "auto" an algorithm that is asked for is shown as it stands, and what explains
        nothing gives way to passages.
        """
        mode = self.settings.mode
        shown = () if mode == "abstractive" else self._looked_up()
        if shown:
            return _extracted(shown), ("answer: shown as it stands in the document",)
        if mode == "extractive":
            return _extracted(self._passages), ()
        written, notes = self._written()
        if mode != "auto" or is_refusal(written.text):
            return written, notes
        if not self._explains_nothing(written):
            written, more = self._both_sides(written)
            return written, (*notes, *more)
        passages = _extracted(self._passages)
        if passages.refused:
            return written, notes
        note = "answer: what was written explains nothing; passages stand for it"
        return passages, (*notes, note)

    def judged(self, answer: Answer) -> Noted:
        """Refuse what the model says the evidence does not answer; without a verdict nothing is.

        Never raises: an answer that could not be checked is told as such.
        """
        asked = self.prompts.answerable.render(
            evidence=self._shown, question=self.question, answer=answer.text.strip()
        )
        messages = [self._system, Message("user", asked)]
        try:
            said = self.meter.ask(self.ports.verifier, "verifier", messages, max_tokens=1)
        except (ModelError, BudgetError) as error:
            return replace(answer, unchecked=True), (f"answer: not checked: {error}",)
        answerable = yes_or_no(said)
        if answerable is None:
            note = "answer: the check gave neither yes nor no"
            return replace(answer, unchecked=True), (note,)
        is_low = answerable < self.settings.min_answerable
        refused: Refused = "insufficient_evidence" if is_low else ""
        return replace(answer, answerable=answerable, refused=refused), ()

    @property
    def _system(self) -> Message:
        prompts = self.prompts
        prompt = prompts.answer_system if self.checked else prompts.answer_system_refusing
        return Message("system", prompt.render())

    @cached_property
    def _shown(self) -> str:
        """The evidence as the model reads it."""
        narrowed: Sequence[Evidence] = ()
        if self.settings.mode == "select_then_write":
            narrowed = as_evidence(self._passages, self.evidence)
        return render_evidence(narrowed or self.evidence)

    def _looked_up(self) -> tuple[Passage, ...]:
        return looked_up(self.question, self.evidence, self.words)

    @cached_property
    def _passages(self) -> tuple[Passage, ...]:
        return choose_passages(
            self.question,
            self.evidence,
            embedder=self.ports.embedder,
            most=self.settings.passages,
            max_words=self.settings.passage_words,
        )

    def _written(self) -> Noted:
        user = self.prompts.answer_user.render(evidence=self._shown, question=self.question)
        messages = [self._system, Message("user", user)]
        return _written(self.meter, self.ports.answerer, messages, self.settings.max_tokens)

    def _both_sides(self, written: Answer) -> Noted:
        """Add a passage on each thing that the question compares and the answer leaves out."""
        things = compared_things(self.question, self.words)
        missing = unnamed(things, written.text)
        asked = dict(zip(things, asked_apart(self.question, things), strict=True))
        added = [passage for thing in missing for passage in self._passage_on(thing, asked[thing])]
        if not added:
            return written, ()
        more = f"\n{as_answer(added)}"
        tokens = (*written.tokens, Token(more, 0.0)) if written.tokens else ()
        note = f"answer: passages were added on {', '.join(missing)}"
        return replace(written, text=written.text + more, tokens=tokens), (note,)

    def _passage_on(self, thing: str, asked: str) -> tuple[Passage, ...]:
        """Return the passage that names `thing` and is nearest to the question about it alone."""
        return choose_passages(
            asked,
            self.evidence,
            embedder=self.ports.embedder,
            most=1,
            max_words=self.settings.passage_words,
            naming=thing,
        )

    def _explains_nothing(self, written: Answer) -> bool:
        if asked_value(self.question):
            return False
        sentences = [bare(written.text[a:b]) for a, b in sentence_spans(written.text)]
        return explains_nothing(self.question, sentences, least=self.settings.min_new)


def _extracted(passages: Sequence[Passage]) -> Answer:
    """Return passages as an answer; a refusal where there is none."""
    if not passages:
        return Answer(REFUSAL, refused="insufficient_evidence")
    return Answer(as_answer(passages), form="passages")


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


def aligned_text(reply: Completion) -> str:
    """Return the reply's text so that its tokens lie on it, character by character.

    Servers strip the text but not the tokens.
    """
    joined = "".join(token.text for token in reply.tokens)
    return joined if joined.strip() == reply.text.strip() else reply.text
