"""What a person is told an answer is unsure of, in words: a value, or a whole sentence."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from research_agent.core.claim_checks.reading import REFERENCE
from research_agent.core.claims import MARKER, Claim, bare, said_tokens
from research_agent.core.disagreement import Disagreement
from research_agent.core.entropy import normalized_entropy, token_entropy
from research_agent.core.named_things import named_in
from research_agent.core.question_words import ENGLISH
from research_agent.core.sentences import sentence_spans
from research_agent.core.support import COMPOUND, NUMBER
from research_agent.core.types import Token
from research_agent.core.uncertainty import Rung
from research_agent.core.words import fold, word_spans

UNSURE = 0.5
"""Normalised entropy of a value's least sure token from which on a person is told of it."""
MOST = 3
"""Things that a person is told of at most."""
KEPT = 12
"""Spots of a draft that are kept: which of its sentences are shown is settled later."""
_PLACES = frozenset(ENGLISH.numbered)
"""Words before a number that say where something stands; they name nothing."""
_LIST_SIGN = re.compile(r"(?:[-*\u2022]|\d+[.)])\s+")

Kind = Literal["number", "identifier", "name", "sentence", "difference", "refusal"]


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
    """In words, such as "unsure about the number 2400"."""
    span: tuple[int, int]
    """Where the words stand in `answer`: the first character and the one behind the last."""
    kind: Kind
    value: float
    """How unsure, 0 to 1; what it means depends on `source`."""
    source: Rung
    nats: float | None = None
    """Entropy of the least sure token, of a whole sentence the mean; None without tokens."""


def spots(
    question: str,
    text: str,
    tokens: Sequence[Token],
    claims: Sequence[Claim],
    *,
    max_entropy: float,
) -> tuple[Spot, ...]:
    """Return what a model was unsure of by its tokens, which spell `text`; the least sure first.

    Of single words only values count: numbers, identifiers and names that the question does not
    have. Which other word comes next is open in right answers as often as in wrong ones
    (docs/uncertainty.md). A sentence whose mean entropy is above `max_entropy` (nats) is unsure
    as a whole, and its words are not told apart.

    >>> from math import log
    >>> from research_agent.core.types import Alternative
    >>> even = tuple(Alternative(str(i), log(1 / 3)) for i in (1, 2, 4))
    >>> tokens = [Token("It has ", 0.0), Token("2", -1.1, even), Token("400 m.", 0.0)]
    >>> found = spots("How long?", "It has 2400 m.", tokens, [Claim("It has 2400 m.")],
    ...     max_entropy=2.0)
    >>> [(spot.text, spot.start, spot.end) for spot in found]
    [('unsure about the number 2400', 7, 11)]
    """
    said = said_tokens(tokens)
    known = {fold(question[start:end]) for start, end in word_spans(question)}
    found: list[Spot] = []
    for start, end in sentence_spans(text):
        places, plain = _unmarked(text, start, end)
        claim = next((one for one in claims if _place_in(one.text, plain) >= 0), None)
        if claim is None:
            continue
        if claim.mean_entropy is not None and claim.mean_entropy > max_entropy:
            own = [token for at, token in said if start <= at < end]
            found.append(_whole(claim, own))
            continue
        shift = _place_in(claim.text, plain)
        for kind, left, right in values(plain):
            tokens_of = _lying_on(said, places[left], places[right - 1] + 1)
            inside = shift <= left and right <= shift + len(claim.text)
            if inside and tokens_of and fold(plain[left:right]) not in known:
                found += _unsure(claim.text, kind, left - shift, right - shift, tokens_of)
    return tuple(sorted(found, key=lambda spot: -spot.value)[:KEPT])


def difference_spots(found: Disagreement, claims: Sequence[Claim]) -> tuple[Spot, ...]:
    """Return where two answers differ in a value, the sentence that differs most first.

    >>> from research_agent.core.disagreement import disagreement
    >>> found = disagreement(["It has 12 m."], "It has 16 m.")
    >>> [spot.text for spot in difference_spots(found, [Claim("It has 12 m.")])]
    ['two answers differ on 12 and 16']
    """
    if not found.sentences and found.value and claims:
        text, told = claims[0].text, "a second answer found nothing in the documents"
        return (Spot(text, "refusal", 0, len(text), told, found.value, "disagreement"),)
    spots: list[Spot] = []
    for one in found.sentences:
        for own, other in zip(one.own, (*one.other, *[""] * len(one.own)), strict=False):
            start, shown = _written(one.sentence, own)
            told = f"two answers differ on {shown} and {other}"
            text = told if other else f"a second answer does not say {shown}"
            end = start + len(shown)
            spots.append(
                Spot(one.sentence, "difference", start, end, text, one.share, "disagreement")
            )
    return tuple(sorted(spots, key=lambda spot: -spot.value)[:KEPT])


