"""What the agent needs from the outside world: one small Protocol each."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Required, TypedDict, runtime_checkable

from research_agent.types import Chunk, Completion, Message, ScoredId
from research_agent.types.claims import GroundingModel
from research_agent.types.records import DocumentOutline
from research_agent.types.references import Edge
from research_agent.types.retrieval import BlendDiagnostics

ToolSpec = Mapping[str, object]
"""A tool's description for models: name, description and JSON schema of the arguments."""
JsonSchema = Mapping[str, object]
"""A JSON schema that a reply has to follow."""


class CallOptions(TypedDict, total=False):
    """What a call of a ChatModel asks for beside its messages; wrappers hand it on as it is."""

    max_tokens: Required[int]
    tools: Sequence[ToolSpec]
    schema: JsonSchema | None
    seconds: float


class ChatModel(Protocol):
    """A language model."""

    def complete(
        self,
        role: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        schema: JsonSchema | None = None,
        seconds: float = math.inf,
    ) -> Completion:
        """Return the whole reply within `seconds`, waiting and tries included; raises ModelError.

        Log-probabilities are asked for only in free text: where `tools` and `schema` are empty.
        With `schema` the reply's text is one JSON object, as far as the server obeys.
        """


@dataclass(frozen=True, slots=True)
class KeptReply:
    """A reply as it was kept, with the seconds that the call took then."""

    reply: Completion
    seconds: float


class ReplyCache(Protocol):
    """Replies of models, by the hash of all that they depend on."""

    def get(self, key: str) -> KeptReply | None:
        """Return what is kept under `key`, None where nothing is."""

    def put(self, key: str, kept: KeptReply) -> None:
        """Keep a reply; one that is there already is replaced."""


class DecisionCache(Protocol):
    """What the filter model said of single chunks, by a key of prompt, query and chunk."""

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        """Return what is kept under those of `keys` that are known; no fault ends a question."""

    def put(self, decisions: Mapping[str, str]) -> None:
        """Keep decisions; those that are there already are replaced."""


class Embedder(Protocol):
    """Texts to vectors of length one, so that a product of two is their cosine."""

    @property
    def name(self) -> str:
        """Which model: an index refuses vectors of another one."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text; raises ModelError."""


class Reranker(Protocol):
    """Texts by how relevant they are, judged one by one with the query in view."""

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> Sequence[float | None]:
        """Return a score for each text, larger for one more relevant, None without a verdict.

        Within `seconds`; raises ModelError.
        """


class SentencePairs(Protocol):
    """How near a sentence is to passages, read by small models that are always the same ones."""

    @property
    def digest(self) -> str:
        """Which models: a score fitted to them means nothing with others."""

    def relevance(self, sentence: str, passages: Sequence[str]) -> Sequence[float]:
        """Return a cross-encoder's logit for each passage; raises ModelMissingError."""

    def soft_coverage(self, sentence: str, passages: Sequence[str]) -> Sequence[float]:
        """Return how much of the sentence each passage holds in like words, -1 to 1.

        It is the mean over the sentence's tokens of the largest cosine with a token of the
        passage. Raises ModelMissingError.
        """


class BlendLog(Protocol):
    """What blending did, kept query by query."""

    def put(self, query: str, diagnostics: BlendDiagnostics) -> None:
        """Keep what was done for one query; no fault of a disk ends a question."""


class Tokenizer(Protocol):
    """How long a text is for a model."""

    def count(self, text: str) -> int:
        """Return the number of tokens; an estimate for models with another vocabulary."""


class VectorIndex(Protocol):
    """Dense search over the indexed chunks."""

    def search(self, vector: Sequence[float], *, k: int) -> Sequence[ScoredId]:
        """Return the `k` most similar chunks, best first, with their cosine; ties by id."""

    def similarities(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> Sequence[float]:
        """Return the exact cosine of each chunk, in the order of `chunk_ids`."""


class LexicalIndex(Protocol):
    """Word search over the indexed chunks."""

    def search(self, query: str, *, k: int) -> Sequence[ScoredId]:
        """Return the `k` best chunks that share a word with `query`, best first; ties by id."""


class ChunkStore(Protocol):
    """The indexed chunks themselves."""

    def chunks(self, chunk_ids: Sequence[str]) -> Sequence[Chunk]:
        """Return the chunks in the order of `chunk_ids`; unknown ids are left out."""

    def around(self, chunk_id: str, *, window: int) -> Sequence[Chunk]:
        """Return the chunks up to `window` places before and after, in reading order."""

    def edges(self, chunk_ids: Sequence[str]) -> Sequence[Edge]:
        """Return the references from and to any of the chunks, each once, in reading order.

        Reading order is that of the chunks that refer, documents by path.
        """

    def page_text(self, chunk_id: str, page: int) -> str:
        """Return the text of a page of a chunk's document, as its file has it.

        Every place in it is the number of a character of the PDF library's. It is "" where the
        format has no pages, or where it was not kept.
        """


class Clock(Protocol):
    """Time, for those who may read it."""

    def seconds(self) -> float:
        """Return seconds since some fixed moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The adapters one agent runs on, chosen once when its graph is built."""

    answerer: ChatModel
    planner: ChatModel
    filterer: ChatModel
    verifier: ChatModel
    embedder: Embedder
    vectors: VectorIndex
    lexical: LexicalIndex
    chunks: ChunkStore
    tokenizer: Tokenizer
    clock: Clock
    pairs: SentencePairs
    grounding: GroundingModel
    """Fitted on what `pairs` says."""
    sampler: ChatModel | None = None
    """The answer model, sampled freely; None: no second answer is asked for."""
    reranker: Reranker | None = None
    """Asked only with `rerank.mode: http`."""
    blend_log: BlendLog | None = None
    """None where `blend.diagnostics` is empty."""
    decisions: DecisionCache | None = None
    """None where `models.reply_cache` is off."""
    warnings: Callable[[], tuple[str, ...]] = tuple
    """What is worse than usual about answers from the index as it is now, a sentence each."""
    documents: Callable[[], Sequence[DocumentOutline]] = tuple
    """Every document of the index as it is now, by path."""
    contents: Callable[[str], Sequence[Chunk]] = lambda _: ()
    """Every chunk of the document with this display name, in reading order."""
    index_state: Callable[[], str] = str
    """Words that change whenever the index does."""


@runtime_checkable
class TextWindows(Protocol):
    """How an embedding model wants long texts cut."""

    def windows(self, text: str, *, header: str = "") -> Sequence[str]:
        """Return the texts to embed for `text`, at least one, each with `header` in front."""
