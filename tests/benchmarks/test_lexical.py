"""The engines' words, the exact BM25 and the mixed chunks are what they are said to be."""

import random
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.engines.measuring import Row, Task, line_of, measured, row_of
from benchmarks.engines.with_adapter import Adapter
from benchmarks.engines.with_fts5 import Fts5
from benchmarks.exact_bm25 import Counted, fts5, ranked
from benchmarks.lexical import order_of_ties, summed_up
from benchmarks.mixed_chunks import halves, mixtures, sentences
from benchmarks.mixed_vectors import blended, embedded_chunks, nearest
from benchmarks.word_rows import queries, write_rows
from research_agent.types import Chunk

TEXTS = (
    "Keys are made from a seed. The seed is random. A key is long.",
    "Signatures bind a message. A signature is checked with the public key.",
    "A lattice has many bases. Short vectors are hard to find.",
    "The wing has a boundary layer. Flow over a wing is turbulent.",
)
REAL = [
    Chunk(f"c{number}", f"d{number}", text, title="Notes", source="one")
    for number, text in enumerate(TEXTS)
]


def _task(folder: Path, phase: str, count: int) -> Task:
    rows = folder / "rows.tsv"
    write_rows(REAL, count, rows)
    place = folder / "index"
    place.mkdir(exist_ok=True)
    asked = queries(["Which key checks a signature?", "turbulent flow"])
    return Task(phase, str(rows), str(place), asked, 10, 1 << 40)  # type: ignore[arg-type]  # (a literal, one by one)


def test_mixtures_begin_with_the_real_chunks_and_have_ids_of_their_own() -> None:
    """The first ones are whole; later ones hold sentences of two; the same each time."""
    made = [mixture.chunk for mixture in mixtures(REAL, 20)]
    known = {sentence for text in TEXTS for sentence in sentences(text)}

    assert list(TEXTS) == [chunk.text for chunk in made[:4]]
    assert 20 == len({chunk.chunk_id for chunk in made})
    assert made == [mixture.chunk for mixture in mixtures(REAL, 20)]
    assert known >= {sentence for chunk in made for sentence in sentences(chunk.text)}


def test_halves_keep_the_order_of_both_texts() -> None:
    """Half of each text's sentences, rounded up, the first text's before the second's."""
    found = halves(["1", "2", "3"], ["4", "5"], random.Random(0))  # noqa: S311 (no secret)

    assert sorted(found) == list(found)
    assert (2, 1) == (sum(s in "123" for s in found), sum(s in "45" for s in found))


@pytest.mark.parametrize("engine", [Adapter, Fts5])
def test_an_engine_builds_searches_and_updates(
    engine: type[Adapter] | type[Fts5], tmp_path: Path
) -> None:
    """Each phase gives its figures, in the same index."""
    built = measured(engine, _task(tmp_path, "build", 60))
    searched = measured(engine, _task(tmp_path, "search", 60))
    updated = measured(engine, _task(tmp_path, "update", 60))

    assert {"seconds", "cpu_seconds", "mb_on_disk", "peak_mb"} == built.keys()
    assert [10, 10] == [len(hits) for hits in searched["hits"]]  # type: ignore[attr-defined]  # (JSON has no types)
    assert 3 == len(updated["wall_ms"])  # type: ignore[arg-type]  # (as above)


@pytest.mark.parametrize("engine", [Adapter, Fts5])
def test_fts5_orders_ties_by_id_and_forgets_what_was_deleted(
    engine: type[Adapter] | type[Fts5], tmp_path: Path
) -> None:
    """Neither the order of inserts nor earlier chunks change a ranking."""
    orders = measured(engine, _task(tmp_path, "ties", 60))["orders"]
    history = measured(engine, _task(tmp_path, "history", 60))

    assert "by id" == order_of_ties(orders)  # type: ignore[arg-type]  # (JSON has no types)
    assert 1.0 == history["same"]


def test_exact_bm25_ranks_as_fts5_does_with_its_weights(tmp_path: Path) -> None:
    """On the same words FTS5 differs from the formula by the weight of common words alone."""
    task = _task(tmp_path, "search", 60)
    lines = Path(task.rows).read_text(encoding="utf-8").splitlines()
    split = {row.chunk_id: row.words.split() for row in map(row_of, lines)}
    rows = [Counted(name, Counter(words), len(words)) for name, words in split.items()]
    index = Fts5(Path(task.folder))
    index.build(lambda: map(row_of, lines))
    found = [[name for name, _ in index.search(query, 10)] for query in task.queries]
    index.close()

    assert found == ranked([query.words for query in task.queries], rows, k=10, weight=fts5)


def test_a_row_survives_its_line() -> None:
    """Tabs and line ends in a text become spaces."""
    row = Row("a", "the key", "A\ttitle", "Two\nlines")

    assert Row("a", "the key", "A title", "Two lines") == row_of(line_of(row))


def test_queries_leave_out_stop_words_and_repeated_stems() -> None:
    """What is asked of the engines is what the product asks."""
    assert ("signatur", "check") == queries(["Are the signatures of a signature checked?"])[0].words


def test_figures_are_summed_up_without_the_hits() -> None:
    """Lists of times become their spread, hits are left out."""
    told = summed_up({"peak_mb": 3, "wall_ms": [2.0, 1.0], "hits": [["a"]]})

    assert {"peak_mb": 3, "wall_ms_p50": 1.0, "wall_ms_p95": 2.0, "wall_ms_max": 2.0} == told


def test_mixed_vectors_lie_between_neighbours() -> None:
    """They have length one and are nearer to their chunk than another cluster is."""
    import numpy as np

    rough = np.array([[1, 0, 0], [0.9, 0.1, 0], [0, 1, 0], [0, 0.9, 0.1]], dtype=np.float32)
    vectors = rough / np.linalg.norm(rough, axis=1, keepdims=True)
    between = blended(vectors[0], vectors[1], np.zeros(3, np.float32))

    assert [1, 0, 3, 2] == nearest(vectors, 1)[:, 0].tolist()
    assert 0.99 < float(between @ vectors[0]) <= 1.0
    assert 1.0 == pytest.approx(float(np.linalg.norm(between)))


def test_chunks_of_a_collection_too_small_to_mix_are_the_real_ones() -> None:
    """Up to as many chunks as there are vectors, nothing is mixed."""
    import numpy as np

    vectors = np.eye(4, dtype=np.float32)
    made = list(embedded_chunks(REAL, vectors, 3))

    assert list(TEXTS[:3]) == [item.chunk.text for item in made]
    assert vectors[:3].tolist() == [list(item.vector) for item in made]
