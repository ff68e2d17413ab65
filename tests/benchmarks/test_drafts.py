"""Recorded drafts can be read, and answers are right by whole words."""

from benchmarks.drafts import by_words, recorded


def test_recorded_drafts_have_evidence_and_text() -> None:
    """A refusal is no draft."""
    known = recorded("strong")
    assert known
    assert all(asked.evidence and asked.answer.text for asked in known)


def test_an_answer_is_right_by_whole_words() -> None:
    """Not by a part of one."""
    assert ("wrong", "right") == (by_words("In 1184.", ["84"]), by_words("In 84.", ["84"]))
