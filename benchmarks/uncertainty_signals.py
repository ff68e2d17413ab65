"""Signs that a drafted answer may be wrong, each a doubt: larger where it is likelier to be."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmarks.uncertainty_asking import Asked
from research_agent.core.claims import Claim, bare, is_shown, said_tokens
from research_agent.core.disagreement import disagreement
from research_agent.core.entropy import (
    mean_of_most_uncertain,
    normalized_uncertainty,
    token_entropy,
)
from research_agent.core.support import content_words, held_share, wanted_words
from research_agent.core.types import Token

WORD = re.compile(r"\w+(?:[-.,]\w+)*")


@dataclass(frozen=True, slots=True)
class Signal:
    """One doubt; `of` gives None where a draft has nothing to take it from."""

    name: str
    of: Callable[[Asked, Sequence[Claim]], float | None]
    is_chance: bool = False
    """It is meant as a probability to be wrong, so its calibration can be measured as it is."""
    is_baseline: bool = False
    """It looks at neither what the model was sure of nor what supports the answer."""


def entropies(asked: Asked) -> list[float]:
    """Return the entropy of each token of a draft that says something, in nats."""
    return [token_entropy(token.alternatives) for token in _said(asked)]


def mean_entropy(asked: Asked, _claims: Sequence[Claim]) -> float | None:
    """Return the mean entropy, in nats."""
    return fmean(values) if (values := entropies(asked)) else None


def most_entropy(asked: Asked, _claims: Sequence[Claim]) -> float | None:
    """Return the mean entropy of the most uncertain fifth."""
    return mean_of_most_uncertain(entropies(asked))


def max_entropy(asked: Asked, _claims: Sequence[Claim]) -> float | None:
    """Return the largest entropy of a token."""
    return max(entropies(asked), default=None)


def normalized(asked: Asked, _claims: Sequence[Claim]) -> float | None:
    """Return the mean entropy, each token's divided by the largest that it could be."""
    return normalized_uncertainty(_said(asked))


def surprise(asked: Asked, _claims: Sequence[Claim]) -> float | None:
    """Return the mean negative log-probability of the tokens written."""
    said = _said(asked)
    return -fmean(token.logprob for token in said) if said else None


def least_likely(asked: Asked, _claims: Sequence[Claim]) -> float | None:
    """Return the largest negative log-probability of a token written."""
    return max((-token.logprob for token in _said(asked)), default=None)


def new_entropy(asked: Asked, _claims: Sequence[Claim]) -> float | None:
    """Return the mean entropy where a content word begins that the question does not have.

    What an answer repeats from its question is sure whatever the answer; so are the later tokens
    of a name that has begun.
    """
    values = [token_entropy(token.alternatives) for token in new_words(asked)]
    return fmean(values) if values else None


def new_surprise(asked: Asked, _claims: Sequence[Claim]) -> float | None:
    """Return the mean negative log-probability of the tokens of `new_entropy`."""
    values = [-token.logprob for token in new_words(asked)]
    return fmean(values) if values else None


def new_words(asked: Asked) -> list[Token]:
    """Return the tokens with which content words begin that the question does not have."""
    text = "".join(token.text for token in asked.answer.tokens)
    starts = {match.start(): match.group() for match in WORD.finditer(text)}
    known = content_words(asked.question)
    found = []
    for at, token in said_tokens(asked.answer.tokens):
        begin = at + len(token.text) - len(token.text.lstrip())
        stems = content_words(starts.get(begin, ""))
        if stems and not stems <= known:
            found.append(token)
    return found


def not_answerable(asked: Asked, _claims: Sequence[Claim]) -> float | None:
    """Return the model's probability of "no" when asked whether the evidence answers."""
    return None if asked.answer.answerable is None else 1.0 - asked.answer.answerable


def unsupported(_asked: Asked, claims: Sequence[Claim]) -> float | None:
    """Return the share of the sentences that nothing supports."""
    return fmean(not is_shown(claim) for claim in claims) if claims else None


def weakly_supported(_asked: Asked, claims: Sequence[Claim]) -> float | None:
    """Return the mean share of a sentence's words that its best quote lacks."""
    return fmean(1.0 - claim.support for claim in claims) if claims else None


def words_from_elsewhere(asked: Asked, _claims: Sequence[Claim]) -> float | None:
    """Return the share of the answer's content words that no chunk of the evidence has."""
    wanted = wanted_words(bare(asked.answer.text))
    texts = " ".join(item.hit.chunk.text for item in asked.evidence)
    return 1.0 - held_share(wanted, content_words(texts)) if wanted else None


def second_differs(asked: Asked, claims: Sequence[Claim]) -> float | None:
    """Return the share of what two answers say that only one of them says."""
    second = asked.answer.second
    found = disagreement([claim.text for claim in claims], second) if second else None
    return found.value if found else None


def length(asked: Asked, _claims: Sequence[Claim]) -> float | None:
    """Return how long the answer is, in words."""
    return float(len(bare(asked.answer.text).split()))


def low_confidence(asked: Asked, _claims: Sequence[Claim]) -> float | None:
    """Return how far the confidence in the search is from 1."""
    return 1.0 - asked.confidence.value


def both(asked: Asked, claims: Sequence[Claim]) -> float | None:
    """Return the mean of two doubts of like size: normalised entropy and P("no")."""
    parts = (normalized(asked, claims), not_answerable(asked, claims))
    known = [part for part in parts if part is not None]
    return fmean(known) if len(known) == len(parts) else None


SIGNALS: Mapping[str, Signal] = {
    signal.name: signal
    for signal in (
        Signal("mean entropy", mean_entropy),
        Signal("entropy, most uncertain 20 %", most_entropy),
        Signal("largest entropy", max_entropy),
        Signal("normalised entropy", normalized, is_chance=True),
        Signal("entropy of new words", new_entropy),
        Signal("-mean log-probability", surprise),
        Signal("-mean log-probability of new words", new_surprise),
        Signal("-least log-probability", least_likely),
        Signal('P("no") of the check', not_answerable, is_chance=True),
        Signal('normalised entropy with P("no")', both, is_chance=True),
        Signal("sentences without support", unsupported, is_chance=True),
        Signal("words without support", weakly_supported, is_chance=True),
        Signal("words that are not in the evidence", words_from_elsewhere, is_chance=True),
        Signal("difference of two answers", second_differs, is_chance=True),
        Signal("answer length", length, is_baseline=True),
        Signal("1 - retrieval confidence", low_confidence, is_chance=True, is_baseline=True),
    )
}


def _said(asked: Asked) -> list[Token]:
    return [token for _, token in said_tokens(asked.answer.tokens)]
