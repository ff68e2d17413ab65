"""What filters leave of the evidence."""

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.common import Row
from benchmarks.datasets import Sought, SoughtQuestion
from benchmarks.filtering import Arm, choice
from research_agent.ports import ChatModel, Ports
from research_agent.settings import FilterSettings, Settings
from research_agent.types import Chunk, ChunkKind, Completion, ModelCall
from research_agent.types.references import Edge
from tests import fakes

TEXTS: Sequence[tuple[str, ChunkKind, str]] = (
    ("File", "schema", "a file has a name and a size"),
    ("Folder", "schema", "a folder has a name"),
    ("User", "schema", "who is there"),
    ("GET /files", "operation", "GET /files getFiles\nlist each file by name"),
    ("auth", "security", "how a file is protected"),
)
CHUNKS = [
    Chunk(str(i), "box", text, section=("API", name), kind=kind)
    for i, (name, kind, text) in enumerate(TEXTS)
]
QUESTION = SoughtQuestion("q1", "name of a file", (Sought("operation", "getFiles"),))
LLM = FilterSettings(mode="llm")


def ports(model: ChatModel | None = None) -> Ports:
    scripted = fakes.ScriptedChat(fakes.YES)
    return replace(
        fakes.ports(scripted),
        vectors=fakes.MemoryVectors(CHUNKS),
        lexical=fakes.MemoryWords(CHUNKS),
        chunks=fakes.MemoryChunks(CHUNKS, [Edge("0", "2", "schema")]),
        filterer=model or scripted,
    )


def asked(arm: Arm, model: ChatModel | None = None, text: str = "name of a file") -> Row:
    return choice(replace(QUESTION, text=text), arm, ports(model), arm.settings(Settings()))


def test_a_model_decides_what_is_kept() -> None:
    """Of all hits that are looked at; what holds nothing of what is sought is irrelevant."""
    said = fakes.ScriptedChat(fakes.says("k1 -> KEEP\nk2 -> DISCARD\nk3 -> KEEP"))
    row = asked(Arm(name="p", max_chunks=2, filter=replace(LLM, oversample=1.5)), said)
    assert (1, 2) == (row["calls"], row["chunks"])
    assert row["irrelevant_kept"] <= row["irrelevant"] <= 3


def test_what_is_brought_along_counts_as_kept() -> None:
    """And what it took is told; without expansion there is nothing more."""
    reply = '{"k1": {"reason": "has it", "verdict": "EXPAND_1"}, "k2": {"verdict": "DISCARD"}}'
    said = fakes.ScriptedChat(Completion(reply, ModelCall("filter", 700, 30)))
    row = asked(Arm(name="llm", max_chunks=1, filter=LLM), said, "file size")
    none = replace(LLM, max_expanded=0)
    alone = asked(Arm(name="x", max_chunks=1, filter=none), said, "file size")
    assert ((2, 1), (1, 0)) == tuple((of["chunks"], of["expanded"]) for of in (row, alone))
    assert (700, 30) == (row["prompt_tokens"], row["completion_tokens"])
