"""bm25s: scores of all pairs of word and chunk as one sparse matrix, held in memory.

Run as `python -m benchmarks.engines.with_bm25s TASK FIGURES` in an environment that has it.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import bm25s  # type: ignore[import-not-found,import-untyped,unused-ignore]  # (elsewhere)

from benchmarks.engines.measuring import Query, Row, main


class Bm25s:
    """The matrix, and a file of chunk ids and words beside it: a change makes all anew."""

    def __init__(self, folder: Path) -> None:
        """Load what is in `folder`."""
        self._folder = folder
        self._rows, self._index = folder / "rows.json", folder / "index"
        self._ids: list[str] = []
        self._matrix: Any = None
        if self._rows.exists():
            self._ids = list(json.loads(self._rows.read_text(encoding="utf-8")))
            self._matrix = bm25s.BM25.load(str(self._index))

    def build(self, rows: Callable[[], Iterable[Row]]) -> None:
        """Score everything and save it."""
        self._make({row.chunk_id: row.words for row in rows()})

    def search(self, query: Query, k: int) -> Sequence[tuple[str, float]]:
        """Return the best chunks; ties as the engine has them, scores of zero left out."""
        k = min(k, len(self._ids))
        found, values = self._matrix.retrieve([list(query.words)], k=k, show_progress=False)
        pairs = zip(found[0], values[0], strict=True)
        return [(self._ids[place], float(value)) for place, value in pairs if value > 0]

    def replace(self, gone: Sequence[str], rows: Sequence[Row]) -> None:
        """Make everything anew: there is no update."""
        words = json.loads(self._rows.read_text(encoding="utf-8"))
        for chunk_id in gone:
            del words[chunk_id]
        self._make(words | {row.chunk_id: row.words for row in rows})

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _make(self, words: dict[str, str]) -> None:
        self._ids = list(words)
        self._matrix = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
        self._matrix.index([text.split() for text in words.values()], show_progress=False)
        self._matrix.save(str(self._index))
        self._rows.write_text(json.dumps(words), encoding="utf-8")


if __name__ == "__main__":
    main(Bm25s)
