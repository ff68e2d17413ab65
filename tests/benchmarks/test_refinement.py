"""Refined searches over a tiny corpus: what is found, judged, recorded and left out."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import keeping, refinement
from benchmarks.datasets import IR_KS, DataSet, Question, data_set, documents
from benchmarks.metrics import Gold, Span
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from benchmarks.refinement_arms import ARMS, MODES, PLAIN, Arm, changed, tried
from benchmarks.refinement_table import Asked, Proposal, helped_and_hurt, table
from benchmarks.refining import Searching
from benchmarks.sought import Question as SoughtQuestion
from benchmarks.sought import QuestionSet, Sought
from research_agent.errors import ConfigError
from research_agent.settings import Settings
from research_agent.types import Chunk, Completion, Message
from research_agent.types.records import DocumentOutline
from tests.data_sets import data_set as folder_of
from tests.fakes import ScriptedChat, ports, says

TEXTS = {
    "Ann_Berg": ("Ann Berg", "Ann Berg was born in the town of Moss."),
    "Moss": ("Moss", "Moss is a town with a harbour, founded in 1720."),
    "Bread": ("Bread", "Bread is baked at 230 degrees."),
}
QUESTION = Question(
    qid="1",
    text="When was the town founded in which Ann Berg was born?",
    golds=(Gold((Span("Ann_Berg"),)), Gold((Span("Moss"),))),
)
ONE = Arm("question alone", PLAIN)


def tiny(folder: Path) -> DataSet:
    corpus = folder / "corpus.jsonl"
    rows = [{"id": i, "title": title, "text": text} for i, (title, text) in TEXTS.items()]
    corpus.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return DataSet(name="tiny", questions=(QUESTION,), ks=IR_KS, corpus=corpus)


@pytest.fixture
def place(tmp_path: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for results and recordings, with the tiny set in the place of all others."""
    assert not data_home.exists()
    monkeypatch.setattr(keeping, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(refinement, "RECORDINGS", tmp_path / "recordings")
    monkeypatch.setattr(refinement, "data_set", lambda _: tiny(tmp_path))
    return tmp_path


def run(place: Path, *, live: bool = False, arms: tuple[str, ...] = ()) -> str:
    chosen = refinement.Chosen(arms=arms, weights="1.5b", live=live, minutes=1.0)
    (text,) = refinement.run(["tiny"], chosen, cache=str(place / "cache"))
    return text


def cells(text: str, arm: str) -> list[str]:
    line = next(line for line in text.split("\n") if line.startswith(f"| {arm} |"))
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_arms_without_a_model_are_measured_through_the_graph(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows and table are kept; a question whose calls are not recorded is left out of an arm."""
    asking = Arm("asking", changed(Settings(), confidence={"bypass": 1.01}), ONE.name)
    monkeypatch.setattr(refinement, "ARMS", (ONE, asking))

    text = run(place)

    assert ["question alone", "1", "100.0", "100.0"] == cells(text, "question alone")[:4]
    assert ["asking", "0", ""] == cells(text, "asking")[:3]
    (line,) = (place / "results" / "refinement-tiny.jsonl").read_text().splitlines()
    row = json.loads(line)
    assert ("1", ["question alone"]) == (row["qid"], list(row["arms"]))
    assert {1, 2} == set(row["arms"]["question alone"]["ranks"])
    assert f"{text}\n" == (place / "results" / "refinement-tiny.md").read_text()


def test_chosen_arms_alone_are_run_and_not_kept(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of the figures never takes the place of all."""
    monkeypatch.setattr(refinement, "ARMS", (ONE, replace(ONE, name="other")))

    text = run(place, arms=("other",))

    assert "| other |" in text
    assert "| question alone |" not in text
    assert not (place / "results").exists()


def test_samples_and_other_models_are_kept_apart(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a file of its own; nothing that was kept before is lost."""
    chosen = refinement.Chosen(arms=(), weights="1.5b", live=False, minutes=1.0)
    names = [
        one.kept_as("tiny")
        for one in (
            chosen,
            replace(chosen, sample=50),
            replace(chosen, weights="strong", sample=50),
            replace(chosen, weights="strong", sample=15, modes=True),
        )
    ]

    assert [
        "refinement-tiny",
        "refinement-tiny-1.5b-50",
        "refinement-tiny-strong-50",
        "modes-tiny-strong",
    ] == names
    monkeypatch.setattr(refinement, "MODES", (replace(ONE, name="planned"),))
    modes = replace(chosen, modes=True, sample=15)
    (text,) = refinement.run(["tiny"], modes, cache=str(place / "cache"))
    assert ["planned", "1"] == cells(text, "planned")[:2]
    assert (place / "results" / "modes-tiny-1.5b.md").exists()


def test_what_api_questions_want_are_chunks(place: Path) -> None:
    """A gold is every chunk that holds the operation, schema or scheme; without one it is out."""
    assert place
    chunk = Chunk("box:1", "box", "GET /files listFiles", kind="operation")
    outline = DocumentOutline(doc_id="box")
    given = replace(
        ports(ScriptedChat()), documents=lambda: (outline,), contents=lambda _: (chunk,)
    )
    asked = QuestionSet(
        "openapi",
        "openapi",
        (
            SoughtQuestion("a", "Which?", (Sought("operation", "listFiles"),)),
            SoughtQuestion("b", "What is not there?", ()),
        ),
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(refinement, "question_set", lambda _: asked)
        data = refinement.in_chunks(given)

    assert [(Gold((Span("box:1"),)),)] == [question.golds for question in data.questions]


def test_paragraphs_are_text_files_with_their_title_as_heading(tmp_path: Path) -> None:
    """So that the product knows title and text apart."""
    folder = documents(tiny(tmp_path), tmp_path / "cache")

    text = (folder / "Ann_Berg.txt").read_text(encoding="utf-8")
    assert text == "Ann Berg\n=========\n\nAnn Berg was born in the town of Moss.\n"


def test_multihop_sets_name_paragraphs_that_there_are() -> None:
    """A hundred questions each, with two to four supports."""
    folder_of("multihop")
    for name, most in (("hotpotqa", 2), ("musique", 4)):
        data = data_set(name)
        assert data.corpus
        known = {json.loads(line)["id"] for line in data.corpus.read_text().splitlines()}

        assert 100 == len(data.questions)
        assert {*range(2, most + 1)} == {len(q.golds) for q in data.questions}
        assert all(gold.spans[0].doc_id in known for q in data.questions for gold in q.golds)


def test_calls_are_recorded_and_asked_no_more_after_the_time(tmp_path: Path) -> None:
    """A second run needs no model; after the time what is missing stays missing."""
    path, planner = tmp_path / "recordings.jsonl", ScriptedChat(says("yes"))

    def chat(until: float | None) -> RecordedChat:
        model = None if until is None else refinement.Timely(planner, until)
        return RecordedChat(model, Recordings(path, "1.5b"), "1.5b")

    def ask(one: RecordedChat, text: str) -> Completion:
        return one.complete("planner", [Message("user", text)], max_tokens=5)

    assert ask(chat(float("inf")), "a").text == ask(chat(None), "a").text
    with pytest.raises(MissingRecordingError):
        ask(chat(0.0), "b")
    assert 1 == len(planner.asked)


def test_a_graph_is_left_before_an_answer_is_written() -> None:
    """The model that answers is never asked; what was searched is told."""
    answerer = ScriptedChat(AssertionError("nothing is answered here"))
    searching = Searching(ports(answerer), PLAIN, "page")

    found = searching("How many bytes has an ML-KEM-768 encapsulation key?")

    assert (1, "keep", (), ()) == (
        found.spans[0].start,
        found.refinement.kind,
        found.calls,
        tuple(answerer.asked),
    )
    assert ("How many bytes has an ML-KEM-768 encapsulation key?",) == found.queries


def test_table_counts_what_refinement_did() -> None:
    """Helped and hurt are against another arm; verdicts are right or wrong by what is found."""
    base = {"a": Asked(ranks=(1, None)), "b": Asked(ranks=(1, 2)), "c": Asked(ranks=(1, 9))}
    proposals = (
        Proposal("blocked in vain", "names", useful=False),
        Proposal("blocked but useful", "names", useful=True),
        Proposal("let through in vain", "", useful=False),
        Proposal("let through", "", useful=True),
    )
    refined = {
        "a": Asked(ranks=(1, 4), kind="decompose", proposals=proposals, calls=1, tokens=50),
        "b": Asked(ranks=(1, 7), kind="rewrite", calls=1, tokens=70, model_seconds=3.0),
    }

    text = table("tiny", 3, {"plain": base, "refined": refined}, {"refined": "plain"})

    assert (1, 1) == helped_and_hurt(refined, base)
    row = cells(text, "refined")
    assert ["refined", "2", "50.0 (-100.0 to +100.0)"] == row[:3]
    assert ["2", "1", "1", "1", "1", "1", "1.0", "60", "1.5", "0"] == row[6:]
    assert ["plain", "3", "33.3", "66.7", "66.7", "83.3"] == cells(text, "plain")[:6]


@pytest.mark.parametrize("text", ["", "x", "retrieval.no=1", "no.top_k=1", "retrieval.top_k=0"])
def test_settings_that_there_are_not_are_no_arm(text: str) -> None:
    """A typing error is told at once, not measured."""
    with pytest.raises(ConfigError):
        tried(text)


def test_arms_are_compared_with_arms_that_there_are() -> None:
    """Names are different, and each comparison's other side is named."""
    for arms in (ARMS, MODES):
        names = [arm.name for arm in arms]

        assert len(names) == len(set(names))
        assert all(arm.against in {"", *names} for arm in arms)
