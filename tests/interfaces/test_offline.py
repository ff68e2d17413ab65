"""`--offline`: nothing but this machine is reached, and whoever else is named is refused."""

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_agent.interfaces.cli.process import lift, start
from research_agent.network_guard import OutsideConnectionError
from tests.interfaces.commands import BAKED, GUIDE, SHOWN, run
from tests.interfaces.sealed import BROKE_OUT, sealed

pytestmark = pytest.mark.usefixtures("data_home")
REAL = Path(__file__).parents[2] / "docs" / "decisions" / "0002-refusal-after-writing.md"
KEY = "RESEARCH_AGENT_MODELS__OFFLINE"


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take back what `--offline` leaves for the whole process."""
    monkeypatch.setenv(KEY, "false")
    yield
    lift()


def test_real_documents_without_a_network(tmp_path: Path) -> None:
    """Indexing, searching and the doctor, in an empty network namespace where there are such."""
    steps = [
        ("--offline", "index", str(REAL)),
        ("--offline", "search", "Why is the refusal decided after writing?", "-k", "1"),
        ("doctor", "--offline", "--no-models"),
    ]
    done = sealed(*steps, folder=tmp_path, apart=True)

    assert done.returncode in {0, 1}, done.stderr  # (1 where the embedded model is not installed)
    assert "the index holds 1 documents" in done.stdout
    assert "\n1. 0002-refusal-after-writing" in done.stdout
    assert "offline: only this machine is asked" in done.stdout


def test_seal_notices_who_breaks_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same without --offline and with a server outside: the process is ended."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    role = {"provider": "openai", "model": "m", "base_url": "http://192.0.2.1/v1"}
    role["api_key_env"] = "OPENAI_API_KEY"
    (tmp_path / "c.yaml").write_text(json.dumps({"models": {"embedding": role}}))
    arguments = ("index", "guide.md", "--config", "c.yaml")
    online, offline = sealed(arguments, folder=tmp_path), run("--offline", *arguments)

    assert BROKE_OUT == online.returncode
    assert "192.0.2.1" in online.stderr
    assert 2 == offline.exit_code
    assert "models.embedding asks http://192.0.2.1/v1" in offline.stderr


@pytest.mark.usefixtures("indexed")
def test_this_machine_is_asked_and_the_settings_tell(config: str) -> None:
    """`config get` says so, and the same key in the environment works without the option."""
    assert run("ask", BAKED, "--offline", "--config", config).stdout.startswith(SHOWN)
    os.environ[KEY] = "false"
    assert "false" == run("config", "get", "models.offline").stdout.strip()
    assert "true" == run("--offline", "config", "get", "models.offline").stdout.strip()
    assert "true" == os.environ[KEY]


def test_guard_is_closed_by_the_settings(tmp_path: Path) -> None:
    """A configuration file is enough; reading the settings twice changes nothing."""
    config = tmp_path / "c.yaml"
    config.write_text("models: {offline: true}", encoding="utf-8")
    os.environ.pop(KEY)
    start(str(config))
    start(str(config))
    with (
        socket.socket(type=socket.SOCK_DGRAM) as one,
        pytest.raises(OutsideConnectionError, match=r"192\.0\.2\.1"),
    ):
        one.sendto(b"", ("192.0.2.1", 9))
