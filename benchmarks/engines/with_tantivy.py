"""Tantivy: words cut at spaces, no positions, one writing thread.

Run as `python -m benchmarks.engines.with_tantivy TASK FIGURES` in an environment that has it.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import tantivy  # type: ignore[import-not-found,import-untyped,unused-ignore]  # (elsewhere)

from benchmarks.engines.measuring import Query, Row, main

_HEAP = 128_000_000


class Tantivy:
    """One document a chunk, with its id stored."""

    def __init__(self, folder: Path) -> None:
        """Open the index in `folder`, made where there is none."""
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("chunk_id", stored=True, tokenizer_name="raw", index_option="basic")
        builder.add_text_field("words", tokenizer_name="spaces", index_option="freq")
        self._schema: Any = builder.build()
        self._index: Any = tantivy.Index(self._schema, path=str(folder))
        spaces = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        self._index.register_tokenizer("spaces", spaces)

    def build(self, rows: Callable[[], Iterable[Row]]) -> None:
        """Write everything, commit, and wait for the merging of segments."""
        self.replace((), rows())

    def search(self, query: Query, k: int) -> Sequence[tuple[str, float]]:
        """Return the best chunks; ties as the engine has them."""
        searcher = self._index.searcher()
        words = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "words", word, "freq"))
            for word in query.words
        ]
        found = searcher.search(tantivy.Query.boolean_query(words), limit=k, count=False)
        return [(searcher.doc(place)["chunk_id"][0], value) for value, place in found.hits]

    def replace(self, gone: Sequence[str], rows: Iterable[Row]) -> None:
        """Delete, add, commit, and let searches see it."""
        writer = self._index.writer(heap_size=_HEAP, num_threads=1)
        for chunk_id in gone:
            writer.delete_documents_by_term("chunk_id", chunk_id)
        for row in rows:
            document = tantivy.Document()
            document.add_text("chunk_id", row.chunk_id)
            document.add_text("words", row.words)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


if __name__ == "__main__":
    main(Tantivy)
