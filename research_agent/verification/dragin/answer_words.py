"""The words of an answer, and how unsure the model was of each."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from research_agent.text.words import word_spans
from research_agent.types import Token
from research_agent.types.claims import MARKER, said_tokens
from research_agent.types.entropy import token_entropy


@dataclass(frozen=True, slots=True)
class AnswerWord:
    """A word as it stands in an answer."""

    text: str
    start: int
    """Where it begins in the answer, in characters."""
    entropy: float | None = None
    """Mean entropy of its tokens, in nats; None where nothing is known about them."""


def answer_words(text: str, tokens: Sequence[Token]) -> tuple[AnswerWord, ...]:
    """Return the words of an answer in order; those of citation markers are left out.

    The entropy of a word is the mean of its tokens', as in DRAGIN's own code. Tokens that do not
    spell `text`, or have no alternatives, tell nothing.

    >>> from math import log
    >>> from research_agent.types import Alternative
    >>> half = (Alternative("1", log(0.5)), Alternative("2", log(0.5)))
    >>> sure = (Alternative("8", 0.0),)
    >>> tokens = [Token("It has ", 0.0), Token("1", -0.7, half), Token("8", 0.0, sure)]
    >>> [(word.text, word.entropy and round(word.entropy, 3)) for word in
    ...  answer_words("It has 18", tokens)]
    [('It', None), ('has', None), ('18', 0.347)]
    """
    said = said_tokens(tokens) if "".join(token.text for token in tokens) == text else ()
    entropies = [token_entropy(token.alternatives) for _, token in said]
    starts = [start for start, _ in said]
    ends = [start + len(token.text) for start, token in said]
    markers = [match.span() for match in MARKER.finditer(text)]
    found = []
    for start, end in word_spans(text):
        if any(left <= start < right for left, right in markers):
            continue
        own = entropies[bisect_right(ends, start) : bisect_left(starts, end)]
        found.append(AnswerWord(text[start:end], start, fmean(own) if own else None))
    return tuple(found)
