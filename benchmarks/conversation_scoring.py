"""Turns of conversations: what is right."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from benchmarks.answers_scoring import words_of
from benchmarks.drafts import by_words, normal
from benchmarks.questions import Row
from research_agent.types.conversation import Turn

Outcome = Literal["right", "wrong", "refused"]


def outcome(key: Row, status: str, answer: str) -> Outcome:
    """Return what became of a turn.

    A value is right where one of its accepted spellings stands in the answer, word by word.
    A comparison is right where `winner` finds the right item. A question that the documents do not
    answer is right where it is refused.

    >>> outcome({"kind": "value", "answers": ["5", "five"]}, "answered", "At most five [c5].")
    'right'
    >>> outcome({"kind": "unanswerable"}, "refused", "not found in provided docs")
    'right'
    """
    if key["kind"] == "unanswerable":
        return "right" if status == "refused" else "wrong"
    if status == "refused":
        return "refused"
    text = " ".join(words_of(answer))
    if key["kind"] == "comparison":
        is_right = winner(text, key["word"], (key["answers"], key["other"])) == 0
    else:
        is_right = by_words(text, key["answers"]) == "right"
    return "right" if is_right else "wrong"


def winner(text: str, word: str, items: Sequence[Sequence[str]]) -> int | None:
    """Return which of the items, each with its spellings, a comparison names; None: neither.

    It is the item named nearest before the question's own comparing word, else the first one
    behind it. Where the answer does not have the word, it is the only item that it names; with both
    named and nothing compared, neither.

    >>> items = (["Holm"], ["Jacobi"])
    >>> winner("Jacobi was born in 1938 and Holm in 1931, so Holm is older.", "older", items)
    0
    >>> winner("Jacobi, born in 1938.", "older", items)
    1
    >>> winner("Jacobi was born in 1938, Holm in 1931.", "older", items) is None
    True
    """
    said = f" {normal(text)} "
    named = sorted(
        (at, number)
        for number, spellings in enumerate(items)
        for spelling in spellings
        for at in _places(said, f" {normal(spelling)}")
    )
    compared = said.find(f" {normal(word)} ")
    if compared < 0 and len({number for _, number in named}) > 1:
        return None
    before = [number for at, number in named if at < compared]
    behind = [number for at, number in named if at > compared]
    return before[-1] if before else next(iter(behind), None)


def cites_gold(key: Row, turn: Turn) -> bool:
    """Return whether an answer cites a file that states what was asked for."""
    wanted = {gold["file"] for gold in key.get("gold", ())}
    return any(Path(cited.source).name in wanted for cited in turn.citations)


def _places(text: str, part: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(part, at)]
