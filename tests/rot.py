"""Damage of an index that SQLite itself does not trip over."""

import sqlite3
from contextlib import closing
from pathlib import Path


def rot(index: Path, shape: str) -> None:
    """Change a letter of a chunk, lose an entry of an SQLite index, or words of the word index."""
    name = "words.sqlite3" if shape == "words" else "ledger.sqlite3"
    with closing(sqlite3.connect(index / name, isolation_level=None)) as connection:
        run = connection.execute
        if shape == "chunk":
            first = "(SELECT min(id) FROM chunks)"
            run(f"UPDATE chunks SET text = replace(text, 'e', 'a') WHERE id = {first}")  # noqa: S608
        elif shape == "index":
            run("PRAGMA writable_schema = ON")
            run(
                "UPDATE sqlite_schema SET sql = replace(sql, '(chunk_id)', '(kind)') "
                "WHERE name = 'chunks_by_id'"
            )
        else:
            run("DELETE FROM words_data WHERE id > 10")
