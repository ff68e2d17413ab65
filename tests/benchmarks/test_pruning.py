"""The measure of pruning: gold told from noise, and answers that are lost with their chunk."""

from dataclasses import replace

import pytest

from benchmarks.pruning import Judgement, Outcome, outcome_of
from benchmarks.pruning_cases import UNFOUND, Case, Kind
from benchmarks.pruning_table import EVERY, table
from benchmarks.questions import Row
from research_agent.types import Chunk, Hit, ModelCall
from research_agent.types.pruning import PruneDecision, PruneStats

TEXTS: dict[str, tuple[Kind, str]] = {
    "a": ("gold", "The Joggers are led by Ben Whitesides."),
    "b": ("gold", "His father has the highest Hirsch index rating."),
    "n": ("near", "Joggers run. So does the Hirsch index rating."),
    "f": ("far", "Rye bread rises."),
}


def case(answer: str = "Hirsch index rating") -> Case:
    """Return a question with two gold chunks and two that are none."""
    key: Row = {"qid": "q", "answer": answer, "aliases": ()}
    return Case(
        source="hotpotqa",
        qid="q",
        question="What has the singer's father the highest of?",
        hits=tuple(Hit(Chunk(name, name, text), 1.0, 0.5) for name, (_, text) in TEXTS.items()),
        kinds={name: kind for name, (kind, _) in TEXTS.items()},
        ranks=dict.fromkeys(TEXTS, UNFOUND) | {"a": 1},
        key=key,
    )


def outcome(way: str = EVERY, qid: str = "q", **gains: float | None) -> Outcome:
    """Return what became of the chunks: those with a gain above 0 are kept."""
    decisions = tuple(
        PruneDecision(name, kept=(gains.get(name) or 0.0) > 0, why="gain", gain=gains.get(name))
        for name in TEXTS
    )
    stats = PruneStats(tokens_before=100, tokens_after=60, calls=5, decisions=decisions)
    calls = (ModelCall("prune", prompt_tokens=200),)
    return replace(outcome_of(way, case(), calls, stats, 2.0), qid=qid)


def test_an_answer_stands_in_gold_chunks_alone() -> None:
    """Noise that has the same words is no answer; a yes or no needs every gold chunk."""
    assert case().answered_by(["b"])
    assert not case().answered_by(["a", "n"])
    assert case("no").answered_by(["a", "b"])
    assert not case("no").answered_by(["b", "n", "f"])


def test_every_chunk_is_judged_with_what_it_is() -> None:
    """A chunk without a decision is left out; the answer goes with its chunk."""
    lost = outcome(a=0.2, b=-0.1, n=0.1)

    assert (
        Judgement(
            chunk_id="a", kind="gold", rank=1, similarity=0.5, kept=True, why="gain", gain=0.2
        )
        == (lost.chunks[0])
    )
    assert (True, False) == (lost.answered_before, lost.answered_after)
    assert outcome(b=0.1).answered_after
    assert (100, 60, 5, 200, 2.0) == (
        lost.tokens_before,
        lost.tokens_after,
        lost.calls,
        lost.tokens_read,
        lost.seconds,
    )


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ({"a": 0.3, "b": 0.2, "n": 0.1, "f": 0.0}, "1.00 (1.00 to 1.00)"),
        ({"a": 0.1, "b": 0.1, "n": 0.1, "f": 0.1}, "0.50 (0.50 to 0.50)"),
        ({"a": 0.1, "b": 0.4, "n": 0.2, "f": 0.3}, "0.50 (0.50 to 0.50)"),
    ],
)
def test_pairs_of_gold_and_noise_are_counted(gains: dict[str, float | None], expected: str) -> None:
    """Of chunks of one question; a tie counts half."""
    text = table([outcome(EVERY, "q", **gains)] * 3)

    assert f"| hotpotqa | 3 | all noise | {expected} |" in text


def test_what_is_left_out_is_summed_up() -> None:
    """Tokens, chunks by kind, and answers that are lost."""
    kept = outcome("ratio", a=0.1, b=0.2)
    lost = outcome("ratio", qid="r", a=0.1, n=0.2)
    text = table([outcome(a=0.1, b=0.2, n=0.0, f=0.0), kept, lost])

    row = "| hotpotqa | ratio | 2 | 40% | 1 of 4 | 3 of 4 | 1 of 2 | 5.0 | 200 | 2 |"
    assert row in text
