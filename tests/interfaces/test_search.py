"""`research-agent search`: the words as they are, the stages, and a part of the documents."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.commands import GUIDE, index_of, run
from tests.loopback import Json, rerank_server

NOTES = "---\ntitle: Notes\ndate: 2023-05-01\n---\n# Keys\n\nThe rye bread of May was burnt.\n"


home = index_of({"guide.md": GUIDE, "old/notes.md": NOTES})


def found(*options: str) -> list[dict[str, Any]]:
    result = run("search", "rye", "bread", "--json", *options)
    assert 0 == result.exit_code, result.output
    return [dict(hit) for hit in json.loads(result.stdout)["hits"]]


def test_each_option_leaves_what_it_names(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several of one kind add up; a relative folder is one of the working directory."""
    monkeypatch.chdir(home / "docs")
    for options, left in (
        ((), {"guide", "notes"}),
        (("--document", "NOT*"), {"notes"}),
        (("--in", "old/*.md"), {"notes"}),
        (("--document", "notes", "--document", "guide"), {"guide", "notes"}),
        (("--kind", "table"), set()),
        (("--folder", "old"), {"notes"}),
        (("--folder", str(home / "docs")), {"guide", "notes"}),
        (("--since", "2023", "--until", "2023-05"), {"notes"}),
    ):
        assert left == {hit["doc_id"] for hit in found(*options)}
    first = found("-k", "1")[0]
    assert first["chunk_id"] not in {
        hit["chunk_id"] for hit in found("--exclude", first["chunk_id"])
    }
    assert [
        *("rank", "score", "similarity", "doc_id", "start_page", "end_page"),
        *("chunk_id", "section", "text"),
    ] == list(first)


def test_documents_without_a_date_are_told() -> None:
    dated = run("search", "rye", "--since", "2023")

    assert "scope: 1 of 2 documents have no date and are left out" in dated.stderr
    assert "no date" not in run("search", "rye").stderr


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (("--in", "gide"), "no document fits 'gide'\nhint: The nearest: 'guide'"),
        (("--folder", "/nowhere"), "no document is in the folder /nowhere\nhint: Folders"),
        (("--since", "yesterday"), "'yesterday' is no date"),
        (("--since", "2024"), "from 2023-05-01 to 2023-05-01. 1 of 2 documents have no date"),
    ],
)
def test_scope_that_matches_nothing(option: tuple[str, ...], told: str) -> None:
    """Each name has to fit a document; the nearest names are told, as other bad input is."""
    result = run("search", "rye", *option)

    assert (2, "") == (result.exit_code, result.stdout)
    assert told in result.stderr


def test_chunks_by_their_ids() -> None:
    """The command shows whole chunks, counts them, and fails for an id that is not there."""
    wanted = found("--document", "guide")[0]["chunk_id"]
    shown = run("chunks", wanted)
    as_json = json.loads(run("chunks", wanted, "--depth", "2", "--json").stdout)
    unknown, odd = run("chunks", wanted, "nothing"), run("chunks", "\udcff")

    assert 0 == shown.exit_code, shown.output
    assert f"[{wanted}]" in shown.stdout
    assert "1 chunks (1 at depth 0)" in shown.stdout
    assert (1, []) == (as_json["requested"], as_json["unknown"])
    assert wanted == as_json["chunks"][0]["chunk_id"]
    assert 1 == unknown.exit_code
    assert "no chunk has the key 'nothing'" in unknown.stderr
    assert "no chunk has the key" in odd.stderr
    assert (2, 2) == (run("chunks").exit_code, run("chunks", wanted, "--depth", "11").exit_code)


def test_explained_search() -> None:
    """Plan and stages are shown, to people and as JSON."""
    given = ("search", "What is rye bread?", "--explain")
    told = run(*given).stdout
    row = json.loads(run(*given, "--json").stdout)
    named = run("search", "Give me Table 2", "--explain").stdout

    assert "plan: definition; definition of 'rye bread'" in told
    assert "meaning: " in told
    assert "plan: look-up; headings with 'Table 2'" in named
    assert ("definition", "rye bread") == (row["plan"]["kind"], row["plan"]["term"])
    assert ["meaning", "words", "definitions", "fused"] == list(row["stages"])[:4]
    assert row["hits"][0]["chunk_id"] == list(row["stages"].values())[-1][0]


def test_stages_that_reorder_are_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hits are those of the last stage; what blending did is kept where it is wanted."""
    plain = json.loads(run("search", "rye bread", "--json").stdout)["hits"]
    file = tmp_path / "blend.jsonl"
    with rerank_server(last_first) as (url, _):
        for key, value in {
            "BLEND__MODE": "patterns",
            "BLEND__DIAGNOSTICS": str(file),
            "RERANK__MODE": "http",
            "RERANK__BASE_URL": url,
        }.items():
            monkeypatch.setenv(f"RESEARCH_AGENT_{key}", value)
        result = run("search", "rye bread", "--json", "--explain")
    row = json.loads(result.stdout)
    stages = row["stages"]

    assert ["result", "blended with codes", "reranked (http)"] == list(stages)[-3:]
    assert stages["reranked (http)"] == [hit["chunk_id"] for hit in row["hits"]]
    assert stages["reranked (http)"] == stages["blended with codes"][::-1]
    assert {hit["chunk_id"] for hit in plain} == set(stages["reranked (http)"])
    assert "rye bread" == json.loads(file.read_text(encoding="utf-8").splitlines()[0])["query"]


def last_first(request: Json) -> Json:
    """The last text is the best."""
    given = enumerate(request["documents"])
    return {"results": [{"index": at, "relevance_score": at / 100} for at, _ in given]}


def test_a_fault_of_the_reranker_is_told_beside_the_hits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order is the search's own."""
    plain = run("search", "rye bread", "--json").stdout
    monkeypatch.setenv("RESEARCH_AGENT_RERANK__MODE", "http")
    monkeypatch.setenv("RESEARCH_AGENT_RERANK__BASE_URL", "http://127.0.0.1:1")
    result = run("search", "rye bread", "--json")

    assert (0, json.loads(plain)) == (result.exit_code, json.loads(result.stdout))
    assert "note: rerank: the reranker's server cannot be reached" in result.stderr
    assert "the order was kept" in " ".join(result.stderr.split())
