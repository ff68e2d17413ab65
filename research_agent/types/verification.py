"""An answer, a checked draft of it, and what follows; `verification.next_round` decides."""

from dataclasses import dataclass
from typing import Literal

from research_agent.types import Refused, Token
from research_agent.types.budget import BudgetStop
from research_agent.types.claims import Claim, is_supported
from research_agent.types.uncertainty import UNMEASURED, Spot, Uncertainty

StopReason = Literal[
    "confident",
    "unchecked",
    "refused",
    "max_rounds",
    "no_new_evidence",
    "nothing_to_search",
    "worse_than_before",
    "low_value",
    "cancelled",
    "error",
    BudgetStop,
]
"""Why the loop ended. "nothing_to_search": in a later round the planner model said so."""
Doubt = Literal["refused", "missing", "unconfirmed", "uncertain", "pruned"]
"""Why it goes on: nothing was answered; a part of the question was not; a sentence could not be
confirmed; the model was unsure. "pruned": chunks that were left out of the evidence come back."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round that wrote an answer, or refused: a refusal has no sentences."""

    round: int
    mean_entropy: float | None
    """Of the answer's tokens, in nats; None where nothing is known about them."""
    doubt: float | None
    """The answer's doubt as `verify.profile` measures it."""
    sentences: int
    shown: int
    """Sentences that the evidence supports."""
    quality: float
    """Share of supported sentences times 1 - normalised uncertainty, 0 to 1."""
    tokens: int
    """Tokens read and written for the question when the answer was checked."""
    reason: str = ""
    """Why another round followed, or none (`Check.reason`)."""


@dataclass(frozen=True, slots=True)
class SentenceDoubt:
    """DRAGIN's score of a sentence of an answer."""

    text: str
    """The sentence without its markers, as its claim has it."""
    score: float | None = None
    """Of its most doubtful word, in nats; None where nothing is known about its words."""
    word: str = ""
    """That word, as it is written; empty where no word is in doubt."""
    certain: tuple[str, ...] = ()
    """Its content words without those in doubt, in order: the words of the next query."""


CUT = "answer: cut at "
"""How the warning of an answer that was cut begins; the limit follows."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model wrote; `tokens` is empty where nothing is known about them."""

    text: str = ""
    tokens: tuple[Token, ...] = ()
    form: Literal["written", "passages"] = "written"
    """"passages": the documents' own words, not the model's."""
    keys: tuple[str, ...] = ()
    """The evidence it was written from."""
    answerable: float | None = None
    """Probability that the evidence answers the question; None where it was not asked."""
    refused: Refused = ""
    repeated: bool = False
    """No evidence was new, so the model was not asked again."""
    unchecked: bool = False
    """The check whether the evidence answers the question gave no verdict."""
    failed: BudgetStop | Literal["error", ""] = ""
    """Why nothing was written; empty where something was."""
    missing: tuple[str, ...] = ()
    """What the model says the evidence does not hold, where it answers the rest."""
    rewritten: tuple[str, ...] = ()
    """Sentences of the text that were written again, doubtful as they were; without markers."""
    second: str | None = None
    """Another answer to the same prompt; empty where it failed, None where none was asked for."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A checked answer, or a refusal, which has no claims."""

    round: int = 0
    claims: tuple[Claim, ...] = ()
    refused: Refused = ""
    uncertainty: Uncertainty = UNMEASURED
    answerable: float | None = None
    missing: tuple[str, ...] = ()
    doubt: float | None = None
    """The answer's doubt as `verify.profile` measures it; None where nothing is known."""
    sentences: tuple[SentenceDoubt, ...] = ()
    """The doubt of each sentence, where the profile goes by them."""
    spots: tuple[Spot, ...] = ()
    """What the model was unsure of, the least sure first."""

    @property
    def supported(self) -> int:
        """How many claims the evidence supports."""
        return sum(map(is_supported, self.claims))

    @property
    def is_contradicted(self) -> bool:
        """Whether there are claims, and the evidence contradicts every one of them."""
        return bool(self.claims) and all(c.verdict == "contradicted" for c in self.claims)

    def is_better_than(self, other: "Draft") -> bool:
        """Return whether this is the better of two drafts.

        It has a supported sentence, lacks fewer parts of the question, has more supported sentences
        and fewer others, in this order; then the smaller doubt decides.
        """
        mine, theirs = self._merits(), other._merits()  # noqa: SLF001 (another of the same class)
        if mine != theirs or self.doubt is None or other.doubt is None:
            return mine > theirs
        return self.doubt < other.doubt

    def _merits(self) -> tuple[bool, int, int, int]:
        good = self.supported
        return (good > 0, -len(self.missing), good, good - len(self.claims))


@dataclass(frozen=True, slots=True)
class Check:
    """What happens next and why.

    `next_query` is empty where the question ends, and for "pruned", which makes no search.
    """

    decision: Literal["again", "stop"] = "stop"
    reason: StopReason | Doubt | Literal[""] = ""
    next_query: str = ""
    refused: Refused = ""
    doubts: tuple[str, ...] = ()
    """The sentences that need more evidence, where the decision is "again"."""
    missing: tuple[str, ...] = ()
    """The parts of the question that the model named as missing, where the decision is "again"."""
    by_tokens: bool = False
    """The next query leaves out words that the model was unsure of (DRAGIN's QFS): no model is
    asked for another one."""
    rounds: tuple[Round, ...] = ()
    """What every round that wrote an answer, or refused, came to."""

    @property
    def faulty(self) -> tuple[str, ...]:
        """The sentences that may be written again alone, beside others that stay."""
        return self.doubts if self.reason in {"uncertain", "unconfirmed"} else ()
