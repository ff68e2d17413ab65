"""A shared index as commands use it: indexed, searched, copied, looked at, one for each tenant."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from research_agent import errors
from research_agent.assembly.calibration import calibration_file
from research_agent.assembly.connection import connect
from research_agent.assembly.copying import copy_index
from research_agent.assembly.diagnosis.diagnosing import diagnose
from research_agent.assembly.index import index_header, list_documents, remove_index
from research_agent.assembly.shared import tenant_index
from research_agent.index.adapters.shared.storage import Storage
from research_agent.interfaces.cli.main import main
from research_agent.model_settings import ModelSettings
from research_agent.settings import Settings
from tests.object_storage import BUCKET, bucket, use

PAGES = {
    "bread.md": "# Bread\n\nBread is baked at 230 degrees. See [cake](cake.md#cake).",
    "cake.md": "# Cake\n\nCake is baked at 180 degrees.",
}


@pytest.fixture
def docs(tmp_path: Path, data_home: Path) -> Path:  # noqa: ARG001 (indexes are kept there)
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["index", *arguments])
    return int(ended.value.code or 0)


def searched(location: str, settings: Settings | None = None) -> Sequence[object]:
    """Return all that a reader gets from an index."""
    with connect(location, settings or Settings(), {}) as connection:
        ports = connection.ports
        (vector,) = ports.embedder.embed(["How hot is bread baked?"])
        dense = ports.vectors.search(vector, k=9)
        ids = [hit.chunk_id for hit in dense]
        words = [hit.chunk_id for hit in ports.lexical.search("cakes at 180", k=9)]
        chunks, edges = ports.chunks.chunks(ids), ports.chunks.edges(ids)
        near = [round(hit.value, 6) for hit in dense]
        return [ids, near, words, chunks, edges, ports.documents(), ports.contents("bread")]


def test_a_copy_answers_as_its_original_wherever_it_is(docs: Path, tmp_path: Path) -> None:
    """From a folder to a shared index, to one file, and back, without embedding again."""
    assert 0 == run(str(docs))
    first = searched("default")
    assert all(first)
    shared, file = f"lance:{tmp_path / 'shared'}", str(tmp_path / "backup.sqlite3")
    for source, target in (("default", shared), (shared, file), (file, "again")):
        header = copy_index(source, target, Settings())
        assert (2, 2) == (header.documents, header.chunks)
    assert first == searched(shared) == searched("again")
    assert [path.name for path in tmp_path.glob("backup*")] == ["backup.sqlite3"]
    for target in (shared, file, "again"):
        with pytest.raises(errors.PathError, match="already; nothing was copied"):
            copy_index("default", target, Settings())


def test_a_folder_is_indexed_into_a_shared_index_and_again(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    location = f"lance:{tmp_path / 'shared'}"
    assert 0 == run("--index", location, str(docs))
    (docs / "cake.md").write_text("# Cake\n\nCake is eaten.", encoding="utf-8")
    assert 0 == run("--index", location, "--dry-run", str(docs))
    assert "1 changed, 1 unchanged" in capsys.readouterr().out
    assert 0 == run("--index", location, str(docs))
    assert 0 == run("--index", location, "--compact")
    assert ["bread", "cake"] == [kept.record.doc_id for kept in list_documents(location)]
    assert "1 texts embedded" in capsys.readouterr().out
    remove_index(location)
    assert [] == Storage.at(location).names()
    with pytest.raises(errors.IndexMissingError):
        remove_index(location)


def test_nothing_to_index_leaves_no_shared_index(docs: Path, tmp_path: Path) -> None:
    location = f"lance:{tmp_path / 'shared'}"
    assert 1 == run("--index", location, str(docs / "missing"))
    assert [] == Storage.at(location).names()


def test_doctor_tells_versions_counts_and_rights(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = f"lance:{tmp_path / 'shared'}"
    assert 0 == run("--index", location, str(docs))
    assert {"ok"} == {level for level, _ in found(location)}
    told = " ".join(what for _, what in found(location))
    for part in ("2 documents, 2 chunks", "versions of its tables: chunks", "read and written"):
        assert part in told
    assert ("fault", "There is no index lance:/nowhere yet.") == found("lance:/nowhere")[0]
    with bucket() as url:
        use(url, monkeypatch)
        ((level, what),) = found(f"s3://{BUCKET}/none", offline=True)
        assert ("fault", True) == (level, "There is no index" in what)
    monkeypatch.setattr("research_agent.index.adapters.shared.storage.RETRIES", 0)
    ((level, what),) = found(f"s3://{BUCKET}/none")
    assert ("fault", True) == (level, "its storage does not answer" in what)


def found(location: str, *, offline: bool = False) -> list[tuple[str, str]]:
    """Return what doctor says of an index."""
    settings = Settings(models=ModelSettings(offline=offline))
    all_ = diagnose(location, lambda: settings, {}, ask=False)
    return [(one.level, one.what) for one in all_ if one.part == "index"]


def test_offline_asks_no_bucket_of_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(models=ModelSettings(offline=True))
    for act in (
        lambda: searched("s3://papers/team", settings),
        lambda: index_header("gs://papers/team", offline=True),
        lambda: copy_index("az://papers/team", "default", settings),
    ):
        with pytest.raises(errors.ConfigError, match="not on this machine"):
            act()
    use("http://127.0.0.1:9", monkeypatch)
    monkeypatch.setattr("research_agent.index.adapters.shared.storage.RETRIES", 0)
    with pytest.raises(errors.IndexUnavailableError):
        searched("s3://papers/team", settings)


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lancedb", None)
    with pytest.raises(errors.ConfigError, match="lancedb") as caught:
        searched("lance:/somewhere")
    assert 'pip install "research-agent[cluster]"' in caught.value.hint


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../other", "a/b", "/etc", "a\\b", "A"),
        *("a.b", "a\n", "a\0", "é", "a" * 64, "~"),
    ],
)
def test_no_name_of_a_tenant_leads_out_of_the_root(name: str, tmp_path: Path) -> None:
    for root in (str(tmp_path), f"lance:{tmp_path}", "s3://bucket/team"):
        with pytest.raises(errors.PathError, match="no name of a tenant"):
            tenant_index(root, name)


def test_tenants_are_apart(docs: Path, tmp_path: Path) -> None:
    root = f"lance:{tmp_path / 'team'}"
    ours, theirs = tenant_index(root, "ours"), tenant_index(root, "theirs")
    for name, location in {"bread.md": ours, "cake.md": theirs}.items():
        assert 0 == run("--index", location, str(docs / name))
    remove_index(theirs)
    assert ["bread"] == [kept.record.doc_id for kept in list_documents(ours)]
    (tmp_path / "team" / "linked").symlink_to(tmp_path / "team" / "ours")
    with pytest.raises(errors.PathError, match="leads out of"):
        tenant_index(root, "linked")
    assert calibration_file(ours) != calibration_file(theirs)
