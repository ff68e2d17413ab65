"""The whole loop with the embedded model: `--preset full` on a question that takes two searches."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.commands import in_a_process
from tests.needed import needed_weights

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("data_home")]

TEXTS = {
    "pumps.md": "# Pumps of the Morava works\n\nThe Kestrel pump was designed by Ilona Varga. It "
    "lifts 40 litres a second and was built from 1931 on.\n",
    "engineers.md": "# Engineers of the Morava works\n\nIlona Varga was born in Szolnok in 1899. "
    "She studied in Graz and joined the works in 1924.\n",
    "canteen.md": "# The canteen\n\nThe canteen of the works opened in 1928. It served soup on "
    "Mondays and fish on Fridays.\n",
}
OWN = """
evidence: {max_chunks: 1}  # the first round reads one passage
search: {max_turns: 1}
answer: {max_tokens: 60}
verify: {profile: entropy, max_entropy: 0.3, min_support: 0.01, judge: "off"}  # doubt alone decides
"""
"""Keys of the user's own, which win over the preset."""


def test_doubt_brings_a_second_search_that_changes_the_answer(tmp_path: Path) -> None:
    """Calls and verdicts are the model's; its entropy sends the graph back to what it lacked."""
    needed_weights("1.5b", "0.5b")
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    (tmp_path / "own.yaml").write_text(OWN, encoding="utf-8")
    question = "In which year was the designer of the Kestrel pump born?"
    options = ("--preset", "full", "--config", "own.yaml", "--docs", "docs", "--events")
    done = in_a_process("ask", question, *options, folder=tmp_path)
    assert 0 == done.returncode, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]

    def of(kind: str, round_: int) -> dict[str, Any]:
        found: dict[str, Any] = next(
            e for e in events if (e["event"], e["round"]) == (kind, round_)
        )
        return found

    assert "preset full" in done.stderr
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
