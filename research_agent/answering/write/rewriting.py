"""Write the doubtful sentences of an answer again, one by one; the others stay as they are."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError
from research_agent.text.missing_parts import read_missing
from research_agent.text.quote_search import best_quotes
from research_agent.text.sentences import SENTENCE_ENDS, sentence_spans
from research_agent.types import Completion, Message, Token
from research_agent.types.budget import NOTHING, Allowance
from research_agent.types.claims import bare, plain
from research_agent.types.evidence import Evidence, fenced, render_evidence
from research_agent.types.verification import Answer

SENTENCE_TOKENS = 120
"""Length of a sentence that is written again, at most."""
LEAST_TOKENS = 16
"""A shorter reply is not asked for."""
MOST = 4
"""Sentences that are asked for again; with more, the whole answer is."""
INSTRUCTIONS = 120
"""Tokens, about, that the check reads beside the evidence, the question and the answer."""
_SIGN = re.compile(r"(?:[-*•]|\d+[.)])\s+")
Span = tuple[int, int]
Change = tuple[int, int, str, tuple[Token, ...]]
"""Start and end of a span, what takes its place, and the tokens of that."""


@dataclass(frozen=True)
class Rewriting:
    """One question with the evidence that there is now."""

    question: str
    evidence: Sequence[Evidence]
    context: StepContext

    def rewritten(
        self, earlier: Answer, faulty: Sequence[str]
    ) -> tuple[Answer, tuple[str, ...]] | None:
        """Return the `earlier` answer with its `faulty` sentences written again, and notes.

        A new sentence is taken if the evidence holds at least as much of it. None where the whole
        answer has to be written: it is no model's, all of it is at fault, or too much. Raises
        ModelError and BudgetError where not even the first sentence could be asked for.
        """
        places = _places(earlier.text, faulty)
        left = {span for spans in places.values() for span in spans}
        spans = [span for span in sentence_spans(earlier.text) if span not in left]
        kept = "\n".join(earlier.text[start:end] for start, end in spans)
        if earlier.form != "written" or not 0 < len(places) <= MOST or not _says(kept):
            return None
        changes: list[Change] = []
        notes = tuple[str, ...]()
        for asked, (span, *repeats) in enumerate(places.values()):
            try:
                so_far = "\n".join((kept, *(new for _, _, new, _ in changes)))
                change = self._change(earlier.text, span, so_far)
            except (ModelError, BudgetError) as error:
                if not asked:
                    raise
                notes = (f"answer: not every doubtful sentence was asked for: {error}",)
                break
            if change:
                changes += [change, *((first, last, "", ()) for first, last in repeats)]
        count = sum(bool(new) for _, _, new, _ in changes)
        summary = f"answer: {count} of {len(places)} doubtful sentences were written again"
        if not changes:
            return earlier, (summary, *notes)
        text, tokens = with_changes(earlier.text, earlier.tokens, changes)
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
        return answer, (summary, *notes)

    def _change(self, text: str, span: Span, kept: str) -> Change | None:
        """Ask for one sentence; None where what was written must not take its place."""
        context, shown = self.context, render_evidence(self.evidence)
        doubted = bare(text[slice(*span)])
        system = context.prompts.answering(context.settings.refuses_by).render()
        asked = context.prompts.rewrite_sentence.render(
            evidence=shown, question=self.question, kept=fenced(kept), sentence=fenced(doubted)
        )
        reply = context.meter.ask(
            context.ports.answerer,
            "answer",
            [Message("system", system), Message("user", asked)],
            max_tokens=min(context.settings.answer.max_tokens, SENTENCE_TOKENS),
            least_tokens=LEAST_TOKENS,
            kept=self._kept_for_check(f"{shown}\n{self.question}\n{text}"),
        )
        written = aligned_text(reply)
        aligned = "".join(token.text for token in reply.tokens) == written
        spans = sentence_spans(written)
        if reply.finish_reason == "length":
            spans = spans[:-1]
        for start, end in spans:
            if self._may_replace(written[start:end], doubted, kept):
                tokens = token_slice(reply.tokens, start, end) if aligned else ()
                return (*span, written[start:end], tokens)
        return None

    def _kept_for_check(self, read: str) -> Allowance:
        """Return the reserve of the budget for the check of the answer.

        Of time and money it is half of what is left, for nobody knows what that call will take.
        """
        if self.context.settings.refuses_by != "check":
            return NOTHING
        left = self.context.meter.left()
        tokens = self.context.ports.tokenizer.count(read) + INSTRUCTIONS
        cost = None if left.cost is None else left.cost / 2
        return Allowance(1, 0, tokens, left.seconds / 2, cost)

    def _may_replace(self, sentence: str, doubted: str, kept: str) -> bool:
        """Return whether a sentence is new, no refusal, and as near to the evidence as the old."""
        words = bare(sentence)
        known = {plain(bare(kept[start:end])) for start, end in sentence_spans(kept)}
        if not _says(words) or plain(words) in known or read_missing(sentence).missing:
            return False
        return self._held(words) >= self._held(doubted)

    def _held(self, sentence: str) -> float:
        quotes = (best_quotes(sentence, item.hit.chunk) for item in self.evidence)
        return max((quote.score for found in quotes for quote in found), default=0.0)


def _places(text: str, faulty: Sequence[str]) -> dict[str, list[Span]]:
    wanted = {plain(sentence) for sentence in faulty}
    found: dict[str, list[Span]] = {}
    for start, end in sentence_spans(text):
        sentence = plain(bare(text[start:end]))
        if sentence in wanted:
            found.setdefault(sentence, []).append((start, end))
    return found


def _says(text: str) -> bool:
    return any(map(str.isalnum, text))


def aligned_text(reply: Completion) -> str:
    """Return a reply's text as its tokens spell it: servers strip the text but not the tokens."""
    joined = "".join(token.text for token in reply.tokens)
    return joined if joined.strip() == reply.text.strip() else reply.text


