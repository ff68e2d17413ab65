"""Recorded drafts: which are right, and which of their sentences are marked."""

from benchmarks.drafts import Marked, by_facts, by_words, recorded, table
from tests.data_sets import data_set

KEY = {"qid": "q", "answerable": True, "required_facts": [["1184"]], "forbidden_facts": []}


def test_recorded_drafts_can_be_read() -> None:
    """Evidence, answer and log-probabilities are there; a refusal is no draft."""
    known = recorded("strong")
    assert known
    assert all(asked.evidence and asked.answer.text for asked in known)


def test_answers_are_right_by_words_or_by_facts() -> None:
    """Whole words count, and a denial of an unanswerable question is a refusal."""
    data_set("nist-pqc")
    assert "wrong" == by_words("In 1184.", ["84"])
    assert ("right", "wrong") == (by_facts("1184 bytes", KEY), by_facts("9 bytes", KEY))
    assert "not judged" == by_facts("1184", {**KEY, "counted": False})
    assert "wrong" == by_facts("It costs 5 euro.", {"qid": "u", "answerable": False})


def test_marks_of_right_and_wrong_drafts_are_told_apart() -> None:
    """By model, set and way, with all sets together."""
    given = {"model": "m", "way": "score", "source": "nist", "contradicted": 0}
    rows = [
        Marked(qid="1", draft="right", supported=3, unconfirmed=1, **given),  # type: ignore[arg-type]
        Marked(qid="2", draft="wrong", supported=0, unconfirmed=2, **given),  # type: ignore[arg-type]
        Marked(qid="3", draft="refused", supported=0, unconfirmed=2, **given),  # type: ignore[arg-type]
    ]
    text = table(rows)
    assert "| m | score | nist | right | 1 | 1 of 4 (5 to 70 %) | 0 | 0 of 1 (0 to 79 %) |" in text
    assert "| m | score | all | wrong | 1 | 2 of 2 (34 to 100 %) | 0 | 1 of 1" in text
    assert "refused" not in text
