"""Write the doubtful sentences of an answer again, one by one; the others stay as they are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from research_agent.answering.rewriting import Change, rewritten, token_slice
from research_agent.answering.write.aligning import aligned_text
from research_agent.answering.write.reserve_budget import kept_for
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import Settings
from research_agent.text.missing_parts import read_missing
from research_agent.text.quote_search import best_quotes
from research_agent.text.sentences import sentence_spans
from research_agent.types import Message
from research_agent.types.claims import bare, plain
from research_agent.types.evidence import Evidence, fenced
from research_agent.types.verification import Answer

SENTENCE_TOKENS = 120
"""Length of a sentence that is written again, at most."""
LEAST_TOKENS = 16
MOST = 4
"""Sentences that are asked for again; with more, the whole answer is."""
Span = tuple[int, int]


@dataclass(frozen=True)
class Rewriting:
    """One answer of an earlier round, and the evidence that there is now."""

    question: str
    evidence: Sequence[Evidence]
    shown: str
    """The evidence as the model reads it."""
    system: Message
    meter: Meter
    ports: Ports
    prompts: Prompts
    settings: Settings

    def rewritten(
        self, earlier: Answer, faulty: Sequence[str]
    ) -> tuple[Answer, tuple[str, ...]] | None:
        """Return the `earlier` answer with its `faulty` sentences written again, and a note.

        A sentence stays as it was unless the evidence holds at least as much of the new one; all
        others are kept character by character. None where the whole answer has to be written: it
        is no model's, no sentence of it is without fault, or too many are not. Raises ModelError
        and BudgetError where not even the first sentence could be asked for.
        """
        places = _places(earlier.text, faulty)
        kept = _without(earlier.text, places)
        if earlier.form != "written" or not 0 < len(places) <= MOST or not _says(kept):
            return None
        changes: list[Change] = []
        notes = tuple[str, ...]()
        for asked, ((start, end), *repeats) in enumerate(places.values()):
            try:
                said = "\n".join((kept, *(new for _, _, new, _ in changes)))
                change = self._change(earlier.text, (start, end), said)
            except (ModelError, BudgetError) as error:
                if not asked:
                    raise
                notes = (f"answer: not every doubtful sentence was asked for: {error}",)
                break
            if change:
                changes += [change, *((first, last, "", ()) for first, last in repeats)]
        count = sum(bool(new) for _, _, new, _ in changes)
        told = f"answer: {count} of {len(places)} doubtful sentences were written again"
        text, tokens = rewritten(earlier.text, earlier.tokens, changes)
        again = tuple(
            bare(new)
            for start, end, new, _ in changes
            if new and plain(bare(new)) != plain(bare(earlier.text[start:end]))
        )
        answer = replace(
            earlier,
            text=text,
            tokens=tokens,
            unchecked=False,
            rewritten=(*earlier.rewritten, *again),
            second=None,
        )
        return answer if changes else earlier, (told, *notes)

    def _change(self, text: str, span: Span, kept: str) -> Change | None:
        """Ask for one sentence; None where what was written must not take its place."""
        doubted = bare(text[slice(*span)])
        asked = self.prompts.rewrite_sentence.render(
            evidence=self.shown,
            question=self.question,
            kept=fenced(kept),
            sentence=fenced(doubted),
        )
        reply = self.meter.ask(
            self.ports.answerer,
            "answer",
            [self.system, Message("user", asked)],
            max_tokens=min(self.settings.answer.max_tokens, SENTENCE_TOKENS),
            least_tokens=LEAST_TOKENS,
            kept=kept_for(
                f"{self.shown}\n{self.question}\n{text}",
                meter=self.meter,
                count=self.ports.tokenizer.count,
                settings=self.settings,
            ),
        )
        said = aligned_text(reply)
        aligned = "".join(token.text for token in reply.tokens) == said
        spans = sentence_spans(said)
        if reply.finish_reason == "length":
            spans = spans[:-1]
        for start, end in spans:
            if self._may_replace(said[start:end], doubted, kept):
                tokens = token_slice(reply.tokens, start, end) if aligned else ()
                return (*span, said[start:end], tokens)
        return None

    def _may_replace(self, sentence: str, doubted: str, kept: str) -> bool:
        """Return whether a sentence is new, no refusal, and as near to the evidence as the old."""
        words = bare(sentence)
        known = {plain(bare(kept[start:end])) for start, end in sentence_spans(kept)}
        if not _says(words) or plain(words) in known or read_missing(sentence).missing:
            return False
        return self._held(words) >= self._held(doubted)

    def _held(self, sentence: str) -> float:
        """Return the largest share of a sentence's words that a quote of the evidence holds."""
        quotes = (best_quotes(sentence, item.hit.chunk) for item in self.evidence)
        return max((quote.score for found in quotes for quote in found), default=0.0)


def _places(text: str, faulty: Sequence[str]) -> dict[str, list[Span]]:
    """Return where each faulty sentence stands, in the order of the text."""
    wanted = {plain(sentence) for sentence in faulty}
    found: dict[str, list[Span]] = {}
    for start, end in sentence_spans(text):
        sentence = plain(bare(text[start:end]))
        if sentence in wanted:
            found.setdefault(sentence, []).append((start, end))
    return found


def _without(text: str, places: dict[str, list[Span]]) -> str:
    """Return the text without the sentences at these places."""
    left = {span for spans in places.values() for span in spans}
    kept = (text[start:end] for start, end in sentence_spans(text) if (start, end) not in left)
    return "\n".join(kept)


def _says(text: str) -> bool:
    return any(map(str.isalnum, text))
