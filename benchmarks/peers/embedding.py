"""Our embedding model for the peers; vectors of texts are kept between runs."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from research_agent.models.adapters.minilm import MiniLM

STEP = 256  # texts embedded between two commits


class KeptVectors:
    """Embeds texts once and queries each time, so that a query's time is an honest one."""

    def __init__(self, path: str) -> None:
        """Keep vectors in the SQLite file `path`."""
        self._model, self._path = MiniLM(), Path(path)
        with closing(sqlite3.connect(self._path)) as db, db:
            db.execute("CREATE TABLE IF NOT EXISTS vectors (digest TEXT PRIMARY KEY, data BLOB)")

    def query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return self._model.embed([text])[0]

    def texts(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text."""
        import numpy as np

        keys = [sha256(text.encode("utf-8", "replace")).hexdigest() for text in texts]
        with closing(sqlite3.connect(self._path)) as db:
            known = dict(db.execute("SELECT digest, data FROM vectors"))
            wanted = dict(zip(keys, texts, strict=True))
            missing = [key for key in wanted if key not in known]
            for start in range(0, len(missing), STEP):
                part = missing[start : start + STEP]
                vectors = self._model.embed([wanted[key] for key in part])
                blobs = [np.asarray(vector, dtype=np.float32).tobytes() for vector in vectors]
                rows = list(zip(part, blobs, strict=True))
                with db:
                    db.executemany("INSERT INTO vectors VALUES (?, ?)", rows)
                known |= dict(rows)
        return [np.frombuffer(known[key], dtype=np.float32).tolist() for key in keys]
