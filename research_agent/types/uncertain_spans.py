"""What a person is told an answer is unsure of, in words: a word of it, or a whole sentence."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from research_agent.text.identifiers import is_value
from research_agent.text.sentences import sentence_spans
from research_agent.text.words import fold, word_spans
from research_agent.types import Token
from research_agent.types.claims import Claim, bare, said_tokens
from research_agent.types.entropy import normalized_entropy, token_entropy
from research_agent.types.uncertainty import Rung
from research_agent.verification.disagreement import Disagreement

UNSURE = 0.5
"""Normalised entropy of a value's least sure token from which on a person is told of it."""
MOST = 3
"""Things that a person is told of at most."""
KEPT = 12
"""Spans of a draft that are kept: which of its sentences are shown is settled later."""
LINE = 60
"""Characters of a sentence that are told."""

Kind = Literal["value", "sentence", "difference", "refusal", "number", "identifier", "name"]
"""The last three are values in results of earlier versions."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Words of a sentence that the model was unsure of, or that a second answer does not have."""

    sentence: str
    """As its claim has it."""
    kind: Kind
    start: int
    """Where the words begin in the sentence, in characters."""
    end: int
    text: str
    """What is said of them, in words."""
    value: float
    """How unsure, 0 to 1; what it means depends on `source`."""
    source: Rung
    nats: float | None = None
    """Entropy of the least sure token; of a whole sentence the mean. None without tokens."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """What the answer is unsure of, as a person is told it."""

    text: str
    """In words, such as "unsure about 2400"."""
    span: tuple[int, int]
    """Where the words stand in `answer`: the first character and the one behind the last."""
    kind: Kind
    value: float
    """How unsure, 0 to 1; what it means depends on `source`."""
    source: Rung
    nats: float | None = None
    """Entropy of the least sure token, of a whole sentence the mean; None without tokens."""


def uncertain_spans(
    question: str,
    text: str,
    tokens: Sequence[Token],
    claims: Sequence[Claim],
    *,
    max_entropy: float,
) -> tuple[Spot, ...]:
    """Return what a model was unsure of by its tokens, which spell `text`; the least sure first.

    Of single words only values count: those with a digit or a capital behind their first letter,
    that the question does not have. Which other word comes next is open in right answers as often
    as in wrong ones (docs/uncertainty.md). A sentence whose mean entropy is above `max_entropy`
    (nats) is unsure as a whole, and its words are not told apart.

    >>> from math import log
    >>> from research_agent.types import Alternative
    >>> even = tuple(Alternative(str(i), log(1 / 3)) for i in (1, 2, 4))
    >>> tokens = [Token("It has ", 0.0), Token("2", -1.1, even), Token("400 m.", 0.0)]
    >>> found = uncertain_spans("How long?", "It has 2400 m.", tokens, [Claim("It has 2400 m.")],
    ...     max_entropy=2.0)
    >>> [(spot.text, spot.start, spot.end) for spot in found]
    [('unsure about 2400', 7, 11)]
    """
    said = said_tokens(tokens)
    known = {fold(question[start:end]) for start, end in word_spans(question)}
    by_text = {claim.text: claim for claim in claims}
    found: list[Spot] = []
    for start, end in sentence_spans(text):
        claim = by_text.get(bare(text[start:end]))
        own = [(at, token) for at, token in said if start <= at < end]
        if claim is None or not own:
            continue
        if claim.mean_entropy is not None and claim.mean_entropy > max_entropy:
            found.append(_whole(claim, [token for _, token in own]))
            continue
        for left, right in _values(text, start, end):
            word = text[left:right]
            on = [token for at, token in own if at < right and at + len(token.text) > left]
            place = claim.text.find(word)
            if on and place >= 0 and fold(word) not in known:
                found += _unsure(claim.text, place, word, on)
    return tuple(sorted(found, key=lambda spot: -spot.value)[:KEPT])


def differing_spans(found: Disagreement, claims: Sequence[Claim]) -> tuple[Spot, ...]:
    """Return where a second answer lacks a value, the sentence that differs most first.

    >>> from research_agent.verification.disagreement import disagreement
    >>> found = disagreement(["It has 12 m."], "It has 16 m.")
    >>> [spot.text for spot in differing_spans(found, [Claim("It has 12 m.")])]
    ['a second answer does not say 12']
    """
    if not found.sentences and found.value and claims:
        text, told = claims[0].text, "a second answer found nothing in the documents"
        return (Spot(text, "refusal", 0, len(text), told, found.value, "disagreement"),)
    spots = [
        Spot(
            one.sentence,
            "difference",
            match.start(),
            match.end(),
            f"a second answer does not say {match[0]}",
            one.share,
            "disagreement",
        )
        for one in found.sentences
        for own in one.own
        if (match := re.search(rf"(?<!\w){re.escape(own)}(?!\w)", one.sentence, re.IGNORECASE))
    ]
    return tuple(sorted(spots, key=lambda spot: -spot.value)[:KEPT])


def placed(spots: Iterable[Spot], starts: Mapping[str, int]) -> tuple[Unsure, ...]:
    """Return what a person is told, at most three things, where they stand in the answer.

    `starts` says where each shown sentence begins in it; of the others nothing is told, and of
    two spots that are told alike the first.

    >>> spot = Spot("It has 5 m.", "value", 7, 8, "unsure about 5", 0.9, "logprobs")
    >>> [(one.text, one.span) for one in placed([spot, spot], {"It has 5 m.": 10})]
    [('unsure about 5', (17, 18))]
    """
    found: dict[str, Unsure] = {}
    for spot in spots:
        at = starts.get(spot.sentence)
        if at is not None and spot.text not in found:
            span = (at + spot.start, at + spot.end)
            found[spot.text] = Unsure(
                spot.text, span, spot.kind, spot.value, spot.source, spot.nats
            )
    return tuple(found.values())[:MOST]


def told(unsure: Sequence[Unsure]) -> str:
    """Return what the answer is unsure of, in one line for a person; empty where of nothing.

    >>> told([Unsure("unsure about 5", (0, 1), "value", 0.7, "logprobs", 0.9)])
    'unsure about 5'
    """
    return "; ".join(one.text for one in unsure)


def measured(one: Unsure) -> str:
    """Return the same of one thing, with its figures.

    >>> measured(Unsure("unsure about 5", (0, 1), "value", 0.7, "logprobs", 0.9))
    'unsure about 5: 0.90 nats, 0.70 of the most there could be'
    """
    if one.source == "disagreement":
        return f"{one.text}: the second answer lacks {100 * one.value:.0f} % of the sentence"
    nats = "" if one.nats is None else f"{one.nats:.2f} nats, "
    return f"{one.text}: {nats}{one.value:.2f} of the most there could be"


def _values(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the words with a digit, or a capital behind their first letter, stand."""
    for left, right in word_spans(text[start:end]):
        if is_value(text[start + left : start + right]):
            yield start + left, start + right


def _whole(claim: Claim, tokens: Sequence[Token]) -> Spot:
    value = sum(map(normalized_entropy, tokens)) / len(tokens)
    text = claim.text if len(claim.text) <= LINE else f"{claim.text[: LINE - 1].rstrip()}\u2026"
    told = f'unsure of the whole sentence "{text}"'
    nats = claim.mean_entropy
    return Spot(claim.text, "sentence", 0, len(claim.text), told, value, "logprobs", nats)


def _unsure(sentence: str, start: int, word: str, tokens: Sequence[Token]) -> Iterator[Spot]:
    """Yield a value as a spot where one of its tokens is unsure."""
    least = max(tokens, key=normalized_entropy)
    value = normalized_entropy(least)
    if value >= UNSURE:
        nats = token_entropy(least.alternatives)
        end = start + len(word)
        yield Spot(sentence, "value", start, end, f"unsure about {word}", value, "logprobs", nats)
