"""How unsure an answer is, by the best measure there is, and how two answers differ.

Log-probabilities, else how far two answers differ, else how much of the answer the evidence
supports. Where nothing is known, nothing is concluded from it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from research_agent.text.content_words import content_words
from research_agent.text.identifiers import is_value
from research_agent.text.missing_parts import read_missing
from research_agent.text.sentences import sentence_spans
from research_agent.text.words import fold, word_spans
from research_agent.types import Token, entropy
from research_agent.types.claims import Claim, bare, said_tokens
from research_agent.types.uncertainty import Passed, Spot, Uncertainty, Why, unusable_tokens
from research_agent.types.verification import Answer

MEASURED = frozenset({"logprobs", "disagreement"})
"""Sources that say how sure the model was. The others never make an answer count as confident."""
UNSURE = 0.5
"""Normalised entropy of a value's least sure token from which on the value is shown as unsure."""
KEPT = 12
"""Spans of a draft that are kept: which of its sentences are shown is settled later."""
LINE = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """What a sentence of the first answer says and the second answer does not."""

    sentence: str
    share: float
    """Of its values, or of its other words, whichever is more; 0 to 1."""
    own: tuple[str, ...] = ()
    """Its words with digits that the second answer does not have, as they are compared."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How far two answers differ."""

    value: float
    """Share of the values, or of the other words, that only one of the answers has; 0 to 1."""
    sentences: tuple[Difference, ...] = ()
    """The sentences of the first answer that the second does not say whole, in their order."""
    refused: bool = False
    """Whether the second answer says that the documents do not hold it."""


def by_logprobs(tokens: Sequence[Token]) -> Uncertainty:
    """Return the mean entropy of an answer's tokens; citation markers are not scored."""
    scored = [token for _, token in said_tokens(tokens)]
    if not scored:
        return Uncertainty()
    nu = entropy.normalized_uncertainty(scored)
    return Uncertainty("logprobs", entropy.mean_entropy(scored), nu, len(scored), nu)


def measured_uncertainty(
    answer: Answer, claims: Sequence[Claim]
) -> tuple[Uncertainty, Disagreement | None]:
    """Return how unsure an answer is by the best measure, and how two answers differ.

    `claims` are those of the answer. Passages are the documents' own words: nothing is measured.
    """
    if answer.form != "written":
        return Uncertainty(passed=_passed("passages", "passages", "passages")), None
    unusable = unusable_tokens(answer.text, answer.tokens)
    if not unusable:
        return by_logprobs(answer.tokens), None
    found = disagreement([c.text for c in claims], answer.second) if answer.second else None
    if found:
        return Uncertainty("disagreement", value=found.value, passed=_passed(unusable)), found
    other: Why = "not_asked" if answer.second is None else "failed"
    if not claims:
        return Uncertainty(passed=_passed(unusable, other, "silent")), None
    value = 1.0 - fmean(claim.support for claim in claims)
    return Uncertainty("overlap", value=value, passed=_passed(unusable, other)), None


def _passed(
    logprobs: Why, second: Why | None = None, overlap: Why | None = None
) -> tuple[Passed, ...]:
    found = [Passed("logprobs", logprobs)]
    found += [Passed("disagreement", second)] if second else []
    found += [Passed("overlap", overlap)] if overlap else []
    return tuple(found)


def disagreement(sentences: Sequence[str], second: str) -> Disagreement | None:
    """Compare the sentences of an answer with a second answer; None where one says nothing.

    Values (words with digits) and other words are counted apart; the larger share of words that
    only one answer has counts. A refusal agrees with no answer.
    """
    mine = {one: content_words(one) for one in sentences if content_words(one)}
    if not mine:
        return None
    parsed = read_missing(second)
    if parsed.missing and not parsed.text:
        return Disagreement(1.0, refused=True)
    spans = sentence_spans(parsed.text)
    theirs = frozenset[str]().union(*(content_words(bare(parsed.text[a:b])) for a, b in spans))
    if not theirs:
        return None
    own = frozenset[str]().union(*mine.values())
    differences = []
    for sentence, words in mine.items():
        lacking = words - theirs
        if share := _share(lacking, words):
            values = tuple(sorted(filter(_has_digit, lacking)))
            differences.append(Difference(sentence, share, values))
    return Disagreement(_share(own ^ theirs, own | theirs), tuple(differences))


def _share(lacking: frozenset[str], every: frozenset[str]) -> float:
    """Return the share of values that are lacking, or of other words: the larger one."""
    shares = [0.0]
    for kind in (True, False):
        count = sum(_has_digit(word) is kind for word in every)
        shares.append(sum(_has_digit(word) is kind for word in lacking) / count if count else 0.0)
    return max(shares)


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def uncertain_spans(
    question: str, answer: Answer, claims: Sequence[Claim], *, max_entropy: float
) -> tuple[Spot, ...]:
    """Return what a model was unsure of by the answer's tokens; the least sure first.

    Of single words only values count (docs/uncertainty.md). A sentence whose mean entropy is above
    `max_entropy` nats is unsure as a whole.
    """
    text, scored = answer.text, said_tokens(answer.tokens)
    known = {fold(question[start:end]) for start, end in word_spans(question)}
    by_text = {claim.text: claim for claim in claims}
    found: list[Spot] = []
    for start, end in sentence_spans(text):
        claim = by_text.get(bare(text[start:end]))
        own = [(at, token) for at, token in scored if start <= at < end]
        if claim is None or not own:
            continue
        if claim.mean_entropy is not None and claim.mean_entropy > max_entropy:
            found.append(_whole(claim, [token for _, token in own]))
            continue
        for left, right in word_spans(text[start:end]):
            word = text[start + left : start + right]
            if not is_value(word) or fold(word) in known:
                continue
            on = [
                token
                for at, token in own
                if at < start + right and at + len(token.text) > start + left
            ]
            found += _unsure_value(claim.text, word, on)
    return tuple(sorted(found, key=lambda spot: -spot.value)[:KEPT])


def _whole(claim: Claim, tokens: Sequence[Token]) -> Spot:
    value = sum(map(entropy.normalized_entropy, tokens)) / len(tokens)
    text = claim.text if len(claim.text) <= LINE else f"{claim.text[: LINE - 1].rstrip()}\u2026"
    line = f'unsure of the whole sentence "{text}"'
    nats = claim.mean_entropy
    return Spot(claim.text, "sentence", 0, len(claim.text), line, value, "logprobs", nats)


def _unsure_value(sentence: str, word: str, tokens: Sequence[Token]) -> Iterator[Spot]:
    start = sentence.find(word)
    if not tokens or start < 0:
        return
    least = max(tokens, key=entropy.normalized_entropy)
    value = entropy.normalized_entropy(least)
    if value >= UNSURE:
        nats = entropy.token_entropy(least.alternatives)
        end = start + len(word)
        yield Spot(sentence, "value", start, end, f"unsure about {word}", value, "logprobs", nats)


def differing_spans(
    question: str, found: Disagreement, claims: Sequence[Claim]
) -> tuple[Spot, ...]:
    """Return where a second answer lacks a value, the sentence that differs most first.

    One that the `question` has need not be said again.
    """
    if found.refused and claims:
        text, line = claims[0].text, "a second answer found nothing in the documents"
        return (Spot(text, "refusal", 0, len(text), line, found.value, "disagreement"),)
    known = content_words(question)
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
        if own not in known
        and (match := re.search(rf"(?<!\w){re.escape(own)}(?!\w)", one.sentence, re.IGNORECASE))
    ]
    return tuple(sorted(spots, key=lambda spot: -spot.value)[:KEPT])
