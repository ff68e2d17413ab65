"""Facts are gathered from real files and a real HTTP server; nothing that is broken stops it."""

import os
import shutil
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.assembly.diagnosis import gather
from research_agent.assembly.diagnosis.facts import IndexFacts, Problem
from research_agent.assembly.diagnosis.findings import findings, is_sound
from research_agent.assembly.diagnosis.indexes import index_facts
from research_agent.assembly.diagnosis.machine import place_facts, reply_facts, weight_facts
from research_agent.assembly.diagnosis.models import embedding_facts, model_facts
from research_agent.assembly.diagnosis.network import network_facts
from research_agent.errors import ConfigError
from research_agent.index.adapters.folders import locate
from research_agent.index.adapters.vectors.looking import VectorsSeen, read
from research_agent.model_settings import (
    LocalModelSettings,
    ModelSettings,
    ReplyCacheSettings,
    RoleSettings,
)
from research_agent.settings import Settings
from tests.interfaces.commands import GUIDE, run
from tests.loopback import Json, Raw, embedding_reply, error_reply, server, text_reply, token

OUTSIDE = RoleSettings(provider="openai", model="m", base_url="https://models.example/v1")
PARTS = "research_agent.models.adapters.weights.sets.part_files"


def nothing(_done: int, _of: int) -> None:
    """Watch nothing."""


def at(url: str, **fields: str) -> ModelSettings:
    role = RoleSettings(provider="openai", model="scripted", base_url=url, **fields)
    return ModelSettings(chat=role)


def looked(exact_below: int = 0) -> IndexFacts:
    return index_facts("default", exact_below=exact_below)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an index of one document, to be copied."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "docs").mkdir()
    (folder / "docs" / "guide.md").write_text(GUIDE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RESEARCH_AGENT_HOME", str(folder / "home"))
        patched.setenv("RESEARCH_AGENT_INDEX__EXACT_BELOW", "0")
        assert 0 == run("index", str(folder / "docs")).exit_code
    return folder


@pytest.fixture
def index(made: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it; its vectors are read in this process, which is quicker."""
    shutil.copytree(made / "home", data_home)
    monkeypatch.setattr("research_agent.assembly.diagnosis.indexes.look", read)
    return locate("default").path


@pytest.mark.usefixtures("index")
def test_whole_index(made: Path) -> None:
    """Counts of the ledger and of both caches, the files, and the size."""
    facts = looked()

    assert None is facts.problem
    assert (1, 2, 2) == (facts.header.documents, facts.header.chunks, facts.vectors)
    assert facts.dense
    assert [(1, 2), (1, 2)] == [(c.generation, c.entries) for c in (facts.words, facts.dense)]
    assert None is looked(exact_below=2).dense
    assert (0, (), "") == (facts.pending, facts.leftovers, facts.writer)
    assert (str(made / "docs"), 1, 0, 0) == (
        facts.sources.folder,
        facts.sources.files,
        facts.sources.gone,
        facts.sources.changed,
    )
    assert facts.bytes_on_disk > 10_000


def test_index_that_is_not_there(data_home: Path) -> None:
    """None yet, no name of one, another file in its place: a problem with its hint."""
    (data_home / "indexes" / "odd").mkdir(parents=True)
    (data_home / "indexes" / "odd" / "ledger.sqlite3").write_bytes(b"no database" * 1000)
    problems = [index_facts(name, exact_below=0).problem for name in ("default", "a\0b", "odd")]

    assert all(problem and problem.cure for problem in problems)
    assert ["no index", "no name", "damaged"] == [
        next(
            word for word in ("no index", "no name", "damaged") if problem and word in problem.what
        )
        for problem in problems
    ]


def test_damaged_and_stale_caches(index: Path) -> None:
    """Neither is opened for good nor mended."""
    (index / "words.sqlite3").write_bytes(b"no database" * 1000)
    (index / "vectors" / "1" / "current.json").unlink()
    facts = looked()

    assert "not a database" in facts.words.problem
    assert facts.dense
    assert (0, 0) == (facts.dense.generation, facts.dense.entries)
    assert not (index / "vectors" / "1" / "current.json").exists()


@pytest.mark.usefixtures("index")
def test_crashing_vectors_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the other process died of becomes a fact."""
    died = VectorsSeen(problem="status -11", crashed=True)
    monkeypatch.setattr("research_agent.assembly.diagnosis.indexes.look", lambda _: died)
    dense = looked().dense

    assert dense
    assert (1, 0, "status -11", True) == (
        dense.generation,
        dense.entries,
        dense.problem,
        dense.crashes,
    )


@pytest.mark.usefixtures("index")
def test_files_that_are_gone_or_changed(made: Path) -> None:
    """Size and date are compared, nothing is read."""
    file = made / "docs" / "guide.md"
    before = file.stat()
    os.utime(file, ns=(1, 1))
    changed = looked().sources
    file.rename(made / "away")
    gone = looked().sources
    (made / "away").rename(file)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert [(0, 1), (1, 0)] == [(s.gone, s.changed) for s in (changed, gone)]


def test_interrupted_and_running_writers(index: Path) -> None:
    """A note beside a lock that nobody holds is left over; one that is held names its holder."""
    folder = locate("default")
    (index / "writer.json").write_text('{"pid": 7, "command": "research-agent index"}')
    (index / "vectors" / "2.new").mkdir()
    left = looked()
    with folder.locked():
        running = looked()

    assert ("writer.json", "vectors/2.new") == left.leftovers
    assert "" == left.writer
    assert f"process {os.getpid()}" in running.writer
    assert running.dense
    assert 0 == running.dense.entries


def test_models_are_asked_once_for_equal_roles() -> None:
    """One question to a server that fills three roles, one to the other; real times and tokens."""
    asked: list[str] = []

    def script(request: Json) -> Json:
        asked.append(request["model"])
        others = {"b": -2.0, "c": -3.0}
        listed = [token(word, -0.1, others) for word in ("one", " two", " three")]
        return text_reply("one two three", tokens=listed)

    with server(script) as url:
        settings = replace(at(url), planner=RoleSettings(model="small"))
        found = model_facts(settings, {}, ask=True, on_bytes=nothing)

    assert ["scripted", "small"] == sorted(asked)
    assert [("answer", "filter", "verifier"), ("planner",)] == [facts.roles for facts in found]
    for facts in found:
        assert facts.asked
        assert facts.seconds > 0
        assert 3 == facts.alternatives
        assert facts.tokens_per_second
        assert (None, None, None) == (facts.problem, facts.context, facts.start_seconds)


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        (lambda _: error_reply(500, "broken"), "500"),
        (lambda _: error_reply(401, "no"), "401"),
        (lambda _: Raw(200, b"<html>", "text/html"), "reply"),
    ],
)
def test_models_that_fail_are_problems(reply: Callable[[Json], Raw], what: str) -> None:
    """Each with a hint, after one try."""
    with server(reply) as url:
        (facts,) = model_facts(at(url), {}, ask=True, on_bytes=nothing)

    assert facts.problem
    assert what in facts.problem.what
    assert facts.problem.cure
    assert not facts.asked


