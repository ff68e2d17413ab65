"""How unsure a model was of an answer, what that was measured by, and why by nothing better."""

from dataclasses import dataclass
from typing import Literal

Rung = Literal["logprobs", "disagreement", "overlap"]
"""What uncertainty is measured by, the best first. Their values are never compared."""
Source = Literal[Rung, "none"]
Why = Literal[
    "absent",
    "misaligned",
    "partial",
    "forced",
    "silent",
    "passages",
    "not_asked",
    "failed",
]
WHYS: dict[Why, str] = {
    "absent": "none came with the answer, or not for all of it",
    "misaligned": "they do not spell the answer",
    "partial": "more than half of its words have none that can be used",
    "forced": "a grammar has chosen the words, not the model",
    "silent": "the answer has no word to be measured",
    "passages": "the documents' own words are shown",
    "not_asked": "no second answer was asked for (verify.samples)",
    "failed": "a second answer could not be had",
}
"""Why a rung was passed, in words."""
NAMES: dict[Rung, str] = {
    "logprobs": "log-probabilities",
    "disagreement": "a second answer",
    "overlap": "the words of the evidence",
}


@dataclass(frozen=True, slots=True)
class Passed:
    """A rung that could not be used."""

    rung: Rung
    why: Why

    def __str__(self) -> str:
        """Return it in words.

        >>> str(Passed("logprobs", "misaligned"))
        'no log-probabilities: they do not spell the answer'
        """
        return f"no {NAMES[self.rung]}: {WHYS[self.why]}"


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """How unsure the model was of its words."""

    source: Source = "none"
    """What `value` was measured by; "none": nothing is known."""
    mean_entropy: float | None = None
    """Nats a token, over the tokens that say something; None without log-probabilities."""
    normalized: float | None = None
    """The same divided by the largest it could be, 0 to 1."""
    tokens: int = 0
    """Tokens scored."""
    value: float | None = None
    """0 to 1, larger where less is certain, with a meaning of its own for each source: of
    "logprobs" `normalized`, of "disagreement" the share of what is said that only one of two
    answers says, of "overlap" the share of the answer's words that its quotes do not hold."""
    passed: tuple[Passed, ...] = ()
    """The better rungs, and why they were not used."""


UNMEASURED = Uncertainty()
"""What is known of an answer before it is checked."""


def in_words(unsure: Uncertainty) -> str:
    """Return what the uncertainty of an answer was measured by, with its value, in one line.

    >>> in_words(Uncertainty("logprobs", 0.25, 0.14, 40, 0.14))
    'by log-probabilities: 0.25 nats a token, 0.14 of the most there could be'
    >>> in_words(Uncertainty("overlap", value=0.2, passed=(Passed("logprobs", "absent"),)))
    '20 % of its words are not in its quotes (no log-probabilities: none came with the answer, or \
not for all of it)'
    """
    percent = round(100 * (unsure.value or 0.0))
    match unsure.source:
        case "logprobs":
            nats, share = unsure.mean_entropy or 0.0, unsure.normalized or 0.0
            found = f"by log-probabilities: {nats:.2f} nats a token, "
            found += f"{share:.2f} of the most there could be"
        case "disagreement":
            found = f"by a second answer: {percent} % of what both say only one says"
        case "overlap":
            found = f"{percent} % of its words are not in its quotes"
        case _:
            found = "not known"
    why = "; ".join(map(str, unsure.passed))
    return f"{found} ({why})" if why else found
