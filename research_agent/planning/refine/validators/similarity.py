"""Whether a rewritten query means about the same as the question, by their vectors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor

from research_agent.types.validation import Accept, Block, Ruling

VALIDATOR = "similarity"


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is known of an embedding model."""

    threshold: float
    """The cosine below which a query asks something else."""
    scripts: str = "all"
    """"latin" where vectors of other scripts say nothing."""


FITTED: Mapping[str, Fitted] = {"all-MiniLM-L6-v2-int8": Fitted(0.4, "latin")}
"""Thresholds by the embedding model's name; MiniLM's vocabulary is English."""
UNKNOWN = Fitted(0.7)
"""For a model that was not fitted: seed system 1's value."""


def fit_threshold(similarities: Sequence[float], *, share: float = 0.05) -> float:
    """Return a threshold that all but `share` of good rewrites reach, rounded down to .05.

    >>> fit_threshold([0.66, 0.81, 0.9, 0.97])
    0.65
    """
    ranked = sorted(similarities)
    return floor(ranked[int(share * len(ranked))] * 20 + 1e-9) / 20


def check_similarity(
    question: str, similarity: float, *, model: str, min_similarity: float | None = None
) -> Ruling:
    """Block a query whose cosine to the question is below the threshold of the model.

    `min_similarity` takes the fitted threshold's place. A question in a script that the model
    does not read is not judged.

    >>> check_similarity("Who paid?", 0.31, model="all-MiniLM-L6-v2-int8").reason
    'asks something else: similarity 0.31 < 0.40'
    """
    fitted = FITTED.get(model, UNKNOWN)
    least = fitted.threshold if min_similarity is None else min_similarity
    figures = {"similarity": similarity, "threshold": least}
    if fitted.scripts == "latin" and not _is_latin(question):
        return Accept(VALIDATOR, f"{model} does not read this script", figures)
    if similarity < least:
        reason = f"asks something else: similarity {similarity:.2f} < {least:.2f}"
        return Block(VALIDATOR, reason, figures)
    return Accept(VALIDATOR, figures=figures)


def _is_latin(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return sum(ord(char) < LATIN_END for char in letters) * 2 > len(letters)


LATIN_END = 0x250
"""The first character behind the Latin letters of Unicode's first blocks."""
