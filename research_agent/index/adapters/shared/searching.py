"""Searching a shared index by LanceDB's indexes of words (BM25) and vectors, and making these."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from research_agent.index.adapters.shared.reading import NAMED, SharedReader, as_matrix, filters
from research_agent.index.adapters.shared.storage import faults
from research_agent.index.adapters.shared.tables import VECTORS
from research_agent.index.exact_vectors import ExactVectors, ranked, unit
from research_agent.text.language import search_terms
from research_agent.text.words import respelled_numbers
from research_agent.types import ScoredId

if TYPE_CHECKING:
    from lancedb.index import FTS
    from lancedb.table import LanceTable

WORDS = ("all_words", "text_words")
"""Words of a chunk with those of its title and headings, and without."""
NEVER = timedelta(days=36_500)  # optimizing deletes no version: a generation may name it
MANY_ROWS = 5000  # tables with fewer rows are read through faster than an index is asked
MANY_VECTORS = 50_000  # from so many on there is an index of vectors
GROWN = 4  # the index of vectors is trained anew when there are so many times more
OF_PARTITION = 2000  # vectors of one partition of their index
OF_CODE = 4  # numbers of a vector that one byte of their index stands for
_NAMES = {
    "chunks": ("chunk_id", "version"),
    VECTORS: ("chunk_id", "digest"),
    "edges": ("source", "target"),
    "pages": ("version",),
}
MAX_TERMS = 64  # distinct words of a query that are searched, its first ones
WEIGHT = 0.5
"""Of the words with and without headings: a word in a heading counts half of one in the text."""
_SPARE = 4  # hits asked of a column for a wanted one
_FETCH = 4  # vectors asked for a wanted chunk: long chunks have several
PROBED, REFINE = 0.5, 5
"""Share of partitions that are searched; vectors compared exactly for each that is asked for."""


class SharedWords:
    """Word search of one generation; implements LexicalIndex."""

    def __init__(self, reader: SharedReader) -> None:
        self._reader = reader

    def search(self, query: str, *, k: int) -> list[ScoredId]:
        """Return the `k` chunks with the best BM25 for `query`, best first; ties by id.

        Each column is searched for itself: together, LanceDB scores every chunk that has a term. A
        chunk that is among the first of one column alone has no score in the other.
        """
        import lancedb.query as fts

        terms = search_terms(query)[:MAX_TERMS]
        if not terms or not self._reader.state.chunks:
            return []
        words = " ".join((*terms, *respelled_numbers(query, terms)))
        match: Any = fts.MatchQuery  # (its defaults are hidden from type checkers)
        found: defaultdict[str, float] = defaultdict(float)
        with faults(self._reader.storage.label):
            for column in WORDS:
                wanted = match(words, column)
                search = self._reader.table("chunks").search(wanted, query_type="fts")
                rows = search.select(["chunk_id", "_score"]).limit(_SPARE * k).to_arrow()
                for row in rows.to_pylist():
                    found[row["chunk_id"]] += WEIGHT * row["_score"]
        return ranked(found, k=k)


class SharedVectors:
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


def words_index() -> "FTS":
    """Return how words are indexed: they are split and folded already, and stemmed here."""
    from lancedb.index import FTS

    return FTS(
        base_tokenizer="whitespace",
        lower_case=False,
        max_token_length=None,
        remove_stop_words=False,
    )


def bring_up_to_date(table: "Callable[[str], LanceTable]", trained: int, dimension: int) -> int:
    """Merge small files and index new rows; returns the vectors at the last training, or 0."""
    from lancedb.index import BTree, IvfPq

    for name, columns in _NAMES.items():
        if name == VECTORS and not dimension:
            continue
        one = table(name)
        there, rows = {tuple(index.columns) for index in one.list_indices()}, one.count_rows()
        for column in columns if rows >= MANY_ROWS else ():
            if (column,) not in there:
                one.create_index(column, config=BTree())
        for column in WORDS if name == "chunks" and rows else ():
            if (column,) not in there:
                one.create_index(column, config=words_index())
        one.optimize(cleanup_older_than=NEVER)
    table("documents").optimize(cleanup_older_than=NEVER)
    vectors = table(VECTORS).count_rows() if dimension else 0
    if vectors < MANY_VECTORS or vectors <= GROWN * trained:
        return trained if vectors >= MANY_VECTORS else 0
    index = IvfPq(
        distance_type="cosine",
        num_partitions=max(1, vectors // OF_PARTITION),
        num_sub_vectors=dimension // OF_CODE,
    )
    table(VECTORS).create_index("vector", config=index, replace=True)
    return vectors
