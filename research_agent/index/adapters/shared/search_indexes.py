"""What makes a shared index quick to search: LanceDB's indexes of words, vectors and names."""

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from research_agent.index.adapters.shared.tables import VECTORS

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
_NAMES = {
    "chunks": ("chunk_id", "version"),
    VECTORS: ("chunk_id", "digest"),
    "edges": ("source", "target"),
    "pages": ("version",),
}


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
        num_sub_vectors=dimension // 8,
    )
    table(VECTORS).create_index("vector", config=index, replace=True)
    return vectors
