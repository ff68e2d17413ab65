"""Ask a model whether the evidence says what a sentence says, in words of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from research_agent.core.claim_checks.checking import is_copied
from research_agent.core.claims import Claim, bare, is_shown
from research_agent.core.entropy import yes_or_no
from research_agent.core.evidence import attribute, fenced, place
from research_agent.core.sentences import sentence_spans
from research_agent.core.types import Chunk, Message
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import ChatModel
from research_agent.prompts import PromptTemplate

MOST = 8
"""Sentences of an answer that are asked about: those whose quotes hold the least of their words."""
Judged = tuple[tuple[Claim, ...], tuple[str, ...]]
"""The claims, and notes for the trace."""


def is_asked_about(claim: Claim) -> bool:
    """Return whether a claim is shown and no quote has it word for word, signs of lists aside.

    >>> from research_agent.core.support import Support
    >>> said = Claim("It rains.", ("c1",), (Support(quote="1. It rains a lot."),), "supported")
    >>> is_asked_about(said), is_asked_about(replace(said, text="It rains a lot."))
    (True, False)
    >>> is_asked_about(replace(said, text="1: i = 0", quotes=(Support(quote="1: i = 0"),)))
    False
    """
    quotes = [one.quote for one in claim.quotes]
    sentences = (bare(quote[start:end]) for quote in quotes for start, end in sentence_spans(quote))
    return is_shown(claim) and not any(
        is_copied(claim.text, said) for said in (*quotes, *sentences)
    )


@dataclass(frozen=True, kw_only=True)
class ClaimJudge:
    """One yes or no a sentence, read as a probability; the source comes before the sentence."""

    model: ChatModel
    prompt: PromptTemplate
    meter: Meter
    min_yes: float
    """Probability of a yes below which a sentence is unsupported."""

    def judged(self, claims: Sequence[Claim], chunks: Mapping[str, Chunk]) -> Judged:
        """Return claims of which those that the model denies are unsupported.

        Where the model fails, is not paid or gives no log-probabilities, the verdicts from there
        on stay, and a note says so. Never raises.
        """
        found = list(claims)
        asked = [at for at, claim in enumerate(found) if is_asked_about(claim)]
        doubtful = sorted(asked, key=lambda at: found[at].support)[:MOST]
        for at in sorted(doubtful):
            try:
                probability = self.probability(found[at], chunks)
            except (ModelError, BudgetError) as error:
                return tuple(found), (f"verify: sentences were not judged: {error}",)
            if probability is None:
                why = "the model gave no probability of a yes"
                return tuple(found), (f"verify: sentences were not judged: {why}",)
            if probability < self.min_yes:
                found[at] = _denied(found[at], probability)
        return tuple(found), ()

    def probability(self, claim: Claim, chunks: Mapping[str, Chunk]) -> float | None:
        """Return how likely a yes is; None without log-probabilities.

        Raises ModelError, BudgetError.
        """
        cited = [chunks[key] for key in dict.fromkeys(claim.keys) if key in chunks]
        source = "\n".join(map(_shown, cited))
        content = self.prompt.render(source=source, sentence=fenced(claim.text))
        said = self.meter.ask(self.model, "verifier", [Message("user", content)], max_tokens=1)
        return yes_or_no(said) if said.tokens else None


def _shown(chunk: Chunk) -> str:
    return f'<source from="{attribute(place(chunk))}">\n{fenced(chunk.text)}\n</source>'


def _denied(claim: Claim, probability: float) -> Claim:
    problem = f"the model that checks says no (a yes has {probability:.0%})"
    return replace(claim, keys=(), quotes=(), verdict="unsupported", problem=problem, repaired="")
