"""Documents that the question names by their title, and what the first hits name, move up."""

from collections.abc import Mapping, Sequence
from math import inf

from research_agent.retrieval.search.scoped import ScopedSearch
from research_agent.text.names import NameFinder, document_names, folded, is_as_written, name_words
from research_agent.types import Chunk

TITLE_WEIGHT = 0.5
"""Share of the top score that the best hit of a document named in the question gets more."""
MENTION_WEIGHT = 0.5
"""The same for what the first hit names by its title or heading; less for later hits."""
MENTION_HITS = 3
"""Hits whose texts are looked at for such names."""
MOST_NAMED = 4
"""Names of one hit that count, at most."""


def with_names(
    own: Sequence[Chunk],
    query: str,
    vector: Sequence[float],
    *,
    scores: dict[str, float],
    pool: ScopedSearch,
) -> tuple[Chunk, ...]:
    """Return the ranking `own` with what is named moved up or let in; `scores` are raised."""
    if not own:
        return ()
    top = scores[own[0].chunk_id]
    ranking = _raised(own, dict.fromkeys(_titled(own, query), TITLE_WEIGHT * top), scores)
    shares = _mentioned(ranking, scores, vector, pool)
    boosts = {i: share * MENTION_WEIGHT * top for i, share in shares.items()}
    let_in = pool.chunks([i for i in boosts if i not in scores])
    first = scores[ranking[0].chunk_id]
    return _raised((*ranking, *let_in), boosts, scores, most=first)


def _raised(
    ranking: Sequence[Chunk],
    boosts: Mapping[str, float],
    scores: dict[str, float],
    *,
    most: float = inf,
) -> tuple[Chunk, ...]:
    """Return a ranking in which some chunks moved up; all others keep their order.

    A chunk that ranks lower than its score says is judged by its rank. No score exceeds `most`.
    """
    height, heights = inf, dict[str, float]()
    for chunk in ranking:
        height = min(height, scores.get(chunk.chunk_id, 0.0))
        heights[chunk.chunk_id] = min(height + boosts.get(chunk.chunk_id, 0.0), most)
    scores.update({chunk_id: heights[chunk_id] for chunk_id in boosts})
    return tuple(sorted(ranking, key=lambda chunk: -heights[chunk.chunk_id]))


def _titled(ranking: Sequence[Chunk], query: str) -> list[str]:
    best = {chunk.source: chunk for chunk in reversed(ranking)}
    names = [
        (chunk.chunk_id, name)
        for chunk in ranking
        if best[chunk.source] is chunk
        for name in document_names(chunk.title, chunk.doc_id)
    ]
    finder = NameFinder(tuple(word.casefold() for word in name) for _, name in names)
    written = name_words(query)
    return [
        chunk_id
        for number, start, end in finder.find(folded(query))
        for chunk_id, name in names
        if name == names[number][1] and is_as_written(written[start:end], name)
    ]


def _mentioned(
    ranking: Sequence[Chunk],
    scores: Mapping[str, float],
    vector: Sequence[float],
    pool: ScopedSearch,
) -> dict[str, float]:
    """Return the chunks that the first hits mention, and the largest share each has.

    The share is 1 for the first hit, 1/1.5 for the second, 1/2 for the third. Of many names those
    count that the ranking has too, then the most similar ones.
    """
    first = ranking[:MENTION_HITS]
    edges = [e for e in pool.edges([c.chunk_id for c in first]) if e.kind == "mention"]
    targets = pool.admitted(list(dict.fromkeys(edge.target for edge in edges)))
    meant = {target.chunk_id: _best(target, ranking) for target in targets}
    similar = pool.similarities(vector, list(dict.fromkeys(meant.values()))) if vector else {}
    shares: dict[str, float] = {}
    for place, hit in enumerate(first):
        named = {meant[e.target] for e in edges if e.source == hit.chunk_id and e.target in meant}
        order = sorted(named, key=lambda i: (-scores.get(i, 0.0), -similar.get(i, 0.0), i))
        for chunk_id in [i for i in order if i != hit.chunk_id][:MOST_NAMED]:
            shares[chunk_id] = max(1 / (1 + place / 2), shares.get(chunk_id, 0.0))
    return dict(sorted(shares.items(), key=lambda s: (-s[1], -similar.get(s[0], 0.0), s[0])))


def _best(target: Chunk, ranking: Sequence[Chunk]) -> str:
    depth = len(target.section)
    within = (
        chunk.chunk_id
        for chunk in ranking
        if chunk.source == target.source
        and (target.order == 0 or chunk.section[:depth] == target.section)
    )
    return next(within, target.chunk_id)
