"""Conversations as a benchmark: the questions are well formed, and turns are scored as stated."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.common import read
from benchmarks.conversations import CONVERSATIONS, outcome, winner
from benchmarks.datasets import MIXED, documents
from tests.data_sets import data_set as folder_of

VALUE = {"kind": "value", "answers": ["5 years", "five years"]}
COMPARED = {
    "kind": "comparison",
    "word": "higher",
    "answers": ["Add-X", "Add X"],
    "other": ["Vapotherm"],
}


def test_gold_is_in_the_documents(tmp_path: Path) -> None:
    """Each quotation is in the file that it names."""
    for folder in ("grounding", "multihop", "openapi"):
        folder_of(folder)
    paths = [path for folder in documents(MIXED, tmp_path) for path in folder.iterdir()]
    found = {path.name: path.read_text(encoding="utf-8") for path in paths}
    for row in read(CONVERSATIONS):
        for turn in row["turns"]:
            for gold in turn.get("gold", ()):
                assert gold["says"] in found[gold["file"]], (row["cid"], turn["kind"])


@pytest.mark.parametrize(
    ("key", "status", "answer", "expected"),
    [
        (VALUE, "answered", "For five (5) years [c2].", "right"),
        (VALUE, "answered", "For 15 years [c5].", "wrong"),
        (VALUE, "refused", "not found in provided docs", "refused"),
        (COMPARED, "answered", "Add-X's is higher than Vapotherm's [c1].", "right"),
        (COMPARED, "answered", "Vapotherm's is higher than Add-X's [c1].", "wrong"),
        (COMPARED, "answered", "Both are the same.", "wrong"),
        ({"kind": "unanswerable"}, "refused", "not found in provided docs", "right"),
        ({"kind": "unanswerable"}, "answered", "Three.", "wrong"),
    ],
)
def test_outcomes(key: dict[str, Any], status: str, answer: str, expected: str) -> None:
    """Markers are no numbers, and only an unanswerable question is rightly refused."""
    assert expected == outcome(key, status, answer)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Ann is older than Bob.", 0),
        ("Bob was born in 1938 and Ann in 1931, so Ann is older.", 0),
        ("The older one is Bob; Ann was born later.", 1),
        ("Bob.", 1),
        ("Neither of them.", None),
    ],
)
def test_the_compared_item_is_the_one_beside_the_comparing_word(
    text: str, number: int | None
) -> None:
    """Before it if any is, else behind it; without the word the first item named."""
    assert number == winner(text, "older", (["Ann"], ["Bob"]))
