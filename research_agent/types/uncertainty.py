"""How unsure a model was of an answer: by which measure, and of which words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from research_agent.types import Token
from research_agent.types.claims import said_tokens, unmarked_tokens

Rung = Literal["logprobs", "disagreement", "overlap"]
"""The measures of uncertainty, best first. Their values are never compared with each other."""
Source = Literal[Rung, "none"]
Why = Literal[
    "absent", "misaligned", "partial", "forced", "silent", "passages", "not_asked", "failed"
]
WHYS: dict[Why, str] = {
    "absent": "none came with the answer, or not for all of it",
    "misaligned": "they do not spell the answer",
    "partial": "more than half of its words have none that can be used",
    "forced": "a grammar has chosen the words, not the model",
    "silent": "the answer has no word to be measured",
    "passages": "the documents' own words are shown",
    "not_asked": "none was asked for (verify.samples)",
    "failed": "none could be had",
}
"""Why a measure was not used, in words."""
NAMES: dict[Rung, str] = {
    "logprobs": "log-probabilities",
    "disagreement": "a second answer",
    "overlap": "the words of the evidence",
}
LEAST_KNOWN = 0.5
"""Share of the tokens with letters or digits that need alternatives."""
MOST_FORCED = 0.2
"""Share of tokens that are not among the likeliest at their place, above which a grammar and not
the model has chosen them. Of freely written tokens it is 0.005 (docs/uncertainty.md)."""
MOST_TOLD = 3
"""Uncertain words or sentences that are shown, at most."""


@dataclass(frozen=True, slots=True)
class Passed:
    """A measure that could not be used."""

    rung: Rung
    why: Why

    def __str__(self) -> str:
        """Return it in words."""
        return f"not by {NAMES[self.rung]}: {WHYS[self.why]}"


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """How unsure the model was of its words."""

    source: Source = "none"
    """What `value` was measured by; "none": nothing is known."""
    mean_entropy: float | None = None
    """Nats a token, over the scored tokens; None without log-probabilities."""
    normalized: float | None = None
    """The same divided by the largest it could be, 0 to 1."""
    tokens: int = 0
    value: float | None = None
    """0 to 1, larger where less certain: of "logprobs" `normalized`, of "disagreement" the share of
    content that only one of two answers has, of "overlap" the share of the answer that the
    evidence does not support."""
    passed: tuple[Passed, ...] = ()
    """The better measures, and why they were not used."""


UNMEASURED = Uncertainty()
"""What is known of an answer before it is checked."""

Kind = Literal["value", "sentence", "difference", "refusal", "number", "identifier", "name"]
"""The last three are in sessions of earlier versions."""


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
    """The line that a person reads."""
    value: float
    """How unsure, 0 to 1; what it means depends on `source`."""
    source: Rung
    nats: float | None = None
    """Entropy of the least sure token; of a whole sentence the mean. None without tokens."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """A spot, with its place in the answer."""

    text: str
    """In words, such as "unsure about 2400"."""
    span: tuple[int, int]
    """First character in `answer`, and the one after the last."""
    kind: Kind
    value: float
    """How unsure, 0 to 1; what it means depends on `source`."""
    source: Rung
    nats: float | None = None
    """Entropy of the least sure token, of a whole sentence the mean; None without tokens."""


def unusable_tokens(text: str, tokens: Sequence[Token]) -> Why | None:
    """Return why the log-probabilities of an answer are not used; None where they are."""
    if not tokens:
        return "absent"
    spelled = "".join(token.text for token in tokens)
    if spelled.strip() != text.strip():
        return "misaligned"
    scored = [token for _, token in said_tokens(tokens)]
    worded = sum(any(map(str.isalnum, token.text)) for token in unmarked_tokens(tokens))
    if not worded:
        return "silent"
    if len(scored) < LEAST_KNOWN * worded:
        return "partial"
    shown = [{other.text.strip() for other in token.alternatives} for token in scored]
    strange = sum(one.text.strip() not in likely for one, likely in zip(scored, shown, strict=True))
    return "forced" if strange > MOST_FORCED * len(scored) else None


def in_words(unsure: Uncertainty) -> str:
    """Return what the uncertainty of an answer was measured by, with its value, in one line."""
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


def placed(spots: Iterable[Spot], starts: Mapping[str, int]) -> tuple[Unsure, ...]:
    """Return the first spots in the shown answer, at most `MOST_TOLD`, each text once.

    `starts` has the place in the answer of each shown sentence.
    """
    found: dict[str, Unsure] = {}
    for spot in spots:
        at = starts.get(spot.sentence)
        if at is not None and spot.text not in found:
            span = (at + spot.start, at + spot.end)
            found[spot.text] = Unsure(
                spot.text, span, spot.kind, spot.value, spot.source, spot.nats
            )
    return tuple(found.values())[:MOST_TOLD]


def told(unsure: Sequence[Unsure]) -> str:
    """Return what the answer is unsure of, in one line; empty where of nothing."""
    return "; ".join(one.text for one in unsure)


def measured(one: Unsure) -> str:
    """Return one thing the answer is unsure of, with its figures."""
    if one.source == "disagreement":
        return f"{one.text}: the second answer lacks {100 * one.value:.0f} % of the sentence"
    nats = "" if one.nats is None else f"{one.nats:.2f} nats, "
    return f"{one.text}: {nats}{one.value:.2f} of the most there could be"
