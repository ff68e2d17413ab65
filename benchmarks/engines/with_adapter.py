"""The product's own word index, from texts: splitting into words and stemming are part of it.

Run as `python -m benchmarks.engines.with_adapter TASK FIGURES` where the product is installed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.engines.measuring import Query, Row, main
from research_agent.index.adapters.lexical import WordIndex
from research_agent.types import Chunk


class Adapter:
    """A WordIndex; what it shows is written down beside it, as the ledger would know it."""

    def __init__(self, folder: Path) -> None:
        """Open the file in `folder`, made where there is none."""
        path = folder / "words.sqlite3"
        self._shown = folder / "shown.txt"
        self._index = WordIndex(path) if path.exists() else WordIndex.fresh(path)

    def build(self, rows: Callable[[], Iterable[Row]]) -> None:
        """Bring the index to the rows; they come in the order in which they are asked for."""
        coming = iter(rows())

        def next_ones(chunk_ids: Sequence[str]) -> Sequence[Chunk]:
            return [_chunk(next(coming)) for _ in chunk_ids]

        shown = dict.fromkeys((row.chunk_id for row in rows()), "1")
        self._index.sync(1, shown, next_ones)
        self._keep(shown)

    def search(self, query: Query, k: int) -> Sequence[tuple[str, float]]:
        """Return the best chunks; ties by id."""
        return [(hit.chunk_id, hit.value) for hit in self._index.search(query.text, k=k)]

    def replace(self, gone: Sequence[str], rows: Sequence[Row]) -> None:
        """Bring the index to the next generation, with new digests for what is new."""
        lines = self._shown.read_text(encoding="utf-8").splitlines()
        shown = dict(line.split("\t") for line in lines)
        for chunk_id in gone:
            del shown[chunk_id]
        new = {row.chunk_id: _chunk(row) for row in rows}
        generation = self._index.generation() + 1
        shown |= dict.fromkeys(new, str(generation))
        self._index.sync(generation, shown, lambda chunk_ids: [new[i] for i in chunk_ids])
        self._keep(shown)

    def close(self) -> None:
        """Close the file."""
        self._index.close()

    def _keep(self, shown: Mapping[str, str]) -> None:
        lines = (f"{chunk_id}\t{digest}\n" for chunk_id, digest in shown.items())
        self._shown.write_text("".join(lines), encoding="utf-8")


def _chunk(row: Row) -> Chunk:
    return Chunk(row.chunk_id, "d", row.text, title=row.title)


if __name__ == "__main__":
    main(Adapter)
