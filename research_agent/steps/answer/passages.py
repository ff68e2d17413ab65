"""Choose passages: the sentences of the evidence that are nearest to the question."""

from collections.abc import Sequence

from research_agent.core.evidence import Evidence
from research_agent.core.passages import Passage, chosen_passages, passages_of, ranked_passages
from research_agent.core.support import is_named
from research_agent.core.unit_vectors import cosine
from research_agent.ports import Embedder


def choose_passages(
    question: str,
    evidence: Sequence[Evidence],
    *,
    embedder: Embedder,
    most: int,
    max_words: int,
    naming: str = "",
) -> tuple[Passage, ...]:
    """Return at most `most` passages of together `max_words` words, as they stand in the evidence.

    With `naming` they name this thing. Empty where the evidence has none. Raises ModelError where
    the embedding fails.
    """
    passages = [p for p in passages_of(evidence) if not naming or is_named(naming, p.readable)]
    if not passages:
        return ()
    own, *vectors = embedder.embed([question, *(passage.readable for passage in passages)])
    similarities = [cosine(own, vector) for vector in vectors]
    ranked = ranked_passages(question, passages, similarities)
    return chosen_passages(ranked, most=most, max_words=max_words)
