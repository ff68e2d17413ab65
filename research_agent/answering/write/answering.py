"""Answer: the evidence and the question to a cited text, or to a refusal."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from research_agent.answering.rewriting import token_slice
from research_agent.answering.write.answerability import answerability, pieces
from research_agent.answering.write.passages import choose_passages
from research_agent.answering.write.passages_of_evidence import Passage, as_evidence, looked_up
from research_agent.answering.write.reserve_budget import kept_for
from research_agent.answering.write.rewriting import Rewriting
from research_agent.answering.write.sampling import with_second
from research_agent.answering.write.scoring import PassageJudge
from research_agent.answering.write.writing import extracted, failed, not_asked, written_by
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import Settings
from research_agent.text.missing_parts import read_missing
from research_agent.types import Message, Outcome, Token, TraceEvent
from research_agent.types.budget import Allowance
from research_agent.types.entropy import yes_or_no
from research_agent.types.evidence import Evidence, place, render_evidence
from research_agent.types.question_plan import asked_apart, compared_things
from research_agent.types.refusals import Refused
from research_agent.types.verification import Answer


def answer_question(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    evidence: Sequence[Evidence],
    earlier: Answer,
    *,
    allowance: Allowance,
    ports: Ports,
    prompts: Prompts,
    settings: Settings,
    faulty: Sequence[str] = (),
) -> Outcome[Answer]:
    """Return the answer with its tokens, and whether the evidence answers the question.

    Without evidence no model is asked, and neither with the evidence of the `earlier` round: the
    answer would be the same. Where refusals are decided by a check, a yes/no question about the
    answer does so, because small models refuse too much where the prompt allows it; both prompts
    begin alike, so a server reads the evidence once. Elsewhere the prompt says what to reply for
    what the evidence does not hold, and that is no part of the answer but of `missing`.

    With two `verify.samples` a second answer is asked for where the first has no
    log-probabilities. Of an `earlier` answer with `faulty` sentences beside others, those alone are
    written again where `verify.regenerate` says so.

    The value says so where the budget did not pay the answer, or where it failed after an
    `earlier` one was written. Raises ModelError where the first answer fails.
    """
    keys = tuple(item.key for item in evidence)
    if not evidence or keys == earlier.keys:
        return not_asked(earlier)
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    work = _Work(question, evidence, meter, ports, prompts, settings)
    try:
        again = work.rewritten(earlier, faulty)
        written, notes = again or work.answered()
        if again and written == earlier:
            return Outcome(replace(earlier, keys=keys), TraceEvent(meter.calls, notes))
        if not written.refused and work.checked:
            written, more = work.judged(written)
            notes += more
        written, more = work.with_second(written)
        notes += more
    except (ModelError, BudgetError) as error:
        return Outcome(failed(error, earlier), TraceEvent(meter.calls, (f"answer: {error}",)))
    return Outcome(replace(written, keys=keys), TraceEvent(meter.calls, notes))


Noted = tuple[Answer, tuple[str, ...]]
"""An answer and notes for the trace."""


@dataclass(frozen=True)
class _Work:
    """One run of the step."""

    question: str
    evidence: Sequence[Evidence]
    meter: Meter
    ports: Ports
    prompts: Prompts
    settings: Settings

    @property
    def checked(self) -> bool:
        """Whether a question about the answer decides about a refusal."""
        return self.settings.refuses_by == "check"

    def answered(self) -> Noted:
        """Return the answer in the form that the settings choose; raises ModelError, BudgetError.

        In mode "auto" an algorithm that is asked for is shown as it stands, and passages on each of
        several things that are compared stand for a refusal by the model.
        """
        mode = self.settings.answer.mode
        shown = () if mode == "abstractive" else self._looked_up()
        if shown:
            return extracted(shown), ("answer: shown as it stands in the document",)
        if mode == "extractive":
            return extracted(self._passages), self._judge.notes
        most = self.settings.answer.max_tokens
        written, notes = written_by(self.meter, self.ports.answerer, self._asked, most)
        written = _without_missing(written)
        notes += self._judge.notes
        if mode == "auto" and written.refused:
            instead, more = self._compared(written)
            return instead, (*notes, *more)
        return written, notes

    def rewritten(self, earlier: Answer, faulty: Sequence[str]) -> Noted | None:
        """Return `earlier` with its faulty sentences written again; None: all has to be."""
        if not faulty or self.settings.verify.regenerate != "sentence":
            return None
        asking = Rewriting(
            self.question,
            self.evidence,
            self._shown,
            self._system,
            self.meter,
            self.ports,
            self.prompts,
            self.settings,
        )
        return asking.rewritten(earlier, faulty)

    def judged(self, answer: Answer) -> Noted:
        """Refuse an answer that the evidence does not support, by the model and the cross-encoder.

        Never raises for a model: without a verdict nothing is refused, and the answer is told as
        unchecked. Without log-probabilities the model's yes or no decides alone.
        """
        asked = self.prompts.answerable.render(
            evidence=self._shown, question=self.question, answer=answer.text.strip()
        )
        messages = [self._system, Message("user", asked)]
        try:
            said = self.meter.ask(self.ports.verifier, "verifier", messages, max_tokens=1)
        except (ModelError, BudgetError) as error:
            return replace(answer, unchecked=True), (f"answer: not checked: {error}",)
        yes = yes_or_no(said)
        if yes is None:
            note = "answer: the check gave neither yes nor no"
            return replace(answer, unchecked=True), (note,)
        answerable = answerability(yes, self._relevance) if said.tokens else yes
        least = self.settings.answer.min_answerable if said.tokens else 0.5
        refused: Refused = "insufficient_evidence" if answerable < least else ""
        return replace(answer, answerable=answerable, refused=refused), ()

    @property
    def _relevance(self) -> float:
        """The largest logit of the question and a piece of the evidence."""
        texts = pieces([item.hit.chunk.text for item in self.evidence])
        return max(self.ports.pairs.relevance(self.question, texts))

    @property
    def _system(self) -> Message:
        return Message("system", self.prompts.answering(self.settings.refuses_by).render())

    @cached_property
    def _used(self) -> Sequence[Evidence]:
        """The evidence that the model reads."""
        narrowed: Sequence[Evidence] = ()
        if self.settings.answer.mode == "select_then_write":
            narrowed = as_evidence(self._passages, self.evidence)
        return narrowed or self.evidence

    @cached_property
    def _shown(self) -> str:
        """The evidence as the model reads it."""
        return render_evidence(self._used)

    def _looked_up(self) -> tuple[Passage, ...]:
        return looked_up(self.question, self.evidence, self.settings.retrieval.words)

    def _compared(self, refusal: Answer) -> Noted:
        """Return a passage on each thing that is compared, where there are some for all of them.

        Seed system 2 does so where its model refuses a comparison. Else the refusal stays.
        """
        things = compared_things(self.question, self.settings.retrieval.words)
        if not things:
            return refusal, ()
        asked = asked_apart(self.question, things)
        try:
            passages = [self._on(thing, one) for thing, one in zip(things, asked, strict=True)]
        except ModelError as error:
            return refusal, (f"answer: no passages on what is compared: {error}",)
        if not all(passages):
            return refusal, ()
        note = "answer: the model refused; passages on what is compared stand for its answer"
        return extracted([passage for some in passages for passage in some]), (note,)

    def _on(self, thing: str, asked: str) -> tuple[Passage, ...]:
        return choose_passages(
            asked,
            self.evidence,
            embedder=self.ports.embedder,
            most=1,
            max_words=self.settings.answer.passage_words,
            naming=thing,
        )

    @cached_property
    def _passages(self) -> tuple[Passage, ...]:
        answer = self.settings.answer
        return choose_passages(
            self.question,
            self.evidence,
            embedder=self.ports.embedder,
            most=answer.passages,
            max_words=answer.passage_words,
            judge=self._judge if answer.passages_by == "model" else None,
        )

    @cached_property
    def _kept(self) -> Allowance:
        """What stays for the answer and its check while passages are judged."""
        return kept_for(
            f"{render_evidence(self.evidence)}\n{self.question}",
            meter=self.meter,
            count=self.ports.tokenizer.count,
            settings=self.settings,
            is_written=self.settings.answer.mode != "select_then_write",
        )

    @cached_property
    def _judge(self) -> PassageJudge:
        return PassageJudge(
            self.question,
            self.ports.verifier,
            self.prompts.relevant,
            self.meter,
            self.settings.answer.passages_judged,
            lambda: self._kept,
            {item.key: place(item.hit.chunk) for item in self.evidence},
        )

    @property
    def _asked(self) -> list[Message]:
        """What the model is asked for an answer with."""
        return self._asking(self._shown)

    def _asking(self, evidence: str) -> list[Message]:
        prompts = self.prompts
        prompt = prompts.answer_user if self.checked else prompts.answer_user_refusing
        user = prompt.render(evidence=evidence, question=self.question)
        return [self._system, Message("user", user)]

    def with_second(self, answer: Answer) -> Noted:
        """Return an answer with a second one to compare it with; never raises.

        It reads the evidence in the reverse order: a model that ignores the temperature, or a
        cache, would only repeat the first answer, and an answer that depends on the order of the
        evidence is in doubt.
        """
        sampler = self.ports.sampler
        if self.settings.verify.samples == 1 or sampler is None:
            return answer, ()
        return with_second(
            answer,
            self._asking(render_evidence(self._used[::-1])),
            meter=self.meter,
            sampler=sampler,
            max_tokens=self.settings.answer.max_tokens,
        )


def _without_missing(answer: Answer) -> Answer:
    """Return an answer with what it says is missing told apart; a refusal where that is all."""
    said = read_missing(answer.text)
    if not said.missing:
        return answer
    if said.is_refusal:
        return replace(answer, missing=said.missing, refused="insufficient_evidence")
    return replace(
        answer, text=said.text, tokens=_spelling(answer, said.text), missing=said.missing
    )


def _spelling(answer: Answer, text: str) -> tuple[Token, ...]:
    """Return the tokens that spell `text`, where it is a part of the answer as it stands."""
    at = answer.text.find(text)
    spelled = "".join(token.text for token in answer.tokens) == answer.text
    return token_slice(answer.tokens, at, at + len(text)) if at >= 0 and spelled else ()
