"""Fakes of the ports, shared by all tests; typed against `research_agent.ports`."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from math import sqrt
from zlib import crc32

from research_agent.config import load_prompts
from research_agent.errors import ModelUnavailableError
from research_agent.ports import JsonSchema, Ports, ToolSpec
from research_agent.settings import (
    BudgetSettings,
    ConfidenceSettings,
    RefinementSettings,
    SearchSettings,
    Settings,
)
from research_agent.types import (
    Alternative,
    Chunk,
    Completion,
    Message,
    ModelCall,
    ScoredId,
    Token,
    WrittenCall,
)
from research_agent.types.records import DocumentOutline
from research_agent.types.references import Edge
from research_agent.verification.adapters.grounding_file import read_grounding

PROMPTS = load_prompts()
TEXTS = (
    "ML-KEM-768 has an encapsulation key of 1184 bytes.",
    "ML-KEM-512 has an encapsulation key of 800 bytes.",
    "Bread is baked at 230 degrees.",
)
GOOD = "ML-KEM-768 has an encapsulation key of 1184 bytes [c1]."
WRONG = "ML-KEM-768 has an encapsulation key of 1088 bytes [c1]."
QUESTION = "How many bytes has an ML-KEM-768 encapsulation key?"
BYPASSING = Settings(confidence=ConfidenceSettings(top_k=1, bypass=0.0))
"""The planner model is never asked."""
LOOP = replace(
    BYPASSING, budget=BudgetSettings(rounds=2), refinement=RefinementSettings(mode="off")
)
"""An answer in doubt, or a refusal, is searched for once more; the planner model is not asked."""
REFINING = Settings(confidence=ConfidenceSettings(top_k=1, bypass=1.01))
"""The planner model is always asked."""
MODEL_CALLS = replace(BYPASSING, search=SearchSettings(mode="tool_calling"))
"""The planner model writes the tool calls."""


def chunk(text: str, number: int = 0, doc_id: str = "guide") -> Chunk:
    return Chunk(f"{doc_id}-{number}", doc_id, text, number + 1, number + 1, order=number)


class ScriptedChat:
    """A model that says what it was told to, the last reply over and over; errors are raised."""

    def __init__(self, *replies: Completion | BaseException) -> None:
        self.replies = replies
        self.asked: list[tuple[str, str, Sequence[ToolSpec]]] = []
        self.given: list[tuple[float, int, JsonSchema]] = []
        """The seconds, the tokens and the schema of each call."""

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
        assert max_tokens > 0
        assert seconds > 0
        assert not (tools and schema)
        self.asked.append((role, messages[-1].text, tools))
        self.given.append((seconds, max_tokens, schema or {}))
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        if isinstance(reply, BaseException):
            raise reply
        return reply


class WordEmbedder:
    """Texts with the same words get the same vector; counts what it was asked."""

    name = "words"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.extend(texts)
        return [embedding(text) for text in texts]


class FailingEmbedder(WordEmbedder):
    """Fails from its call number `first` on: where `text` is among the texts, else for all."""

    def __init__(self, text: str = "", *, first: int = 1) -> None:
        super().__init__()
        self.text, self.first, self.number = text, first, 0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.number += 1
        if self.number >= self.first and self.text in (*texts, ""):
            raise ModelUnavailableError("no embeddings")
        return super().embed(texts)


class WordPairs:
    """A passage is as near as the share of the sentence's words that it holds."""

    digest = "words"

    def relevance(self, sentence: str, passages: Sequence[str]) -> list[float]:
        return [22.0 * share - 11.0 for share in self.soft_coverage(sentence, passages)]

    def soft_coverage(self, sentence: str, passages: Sequence[str]) -> list[float]:
        wanted = words(sentence)
        return [len(wanted & words(passage)) / len(wanted) for passage in passages]


class MemoryVectors:
    """Exact search over a few vectors."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.vectors = {chunk.chunk_id: embedding(chunk.text) for chunk in chunks}

    def search(self, vector: Sequence[float], *, k: int) -> list[ScoredId]:
        scored = [ScoredId(i, dot(vector, own)) for i, own in self.vectors.items()]
        return sorted(scored, key=lambda item: (-item.value, item.chunk_id))[:k]

    def similarities(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> list[float]:
        return [dot(vector, self.vectors[chunk_id]) for chunk_id in chunk_ids]


class MemoryWords:
    """Chunks by the share of the query's words they hold."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.words = {chunk.chunk_id: words(chunk.text) for chunk in chunks}

    def search(self, query: str, *, k: int) -> list[ScoredId]:
        wanted = words(query)
        shares = {i: len(wanted & held) / len(wanted) for i, held in self.words.items()}
        found = [ScoredId(i, share) for i, share in shares.items() if share]
        return sorted(found, key=lambda item: (-item.value, item.chunk_id))[:k]


