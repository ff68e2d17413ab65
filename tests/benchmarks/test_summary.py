"""From rankings to scores, differences and tables."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks.datasets import DataSet, Question
from benchmarks.metrics import Gold, Span
from benchmarks.peers.exchange import Hit, Task, asked, read_task, write_answers, write_task
from benchmarks.peers.running import PeerError, arms, run_command
from benchmarks.product import PRODUCT, STAGES
from benchmarks.rankings import Arm, Found, Ranking
from benchmarks.retrieval import rows
from benchmarks.summary import summary, values
from benchmarks.tables import tables

PAGE, OTHER = Span("a", 1, 1), Span("a", 5, 8)
DATA = DataSet(
    name="tiny",
    ks=(1, 2),
    questions=(
        Question(qid="q1", text="one?", golds=(Gold((PAGE,)),), kind="fact"),
        Question(qid="q2", text="two?", golds=(Gold((Span("b"),)),), kind="table"),
    ),
)


def arm(name: str, *hits: Span, peer: bool = False) -> Arm:
    ranking = Ranking(tuple(Found(span, 100) for span in hits), milliseconds=2.0)
    return Arm(name=name, chunks=9, rankings={"q1": ranking, "q2": ranking}, peer=peer)


OWN = [arm(name, OTHER, PAGE) for name in STAGES]
PEER = arm("peer", OTHER, peer=True)


def test_values_are_one_a_question() -> None:
    """The first question is found at rank 2, the second not at all."""
    assert [0.5, 0.0] == values(DATA, OWN[0])["mrr@2"]
    assert [0.0, 0.0] == values(DATA, OWN[0])["recall@1"]


def test_whole_documents_are_counted_at_their_first_hit() -> None:
    """Where documents are ranked, further hits of a document take no rank."""
    by_document = DataSet(name="t", ks=(2,), questions=DATA.questions, corpus=Path("corpus"))
    found = values(by_document, arm("x", OTHER, OTHER, OTHER, Span("b", 1, 1)))

    assert [1.0, 1.0] == found["recall@2"]
    assert [1.0, 0.5] == found["mrr@2"]


def test_a_summary_holds_scores_costs_and_the_difference_to_the_best_peer() -> None:
    """What is kept says what the product gains, what it costs and where it misses."""
    told = summary(DATA, OWN, [PEER])

    assert {"found": 1, "not retrieved": 1} == told["golds"]
    scores = told["scores"]
    assert isinstance(scores, dict)
    assert 0.25 == scores[PRODUCT]["mrr@2"]["mean"]
    difference = told["product_minus_best_peer"]
    assert isinstance(difference, dict)
    assert ("peer", 0.25) == (difference["mrr@2"]["peer"], difference["mrr@2"]["mean"])
    costs = told["costs"]
    assert isinstance(costs, dict)
    assert (200, 100, 2) == tuple(
        costs[PRODUCT][key] for key in ("chars", "longest", "over_two_pages")
    )
    assert "| fact (1) | .000 | 1.000 | .500 |" in tables(told)


def test_a_peer_that_is_missing_is_told() -> None:
    """The table names it, and no difference is made up."""
    table = tables(summary(DATA, OWN, []), ["paper-qa: not installed: no wheel"])

    assert "No figures: paper-qa: not installed: no wheel" in table
    assert "best peer" not in table


def test_a_row_says_where_each_arm_found_it() -> None:
    """One row a question, with ranks, hits and our causes of misses."""
    first, second = rows(DATA, OWN, [PEER])

    assert (["found"], ["not retrieved"]) == (first["misses"], second["misses"])
    found = first["arms"]
    assert isinstance(found, dict)
    assert ((2,), (None,)) == (found[PRODUCT]["ranks"], found["peer"]["ranks"])
    assert ["a:5-8", "a:1-1"] == found[PRODUCT]["hits"]


def test_task_and_answers_survive_the_exchange(tmp_path: Path) -> None:
    """What a peer's process reads and writes is what was meant."""
    task = Task((("a", "/a.pdf"),), (("q1", "one?"),), first=8, vectors="v")
    write_task(task, tmp_path / "task.json")
    answers = asked(lambda _question: [Hit("a", 2, 3, 50)], task)
    write_answers({"way": (4, answers)}, tmp_path / "answers.json")
    (found,) = arms(json.loads((tmp_path / "answers.json").read_text()))

    assert task == read_task(tmp_path / "task.json")
    assert ("way", 4, True) == (found.name, found.chunks, found.peer)
    assert (Found(Span("a", 2, 3), 50),) == found.rankings["q1"].hits


def test_a_command_that_fails_is_one_error_with_its_last_line() -> None:
    """What pip or a peer says last is the reason in the table."""
    fails = [sys.executable, "-c", "import sys; print('much'); sys.exit('no such package')"]
    run_command([sys.executable, "-c", ""], "Nobody: fine")

    with pytest.raises(PeerError, match="Nobody: not installed: no such package"):
        run_command(fails, "Nobody: not installed")
    with pytest.raises(PeerError, match=r"Nobody: venv: .*no-such-program"):
        run_command(["no-such-program"], "Nobody: venv")
