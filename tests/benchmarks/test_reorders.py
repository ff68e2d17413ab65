"""Arms that reorder the same hits: scored, compared, written."""

import json
from pathlib import Path

import pytest

from benchmarks import blend, keeping, reranking
from benchmarks.datasets import DataSet, Question
from benchmarks.intervals import Interval
from benchmarks.metrics import Gold, Span
from benchmarks.places import RESULTS
from benchmarks.recording import RecordedChat, Recordings
from benchmarks.reorders import Pools, arm, compared, keep, table, unchanged
from benchmarks.reranking import Chosen, judged_questions, lexical
from research_agent.errors import ModelUnavailableError
from research_agent.retrieval.reorder.blending_report import read
from research_agent.types import Chunk, Completion, Hit
from tests.fakes import YES, ScriptedChat
from tests.rerank_server import Reply, rerank_server


def hit(name: str, score: float, lexical_score: float | None = None) -> Hit:
    return Hit(Chunk(name, name, f"About {name}.", 1, 1), score, 0.5, lexical_score)


DATA = DataSet(
    name="tiny",
    questions=tuple(
        Question(qid=qid, text=f"What is {wanted}?", golds=(Gold((Span(wanted),)),))
        for qid, wanted in (("q1", "b"), ("q2", "a"))
    ),
    ks=(1, 2),
)
HITS = (hit("a", 0.9, 1.0), hit("b", 0.5, 9.0), hit("c", 0.1))
POOLS = Pools(DATA, 100, {"q1": HITS, "q2": HITS})


def turned(_query: str, hits: object) -> tuple[Hit, ...]:
    assert isinstance(hits, tuple)
    return hits[::-1]


def test_arms_are_compared_question_by_question() -> None:
    """The same hits in another order: one question gains what the other one loses."""
    rows = compared(DATA, [arm("none", POOLS, unchanged), arm("turned", POOLS, turned)])

    assert ["none", "turned"] == [row.arm for row in rows]
    assert 0.5 == rows[0].metrics["recall@1"].mean
    assert Interval(0.0, 0.0, 0.0) == rows[0].difference["mrr@2"]
    assert -0.5 == rows[1].difference["mrr@2"].mean


def test_table_shows_differences_beside_the_first_arm() -> None:
    """The first arm has none."""
    text = table(compared(DATA, [arm("none", POOLS, unchanged), arm("same", POOLS, unchanged)]))

    assert "## tiny: 2 questions" in text
    assert "| none | .500 | 1.000 | .750 | .815 |" in text
    assert "| same | .500 (+.000 to +.000) |" in text


def test_results_replace_those_of_an_earlier_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second run leaves no line twice."""
    monkeypatch.setattr(keeping, "RESULTS", tmp_path)
    rows = compared(DATA, [arm("none", POOLS, unchanged)])
    keep("tiny", rows)
    keep("tiny", rows)

    (line,) = (tmp_path / "tiny.jsonl").read_text(encoding="utf-8").splitlines()
    assert "none" == json.loads(line)["arm"]
    assert RESULTS != tmp_path


def test_sweep_measures_every_arm_and_writes_its_diagnostics(tmp_path: Path) -> None:
    """One file an arm, one line a query, and a footer that sums them up."""
    sweep = blend.Sweep(channels=["words"], alphas=[1.0, 0.0], modes=["rank"])
    rows = blend.measured(POOLS, sweep, tmp_path)
    files = sorted(path.name for path in tmp_path.iterdir())
    told = read((tmp_path / files[0]).read_text(encoding="utf-8"))

    assert ["none", "words rank 1.00", "words rank 0.00"] == [row.arm for row in rows]
    assert ["tiny-words-rank-0.00.jsonl", "tiny-words-rank-1.00.jsonl"] == files
    assert (3, 2, ["b", "a"]) == (len(told), told[-1]["changed_queries"], told[0]["after"])


def test_diagnostics_are_summed_up_by_file(tmp_path: Path) -> None:
    """With a histogram of the rank correlations, whose bars hold every query."""
    sweep = blend.Sweep(channels=["words"], alphas=[0.0], modes=["rank"])
    blend.measured(POOLS, sweep, tmp_path)
    head, *bars = blend.aggregated([str(tmp_path / "*.jsonl")], 4)

    assert "tiny-words-rank-0.00.jsonl: 2 queries, 2 changed" in head
    assert 4 == len(bars)
    assert 2 == sum(int(bar.split()[3]) for bar in bars)
    assert [] == list(blend.aggregated([str(tmp_path / "nothing")], 4))


@pytest.mark.parametrize("channel", list(blend.CHANNELS))
def test_every_channel_keeps_the_order_at_alpha_one(channel: str) -> None:
    """All of them speak about the same hits."""
    sweep = blend.Sweep(channels=[channel], alphas=[1.0], modes=list(blend.MODES))
    first, *others = blend.measured(POOLS, sweep, None)

    assert 4 == len(others)
    assert all(first.metrics == row.metrics for row in others)


def test_promotion_needs_no_model() -> None:
    """Two of its rules beside the plain ranking."""
    assert ["none", "promotion, general", "promotion, definition"] == [
        row.arm for row in lexical(POOLS)
    ]


def test_only_judged_questions_are_scored(tmp_path: Path) -> None:
    """Without the model, questions whose candidates are not all recorded are left out."""
    chosen = Chosen(candidates=2, weights="w", live=False, minutes=1.0)
    path = tmp_path / "r.jsonl"
    model = ScriptedChat(Completion(YES.text, YES.cost, tokens=YES.tokens))
    live = RecordedChat(model, Recordings(path, "w"), "w")
    recorded = judged_questions(POOLS.only(["q1"]), live, chosen)
    again = RecordedChat(None, Recordings(path, "w"), "w")

    assert ["q1"] == recorded
    assert 2 == len(model.asked)
    assert ["q1"] == judged_questions(POOLS, again, chosen)


def test_a_server_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its verdicts decide the order of what it judged."""
    monkeypatch.setattr(reranking, "RECORDINGS", tmp_path)

    def likes_b(given: dict[str, list[str]]) -> object:
        return {
            "results": [
                {"index": at, "relevance_score": 0.9 if " b." in text else 0.1}
                for at, text in enumerate(given["documents"])
            ]
        }

    with rerank_server(likes_b) as running:
        chosen = Chosen(
            candidates=2, weights="w", live=False, minutes=1.0, url=running.url, form="vllm"
        )
        ((_, judged),) = reranking.judging(POOLS, chosen, tmp_path)

    assert "vllm server, 2" == judged.arm
    assert 0.5 == judged.metrics["recall@1"].mean
    assert [2, 2] == [len(given["documents"]) for given in running.asked]


def test_a_server_that_fails_gives_no_figures(tmp_path: Path) -> None:
    """The order that is left without it would pass as its own."""
    with rerank_server(lambda _given: Reply(b"", 500)) as running:
        chosen = Chosen(candidates=2, weights="w", live=False, minutes=1.0, url=running.url)
        with pytest.raises(ModelUnavailableError):
            list(reranking.judging(POOLS, chosen, tmp_path))
