"""The bench: halves, what of the unseen one may be told, and scores of the product and of peers."""

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks.bench import answering, command, searching, sets
from benchmarks.bench.answering import ask_peer
from benchmarks.bench.command import bench_command
from benchmarks.bench.sets import KINDS, half_of, questions
from benchmarks.common import Asking, Row, read
from benchmarks.peers.exchange import Task, open_text
from benchmarks.retrieval import Arm
from research_agent.models.adapters.tokens import Cl100k
from tests.data_sets import data_set
from tests.loopback import server, text_reply

TEXT = "A hose of the large kind is 25 metres long. It is red, and it weighs 4 kilograms.\n"


def rows() -> list[Row]:
    """Six questions, a third without an answer; both halves have some of them."""
    gold = [{"doc_id": "hoses", "quote": "large kind is 25 metres long"}]
    has = {"gold": gold, "required_facts": [["25 metres"]], "answerable": True}
    return [
        {"qid": f"law-{n}", "question": f"How long is hose number {n} of the large kind?"}
        | (has if n % 3 else {"answerable": False})
        for n in range(6)
    ]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bench of one kind in a folder of its own."""
    data_set("nist-pqc")  # (the scorer is beside the data)
    for name in ("sets", "results", "recordings", "cache"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(sets, "FOLDER", tmp_path / "sets")
    monkeypatch.setattr(command, "KINDS", ("law",))
    (tmp_path / "sets" / "law" / "documents").mkdir(parents=True)
    (tmp_path / "sets" / "law" / "documents" / "hoses.txt").write_text(TEXT, encoding="utf-8")
    for half, name in sets.OF_HALF.items():
        with open_text(tmp_path / "sets" / "law" / name, "wt") as file:
            file.writelines(f"{json.dumps(row)}\n" for row in rows() if half_of(row["qid"]) == half)
    monkeypatch.setattr(command, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(answering, "RECORDINGS", tmp_path / "recordings")
    return tmp_path


def run(bench: Path, *words: str) -> Result:
    return CliRunner().invoke(bench_command, [*words, "--cache", str(bench / "cache")])


def test_a_half_follows_from_the_id_alone() -> None:
    """Known ids stay where they are, and the halves are about equal."""
    assert ["seen", "unseen", "unseen"] == [half_of(f"law-0{n}") for n in (1, 2, 3)]
    assert 430 < Counter(half_of(f"law-{n}") for n in range(1000))["seen"] < 570


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_thirty_questions_each_in_its_half(kind: str) -> None:
    """A third have no answer; the others have facts and golds; no file shows an unseen row."""
    halves = {half: questions(kind, half) for half in sets.OF_HALF}
    every = [one for own in halves.values() for one in own]

    assert (30, 10) == (len(every), sum(not one.answerable for one in every))
    assert all(half_of(one.qid) == half for half, own in halves.items() for one in own)
    assert all(one.golds and one.required_facts for one in every if one.answerable)
    names = {path.stem for path in sets.documents(kind)}
    assert names >= {span.doc_id for one in every for gold in one.golds for span in gold.spans}
    files = [path.read_bytes() for path in (sets.FOLDER / kind).rglob("*") if path.is_file()]
    unseen = [one.text.encode() for one in halves["unseen"]]
    assert not sum(text in content for text in unseen for content in files)


@pytest.mark.parametrize("words", [[], ["--why", "release", "--limit", "1"]])
def test_the_unseen_half_is_used_whole_and_for_a_reason(bench: Path, words: list[str]) -> None:
    """Without a reason, or for a few questions, nothing is run and nothing written down."""
    done = run(bench, "--half", "unseen", *words)
    assert 2 == done.exit_code
    assert "--why" in done.output
    assert not (bench / "sets" / sets.USES).exists()


def test_searches_are_told_as_sums_beside_a_peer(
    bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A peer that finds nothing has 0; each run of the unseen half is a line of its uses."""
    tasks = list[Task]()

    def nothing(name: str, task: Task, _cache: Path) -> list[Arm]:
        tasks.append(task)
        ids = [qid for qid, _ in task.questions]
        return [Arm(name=name, chunks=1, hits={q: [] for q in ids}, ms=dict.fromkeys(ids, 1.0))]

    monkeypatch.setattr(searching, "search", nothing)
    halves = ("--half", "seen", "--half", "unseen")
    done = run(bench, "--retrieval-only", *halves, "--why", "a release")

    assert 0 == done.exit_code
    one, zero = "1.000 (1.000 to 1.000)", "0.000 (0.000 to 0.000)"
    assert 4 == done.output.count(f"| research_agent | {' | '.join([one] * 6)} |")
    assert 4 == done.output.count(f"| LangChain | {zero} |")
    assert "hose number" not in done.output
    assert 4 == len(tasks[0].questions)
    assert not tasks[0].multilingual
    (use,) = (bench / "sets" / sets.USES).read_text("utf-8").splitlines()
    assert use.endswith("| a release |")
    again = run(bench, "--retrieval-only", "--half", "unseen", "--report")
    assert again.output.strip() in done.output


