"""The validators of seed system 1, as it published them (`refinement.profile: seed`).

Two of its faults are not kept: a proposal is always compared with the user's question, not with
the query of the round before, and a chat's history switches nothing off.
"""

from research_agent.core.validators.retrieval import Finding, jaccard
from research_agent.core.validators.verdicts import Accept, Block, Ruling

MIN_SIMILARITY = 0.9
MARGIN = 0.15
MIN_JACCARD = 0.2


def seed_similarity(similarity: float, *, threshold: float = MIN_SIMILARITY) -> Ruling:
    """Block what is less similar to the question than the threshold.

    >>> seed_similarity(0.88).reason
    'LOW_SIMILARITY: 0.88 < 0.90'
    """
    figures = {"similarity": similarity, "threshold": threshold}
    if similarity < threshold:
        reason = f"LOW_SIMILARITY: {similarity:.2f} < {threshold:.2f}"
        return Block("similarity", reason, figures)
    return Accept("similarity", figures=figures)


def seed_retrieval(
    own_distance: float,
    distance: float,
    overlap: float,
    *,
    margin: float = MARGIN,
    min_jaccard: float = MIN_JACCARD,
) -> Ruling:
    """Block a larger cosine distance to the best hit, or too few common sources.

    >>> seed_retrieval(0.2, 0.4, 1.0).reason
    'POST_VALIDATE_FAIL: distance 0.40 > 0.35'
    >>> seed_retrieval(0.2, 0.3, 1.0).ruling
    'accept'
    >>> seed_retrieval(0.2, 0.3, 0.0).reason
    'POST_VALIDATE_FAIL: Jaccard 0.00 < 0.20'
    """
    figures = {"own": own_distance, "found": distance, "margin": margin, "overlap": overlap}
    if distance > own_distance + margin:
        reason = f"POST_VALIDATE_FAIL: distance {distance:.2f} > {own_distance + margin:.2f}"
        return Block("retrieval", reason, figures)
    if overlap < min_jaccard:
        reason = f"POST_VALIDATE_FAIL: Jaccard {overlap:.2f} < {min_jaccard:.2f}"
        return Block("retrieval", reason, figures)
    return Accept("retrieval", figures=figures)


def seed_check(own: Finding, found: Finding, *, margin: float, min_overlap: float) -> Ruling:
    """Judge what two queries find; cosine distance is 1 - similarity."""
    overlap = jaccard(own.sources, found.sources)
    return seed_retrieval(
        1 - own.top, 1 - found.top, overlap, margin=margin, min_jaccard=min_overlap
    )
