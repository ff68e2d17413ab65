"""`research-agent search`: the words as they are, the stages, and a part of the documents."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from tests.interfaces.commands import GUIDE, run
from tests.rerank_server import Json, rerank_server

NOTES = "---\ntitle: Notes\ndate: 2023-05-01\n---\n# Keys\n\nThe rye bread of May was burnt.\n"


@pytest.fixture
def documents(tmp_path: Path, data_home: Path) -> Path:  # noqa: ARG001 (an index of its own)
    (tmp_path / "docs" / "old").mkdir(parents=True)
    (tmp_path / "docs" / "guide.md").write_text(GUIDE, encoding="utf-8")
    (tmp_path / "docs" / "old" / "notes.md").write_text(NOTES, encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "docs"), "--index", "mine").exit_code
    return tmp_path / "docs"


def found(*options: str) -> list[str]:
    result = run("search", "rye bread", "--index", "mine", "--json", *options)
    assert 0 == result.exit_code, result.output
    return [hit["doc_id"] for hit in json.loads(result.stdout)["hits"]]


@pytest.mark.usefixtures("documents")
def test_document_kind_and_excluded_chunks() -> None:
    """Each option leaves only what it names; several of one kind add up."""
    everything = run("search", "rye bread", "--index", "mine", "--json").stdout
    first = json.loads(everything)["hits"][0]["chunk_id"]
    again = run("search", "rye bread", "--index", "mine", "--json", "--exclude", first).stdout

    assert {"guide", "notes"} == set(found())
    assert {"notes"} == set(found("--document", "NOT*"))
    assert {"notes"} == set(found("--in", "old/*.md"))
    assert {"guide"} == set(found("--in", "guide.md"))
    assert {"guide", "notes"} == set(found("--document", "notes", "--document", "guide"))
    assert [] == found("--kind", "table")
    assert len(found()) - 1 == len(json.loads(again)["hits"])
    assert first not in again


def test_folders_as_they_are_named(documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative folder is one of the folder the command is given in."""
    monkeypatch.chdir(documents)

    assert {"notes"} == set(found("--folder", "old"))
    assert {"guide", "notes"} == set(found("--folder", str(documents)))


@pytest.mark.usefixtures("documents")
@pytest.mark.parametrize(
    ("option", "told"),
    [
        (("--in", "gide"), "no document fits 'gide'\nhint: The nearest: 'guide'"),
        (("--in", "guide", "--in", ""), "no document fits ''"),
        (("--folder", "/nowhere"), "no document is in the folder /nowhere\nhint: Folders"),
    ],
)
def test_scope_that_matches_nothing(option: tuple[str, ...], told: str) -> None:
    """Each name has to fit a document; the nearest names are told, as other bad input is."""
    result: Result = run("search", "rye", "--index", "mine", *option)

    assert (2, "") == (result.exit_code, result.stdout)
    assert told in result.stderr


@pytest.mark.usefixtures("documents")
def test_dates() -> None:
    """A document without a date is in no period; what is no date is told."""
    wrong: Result = run("search", "rye", "--index", "mine", "--since", "yesterday")
    empty: Result = run("search", "rye", "--index", "mine", "--since", "2024")

    assert {"notes"} == set(found("--since", "2023", "--until", "2023-05"))
    assert (2, 2) == (empty.exit_code, wrong.exit_code)
    assert "no document is within the scope" in empty.stderr
    assert "from 2023-05-01 to 2023-05-01. 1 of 2 documents have no date" in empty.stderr
    assert "'yesterday' is no date" in wrong.stderr


@pytest.mark.usefixtures("documents")
def test_explained_search() -> None:
    """Plan and stages are shown, to people and as JSON; an exact search has no plan."""
    given = ("search", "What is rye bread?", "--index", "mine", "--explain")
    told = run(*given).stdout
    row = json.loads(run(*given, "--json").stdout)
    exact = json.loads(run(*given, "--json", "--exact").stdout)

    assert "plan: definition; definition of 'rye bread'" in told
    assert "meaning: " in told
    named = run("search", "Give me Table 2", "--index", "mine", "--explain").stdout
    assert "plan: look-up; headings with 'Table 2'" in named
    assert "words: " in told
    assert {"kind": "definition", "term": "rye bread", "look_up": "", "queries": []} == row["plan"]
    assert ["meaning", "words", "definitions", "fused"] == [s["stage"] for s in row["stages"]][:4]
    assert row["hits"][0]["chunk_id"] == row["stages"][-1]["chunk_ids"][0]
    assert "general" == exact["plan"]["kind"]
    assert ["meaning", "words", "fused", "result"] == [s["stage"] for s in exact["stages"]]


@pytest.mark.usefixtures("documents")
def test_modes() -> None:
    """The option decides before the setting, and an explanation names it."""
    given = ("search", "rye bread", "--index", "mine", "--explain")
    lexical = json.loads(run(*given, "--mode", "lexical", "--json").stdout)
    dense = json.loads(run(*given, "--mode", "dense", "--json").stdout)
    stages = [[stage["stage"] for stage in row["stages"]] for row in (lexical, dense)]

    assert [["words", "fused", "result"], ["meaning", "fused", "result"]] == stages
    assert ["lexical", "dense"] == [lexical["mode"], dense["mode"]]
    assert all(hit["similarity"] is not None for hit in lexical["hits"])
    assert run(*given).stdout.startswith("mode: hybrid\nplan: ")
    assert run(*given, "--mode", "words").exit_code == 2


@pytest.mark.usefixtures("documents")
def test_stages_that_reorder_are_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hits are those of the last stage; what blending did is kept where it is wanted."""
    plain = json.loads(run("search", "rye bread", "--index", "mine", "--json").stdout)["hits"]
    file = tmp_path / "blend.jsonl"
    with rerank_server(last_first) as server:
        for key, value in {
            "BLEND__MODE": "patterns",
            "BLEND__DIAGNOSTICS": str(file),
            "RERANK__MODE": "http",
            "RERANK__BASE_URL": server.url,
        }.items():
            monkeypatch.setenv(f"RESEARCH_AGENT_{key}", value)
        result = run("search", "rye bread", "--index", "mine", "--json", "--explain")
    row = json.loads(result.stdout)
    stages = {stage["stage"]: stage["chunk_ids"] for stage in row["stages"]}

    assert ["result", "blended with codes", "reranked (http)"] == list(stages)[-3:]
    assert stages["reranked (http)"] == [hit["chunk_id"] for hit in row["hits"]]
    assert stages["reranked (http)"] == stages["blended with codes"][::-1]
    assert {hit["chunk_id"] for hit in plain} == set(stages["reranked (http)"])
    assert "rye bread" == json.loads(file.read_text(encoding="utf-8").splitlines()[0])["query"]


def last_first(request: Json) -> object:
    """The last text is the best."""
    given = enumerate(request["documents"])
    return {"results": [{"index": at, "relevance_score": at / 100} for at, _ in given]}


@pytest.mark.usefixtures("documents")
def test_a_fault_of_the_reranker_is_told_beside_the_hits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The order is the search's own."""
    plain = run("search", "rye bread", "--index", "mine", "--json").stdout
    monkeypatch.setenv("RESEARCH_AGENT_RERANK__MODE", "http")
    monkeypatch.setenv("RESEARCH_AGENT_RERANK__BASE_URL", "http://127.0.0.1:1")
    result = run("search", "rye bread", "--index", "mine", "--json")

    assert (0, json.loads(plain)) == (result.exit_code, json.loads(result.stdout))
    assert "note: rerank: the reranker's server cannot be reached" in result.stderr
    assert "the order was kept" in " ".join(result.stderr.split())
