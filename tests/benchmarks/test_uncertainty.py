"""Drafts are right or wrong by their keys, their doubts are their own, and all are in the table."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import (
    uncertainty,
    uncertainty_asking,
    uncertainty_fits,
    uncertainty_metrics,
    uncertainty_table,
)
from benchmarks.places import RECORDINGS
from benchmarks.uncertainty import by_facts, by_words, judge
from benchmarks.uncertainty_asking import ASKED, Asked, Borrowed, recorded
from benchmarks.uncertainty_signals import SIGNALS, new_words
from benchmarks.uncertainty_table import table
from research_agent.core.confidence import RetrievalConfidence
from research_agent.core.evidence import Evidence
from research_agent.core.refusals import REFUSAL
from research_agent.core.types import Alternative, Chunk, Hit, Token
from research_agent.core.verification import Answer

KEYS = {
    "answerable": {"qid": "a", "answerable": True, "required_facts": [["1184"]]},
    "unanswerable": {"qid": "u", "answerable": False},
    "uncounted": {"qid": "n", "answerable": True, "counted": False},
}


def token(text: str, chance: float) -> Token:
    """Return a token that was written with some chance against one other."""
    shown = (Alternative(text, math.log(chance)), Alternative("other", math.log(1 - chance)))
    return Token(text, math.log(chance), shown)


def asked(*tokens: Token, answerable: float | None = 0.8, refused: str = "") -> Asked:
    """Return a recorded draft about a key from one chunk."""
    chunk = Chunk("x", "guide", "The key of ML-KEM-768 has 1184 bytes.")
    return Asked(
        source="nist",
        qid="q",
        question="How long is the key of ML-KEM-768?",
        weights="1.5b",
        seconds=1.0,
        confidence=RetrievalConfidence(value=0.7),
        evidence=(Evidence("c1", Hit(chunk, 1.0)),),
        answer=Answer(
            "".join(one.text for one in tokens),
            tokens,
            keys=("c1",),
            answerable=answerable,
            refused=refused,  # type: ignore[arg-type]  # (a word of a test's parameter)
        ),
    )


DRAFT = (
    token("The", 0.99),
    token(" key", 0.98),
    token(" has", 0.97),
    token(" 1184", 0.6),
    token(" bytes", 0.9),
    token(".", 0.5),
    token(" [c1]", 0.5),
)


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("answerable", "It has 1184 bytes.", "right"),
        ("answerable", "It has 2400 bytes.", "wrong"),
        ("unanswerable", "It has 2400 bytes.", "wrong"),
        ("unanswerable", "The documents do not state it.", "refused"),
        ("uncounted", "It has 1184 bytes.", "not judged"),
    ],
)
def test_facts_decide_on_nist_answers(key: str, text: str, expected: str) -> None:
    """As the scorer beside the questions has it."""
    assert expected == by_facts(text, KEYS[key])


@pytest.mark.parametrize(
    ("text", "golds", "expected"),
    [
        ("It was born in the São Paulo.", ["Sao Paulo"], "right"),
        ("In 323-272 BC.", ["323\u2013272 BC"], "right"),
        ("It was Marsh.", ["Mars"], "wrong"),
        ("U.S. forces", ["America", "US"], "right"),
        ("Yes, both are.", ["no"], "wrong"),
        ("Both are.", ["no"], "not judged"),
    ],
)
def test_words_decide_on_other_answers(text: str, golds: list[str], expected: str) -> None:
    """Whole words in any case; a yes or no has to be said."""
    assert expected == by_words(text, golds)


def test_doubts_are_of_the_draft_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Punctuation and markers have none; every signal that can be has a value."""
    monkeypatch.setattr(uncertainty, "_keys", lambda _source: {"q": KEYS["answerable"]})
    given = asked(*DRAFT)
    sure = judge(replace(given, answer=replace(given.answer, second="It has 1184 bytes.")))
    silent = judge(replace(asked(answerable=None), answer=Answer("It has 1184 bytes [c1].")))

    assert set(SIGNALS) == set(sure.doubts)
    assert ("right", "right") == (sure.draft, sure.given)
    assert 0.6730 == pytest.approx(sure.doubts["largest entropy"], abs=1e-4)
    assert 0.2 == pytest.approx(sure.doubts['P("no") of the check'])
    assert 0.0 == sure.doubts["sentences without support"]
    assert [" 1184", " bytes"] == [one.text for one in new_words(asked(*DRAFT))]
    assert "mean entropy" not in silent.doubts
    assert 'P("no") of the check' not in silent.doubts


