"""Searching a shared index: words by LanceDB's BM25, vectors by its index of them."""

from collections.abc import Sequence
from typing import Any

from research_agent.closeable import Closing
from research_agent.index.adapters.shared.reading import NAMED, SharedReader, as_matrix, filters
from research_agent.index.adapters.shared.search_indexes import OF_PARTITION, WORDS
from research_agent.index.adapters.shared.storage import faults
from research_agent.index.adapters.shared.tables import VECTORS
from research_agent.index.exact_vectors import ExactVectors, ranked, unit
from research_agent.text.language import search_terms
from research_agent.types import ScoredId

MAX_TERMS = 64  # distinct words of a query that are searched, its first ones
WEIGHT = 0.5
"""Of the words with and without headings: a word in a heading counts half of one in the text."""
_SPARE = 2  # hits asked for a wanted one: those with one score are put in order by id
_FETCH = 4  # vectors asked for a wanted chunk: long chunks have several
PROBED, REFINE = 0.5, 5
"""Share of partitions that are searched; vectors compared exactly for each that is asked for."""


class SharedWords:
    """Word search of one generation; implements LexicalIndex."""

    def __init__(self, reader: SharedReader) -> None:
        self._reader = reader

    def search(self, query: str, *, k: int) -> list[ScoredId]:
        """Return the `k` chunks with the best BM25 for `query`, best first; ties by id."""
        import lancedb.query as fts

        terms = search_terms(query)[:MAX_TERMS]
        if not terms or not self._reader.state.chunks:
            return []
        match: Any = fts.MatchQuery  # (its defaults are hidden from type checkers)
        asked = [
            (fts.Occur.SHOULD, match(" ".join(terms), column, boost=WEIGHT)) for column in WORDS
        ]
        wanted: Any = fts.BooleanQuery(asked)
        with faults(self._reader.storage.label):
            search = self._reader.table("chunks").search(wanted, query_type="fts")
            rows = search.select(["chunk_id", "_score"]).limit(_SPARE * k).to_arrow().to_pylist()
        return ranked({row["chunk_id"]: float(row["_score"]) for row in rows}, k=k)


class SharedVectors(Closing):
    """Dense search of one generation by its index of vectors, with exact cosines."""

    def __init__(self, reader: SharedReader) -> None:
        self._reader = reader

    def search(self, vector: Sequence[float], *, k: int) -> list[ScoredId]:
        """Return `k` of the most similar chunks, best first, with their cosine; ties by id."""
        dimension = self._reader.state.dimension
        query = unit(vector, dimension)
        probes = max(1, round(PROBED * self._reader.state.trained / OF_PARTITION))
        with faults(self._reader.storage.label):
            search = self._reader.table(VECTORS).search(query.astype("float32"))
            search = search.metric("cosine").nprobes(probes).refine_factor(REFINE)
            near = search.select([*NAMED, "_distance"]).limit(_FETCH * k).to_arrow()
        return ExactVectors(*as_matrix(near, dimension)).search(vector, k=k)

    def similarities(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> list[float]:
        """Return the exact cosine of each chunk, in order; 0 for a chunk that has no vector."""
        wheres = list(filters("chunk_id", chunk_ids))
        where = " OR ".join(wheres)
        if not where:
            return []
        return ExactVectors(*self._reader.matrix(where)).similarities(vector, chunk_ids)

    def close(self) -> None:
        """Do nothing: there is nothing to give back."""
