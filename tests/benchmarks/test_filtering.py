"""What filters leave, and how that is scored and compared with as many first hits."""

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.datasets import Sought, SoughtQuestion
from benchmarks.filtering import ARMS, ENOUGH, Arm, Asked, Judged, choice, chosen, table
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


def asked(arm: Arm, model: ChatModel | None = None, text: str = "name of a file") -> Asked:
    return choice(replace(QUESTION, text=text), arm, ports(model), arm.settings(Settings()))


def judged(verdict: float, rank: int, *, relevant: bool) -> Judged:
    return Judged(relevant=relevant, verdict=verdict, rank=rank, kept=verdict > 0.5)


ROW = Asked(
    kinds=("operation", "schema"),
    seen=(True, True),
    kept=(True, False),
    by_rank=(False, False),
    chunks=2,
    irrelevant=4,
    irrelevant_kept=1,
    judged=(judged(0.2, 1, relevant=False), judged(0.9, 2, relevant=True)),
    tokens_after=40,
    prompt_tokens=2500,
    cached_tokens=0,
    completion_tokens=9,
    calls=2,
    model_seconds=3.0,
    fallback="",
    expanded=0,
    dangling_before=0,
    dangling_after=0,
)


def test_an_arm_without_a_filter_is_its_own_baseline() -> None:
    """As many first hits are the same hits."""
    row = asked(Arm(name="off", max_chunks=2))
    assert 2 == row.chunks
    assert row.kept == row.by_rank == row.seen
    assert 0 == row.calls


def test_the_models_verdicts_are_compared_with_ranks() -> None:
    """Every candidate has a verdict that is scored beside its rank."""
    said = fakes.ScriptedChat(fakes.says("k1 -> KEEP\nk2 -> DISCARD\nk3 -> KEEP"))
    row = asked(Arm(name="p", max_chunks=2, filter=replace(LLM, oversample=1.5)), said)
    assert (1, 2) == (row.calls, row.chunks)
    assert [(1, True), (2, False), (3, True)] == [(one.rank, one.kept) for one in row.judged]
    assert row.irrelevant == sum(not one.relevant for one in row.judged)


def test_references_come_behind_the_hits() -> None:
    """Up to as many chunks as evidence may hold, each once."""
    arm = Arm(name="refs", max_chunks=2, depth=1)
    _, found, _ = chosen(QUESTION.text, arm, ports(), arm.settings(Settings()))
    ids = [hit.chunk.chunk_id for hit in found.hits]
    assert "2" == ids[-1]
    assert len(set(ids)) == len(ids) == 2 + found.stats.expanded


def test_what_is_brought_along_counts_as_kept() -> None:
    """The references it mends and what it took are told."""
    reply = '{"k1": {"reason": "has it", "verdict": "EXPAND_1"}, "k2": {"verdict": "DISCARD"}}'
    said = fakes.ScriptedChat(Completion(reply, ModelCall("filter", 700, 30)))
    row = asked(Arm(name="llm", max_chunks=1, filter=LLM), said, "file size")
    alone = asked(
        Arm(name="x", max_chunks=1, filter=replace(LLM, max_expanded=0)), said, "file size"
    )

    def told(of: Asked) -> tuple[int, ...]:
        return of.chunks, of.expanded, of.dangling_before, of.dangling_after

    assert ((2, 1, 1, 0), (1, 0, 1, 1)) == (told(row), told(alone))
    assert (700, 30) == (row.prompt_tokens, row.completion_tokens)


def test_the_table_has_arms_and_what_their_verdicts_cost() -> None:
    """Recall, what is gone and areas; only arms that ask a model are in the second part."""
    quiet = replace(ROW, calls=0, judged=(), prompt_tokens=0)
    text = table("tiny", {"off": [quiet], "llm": [ROW]})
    found = "| 1 | 1 of 1 | 0 of 1 | 1 of 2 | 2.0 | 0.50 | 0.75 | +0.50 (+0.50 to +0.50) |"
    assert f"| off {found}" in text
    assert "| llm | 1 | 1.00 | 0.00 | +1.00 (+1.00 to +1.00) | 1.00 | 2.0 | 2500 | 2500 |" in text
    assert 3 == text.count("| llm |") + text.count("| off |")


def test_a_question_without_an_answer_counts_for_what_is_gone_alone() -> None:
    """There is no recall of nothing."""
    one = judged(0.2, 1, relevant=False)
    nothing = replace(ROW, kinds=(), seen=(), kept=(), by_rank=(), judged=(one,))
    assert "| llm | 1 | 0 of 0 | 2.0 | - | 0.75 | - |" in table("tiny", {"llm": [nothing]})


def test_arms_have_names_of_their_own_and_enough_to_spend() -> None:
    """No question is cut short."""
    assert len({arm.name for arm in ARMS}) == len(ARMS)
    assert ENOUGH.llm_calls > 1000
