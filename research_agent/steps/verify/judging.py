"""Ask a model whether the evidence says what a sentence says, where the words leave it in doubt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from research_agent.core.claims import CLEAR, Claim, is_shown
from research_agent.core.entropy import yes_or_no
from research_agent.core.evidence import attribute, fenced, place
from research_agent.core.types import Chunk, Message
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import ChatModel
from research_agent.prompts import PromptTemplate

LEAST_YES = 0.5
"""Probability of a yes below which a sentence is unsupported."""
MOST = 8
"""Sentences of an answer that are asked about."""
Judged = tuple[tuple[Claim, ...], tuple[str, ...]]
"""The claims, and notes for the trace."""


def is_in_doubt(claim: Claim) -> bool:
    """Return whether a claim is shown though its quotes hold few of its words.

    >>> said = Claim("It rains.", ("c1",), verdict="supported", support=0.6)
    >>> is_in_doubt(said), is_in_doubt(replace(said, support=0.9))
    (True, False)
    """
    return is_shown(claim) and claim.support < CLEAR


@dataclass(frozen=True)
class ClaimJudge:
    """One yes or no a sentence, read as a probability; the source comes before the sentence."""

    model: ChatModel
    prompt: PromptTemplate
    meter: Meter

    def judged(self, claims: Sequence[Claim], chunks: Mapping[str, Chunk]) -> Judged:
        """Return claims of which those that the model denies are unsupported.

        Where the model fails, is not paid or gives no log-probabilities, the verdicts from there
        on stay, and a note says so. Never raises.
        """
        found = list(claims)
        asked = [at for at, claim in enumerate(found) if is_in_doubt(claim)][:MOST]
        for at in asked:
            try:
                probability = self._probability(found[at], chunks)
            except (ModelError, BudgetError) as error:
                return tuple(found), (f"verify: sentences in doubt were not judged: {error}",)
            if probability is None:
                why = "the model gave no probability of a yes"
                return tuple(found), (f"verify: sentences in doubt were not judged: {why}",)
            if probability < LEAST_YES:
                found[at] = _denied(found[at], probability)
        return tuple(found), ()

    def _probability(self, claim: Claim, chunks: Mapping[str, Chunk]) -> float | None:
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
