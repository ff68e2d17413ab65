"""What each round of a question came to, and what one more may be worth."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Round:
    """A round that wrote an answer, or refused: that has no sentences."""

    round: int
    mean_entropy: float | None
    """Of the answer's tokens, in nats; None where nothing is known about them."""
    doubt: float | None
    """What `verify.profile` goes by: the same, a word's score, or a normalised uncertainty."""
    sentences: int
    shown: int
    """Sentences that the evidence supports."""
    quality: float
    """Share of supported sentences times 1 - normalised uncertainty, 0 to 1."""
    tokens: int
    """What the question had cost when the answer was checked, in tokens read and written."""
    reason: str = ""
    """Why another round followed, or none (`Check.reason`); empty in results of old versions."""


def quality(sentences: int, shown: int, normalized: float | None) -> float:
    """Return how good an answer is, 0 to 1; an uncertainty that is not known takes nothing away.

    >>> quality(4, 3, 0.2), quality(0, 0, None)
    (0.6000000000000001, 0.0)
    """
    return shown / sentences * (1.0 - (normalized or 0.0)) if sentences else 0.0


def expected_value(rounds: Sequence[Round]) -> float | None:
    """Return what one more round may gain in quality for 1,000 tokens; None where it is not known.

    It will cost what the last one did, and gain what the last one gained, but not more than there
    is to gain. The first round gained all that there is.

    >>> first = Round(1, 0.3, 0.3, 4, 3, 0.6, 2000)
    >>> second = Round(2, 0.3, 0.3, 4, 3, 0.65, 4500)
    >>> round(expected_value([first]), 3), round(expected_value([first, second]), 3)
    (0.2, 0.02)
    """
    if not rounds:
        return None
    last, before = rounds[-1], rounds[-2] if len(rounds) > 1 else None
    spent = last.tokens - (before.tokens if before else 0)
    gained = last.quality - (before.quality if before else 0.0)
    return 1000 * min(gained, 1.0 - last.quality) / spent if spent > 0 else None


@dataclass(frozen=True, slots=True)
class Progress:
    """How a question has gone so far, and what one more round has to be worth."""

    rounds: tuple[Round, ...] = ()
    spent: int = 0
    """Tokens read and written for the question."""
    min_value: float = 0.0
    """Quality for 1,000 tokens below which no further round is made; 0: rounds are not weighed."""

    def too_poor(self, latest: Round) -> bool:
        """Return whether one more round, after the `latest`, promises too little.

        >>> Progress(min_value=0.3).too_poor(Round(1, 0.3, 0.3, 4, 3, 0.6, 2000))
        True
        """
        value = expected_value((*self.rounds, latest))
        return self.min_value > 0 and value is not None and value < self.min_value


NO_PROGRESS = Progress()
"""Before the first round, where rounds are not weighed."""
