"""Verdicts on single chunks, kept among replies; no fault of the cache ends a question."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from research_agent.kept_replies import asking_anew
from research_agent.models.adapters.reply_files import SqliteReplies
from research_agent.planning.adapters.cached_verdicts import KeptDecisions
from research_agent.ports import KeptReply
from research_agent.types import Completion, ModelCall

TWO = {"a": "keep", "b": "0.750000"}


class Broken:
    def __init__(self, error: Exception) -> None:
        self.error = error
        self.asked = 0

    def get(self, key: str) -> KeptReply | None:
        self.asked += bool(key)
        if self.asked == 1:
            raise self.error
        return KeptReply(Completion("discard", ModelCall("filter")), 0.0)

    def put(self, key: str, kept: KeptReply) -> None:
        del key, kept
        raise self.error


def test_decisions_come_back(tmp_path: Path) -> None:
    """Also for another process, each for its own model alone; not where it is asked anew."""
    path = tmp_path / "replies.sqlite3"
    with SqliteReplies(path, max_mb=1, max_days=1) as replies:
        KeptDecisions(replies, "model").put(TWO)
        KeptDecisions(replies, "model").put({"b": "0.250000"})
    with SqliteReplies(path, max_mb=1, max_days=1) as replies:
        assert {"a": "keep", "b": "0.250000"} == KeptDecisions(replies, "model").get("abca")
        assert {} == KeptDecisions(replies, "another").get("ab")
        with asking_anew():
            assert {} == KeptDecisions(replies, "model").get("ab")


@pytest.mark.parametrize(
    ("error", "said", "found"),
    [
        (OSError(28, "No space left on device"), "No space left on device", {}),
        (ValueError("secret text"), "a kept verdict cannot be read", {"b": "discard"}),
    ],
)
def test_broken_cache_is_an_empty_one(
    error: Exception, said: str, found: Mapping[str, str]
) -> None:
    told: list[str] = []
    decisions = KeptDecisions(Broken(error), "model", on_problem=told.append)

    assert found == decisions.get("ab")
    decisions.put(TWO)
    assert [f"the cache of the filter's verdicts failed: {said}"] == told