def with_changes(
    text: str, tokens: Sequence[Token], changes: Sequence[Change]
) -> tuple[str, tuple[Token, ...]]:
    """Return a text with spans of it replaced, and the tokens of the whole.

    A list's sign stays, and a missing full stop is added. Tokens that do not spell the text before
    are kept, with the new ones behind.
    """
    spelled = "".join(token.text for token in tokens) == text
    parts: list[str] = []
    own: list[Token] = []
    at = 0
    for start, end, new, new_tokens in sorted(changes, key=lambda change: change[0]):
        sign = _SIGN.match(text, start, end) if new else None
        begin = sign.end() if sign else start
        stop = _missing_stop(new, text[end:])
        parts += [text[at:begin], new, stop]
        own += token_slice(tokens, at, begin)
        own += new_tokens or ([Token(new, 0.0)] if new else [])
        own += [Token(stop, 0.0)] if stop else []
        at = end
    parts.append(text[at:])
    own += token_slice(tokens, at, len(text))
    if spelled or not tokens:
        return "".join(parts), tuple(own) if tokens else ()
    more = (token for change in changes for token in change[3])
    return "".join(parts), (*tokens, *more)


def _missing_stop(new: str, following: str) -> str:
    """Return the full stop that a sentence lacks in front of what follows; empty where none is."""
    ended = not new or bare(new)[-1:] in SENTENCE_ENDS or not following.strip()
    if ended or (0, len(new)) in sentence_spans(new + following):
        return ""
    return "." if following[0].isspace() else "\u3002"


def token_slice(tokens: Sequence[Token], start: int, end: int) -> tuple[Token, ...]:
    """Return the tokens that spell a span of the text that all spell.

    A part of a token is not scored, unless the rest is white space.
    """
    found, left = [], 0
    for token in tokens:
        size = len(token.text)
        first, last = max(start - left, 0), min(end - left, size)
        left += size
        if first >= last:
            continue
        part, outside = token.text[first:last], token.text[:first] + token.text[last:]
        found.append(Token(part, 0.0) if outside.strip() else replace(token, text=part))
    return tuple(found)
