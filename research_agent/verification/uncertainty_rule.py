"""The rules by which an answer counts as uncertain: a number for its doubt, and a limit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from research_agent.types import Chunk, Token
from research_agent.types.claims import Claim, is_supported, said_tokens
from research_agent.types.entropy import (
    mean_of_most_uncertain,
    normalized_uncertainty,
    token_entropy,
)
from research_agent.verification.dragin.doubt import SentenceDoubt, sentence_doubts

Profile = Literal["entropy", "dragin", "seed", "seed_fifth"]


@dataclass(frozen=True, slots=True)
class DoubtRule:
    """How an answer's doubt is measured, and up to where it counts as sure.

    | profile | doubt |
    |---|---|
    | entropy | mean entropy of the answer's tokens, nats |
    | dragin | largest score of a word (`core.dragin`), nats |
    | seed | seed system 1's document: normalised uncertainty, 1 - its confidence |
    | seed_fifth | seed system 1's program: mean entropy of the most uncertain fifth, nats |
    """

    profile: Profile = "entropy"
    limit: float = 0.6
    max_disagreement: float = 0.5
    """The limit where there are no tokens and two answers are compared (`core.disagreement`)."""
    max_entropy: float = 0.6
    """Nats from which on a person is told of a whole sentence, with the other profiles."""

    def sentences(
        self,
        text: str,
        tokens: Sequence[Token],
        claims: Sequence[Claim],
        cited: Mapping[str, Chunk],
        seen: Sequence[Chunk],
    ) -> tuple[SentenceDoubt, ...]:
        """Return the doubt of each sentence, where the profile goes by sentences; else none."""
        if self.profile != "dragin":
            return ()
        keys = {claim.text: claim.keys for claim in claims}
        return sentence_doubts(text, tokens, keys, cited, seen, limit=self.limit)

    def doubt(
        self,
        tokens: Sequence[Token],
        mean: float | None,
        sentences: Sequence[SentenceDoubt],
    ) -> float | None:
        """Return the doubt of an answer with this `mean` entropy; None where nothing is known.

        >>> from research_agent.types import Alternative
        >>> even = (Alternative("5", -0.6931), Alternative("6", -0.6931))
        >>> tokens = [Token("5", -0.6931, even)]
        >>> round(DoubtRule("seed").doubt(tokens, 0.6931, ()), 3)
        1.0
        """
        match self.profile:
            case "dragin":
                known = [one.score for one in sentences if one.score is not None]
                return max(known, default=None)
            case "seed":
                return normalized_uncertainty(token for _, token in said_tokens(tokens))
            case "seed_fifth":
                entropies = [token_entropy(t.alternatives) for _, t in said_tokens(tokens)]
                return mean_of_most_uncertain(entropies)
        return mean

    def doubtful(
        self, claims: Sequence[Claim], sentences: Sequence[SentenceDoubt]
    ) -> Sequence[Claim]:
        """Return those of the claims that need more evidence: unconfirmed or uncertain, else all.

        The seed's rules know only whole answers. What the evidence has word for word is in no
        doubt, so it is not among the `claims`.
        """
        unsure = {one.text for one in sentences if one.word}
        return [
            claim
            for claim in claims
            if not is_supported(claim)
            or claim.text in unsure
            or (self.profile == "entropy" and (claim.mean_entropy or 0.0) > self.limit)
        ] or claims
