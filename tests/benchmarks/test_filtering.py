"""What filters leave, and how that is scored and compared with as many first hits."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import keeping
from benchmarks.filtering import ENOUGH, answered, choice
from benchmarks.filtering_arms import ARMS, OFF, Arm, together
from benchmarks.filtering_scores import Asked, Judged, asked, summary
from benchmarks.filtering_table import table
from benchmarks.metrics import Gold, Span
from benchmarks.recording import RecordedChat, Recordings
from benchmarks.sought import (
    NAMES,
    Question,
    QuestionSet,
    Sought,
    documents,
    question_set,
    shuffled,
)
from research_agent.ports import ChatModel, Ports
from research_agent.settings import Settings
from research_agent.types import Chunk, ChunkKind, Completion, ModelCall
from research_agent.types.references import Edge
from tests import fakes
from tests.data_sets import data_set

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
QUESTION = Question("q1", "name of a file", (Sought("operation", "getFiles"),))
EDGES = [Edge("0", "2", "schema")]


def ports(model: ChatModel | None = None) -> Ports:
    scripted = fakes.ScriptedChat(fakes.YES)
    return replace(
        fakes.ports(scripted),
        vectors=fakes.MemoryVectors(CHUNKS),
        lexical=fakes.MemoryWords(CHUNKS),
        chunks=fakes.MemoryChunks(CHUNKS, EDGES),
        filterer=model or scripted,
    )


def judged(verdict: float, rank: int, *, relevant: bool) -> Judged:
    return Judged(
        relevant=relevant, verdict=verdict, rank=rank, similarity=verdict, kept=verdict > 0.5
    )


ROW = Asked(
    kinds=("operation", "schema"),
    seen=(True, True),
    kept=(True, False),
    by_rank=(False, False),
    chunks=2,
    irrelevant=4,
    irrelevant_kept=1,
    judged=(judged(0.2, 1, relevant=False), judged(0.9, 2, relevant=True)),
    tokens_before=100,
    tokens_after=40,
    prompt_tokens=2500,
    cached_tokens=0,
    longest_prompt=2000,
    calls=2,
    model_seconds=3.0,
    best_similarity=0.5,
    fallback="",
)


def test_arm_without_a_filter_is_its_own_baseline() -> None:
    """As many first hits are the same hits."""
    row = asked(choice(QUESTION, Arm(name="off", max_chunks=2), ports(), Settings()))

    assert 2 == row.chunks
    assert row.kept == row.by_rank == row.seen
    assert 0 == row.calls


def test_model_is_asked_and_its_verdicts_are_compared() -> None:
    """Every candidate has a verdict that is scored beside its rank."""
    said = fakes.ScriptedChat(fakes.says("k1 -> KEEP\nk2 -> DISCARD\nk3 -> KEEP"))
    arm = together("p")
    arm = replace(arm, max_chunks=2, filter=replace(arm.filter, oversample=1.5))
    row = asked(choice(QUESTION, arm, ports(said), arm.settings(Settings())))

    assert (1, 3) == (row.calls, len(row.judged))
    assert [1, 2, 3] == [one.rank for one in row.judged]
    assert [True, False, True] == [one.kept for one in row.judged]
    assert row.chunks == 2
    assert row.irrelevant == sum(not one.relevant for one in row.judged)


def test_references_stand_behind_the_hits() -> None:
    """Up to as many chunks as evidence may hold, each once."""
    arm = Arm(name="refs", max_chunks=2, depth=1)
    found = choice(QUESTION, arm, ports(), replace(Settings(), filter=OFF)).found
    ids = [hit.chunk.chunk_id for hit in found.hits]

    assert "2" == ids[-1]
    assert len(set(ids)) == len(ids) == 2 + found.stats.expanded


def test_summary_counts_what_is_found_and_compares() -> None:
    """Recall of what was looked at, what is gone, areas, and the comparison by question."""
    told = summary([ROW])

    assert {"operation": (1, 1), "schema": (0, 1)} == told.all_found
    assert (1, 2) == told.golds
    assert (0.5, 0.75) == (told.recall, told.gone)
    assert (1, 0, 1.0) == (told.more, told.fewer, told.sign_p)
    assert told.difference is not None
    assert 0.5 == told.difference.mean
    assert (1.0, 0.0, 1.0) == (told.verdict_area, told.rank_area, told.balanced)


def test_verdicts_with_expansion_are_scored() -> None:
    """What is brought along counts as kept; the references it mends and what it took are told."""
    reply = '{"k1": {"reason": "has it", "verdict": "EXPAND_1"}, "k2": {"verdict": "DISCARD"}}'
    said = fakes.ScriptedChat(Completion(reply, ModelCall("filter", 700, 30)))
    arm, question = replace(together("llm"), max_chunks=1), replace(QUESTION, text="file size")
    row = asked(choice(question, arm, ports(said), arm.settings(Settings())))
    without = replace(arm, filter=replace(arm.filter, max_expanded=0))
    alone = asked(choice(question, without, ports(said), without.settings(Settings())))

    assert (2, 1, 1, 0) == (row.chunks, row.expanded, row.dangling_before, row.dangling_after)
    assert (1, 0, 1, 1) == (
        alone.chunks,
        alone.expanded,
        alone.dangling_before,
        alone.dangling_after,
    )
    assert (700, 30, False) == (row.prompt_tokens, row.completion_tokens, row.all_discarded)


def test_question_without_an_answer_counts_for_what_is_gone_alone() -> None:
    """There is no recall of nothing."""
    one = judged(0.2, 1, relevant=False)
    nothing = replace(ROW, kinds=(), seen=(), kept=(), by_rank=(), judged=(one,))
    told = summary([nothing])

    assert (None, None, None) == (told.recall, told.difference, told.verdict_area)
    assert 0.75 == told.gone


def test_table_has_arms_and_what_their_verdicts_cost() -> None:
    """Only arms that ask a model are in the second part."""
    quiet = replace(ROW, calls=0, judged=(), prompt_tokens=0)
    text = table("tiny", {"off": summary([quiet]), "llm": summary([ROW])})

    assert "| off | 1 | 1 of 1 | 0 of 1 | 1 of 2 | 2.0 | .50 | .75 | +.50 (+.50 to +.50) |" in text
    assert (
        "| llm | 1 | 1.00 | .00 | 1.00 | .50 | +1.00 (+1.00 to +1.00) | 1.00 | 2.0 | 2500 | 2500 |"
        in text
    )
    assert 3 == text.count("| llm |") + text.count("| off |")


def test_questions_without_recordings_are_left_out(tmp_path: Path) -> None:
    """Once recorded, an arm is scored without a model."""
    given = QuestionSet("tiny", "tiny", (QUESTION,))
    arm, path = replace(together("p"), max_chunks=2), tmp_path / "tiny.jsonl"
    silent = RecordedChat(None, Recordings(path, "1.5b"), "1.5b")
    speaking = RecordedChat(
        fakes.ScriptedChat(fakes.says("k1 -> KEEP")), Recordings(path, "1.5b"), "1.5b"
    )

    assert {} == answered(given, arm, ports(silent), Settings())
    first = answered(given, arm, ports(speaking), Settings())
    again = RecordedChat(None, Recordings(path, "1.5b"), "1.5b")
    assert first["q1"].judged == answered(given, arm, ports(again), Settings())["q1"].judged


def test_arms_have_names_of_their_own_and_enough_to_spend() -> None:
    """No question is cut short."""
    assert len({arm.name for arm in ARMS}) == len(ARMS)
    assert ENOUGH.llm_calls > 1000


def test_pages_are_sought_by_overlap() -> None:
    """Any accepted page will do."""
    sought = Sought("pages", gold=Gold((Span("a", 3, 4), Span("b", 1, 1))))

    assert sought.is_in(Chunk("x", "a", "", 4, 5))
    assert not sought.is_in(Chunk("x", "a", "", 5, 6))


def test_sample_does_not_depend_on_the_order_of_a_file() -> None:
    """The first questions of a set are the same ones however it is written."""
    asked_for = [Question(f"q{i}", "", ()) for i in range(6)]

    assert shuffled(asked_for) == shuffled(asked_for[::-1])
    assert shuffled(asked_for) != tuple(asked_for)


def test_sets_are_complete(tmp_path: Path) -> None:
    """As many questions as the files have, over the two descriptions."""
    data_set("openapi")
    counts = {name: len(question_set(name).questions) for name in NAMES}
    folder = documents(question_set("openapi-extra"), tmp_path)

    assert {"openapi": 15, "openapi-extra": 18, "nist": 21} == counts
    assert ["box.json", "twilio_verify_v2.json"] == sorted(p.name for p in folder.iterdir())


def test_rows_are_kept_question_by_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One JSON line a question, with all its arms."""
    monkeypatch.setattr(keeping, "RESULTS", tmp_path)
    keeping.keep("tiny", keeping.by_question({"off": {"q1": ROW}, "llm": {}}), "text")
    (line,) = (tmp_path / "tiny.jsonl").read_text().splitlines()

    assert ["off"] == list(json.loads(line)["arms"])
    assert "text\n" == (tmp_path / "tiny.md").read_text()