class MemoryChunks:
    """The chunks themselves."""

    def __init__(self, chunks: Sequence[Chunk], edges: Sequence[Edge] = ()) -> None:
        self.known = {chunk.chunk_id: chunk for chunk in chunks}
        self.references = tuple(edges)

    def edges(self, chunk_ids: Sequence[str]) -> list[Edge]:
        wanted = set(chunk_ids)
        return [edge for edge in self.references if {edge.source, edge.target} & wanted]

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        return [self.known[chunk_id] for chunk_id in chunk_ids if chunk_id in self.known]

    def around(self, chunk_id: str, *, window: int) -> list[Chunk]:
        if not (middle := self.known.get(chunk_id)):
            return []
        near = [c for c in self.known.values() if c.doc_id == middle.doc_id]
        found = [c for c in near if 0 < abs(c.order - middle.order) <= window]
        return sorted(found, key=lambda c: c.order)

    def page_text(self, chunk_id: str, page: int) -> str:
        known = self.known.get(chunk_id)
        return known.text.replace(" ", "\r\n") if known and known.start_page == page else ""


class MemoryDecisions:
    """Keeps verdicts on chunks."""

    def __init__(self, kept: Mapping[str, str] | None = None) -> None:
        self.kept = dict(kept or {})

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        return {key: self.kept[key] for key in keys if key in self.kept}

    def put(self, decisions: Mapping[str, str]) -> None:
        self.kept |= decisions


class WordCount:
    """A token is a word."""

    def count(self, text: str) -> int:
        return len(text.split())


class CountingClock:
    """Each look at the clock is one second after the last."""

    def __init__(self) -> None:
        self.ticks = count()

    def seconds(self) -> float:
        return float(next(self.ticks))


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+|\d+", text.lower())) or frozenset({""})


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def embedding(text: str) -> list[float]:
    vector = [0.0] * 256
    for word in words(text):
        vector[crc32(word.encode()) % 256] += 1.0
    length = sqrt(dot(vector, vector))
    return [value / length for value in vector]


def token(text: str, *logprobs: float) -> Token:
    shown = tuple(Alternative(f"{text}{i or ''}", lp) for i, lp in enumerate(logprobs))
    return Token(text, logprobs[0] if logprobs else 0.0, shown)


def says(text: str, *, sure: bool = True) -> Completion:
    """Return a reply whose tokens are its words; all are certain, or none is."""
    pieces = re.findall(r"\s*\S+", text)
    given = (-0.001, -8.0) if sure else (-1.1, -1.1, -1.2)
    tokens = tuple(token(piece, *given) for piece in pieces)
    return Completion(text, ModelCall("any", 100, 10, model="fake"), tokens=tokens)


def calls(*queries: str) -> Completion:
    written = tuple(WrittenCall("search_chunks_tool", f'{{"query": "{q}"}}') for q in queries)
    return Completion("", ModelCall("planner", 50, 5), written)


KEEP = says('{"kind": "keep", "queries": []}')
YES = says("yes")
NO = says("no")


def ports(
    answerer: ScriptedChat,
    planner: ScriptedChat | None = None,
    *,
    verifier: ScriptedChat | None = None,
    filterer: ScriptedChat | None = None,
    texts: Sequence[str] = TEXTS,
) -> Ports:
    chunks = [chunk(text, number) for number, text in enumerate(texts)]
    return Ports(
        answerer=answerer,
        planner=planner or ScriptedChat(KEEP),
        filterer=filterer or ScriptedChat(YES),
        verifier=verifier or ScriptedChat(YES),
        embedder=WordEmbedder(),
        vectors=MemoryVectors(chunks),
        lexical=MemoryWords(chunks),
        chunks=MemoryChunks(chunks),
        tokenizer=WordCount(),
        clock=CountingClock(),
        pairs=WordPairs(),
        grounding=read_grounding(),
        documents=lambda: (
            DocumentOutline("guide", "/docs/guide.pdf", kinds={"text": len(texts)}),
        ),
    )


TWINS = [chunk("It is baked for an hour.", 0, name) for name in ("rye", "wheat")]


def twins(answerer: ScriptedChat) -> Ports:
    """Return ports over two documents that say the same."""
    return replace(
        ports(answerer),
        vectors=MemoryVectors(TWINS),
        lexical=MemoryWords(TWINS),
        chunks=MemoryChunks(TWINS),
        documents=lambda: tuple(DocumentOutline(c.doc_id, c.source) for c in TWINS),
    )
