"""An answer's sentences: their citation keys and quotes, and whether the evidence supports them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from research_agent.text.hard_facts import Fact
from research_agent.text.quote_search import Quote
from research_agent.text.sentences import SENTENCE_ENDS, without_reference_marks
from research_agent.types import Token
from research_agent.types.entropy import scored

_NEXT_KEYS = r"(?:\s{0,9}(?:,|;|&|-|\u2013|and)\s{0,9}(?:chunk\s{1,9})?[cC]?\d+)*\s{0,9}"
_KEYS = (
    rf"\s{{0,9}}\^?(?:chunks?\s{{1,9}}(?:key=)?|[^\W\d_]+:\s{{0,9}})?[\"']?[cC]\d+[\"']?{_NEXT_KEYS}"
    r"(?:\u2020[^\]\u3011]*)?"  # (a dagger and lines, as models of OpenAI write)
)
_BRACKETS = rf"(?:\[\[{_KEYS}\]\]|[\[\u3010]{_KEYS}[\]\u3011])"
_ROUND = rf"\((?:chunks?\s{{1,9}}|[^\W\d_]+:\s{{0,9}})?c\d+{_NEXT_KEYS}\)"
_AT_END = rf"(?=\s{{0,9}}(?:[{SENTENCE_ENDS},;:\[(|]|\n|$))"
MARKER = re.compile(
    rf"\s{{0,9}}(?:(?<!\S)(?P<around>[*_`]{{1,3}})(?:{_BRACKETS}|{_ROUND})(?P=around)|{_BRACKETS})"
    rf"|(?<=[{SENTENCE_ENDS}])\s{{0,9}}{_ROUND}|\s{{0,9}}{_ROUND}{_AT_END}"
)
"""Keys in brackets, in the forms of models: [c1], [c1, c2], [[c1]], [^c1], **[c1]**, in lenses.

In round ones only at the end of a sentence or part of one, and in small letters: (C1) is a name,
and a pair (c1, c2) may be one of a formula.
"""
_LIST_SIGN = re.compile(r"(?:[-*•]|\d+[.)])\s+")
Verdict = Literal["supported", "unconfirmed", "contradicted"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer, without its markers."""

    text: str
    keys: tuple[str, ...] = ()
    """Keys of the chunks that it cites, in the order of their numbers."""
    quotes: tuple[Quote, ...] = ()
    """For each key the words of its chunk that are nearest to the sentence."""
    verdict: Verdict = "unconfirmed"
    """"supported" by the evidence; "unconfirmed": it may be true, but that could not be confirmed;
    "contradicted": the evidence says otherwise, in the words of `problem`."""
    problem: str = ""
    """Why it is not supported; empty for a supported one."""
    mean_entropy: float | None = None
    """Of its tokens, in nats; None where nothing is known about them."""
    support: float = 0.0
    """Probability that the evidence supports it (`verification/grounding.py`), 0 to 1."""
    facts: tuple[Fact, ...] = ()
    """Its numbers, dates, identifiers and quotations, and whether the evidence has them."""
    judged: Literal["", "yes", "no"] = ""
    """The judging model's verdict; empty where it was not asked, or its reply did not count."""
    rekeyed: bool = False
    """Whether it has a key that the model did not write."""
    rewritten: bool = False
    """Whether the model was unsure of its first wording, and wrote it again."""
    lead: str = ""
    """What the draft has in front of it: line ends, and the sign or number of a list's item, or the
    line that parts a table's head from its first row."""
    heading: str = ""
    """The lines that it is below: headings, and words that end in a colon; without markers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingModel:
    """A fitted logistic regression that gives `Claim.support`."""

    weights: tuple[float, ...]
    """One for each standardised feature, in the order of `verification.grounding.FEATURES`."""
    bias: float
    means: tuple[float, ...]
    scales: tuple[float, ...]
    limit: float
    """Below this probability a sentence is unconfirmed: 10 % of the supported ones are."""
    unsure: tuple[float, float]
    """Between these probabilities a model's judgement is worth most."""
    data: str
    """The SHA-256 of the rows it was fitted on."""
    cross_encoder: str
    """The SHA-256 of the weights whose logits it was fitted on."""


def is_supported(claim: Claim) -> bool:
    """Return whether the evidence supports a claim."""
    return claim.verdict == "supported"


def bare(sentence: str) -> str:
    """Return a sentence without markers, reference numbers and list signs."""
    text = without_reference_marks(MARKER.sub("", sentence)).strip()
    return text[len(list_sign(text)) :].strip()


def list_sign(sentence: str) -> str:
    """Return the sign or number with which the item of a list begins; empty for another sentence.

    >>> [list_sign(text) for text in ("2. Close it.", "- Open it.", "It is 5.")]
    ['2. ', '- ', '']
    """
    found = _LIST_SIGN.match(sentence)
    return found[0] if found else ""


def plain(words: str) -> str:
    """Return words as they are compared: case folded, on one line."""
    return " ".join(words.casefold().split())


def said_tokens(tokens: Sequence[Token]) -> tuple[tuple[int, Token], ...]:
    """Return the scored tokens outside citation markers, each with its place in the text."""
    return _said(tuple(tokens))[1]


def unmarked_tokens(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return the tokens outside citation markers."""
    return _said(tuple(tokens))[0]


@lru_cache(maxsize=8)
def _said(tokens: tuple[Token, ...]) -> tuple[tuple[Token, ...], tuple[tuple[int, Token], ...]]:
    """Return the tokens outside citation markers, and those that are scored with their places."""
    text = "".join(token.text for token in tokens)
    inside = {at for match in MARKER.finditer(text) for at in range(*match.span())}
    unmarked, at = list[tuple[int, Token]](), 0
    for token in tokens:
        left, at = at, at + len(token.text)
        if inside.isdisjoint(range(left, at)):
            unmarked.append((left, token))
    scored_ones = tuple(one for one in unmarked if scored(one[1]))
    return tuple(token for _, token in unmarked), scored_ones