def test_refusals_are_neither_right_nor_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the check, by their own words, or because nothing supports them."""
    monkeypatch.setattr(uncertainty, "_keys", lambda _source: {"q": KEYS["answerable"]})
    unsure = judge(asked(*DRAFT, answerable=0.2))
    said = judge(asked(token(REFUSAL, 0.9)))
    elsewhere = judge(asked(*DRAFT, refused="wrong_scope"))
    invented = judge(asked(token("Cats", 0.9), token(" sleep.", 0.9)))

    assert ("right", "refused") == (unsure.draft, unsure.given)
    assert ("refused", "refused") == (said.draft, said.given)
    assert ("refused", "refused") == (elsewhere.draft, elsewhere.given)
    assert ("wrong", "refused") == (invented.draft, invented.given)


def test_recordings_are_read_as_they_were_written(tmp_path: Path) -> None:
    """No file, no recordings; paths of files are left out, digits that say nothing too."""
    path = tmp_path / "recorded.jsonl"
    assert [] == recorded(path)

    one = asked(*DRAFT)
    row = uncertainty_asking._row(one)  # noqa: SLF001 (what is written)
    path.write_text(f"{json.dumps(row)}\n", encoding="utf-8")
    [read] = recorded(path)

    assert ASKED.validate_python(row) == read
    assert one.answer.tokens[3].logprob == pytest.approx(read.answer.tokens[3].logprob, abs=1e-5)
    assert (one.question, one.evidence) == (read.question, read.evidence)


def test_replies_of_other_recordings_are_used_and_left_as_they_are() -> None:
    """One is found by its key; what is new is kept nowhere."""
    path = RECORDINGS / "refinement-1.5b.jsonl"
    with path.open(encoding="utf-8") as file:
        row = json.loads(file.readline())
    before, borrowed = path.stat().st_mtime_ns, Borrowed("1.5b")
    found = borrowed.get(row["key"])

    assert found is not None
    assert row["reply"]["text"] == found.reply.text
    borrowed.put("new", found)
    assert (None, before) == (borrowed.get("new"), path.stat().st_mtime_ns)


def test_the_table_has_a_row_for_each_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both populations, every signal that has a value, and the limits."""
    monkeypatch.setattr(
        uncertainty, "_keys", lambda _source: {"q": KEYS["answerable"], "w": KEYS["unanswerable"]}
    )
    monkeypatch.setattr(uncertainty_metrics, "RESAMPLES", 50)
    monkeypatch.setattr(uncertainty_fits, "SPLITS", 5)
    monkeypatch.setattr(uncertainty_table, "SPLITS", 5)
    drafts = [replace(asked(*DRAFT), qid=qid) for qid in "qw" for _ in range(8)]
    text = table([judge(one) for one in drafts])

    assert "| nist, given | 16 | 8 | 8 | 0 | 0 | 1 |" in text
    assert "## Answers that the product gives: 16, 8 of them wrong" in text
    assert "| mean entropy | 16 | 0.500 (0.50 to 0.50) |" in text
    assert "| four of them, fitted together | 16 |" in text
    assert "| nist (8 of 16 wrong) | mean entropy | 20% |  | 0.0% | 5 of 5 |" in text
