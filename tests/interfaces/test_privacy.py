"""What stays here: no key and no document text in logs, errors and reports; no telemetry."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from research_agent.assembly.models.connecting import connect_models
from research_agent.index.adapters.vectors import chroma
from research_agent.interfaces.cli.main import UNTRACED
from research_agent.model_settings import ModelSettings, ReplyCacheSettings, RoleSettings
from research_agent.types import Message
from tests import converse
from tests.interfaces.commands import BAKED as QUESTION
from tests.interfaces.commands import Model, index_of, run
from tests.interfaces.sealed import sealed
from tests.loopback import Json, Quiet, Raw, error_reply, server, serving

KEY = "sk-canary-4711"
WORD = "Zanzibarquux"
TEXT = f"# Bread\n\nBread is baked at 230 degrees. {WORD} eats it in the morning.\n"
VARIABLE = "CANARY_KEY"
home = index_of({"guide.md": TEXT})


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """Everything that any logger says, at the lowest level, with the errors it shows."""
    lines: list[str] = []
    formatter = logging.Formatter("%(name)s %(message)s")

    class Keeping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(formatter.format(record))

    root, keeping = logging.getLogger(), Keeping(1)
    named = [log for log in root.manager.loggerDict.values() if isinstance(log, logging.Logger)]
    levels = {log: log.level for log in (root, *named)}
    for log in levels:
        log.setLevel(1)
    root.addHandler(keeping)
    yield lines
    root.removeHandler(keeping)
    for log, level in levels.items():
        log.setLevel(level)


def configured(url: str, folder: Path) -> str:
    """A configuration whose key is the canary."""
    chat = {"provider": "openai", "model": "scripted", "base_url": url, "api_key_env": VARIABLE}
    (folder / "c.yaml").write_text(json.dumps({"models": {"chat": chat}}), encoding="utf-8")
    return str(folder / "c.yaml")


def test_logs_hold_no_key_and_no_text(home: Path, tmp_path: Path, logged: list[str]) -> None:
    """Indexing and asking with every logger at its lowest level."""
    with server(Model().reply, key=KEY) as url:
        config = configured(url, tmp_path)
        assert 0 == run("index", str(home / "docs"), "--rebuild").exit_code
        asked = run("ask", QUESTION, "--config", config)

    assert 0 == asked.exit_code, asked.output
    assert KEY not in asked.output
    assert any(line.startswith("http") for line in logged)
    assert [] == [line for line in logged if KEY in line or WORD in line or QUESTION in line]


def test_bedrock_is_not_logged(logged: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """AWS's libraries write messages and a session's token where nobody stops them."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with converse.bedrock(lambda _: converse.text_reply(WORD)) as running:
        role = RoleSettings(
            provider="bedrock",
            model="amazon.nova-lite-v1:0",
            region="us-east-1",
            base_url=running.url,
        )
        settings = ModelSettings(chat=role, reply_cache=ReplyCacheSettings(mode="off"))
        opened = connect_models(settings, environment={}, on_progress=lambda _done, _of: None)
        with closing(opened) as models:
            reply = models.answerer.complete("answer", [Message("user", TEXT)], max_tokens=9)

    assert WORD == reply.text
    assert any(line.startswith("botocore") for line in logged)
    assert [] == [line for line in logged if KEY in line or WORD in line]


def test_reports_hold_no_key_and_no_text(tmp_path: Path) -> None:
    """Neither the doctor nor the settings nor the list of models shows what is secret."""
    with server(Model().reply, key=KEY) as url:
        given = ("--config", configured(url, tmp_path))
        outputs = [
            run("doctor", *given).output,
            run("doctor", *given, "--json", "--no-models").output,
            run("config", "show", *given).output,
            run("models", *given).output,
            run("index", "--list", "--json").output,
        ]

    assert [] == [output for output in outputs if KEY in output or WORD in output]
    assert VARIABLE in outputs[2]


@pytest.mark.parametrize(
    "failing",
    [
        lambda given: error_reply(401, f"wrong key {KEY}: {given}"),
        lambda given: error_reply(400, f"cannot read {given} with {KEY}"),
        lambda given: Raw(200, f"<html>{KEY} {given}".encode(), "text/html"),
    ],
)
def test_errors_repeat_nothing_of_a_server(
    failing: Callable[[Json], Raw], tmp_path: Path, logged: list[str]
) -> None:
    """A server that repeats key and documents in its errors is not repeated."""
    with server(failing) as url:
        result = run("ask", QUESTION, "--config", configured(url, tmp_path))

    assert (1, "") == (result.exit_code, result.stdout)
    assert "hint: " in result.stderr
    assert KEY not in result.output
    assert WORD not in result.output
    assert [] == [line for line in logged if KEY in line or WORD in line]


@contextmanager
def trap() -> Iterator[tuple[str, list[str]]]:
    """Give the address of a server that notes whoever asks it anything."""
    asked: list[str] = []

    class Noting(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.given()
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_POST = do_PATCH = do_GET  # noqa: N815 (the class's own names)

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Noting)) as url:
        yield url, asked


TWICE = """
import json, os, sys
from langsmith import utils
from research_agent.interfaces.cli.main import main

given, address = dict(os.environ), os.environ["LANGSMITH_ENDPOINT"]
for wanted in ({}, {"RESEARCH_AGENT_TRACING": "true"}):
    os.environ.update(given | wanted, LANGSMITH_ENDPOINT=f"{address}/{len(wanted)}")
    utils.get_env_var.cache_clear()
    try:
        main(*json.loads(sys.argv[1]))
    except SystemExit as ended:
        assert not ended.code
"""


def test_langsmith_gets_nothing_unless_asked_for(tmp_path: Path) -> None:
    """Its variables may be set for another program; ours has a variable of its own."""
    with trap() as (address, asked), server(Model().reply) as url:
        variables = dict.fromkeys(UNTRACED, "true")
        variables |= {"LANGSMITH_API_KEY": "lsv2-canary", "LANGSMITH_ENDPOINT": address}
        del variables["LANGCHAIN_TRACING"]  # (LangChain itself refuses it beside the others)
        asking = ("ask", QUESTION, "--config", configured(url, tmp_path))
        result = sealed(asking, folder=tmp_path, environment=variables, code=TWICE)

    assert 0 == result.returncode, result.stderr
    assert {"/1"} == {path[:2] for path in asked}


def test_chroma_sends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its product telemetry nor, where another program's variables are set, its traces."""
    from chromadb.telemetry import opentelemetry

    monkeypatch.delenv("ANONYMIZED_TELEMETRY", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("CHROMA_OTEL_GRANULARITY=all\nANONYMIZED_TELEMETRY=true\n")
    monkeypatch.setenv("CHROMA_OTEL_COLLECTION_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("CHROMA_OTEL_GRANULARITY", "all")
    chroma.sync(tmp_path / "v", 1, {"a#0": "d"}, lambda _: [[1.0]])
    with chroma.opened(tmp_path / "v" / "1") as collection:
        client: Any = collection._client  # noqa: SLF001 (there is no other way to its settings)
        found = client._system.settings  # noqa: SLF001 (as above)

    assert (False, None) == (found.anonymized_telemetry, found.chroma_otel_granularity)
    assert None is opentelemetry.tracer
