"""Answer: the evidence and the question to a cited text, or to a refusal."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from research_agent.core.answer_length import wants_more
from research_agent.core.asked_value import asked_value
from research_agent.core.budget import Allowance
from research_agent.core.claims import bare
from research_agent.core.entropy import yes_or_no
from research_agent.core.evidence import Evidence, place, render_evidence
from research_agent.core.passages import Passage, as_evidence, explains_nothing, looked_up
from research_agent.core.question_words import ENGLISH, QuestionWords
from research_agent.core.refusals import REFUSAL, Refused, is_refusal
from research_agent.core.sentences import sentence_spans
from research_agent.core.types import Message, Outcome, TraceEvent
from research_agent.core.verification import Answer
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import AnswerSettings, VerifySettings
from research_agent.steps.answer.keeping import kept_for
from research_agent.steps.answer.passages import choose_passages
from research_agent.steps.answer.repairing import Repairing
from research_agent.steps.answer.rewriting import Rewriting
from research_agent.steps.answer.sampling import with_second
from research_agent.steps.answer.scoping import out_of_scope
from research_agent.steps.answer.scoring import PassageJudge
from research_agent.steps.answer.siding import with_both_sides
from research_agent.steps.answer.writing import (
    extracted,
    failed,
    not_asked,
    shortened_answer,
    written_by,
)

VERIFY = VerifySettings()


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
    verify: VerifySettings = VERIFY,
    faulty: Sequence[str] = (),
) -> Outcome[Answer]:
    """Return the answer with its tokens, and whether the evidence answers the question.

    Without evidence no model is asked, and neither with the evidence of the `earlier` round: the
    answer would be the same; nor where the evidence names nothing that the question names, or the
    document named has no algorithm or table of the number asked for. With
    `refusal: check` a yes/no question about the answer decides about a refusal, because
    small models refuse too much where the prompt allows it. Both prompts begin alike, so a server
    reads the evidence once.

    With `repair: reask` the sentences that nothing supports are asked for once more, before that
    question. With two `verify.samples` a second answer is asked for where the first has no
    log-probabilities. Of an `earlier` answer with `faulty` sentences beside others, those alone are
    written again where `verify.regenerate` says so.

    The value says so where the budget did not pay the answer, or where it failed after an
    `earlier` one was written. Raises ModelError where the first answer fails.
    """
    keys = tuple(item.key for item in evidence)
    if not evidence or keys == earlier.keys:
        return not_asked(earlier)
    if elsewhere := out_of_scope(question, evidence, ports, words):
        event = TraceEvent(notes=(f"answer: {elsewhere}",))
        return Outcome(Answer(REFUSAL, keys=keys, refused="wrong_scope"), event)
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    work = _Work(question, evidence, words, meter, ports, prompts, settings, verify)
    try:
        again = work.rewritten(earlier, faulty)
        written, notes = again or work.answered()
        if again and written == earlier:
            return Outcome(replace(earlier, keys=keys), TraceEvent(meter.calls, notes))
        if is_refusal(written.text):
            written = replace(written, refused="insufficient_evidence")
        else:
            written, more = work.repaired(written) if not again else (written, ())
            notes += more
            if work.checked:
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
    words: Sequence[QuestionWords]
    meter: Meter
    ports: Ports
    prompts: Prompts
    settings: AnswerSettings
    verify: VerifySettings

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
            return extracted(shown), ("answer: shown as it stands in the document",)
        if mode == "extractive":
            return extracted(self._passages), self._judge.notes
        asked, most = self._asked, self.settings.max_tokens
        written, notes = written_by(self.meter, self.ports.answerer, asked, most)
        written, cut = self._short(written)
        notes += self._judge.notes
        if mode != "auto" or is_refusal(written.text):
            return written, (*notes, *cut)
        if not self._explains_nothing(written):
            written, more = self._both_sides(written)
            return written, (*notes, *cut, *more)
        passages, note = self._in_its_place(written)
        cut = cut if passages is written else ()
        return passages, (*notes, *cut, *((note, *self._judge.notes) if note else ()))

    def _in_its_place(self, written: Answer) -> tuple[Answer, str]:
        """Return passages that stand for what was written, and a note; without them it stays."""
        try:
            passages = extracted(self._passages)
        except ModelError as error:
            return written, f"answer: what was written explains nothing; no passages: {error}"
        if passages.refused:
            return written, ""
        return passages, "answer: what was written explains nothing; passages stand for it"

    def repaired(self, answer: Answer) -> Noted:
        """Have unsupported sentences written again, where the settings say so; never raises."""
        if self.settings.repair != "reask":
            return answer, ()
        repairing = Repairing(
            question=self.question,
            evidence=self.evidence,
            meter=self.meter,
            ports=self.ports,
            prompts=self.prompts,
            settings=self.settings,
            min_support=self.verify.min_support,
        )
        return repairing.repaired(answer)

    def rewritten(self, earlier: Answer, faulty: Sequence[str]) -> Noted | None:
        """Return `earlier` with its faulty sentences written again; None: all has to be."""
        if not faulty or self.verify.regenerate != "sentence":
            return None
        evidence, shown, with_ = self.evidence, self._shown, (self.meter, self.ports, self.prompts)
        asking = Rewriting(self.question, evidence, shown, self._system, *with_, self.settings)
        return asking.rewritten(earlier, faulty, min_support=self.verify.min_support)

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
            judge=self._judge if self.settings.passages_by == "model" else None,
        )

    @cached_property
    def _kept(self) -> Allowance:
        """What stays for the answer and its check while passages are judged."""
        return kept_for(
            f"{render_evidence(self.evidence)}\n{self.question}",
            meter=self.meter,
            count=self.ports.tokenizer.count,
            settings=self.settings,
            is_written=self.settings.mode != "select_then_write",
        )

    @cached_property
    def _judge(self) -> PassageJudge:
        return PassageJudge(
            self.question,
            self.ports.verifier,
            self.prompts.relevant,
            self.meter,
            self.settings.passages_judged,
            lambda: self._kept,
            {item.key: place(item.hit.chunk) for item in self.evidence},
        )

    def _short(self, written: Answer) -> Noted:
        more = wants_more(self.question, self.words)
        return shortened_answer(written, 0 if more else self.settings.max_words)

    @property
    def _asked(self) -> list[Message]:
        """What the model is asked for an answer with."""
        user = self.prompts.answer_user.render(evidence=self._shown, question=self.question)
        return [self._system, Message("user", user)]

    def with_second(self, answer: Answer) -> Noted:
        """Return an answer with a second one to compare it with; never raises."""
        sampler = self.ports.sampler
        if self.verify.samples == 1 or sampler is None:
            return answer, ()
        return with_second(
            answer,
            self._asked,
            meter=self.meter,
            sampler=sampler,
            max_tokens=self.settings.max_tokens,
            as_shown=self._as_shown,
        )

    def _as_shown(self, second: str) -> str:
        """Return a second answer as the first one is shown: not longer, and with both sides."""
        if is_refusal(second):
            return second
        short, _ = self._short(Answer(second))
        return (self._both_sides(short)[0] if self.settings.mode == "auto" else short).text

    def _both_sides(self, written: Answer) -> Noted:
        return with_both_sides(
            self.question,
            written,
            self.evidence,
            words=self.words,
            embedder=self.ports.embedder,
            min_support=self.verify.min_support,
            max_words=self.settings.passage_words,
        )

    def _explains_nothing(self, written: Answer) -> bool:
        if asked_value(self.question):
            return False
        sentences = [bare(written.text[a:b]) for a, b in sentence_spans(written.text)]
        least = self.settings.min_new
        return explains_nothing(self.question, sentences, least=least, words=self.words)
