"""Answers of one system, the product or a peer, and what they score."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median
from typing import Any

from benchmarks.peers.answering import TIMEOUT
from benchmarks.questions import Row, scorer

NO_ANSWER = {"answer": "...", "status": "answered"}
_MARKER = re.compile(r"\[[^\]\[]{1,20}\]")


@dataclass(frozen=True)
class System:
    """A system with its answers, and the keys of the questions that it was asked."""

    name: str
    rows: Sequence[Row]
    keys: Sequence[Row]

    @cached_property
    def scores(self) -> Mapping[str, Any]:
        """What the scorer beside the data says of the questions that were asked.

        Where the time was over nothing was refused: that is neither right nor a refusal.
        """
        asked = {row["qid"] for row in self.rows}
        rows = [{**row, **NO_ANSWER} if row["status"] == TIMEOUT else row for row in self.rows]
        return scorer()(rows, [key for key in self.keys if key["qid"] in asked])

    @cached_property
    def details(self) -> Mapping[str, Row]:
        """The scorer's verdict on each question that counts, by its id."""
        return {item["qid"]: item for item in self.scores["details"] if item["counted"]}

    @cached_property
    def answerable(self) -> list[Row]:
        """The answers to the answerable questions that count."""
        return [row for row in self._counted if self.details[row["qid"]]["answerable"]]

    @cached_property
    def _counted(self) -> list[Row]:
        return [row for row in self.rows if row["qid"] in self.details]

    @property
    def right(self) -> Mapping[str, float]:
        """1 for each answerable question that is answered rightly, 0 for the others."""
        return {row["qid"]: float(self.details[row["qid"]]["right"]) for row in self.answerable}

    @property
    def facts_per_100_words(self) -> float | None:
        """Required facts that the answers to answerable questions state; None without words."""
        facts = words = 0
        wanted = {key["qid"]: len(key.get("required_facts") or ()) for key in self.keys}
        for row in self.answerable:
            of = self.details[row["qid"]]
            if not of["refused"]:
                facts += wanted[row["qid"]] - len(of["missing_facts"])
                words += len(words_of(row["answer"]))
        return 100 * facts / words if words else None

    @property
    def precisions(self) -> list[float]:
        """Share of the cited pages that are accepted, of each answerable question with any."""
        found = [self.details[row["qid"]]["precision"] for row in self.answerable]
        return [share for share in found if share is not None]

    @property
    def quoted(self) -> tuple[int, int] | None:
        """Sentences with valid quotes, and all of them; None where nothing has any."""
        rows = [row for row in self.rows if "sentences" in row]
        if not rows:
            return None
        return sum(row["quoted"] for row in rows), sum(row["sentences"] for row in rows)

    @property
    def timeouts(self) -> int:
        """Questions for which the time was over."""
        return sum(row["status"] == TIMEOUT for row in self.rows)

    def mean(self, *names: str) -> float | None:
        """Return the mean over all questions of what stands under the first name that is there."""
        values = self._values(self.rows, names)
        return fmean(values) if values else None

    def median(self, *names: str) -> float | None:
        """Return the median over all questions of what stands under the first name there."""
        values = self._values(self.rows, names)
        return median(values) if values else None

    @property
    def tokens_per_right(self) -> float | None:
        """Tokens read and written for all answerable questions, for each right answer."""
        names = ("prompt_tokens", "completion_tokens")
        tokens = sum(sum(self._values(self.answerable, (name,))) for name in names)
        right = sum(self.right.values())
        return tokens / right if tokens and right else None

    @staticmethod
    def _values(rows: Sequence[Row], names: Sequence[str]) -> list[float]:
        found = [next((row[name] for name in names if name in row), None) for row in rows]
        return [float(value) for value in found if value is not None]


def words_of(answer: str) -> list[str]:
    """Return the words of an answer without its markers.

    >>> words_of("It has 1,184 bytes [c1][c2].")
    ['It', 'has', '1,184', 'bytes']
    """
    return re.findall(r"\w[\w.,'-]*\w|\w", _MARKER.sub(" ", answer))