def placed(spots: Iterable[Spot], starts: Mapping[str, int]) -> tuple[Unsure, ...]:
    """Return what a person is told, at most three things, where they stand in the answer.

    `starts` says where each shown sentence begins in it; of the others nothing is told, and of
    two spots that are told alike the first.

    >>> spot = Spot("It has 5 m.", "number", 7, 8, "unsure about the number 5", 0.9, "logprobs")
    >>> [(one.text, one.span) for one in placed([spot, spot], {"It has 5 m.": 10})]
    [('unsure about the number 5', (17, 18))]
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

    >>> told([Unsure("unsure about the number 5", (0, 1), "number", 0.7, "logprobs", 0.9)])
    'unsure about the number 5'
    """
    return "; ".join(one.text for one in unsure)


def measured(one: Unsure) -> str:
    """Return the same of one thing, with its figures.

    >>> measured(Unsure("unsure about the number 5", (0, 1), "number", 0.7, "logprobs", 0.9))
    'unsure about the number 5: 0.90 nats, 0.70 of the most there could be'
    """
    if one.source == "disagreement":
        return f"{one.text}: the second answer lacks {100 * one.value:.0f} % of the sentence"
    nats = "" if one.nats is None else f"{one.nats:.2f} nats, "
    return f"{one.text}: {nats}{one.value:.2f} of the most there could be"


def values(sentence: str) -> Iterator[tuple[Kind, int, int]]:
    """Yield the numbers, identifiers and names of a sentence, each with its kind and place.

    Names are words with capitals in languages where those mark names; not the sentence's first.

    >>> [(kind, start) for kind, start, _ in values("The key of ML-KEM-768 by Bos has 1,184 bytes")]
    [('identifier', 11), ('name', 25), ('number', 33)]
    """
    named = {name for name in named_in(sentence) if fold(name) not in _PLACES}
    taken: set[int] = set()
    for match in COMPOUND.finditer(sentence):
        taken.update(range(*match.span()))
        yield "identifier", *match.span()
    for start, end in word_spans(sentence):
        word = sentence[start:end]
        if not taken.isdisjoint(range(start, end)):
            continue
        if NUMBER.fullmatch(word):
            yield "number", start, end
        elif word in named:
            yield "name", start, end


def _whole(claim: Claim, tokens: Sequence[Token]) -> Spot:
    value = sum(map(normalized_entropy, tokens)) / len(tokens) if tokens else 0.0
    text = claim.text if len(claim.text) <= 60 else f"{claim.text[:59].rstrip()}\u2026"  # noqa: PLR2004 (a line)
    told = f'unsure of the whole sentence "{text}"'
    nats = claim.mean_entropy
    return Spot(claim.text, "sentence", 0, len(claim.text), told, value, "logprobs", nats)


def _unsure(
    sentence: str, kind: Kind, start: int, end: int, tokens: Sequence[Token]
) -> Iterator[Spot]:
    """Yield a value as a spot where one of its tokens is unsure."""
    least = max(tokens, key=normalized_entropy)
    value = normalized_entropy(least)
    if value >= UNSURE:
        told = f"unsure about the {kind} {sentence[start:end]}"
        nats = token_entropy(least.alternatives)
        yield Spot(sentence, kind, start, end, told, value, "logprobs", nats)


def _lying_on(said: Sequence[tuple[int, Token]], start: int, end: int) -> list[Token]:
    """Return the tokens that lie on a part of the text."""
    starts = [at for at, _ in said]
    ends = [at + len(token.text) for at, token in said]
    return [token for _, token in said[bisect_right(ends, start) : bisect_left(starts, end)]]


def _unmarked(text: str, start: int, end: int) -> tuple[list[int], str]:
    """Return a sentence as `bare` has it, and where each of its characters stands in `text`."""
    places = list(range(start, end))
    for pattern in (MARKER, REFERENCE):
        said = "".join(text[place] for place in places)
        gone = {i for match in pattern.finditer(said) for i in range(*match.span())}
        places = [place for i, place in enumerate(places) if i not in gone]
    places = _stripped(text, places)
    sign = _LIST_SIGN.match("".join(text[place] for place in places))
    places = _stripped(text, places[sign.end() :] if sign else places)
    plain = "".join(text[place] for place in places)
    return (places, plain) if plain == bare(text[start:end]) else ([], "")


def _stripped(text: str, places: list[int]) -> list[int]:
    solid = [i for i, place in enumerate(places) if not text[place].isspace()]
    return places[solid[0] : solid[-1] + 1] if solid else []


def _place_in(claim: str, sentence: str) -> int:
    """Return where a claim begins in a sentence, which it may be a part of; -1 where it does not.

    A part that was cut off has a full stop of its own.
    """
    at = sentence.find(claim) if claim else -1
    return at if at >= 0 else sentence.find(claim.removesuffix(".") or "\0")


def _written(sentence: str, folded: str) -> tuple[int, str]:
    """Return where a folded word stands in a sentence, and how it is written there."""
    match = re.search(rf"(?<!\w){re.escape(folded)}(?!\w)", sentence, re.IGNORECASE)
    return (match.start(), match[0]) if match else (0, folded)