def answer_live(bench: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> Result:
    """Let the product answer with a model behind a server that always says the same."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with server(lambda _: text_reply("The hose is 25 metres long [c1].")) as url:
        monkeypatch.setenv("RESEARCH_AGENT_BENCHMARK_URL", url)
        return run(bench, "--weights", "strong", "--live", *words)


def test_answers_are_recorded_scored_and_scored_again(
    bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A live run and one from its recordings have the same tables; no file has a question."""
    options = ("--weights", "strong", "--half", "unseen", "--why", "a test")
    live = answer_live(bench, monkeypatch, *options[2:])
    replayed = run(bench, *options)

    assert (0, 0) == (live.exit_code, replayed.exit_code), (live.output, live.exception)
    assert live.output == replayed.output
    asked = questions("law", "unseen")
    can = sum(one.answerable for one in asked)
    assert f"| research_agent | {can} + {len(asked) - can} | {can} of {can} (" in live.output
    kept = [path for name in ("results", "recordings") for path in (bench / name).iterdir()]
    assert 2 == len(kept)
    for path in kept:
        lines = read(path) if path.suffix == ".gz" else [{"text": path.read_text("utf-8")}]
        assert "hose number" not in json.dumps(lines)


def test_a_peer_is_asked_with_as_much_evidence_as_the_product_read(
    bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where that is not known the peer is not asked; its answers are scored as the product's."""
    given = list[Task]()

    def answers(_name: str, _way: str, task: Task, path: Path, *_: object) -> int:
        given.append(task)
        said = {"answer": "It is 25 metres long.", "status": "", "evidence_tokens": 33}
        place = {"doc_id": "hoses", "start_page": 1, "end_page": 1, "text": TEXT}
        costs = {"calls": 1, "prompt_tokens": 90, "completion_tokens": 10, "seconds": 2.0}
        made = {"arm": "equal", "digest": "strong", "citations": [place], **said, **costs}
        lines = [json.dumps({"qid": qid, **made}) for qid, _ in task.questions]
        with open_text(path, "wt") as file:
            file.write("\n".join(lines))
        return len(lines)

    monkeypatch.setattr(answering, "answer", answers)
    asking = Asking(weights="strong", live=True, cache=str(bench / "cache"))
    with pytest.raises(ValueError, match="law: first let the product answer"):
        ask_peer("LangChain", "equal", "seen", ["law"], asking)
    assert not given
    answer_live(bench, monkeypatch, "--half", "seen")
    asked = questions("law", "seen")

    assert len(asked) == ask_peer("LangChain", "equal", "seen", ["law"], asking)
    assert [Cl100k().count(TEXT.strip())] == [task.evidence_tokens for task in given]
    can = sum(one.answerable for one in asked)
    table = run(bench, "--weights", "strong").output
    assert f"| LangChain, equal | {can} + {len(asked) - can} | {can} of {can} (" in table
    assert "| 33 | 90, 10 |" in table
