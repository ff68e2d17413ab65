"""The fit of answerability: order and calls, without a model."""

from pathlib import Path

import pytest

from benchmarks.common import Row
from benchmarks.recording import RecordedChat, Recordings
from benchmarks.refusals import drafted, ordered
from research_agent.types import Completion, ModelCall
from tests.fakes import ScriptedChat


def row(number: int, *, source: str = "web-a", answerable: bool = True) -> Row:
    """Return a row in the format of the data."""
    return {
        "id": f"{source}-{answerable}-{number}",
        "source": source,
        "question": "How large is the key?",
        "passages": ["The key has 1184 bytes.", "The price is 5 euros."],
        "answerable": answerable,
    }


def test_every_prefix_holds_each_source_and_kind() -> None:
    """A run that stops early leaves a sample that can be used."""
    rows = [
        row(i, source=source, answerable=answerable)
        for source, count in (("big", 40), ("small", 4))
        for answerable in (True, False)
        for i in range(count)
    ]
    first = ordered(rows)[:22]
    assert 4 == len({(one["source"], one["answerable"]) for one in first})
    assert abs(sum(one["answerable"] for one in first) - 11) <= 1
    assert ordered(rows) == ordered(rows[::-1])


@pytest.mark.parametrize(
    ("draft", "word", "expected"),
    [
        ("It has 1184 bytes [c1].", "yes", 1.0),
        ("It has 1184 bytes [c1].", "no", 0.0),
        ("It has 1184 bytes [c1].", "perhaps", 1.0),
        ("NOT FOUND: the price", "yes", -1.0),
    ],
)
def test_a_row_is_drafted_and_checked_once(
    tmp_path: Path, draft: str, word: str, expected: float
) -> None:
    """Calls are recorded; a draft that refuses is refused at any limit, no verdict shows it."""
    model = ScriptedChat(*(Completion(text, ModelCall("answer")) for text in (draft, word)))
    kept = Recordings(tmp_path / "kept.jsonl", "1.5b")
    assert (draft, expected) == drafted(row(1), RecordedChat(model, kept, "1.5b"))
    assert (draft, expected) == drafted(row(1), RecordedChat(None, kept, "1.5b"))
