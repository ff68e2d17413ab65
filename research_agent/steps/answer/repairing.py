"""Repair: sentences that nothing supports are asked for once more, all in one call."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from research_agent.core.claims import bare
from research_agent.core.evidence import Evidence, fenced, render_evidence
from research_agent.core.passages import (
    Passage,
    as_evidence,
    chosen_passages,
    passages_of,
    ranked_passages,
)
from research_agent.core.repair import (
    Change,
    Faulty,
    Repair,
    Rewritten,
    faulty_sentences,
    listed_problems,
    may_replace,
    plain,
    read_rewritten,
    rewritten,
    token_slice,
)
from research_agent.core.types import Completion, Message
from research_agent.core.unit_vectors import cosine
from research_agent.core.verification import Answer
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import AnswerSettings
from research_agent.steps.answer.aligning import aligned_text
from research_agent.steps.answer.keeping import kept_for

NEAR = 3
"""Passages that are shown for a sentence, and for the question."""
PASSAGE_WORDS = 100
"""Words of them at most, for each."""
SENTENCE_TOKENS = 80
"""Length of a sentence that is written again, at most."""
LEAST_TOKENS = 16


@dataclass(frozen=True, kw_only=True)
class Repairing:
    """One draft whose unsupported sentences are asked for again."""

    question: str
    evidence: Sequence[Evidence]
    meter: Meter
    ports: Ports
    prompts: Prompts
    settings: AnswerSettings
    min_support: float

    def repaired(self, answer: Answer) -> tuple[Answer, tuple[str, ...]]:
        """Return the answer with what could be mended, and a note where there was something.

        What was not written again so that the evidence supports it stays as it was. Never raises:
        without a reply the answer stays, and the note says why.
        """
        faulty = faulty_sentences(
            answer.text, self.evidence, min_support=self.min_support, asked=self.question
        )
        if not faulty or answer.form != "written":
            return answer, ()
        try:
            reply = self._reply(faulty, answer)
        except (ModelError, BudgetError) as error:
            return answer, (f"answer: unsupported sentences were not asked for again: {error}",)
        text = aligned_text(reply)
        found = read_rewritten(text, len(faulty), cut=reply.finish_reason == "length")
        mended, changes = self._changes(answer, faulty, found, reply)
        count = f"{len(mended)} of {len(faulty)}"
        note = f"answer: {count} unsupported sentences were written again and are supported"
        if not mended:
            return answer, (note,)
        own, tokens = rewritten(answer.text, answer.tokens, changes)
        return replace(answer, text=own, tokens=tokens, repairs=mended), (note,)

    def _reply(self, faulty: Sequence[Faulty], answer: Answer) -> Completion:
        """Ask for all of them at once, from the passages nearest to them."""
        evidence = as_evidence(self._nearest(faulty), self.evidence) or self.evidence
        asked = self.prompts.repair.render(
            evidence=render_evidence(evidence),
            question=self.question,
            sentences=fenced(listed_problems(faulty)),
        )
        messages = [Message("system", self.prompts.answer_system.render()), Message("user", asked)]
        most = min(self.settings.max_tokens, SENTENCE_TOKENS * len(faulty))
        read = f"{render_evidence(self.evidence)}\n{self.question}\n{answer.text}"
        return self.meter.ask(
            self.ports.answerer,
            "answer",
            messages,
            max_tokens=most,
            least_tokens=LEAST_TOKENS,
            kept=kept_for(
                read, meter=self.meter, count=self.ports.tokenizer.count, settings=self.settings
            ),
        )

    def _nearest(self, faulty: Sequence[Faulty]) -> tuple[Passage, ...]:
        """Return the passages nearest to each sentence and to the question, as they stand."""
        passages = passages_of(self.evidence)
        if not passages:
            return ()
        wanted = [self.question, *(one.claim.text for one in faulty)]
        texts = [*wanted, *(passage.readable for passage in passages)]
        vectors = self.ports.embedder.embed(texts)
        own, theirs = vectors[: len(wanted)], vectors[len(wanted) :]
        chosen = set[Passage]()
        for text, vector in zip(wanted, own, strict=True):
            similarities = [cosine(vector, other) for other in theirs]
            ranked = ranked_passages(text, passages, similarities)
            best = chosen_passages(ranked, most=NEAR, max_words=PASSAGE_WORDS)
            chosen |= {replace(passage, score=0.0) for passage in best}
        return tuple(sorted(chosen, key=lambda passage: (passage.rank, passage.start)))

    def _changes(
        self,
        answer: Answer,
        faulty: Sequence[Faulty],
        found: dict[int, Rewritten],
        reply: Completion,
    ) -> tuple[tuple[Repair, ...], list[Change]]:
        """Return what may take the place of what, no sentence twice."""
        aligned = "".join(token.text for token in reply.tokens) == aligned_text(reply)
        repairs: list[Repair] = []
        changes: list[Change] = []
        said: set[str] = set()
        for number, one in enumerate(faulty, 1):
            new = found.get(number)
            if new is None or plain(bare(new.text)) in said or not self._fits(new, one, answer):
                continue
            words = bare(new.text)
            said.add(plain(words))
            repairs.append(Repair(words, one.claim.text))
            (start, end), *again = one.spans
            tokens = token_slice(reply.tokens, new.start, new.end) if aligned else ()
            changes.append((start, end, new.text, tokens))
            changes += [(first, last, "", ()) for first, last in again]
        return tuple(repairs), changes

    def _fits(self, new: Rewritten, one: Faulty, answer: Answer) -> bool:
        return may_replace(
            new.text,
            one.claim,
            question=self.question,
            draft=answer.text,
            evidence=self.evidence,
            min_support=self.min_support,
            min_new=self.settings.min_new,
        )
