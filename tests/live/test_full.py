"""The whole loop with the embedded model: `--preset full` on a question that takes two searches."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.commands import BORN, in_a_process, works_folder
from tests.needed import needed_weights

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("data_home")]

OWN = """
evidence: {max_chunks: 1}  # the first round reads one passage
answer: {max_tokens: 60}
verify: {profile: entropy, max_entropy: 0.3, min_support: 0.01, judge: "off"}  # doubt alone decides
"""
"""Keys of the user's own, which win over the preset."""


def test_doubt_brings_a_second_search_that_changes_the_answer(tmp_path: Path) -> None:
    """Calls and verdicts are the model's; its entropy sends the graph back to what it lacked."""
    needed_weights("1.5b", "0.5b")
    works_folder(tmp_path)
    (tmp_path / "own.yaml").write_text(OWN, encoding="utf-8")
    options = ("--preset", "full", "--config", "own.yaml", "--docs", "docs", "--events")
    done = in_a_process("ask", BORN, *options, folder=tmp_path)
    assert 0 == done.returncode, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]

    def of(kind: str, round_: int) -> dict[str, Any]:
        found: dict[str, Any] = next(
            e for e in events if (e["event"], e["round"]) == (kind, round_)
        )
        return found

    for round_ in (1, 2):
        written = of("calls", round_)
        assert "model" == written["author"]
        assert "search_chunks_tool" == written["calls"][0]["tool"]
        verdicts = of("decisions", round_)
        assert ("llm", "") == (verdicts["mode"], verdicts["fallback"])
        assert all(item["reason"] for item in verdicts["decisions"])
    check = of("check", 1)
    assert ("again", "uncertain") == (check["decision"], check["reason"])
    assert check["mean_entropy"] > 0.3
    assert "1899" not in of("sentence", 1)["text"]
    read = [{item["chunk_id"] for item in of("evidence", n)["evidence"]} for n in (1, 2)]
    (new,) = read[1] - read[0]
    result = of("result", 2)["result"]
    assert "1899" in result["answer"]
    assert [new] == [cited["chunk_id"] for cited in result["citations"]]
    assert (2, "full") == (result["rounds"], result["preset"])