def test_broken_role_is_not_in_the_way_of_others() -> None:
    """The planner's key is missing, the others are asked all the same."""
    planner = RoleSettings(
        provider="openai", model="m", base_url="https://models.example/v1", api_key_env="NO_SUCH"
    )
    with server(lambda _: text_reply("one two three")) as url:
        settings = replace(at(url), planner=planner)
        found = model_facts(settings, {}, ask=True, on_bytes=nothing)

    assert [True, False] == [facts.asked for facts in found]
    assert found[1].problem
    assert "NO_SUCH" in found[1].problem.what


def test_offline_asks_nobody_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where the settings name them; whoever opens a connection fails the test."""

    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    settings = ModelSettings(chat=OUTSIDE, embedding=OUTSIDE, offline=True)
    environment = {"OPENAI_API_KEY": "k"}
    (facts,) = model_facts(settings, environment, ask=True, on_bytes=nothing)

    assert not facts.asked
    assert 0 == embedding_facts(settings, environment, ask=True).dimension


def test_missing_weights_are_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is started."""
    monkeypatch.setattr(PARTS, lambda weights: [None] * len(weights.packages))
    environment = {"RESEARCH_AGENT_CACHE": str(tmp_path)}
    (facts,) = model_facts(ModelSettings(), environment, ask=True, on_bytes=nothing)
    local = ModelSettings(local=LocalModelSettings(path="/nowhere.gguf"))
    (other,) = model_facts(local, environment, ask=True, on_bytes=nothing)

    for found in (facts, other):
        assert found.problem
        assert found.problem.cure


