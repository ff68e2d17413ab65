"""The file with what blending did: lines are added, never lost, and the sums come last."""

import json
from pathlib import Path

import pytest

from research_agent.errors import ConfigError
from research_agent.retrieval.adapters.blend_lines import BlendLines, rows_of, summary
from research_agent.types.retrieval import BlendDiagnostics

DONE = BlendDiagnostics(
    alpha=0.9, mode="rank", pool=3, known=3, spearman=0.5, changed=2, before=("a", "b")
)


def rows(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def run(file: Path, *queries: str) -> list[str]:
    """One process's use of the file; returns what it complained of."""
    told: list[str] = []
    with BlendLines(str(file), on_problem=told.append) as lines:
        for query in queries:
            lines.put(query, DONE)
        lines.close()
    return told


def test_lines_and_sums(tmp_path: Path) -> None:
    file = tmp_path / "blend.jsonl"
    assert [] == run(file, "first", "zweité")
    assert [] == run(file)
    assert [] == run(file, "third")

    found = rows(file)
    assert ["first", "zweité", None, "third", None] == [row.get("query") for row in found]
    assert [2, 3] == [row["queries"] for row in found if "summary" in row]
    assert (0.5, 2, ["a", "b"]) == tuple(found[0][key] for key in ("spearman", "changed", "before"))


@pytest.mark.parametrize("file", ["no/such/folder", "~nobody-here/blend.jsonl"])
def test_a_file_that_cannot_be_written_is_told_at_once(file: str) -> None:
    with pytest.raises(ConfigError, match=r"blend\.diagnostics") as error:
        run(Path(file))

    assert "leave blend.diagnostics empty" in error.value.hint


def test_a_disk_that_fails_later_ends_no_question(tmp_path: Path) -> None:
    told: list[str] = []
    lines = BlendLines(str(tmp_path / "f"), on_problem=told.append)
    lines.put("first", DONE)
    (tmp_path / "f").rename(tmp_path / "g")
    (tmp_path / "f").mkdir()
    lines.put("second", DONE)
    lines.put("third", DONE)
    lines.close()

    assert 1 == len(told)
    assert "Is a directory" in told[0]
    assert ["first"] == [row.get("query") for row in rows(tmp_path / "g")]


def test_sums() -> None:
    one = {"query": "q", "changed": 2, "before": ["a", "b"], "known": 2, "spearman": -1.0}
    rest = [{"query": "q", "second": "constant", "before": ["a", "b"], "known": n} for n in (2, 0)]
    text = "".join(f"{json.dumps(row)}\n" for row in [one, *rest, {"summary": True}, [1]])
    told = summary(rows_of(f'{text}\n{{"que'))

    wanted = {"queries": 3, "changed_queries": 1, "second_off": 2, "unknown": 1}
    assert wanted.items() <= told.items()
    assert pytest.approx(1 / 3) == told["changed_share"]
    assert ("spearman_queries", 1) in told.items()
    none = summary([])
    assert (0, 0.0, None) == tuple(
        none[key] for key in ("queries", "changed_share", "spearman_mean")
    )
