"""How likely the evidence supports each sentence of an answer; no language model is asked."""

from collections.abc import Mapping, Sequence

from research_agent.ports import SentencePairs
from research_agent.types import Chunk
from research_agent.types.grounding import (
    Grounded,
    GroundingModel,
    compare,
    features,
    probability,
)


def ground(
    sentences: Sequence[str],
    chunks: Mapping[str, Chunk],
    *,
    pairs: SentencePairs,
    model: GroundingModel,
) -> tuple[Grounded, ...]:
    """Return what the passages, by key, hold of each sentence; raises ModelMissingError.

    A sentence is compared with every passage; at most two windows of them go to the models.
    """
    return tuple(_grounded(sentence, chunks, pairs, model) for sentence in sentences)


def found_word_for_word(sentence: str, chunks: Mapping[str, Chunk]) -> Grounded:
    """Return what passages hold of a sentence that one of them has as it is; no model is asked."""
    compared = compare(sentence, chunks)
    return Grounded(probability=1.0, facts=compared.facts, quotes=compared.quotes)


def _grounded(
    sentence: str, chunks: Mapping[str, Chunk], pairs: SentencePairs, model: GroundingModel
) -> Grounded:
    compared = compare(sentence, chunks)
    relevance = pairs.relevance(sentence, compared.passages)
    soft = pairs.soft_coverage(sentence, compared.passages)
    return Grounded(
        probability=probability(features(compared, relevance, soft), model),
        facts=compared.facts,
        quotes=compared.quotes,
        contradicted_by=compared.contradicted_by,
        contradiction=compared.contradiction,
    )