def test_embedding_models() -> None:
    """The packaged one, one at a server, one that fails, one without a key."""
    packaged = embedding_facts(ModelSettings(), {}, ask=True)
    unasked = embedding_facts(ModelSettings(), {}, ask=False)

    def script(request: Json) -> Json:
        return embedding_reply([[1.0, 2.0]] * len(request["input"]))

    with server(script) as url:
        role = RoleSettings(provider="openai", model="e", base_url=url)
        served = embedding_facts(ModelSettings(embedding=role), {}, ask=True)
    down = embedding_facts(ModelSettings(embedding=role), {}, ask=True)
    keyless = embedding_facts(ModelSettings(embedding=OUTSIDE), {}, ask=True)

    assert (384, 0) == (packaged.dimension, unasked.dimension)
    assert packaged.texts_per_second > 0
    assert ("e", 2, None) == (served.model, served.dimension, served.problem)
    assert down.problem
    assert "e" == down.model
    assert keyless.problem
    assert "OPENAI_API_KEY" in keyless.problem.what


def test_hosts_proxies_and_tracing() -> None:
    """Read from the settings and the environment; values of variables are never repeated."""
    bedrock = RoleSettings(provider="bedrock", model="b")
    settings = ModelSettings(
        chat=OUTSIDE,
        planner=bedrock,
        filter=RoleSettings(provider="local"),
        verifier=RoleSettings(model="m", base_url="http://[::1]:80/v1"),
    )
    environment = {
        "https_proxy": "http://user:secret@proxy.example",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "LANGSMITH_TRACING_V2": "false",
        "LANGSMITH_TRACING": "true",
    }
    facts = network_facts(settings, environment)

    assert (("verifier", "::1"),) == facts.own
    assert (
        ("answer", "models.example"),
        ("planner", "bedrock-runtime.eu-west-1.amazonaws.com"),
    ) == facts.outside
    assert ("HTTPS_PROXY",) == facts.proxies
    assert not facts.tracing
    assert network_facts(settings, {"LANGCHAIN_TRACING": "true"}).tracing
    openai = ModelSettings(chat=RoleSettings(provider="openai", model="m"))
    assert "api.openai.com" == network_facts(openai, {}).outside[0][1]
    judged = network_facts(ModelSettings(), {}, reranker="http://rank.example:80/v1")
    assert (("rerank", "rank.example"),) == judged.outside
    judged = network_facts(ModelSettings(), {}, reranker="http://127.0.0.1:80")
    assert (("rerank", "127.0.0.1"),) == judged.own
    nowhere = ModelSettings(chat=replace(openai.chat, base_url="127.0.0.1:80"))
    assert () == network_facts(nowhere, {}).outside


def test_places_and_replies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders that are not there yet are judged by the nearest one that is."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / "a" / "b"))
    environment = {"RESEARCH_AGENT_CACHE": str(tmp_path / "file" / "c")}
    home, cache = place_facts(environment)

    assert home.writable
    assert home.free > 0
    assert not cache.writable
    assert not (tmp_path / "a").exists()
    environment = {"RESEARCH_AGENT_CACHE": str(tmp_path)}
    replies = tmp_path / "replies.sqlite3"
    replies.write_bytes(b"x" * 100)
    (tmp_path / "replies.sqlite3.damaged").write_bytes(b"x")
    facts = reply_facts(ReplyCacheSettings(mode="off"), environment)
    assert (False, str(replies), 101) == (facts.on, facts.path, facts.bytes_on_disk)


def test_weights_and_what_a_join_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file without the end of its name is what an interrupted join leaves."""
    monkeypatch.setattr(PARTS, lambda weights: [None] * len(weights.packages))
    environment = {"RESEARCH_AGENT_CACHE": str(tmp_path)}
    before = weight_facts(environment)
    (tmp_path / "models").mkdir()
    name = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf.partial"
    (tmp_path / "models" / name).touch()
    after = weight_facts(environment)

    assert ["", ""] == [facts.partial for facts in before]
    assert [str(tmp_path / "models" / name), ""] == [facts.partial for facts in after]
    assert [22, 6] == [facts.parts for facts in after]


def test_gathering_survives_settings_that_cannot_be_read(data_home: Path) -> None:
    """The rest is looked at with the defaults, and no model is asked."""

    def load() -> Settings:
        raise ConfigError("unknown key", hint="Did you mean another?")

    facts = gather("default", load, {"RESEARCH_AGENT_CACHE": str(data_home)}, ask=True)

    assert (Problem("unknown key", "Did you mean another?"),) == facts.problems
    assert not any(model.asked for model in facts.models)
    assert not is_sound(findings(facts))
