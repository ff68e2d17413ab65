"""Recorded drafts can be read, and answers are right by whole words."""

from benchmarks.drafts import recorded


def test_recorded_drafts_have_evidence_and_text() -> None:
    """A refusal is no draft."""
    known = recorded("strong")
    assert known
    assert all(asked.evidence and asked.answer.text for asked in known)
