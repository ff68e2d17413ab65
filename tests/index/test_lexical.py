"""Word search: compounds, hostile queries, order, and bringing the index up to date."""

from collections.abc import Iterator, Sequence
from itertools import islice, product
from pathlib import Path

import pytest

from research_agent.errors import IndexDamagedError
from research_agent.index.adapters.lexical import WordIndex
from research_agent.types import Chunk
from tests.indexing import ids

TEXTS = {
    "a": "ML-KEM.KeyGen makes a key pair, see section 5.2.",
    "b": "SP800-227 gives recommendations for key encapsulation.",
    "c": "The ciphertexts of snake_case_name are compared.",
    "d": "鍵生成アルゴリズム generates keys.",
    "e": "Totally unrelated prose about bread and not about AND or OR.",
}


@pytest.fixture
def words(tmp_path: Path) -> Iterator[WordIndex]:
    index = WordIndex.fresh(tmp_path / "words.sqlite3")
    fill(index, 1, TEXTS)
    yield index
    index.close()


def fill(index: WordIndex, generation: int, texts: dict[str, str]) -> list[str]:
    """Bring the index to `texts` and return the chunks that were asked for."""
    asked: list[str] = []

    def chunks(wanted: Sequence[str]) -> list[Chunk]:
        asked.extend(wanted)
        return [Chunk(i, "d", texts[i], title="Guide", section=("Part",)) for i in wanted]

    index.sync(generation, {i: f"digest of {text}" for i, text in texts.items()}, chunks)
    return asked


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("ML-KEM.KeyGen", "a"),
        ("What does 5.2 say?", "a"),
        ("SP 800-227", "b"),
        ("encapsulating", "b"),
        ("snake_case_name", "c"),
        ("ciphertext comparison", "c"),
        ("生成", "d"),
        ("アルゴリズム", "d"),
    ],
)
def test_words_are_found_whole_in_parts_and_stemmed(
    words: WordIndex, query: str, first: str
) -> None:
    """The chunk that holds the query's rarest words comes first."""
    assert first == words.search(query, k=3)[0].chunk_id


@pytest.mark.parametrize("query", ["59100", "59,100", "59.100", "59 100"])
@pytest.mark.parametrize(
    "text", ["59100 people", "59,100 people", "59.100 Personen", "59\u00a0100", "59'100", "59 100"]
)
def test_numbers_are_found_with_and_without_marks(query: str, text: str) -> None:
    """A part of a number is another number."""
    index = WordIndex(None)
    fill(index, 1, {"a": text, "b": "591 and 591000", "c": "1 and 2 and 3"})

    assert "a" == index.search(f"Who counted {query}?", k=2)[0].chunk_id


@pytest.mark.parametrize(
    "query",
    [
        '"a" OR b* NEAR(',
        'text: "unclosed',
        "bread) AND (NOT",
        'bread"; DROP TABLE words; --',
        "\0bread\0",
    ],
)
def test_queries_are_never_read_as_fts_syntax(words: WordIndex, query: str) -> None:
    """Operators, quotes and SQL are words or nothing, never an error."""
    found = words.search(query, k=5)
    assert all(hit.value > 0 for hit in found)
    assert ("bread" in query) == ("e" in ids(found))
    assert [] == [hit for empty in ("", "?!", "\ud800", " ") for hit in words.search(empty, k=3)]


def test_long_queries_count_with_their_first_words(words: WordIndex) -> None:
    """A query of 100 kB is answered; its beginning decides."""
    fillers = map("".join, product("zyxwvutsrq", repeat=5))
    query = " ".join(["bread", *islice(fillers, 20_000), "encapsulation"])
    assert len(query) > 100_000
    assert ["e"] == ids(words.search(query, k=3))


def test_headers_are_searched_too(words: WordIndex) -> None:
    """Title and headings count; ties are ordered by id, and better values come first."""
    assert ["a", "b", "c", "d", "e"] == sorted(ids(words.search("guide", k=9)))
    fill(words, 2, {"z": "same", "x": "same", "y": "same", "w": "the same and more words"})
    found = words.search("same", k=9)
    assert ["x", "y", "z", "w"] == ids(found)
    assert found[0].value == found[2].value > found[3].value


def test_only_new_and_changed_chunks_are_read(words: WordIndex) -> None:
    """Syncing asks for what is new or has another digest, and drops what is gone."""
    assert 1 == words.generation()
    changed = {"a": TEXTS["a"], "b": "entirely new", "f": "fresh bread"}
    assert ["b", "f"] == fill(words, 2, changed)
    assert 2 == words.generation()
    assert ["f"] == ids(words.search("bread", k=9))
    assert [] == words.search("recommendations", k=9)
    assert [] == fill(words, 3, changed)


def test_a_failed_sync_changes_nothing(words: WordIndex) -> None:
    """Where the chunks cannot be read, the index stays as it was."""
    with pytest.raises(RuntimeError, match="gone"):
        words.sync(2, {"new": "digest"}, broken)
    assert 1 == words.generation()
    assert ["e"] == ids(words.search("bread", k=9))


def broken(_: object) -> list[Chunk]:
    raise RuntimeError("gone")


@pytest.mark.parametrize("content", [None, b"", b"no database at all" * 99])
def test_unusable_files_are_told(tmp_path: Path, content: bytes | None) -> None:
    """A missing or damaged file is an error of ours; an empty one is an empty index."""
    path = tmp_path / "words.sqlite3"
    if content is not None:
        path.write_bytes(content)
    if content == b"":
        index = WordIndex(path)
        assert 0 == index.generation()
        index.close()
        return
    with pytest.raises(IndexDamagedError, match="word index"):
        WordIndex(path)
    WordIndex.fresh(path).close()


def test_text_counts_more_than_headings_and_boilerplate_not_at_all() -> None:
    """A word in the text weighs twice one in a heading; contents are counted, never found."""
    index = WordIndex(None)
    found = [
        Chunk("heading", "d", "of other things entirely", section=("Rye",)),
        Chunk("text", "d", "of rye things entirely", section=("Other",)),
        Chunk("contents", "d", "rye … 3", kind="contents"),
    ]
    index.sync(1, {chunk.chunk_id: chunk.text for chunk in found}, lambda _: found)

    assert ["text", "heading"] == ids(index.search("rye", k=9))
    assert 3 == index.count()
    index.close()
