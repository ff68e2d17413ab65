"""Chunks as rows for the engines: words split by the product, and stemmed as FTS5 does it."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.engines.measuring import Query, Row, line_of
from benchmarks.mixed_chunks import Mixture, mixtures, sentences
from research_agent.text.words import index_words, query_words
from research_agent.types import Chunk, chunk_header

_STEMS = """
CREATE VIRTUAL TABLE words USING fts5 (
    text, tokenize = "porter unicode61 tokenchars '-._/+#' categories 'L* M* N* Co'"
);
CREATE VIRTUAL TABLE found USING fts5vocab (words, instance);
"""


def stems(words: Sequence[str]) -> dict[str, str]:
    """Return what FTS5's porter makes of each word, with the adapter's settings.

    >>> stems(["signatures", "ml-kem"])
    {'signatures': 'signatur', 'ml-kem': 'ml-kem'}
    """
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(_STEMS)
        db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", enumerate(words))
        found: dict[int, str] = {}
        terms = db.execute("SELECT doc, ifnull(term, '') FROM found ORDER BY doc, offset")
        for row, term in terms:  # (a lone accent has an empty term)
            found[row] = f"{found[row]} {term}" if row in found else term
    return {word: found.get(row, "") for row, word in enumerate(words)}


class Stemmed:
    """Texts to stemmed words; each text is split only once."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Split `texts` and learn the stem of every word in them."""
        split = {text: index_words(text) for text in texts}
        found = stems(sorted({word for words in split.values() for word in words}))
        self._known = {
            text: " ".join(found[word] for word in words) for text, words in split.items()
        }

    def words(self, text: str) -> str:
        """Return the stemmed words of one of the texts."""
        return self._known[text]

    def row(self, mixture: Mixture) -> Row:
        """Return a chunk as a row; header and sentences must be among the texts."""
        parts = (chunk_header(mixture.first), *mixture.sentences)
        words = " ".join(self._known[part] for part in parts)
        return Row(mixture.chunk_id, words, mixture.first.title, " ".join(mixture.sentences))


def write_rows(real: Sequence[Chunk], count: int, path: Path) -> None:
    """Write `count` rows into a file, unless it is there."""
    if path.exists():
        return
    texts = [text for chunk in real for text in (chunk_header(chunk), *sentences(chunk.text))]
    stemmed, new = Stemmed(texts), path.with_suffix(".new")
    with new.open("w", encoding="utf-8") as lines:
        lines.writelines(line_of(stemmed.row(mixture)) for mixture in mixtures(real, count))
    new.rename(path)


def queries(texts: Sequence[str]) -> tuple[Query, ...]:
    """Return questions with the words that the product searches, each stem once.

    >>> queries(["What are the keys of a key?"])[0].words
    ('kei',)
    """
    split = [query_words(text) for text in texts]
    found: Mapping[str, str] = stems(sorted({word for words in split for word in words}))
    return tuple(
        Query(text, tuple(dict.fromkeys(found[word] for word in words if found[word])))
        for text, words in zip(texts, split, strict=True)
    )
