"""Choose passages: the sentences of the evidence that are nearest to the question.

The ranking puts them in order, and a model may put the first of them in another one.
"""

from collections.abc import Sequence

from research_agent.answering.write.passages_of_evidence import (
    Passage,
    chosen_passages,
    likely_passages,
    passages_of,
    ranked_passages,
)
from research_agent.answering.write.scoring import PassageJudge
from research_agent.ports import Embedder
from research_agent.text.content_words import is_named
from research_agent.text.unit_vectors import cosine
from research_agent.types.evidence import Evidence


def choose_passages(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    evidence: Sequence[Evidence],
    *,
    embedder: Embedder,
    most: int,
    max_words: int,
    naming: str = "",
    judge: PassageJudge | None = None,
) -> tuple[Passage, ...]:
    """Return at most `most` passages of together `max_words` words, as they stand in the evidence.

    With `naming` they name this thing. Of passages that a `judge` has put in order, those behind
    the first have to be likelier than not. Empty where the evidence has none. Raises ModelError
    where the embedding fails.
    """
    passages = [p for p in passages_of(evidence) if not naming or is_named(naming, p.readable)]
    if not passages:
        return ()
    own, *vectors = embedder.embed([question, *(passage.readable for passage in passages)])
    similarities = [cosine(own, vector) for vector in vectors]
    ranked = ranked_passages(question, passages, similarities)
    if judge is None:
        return chosen_passages(ranked, most=most, max_words=max_words)
    scored = judge.scored(ranked)
    likely = scored if judge.notes else likely_passages(scored)
    return chosen_passages(likely, most=most, max_words=max_words)
