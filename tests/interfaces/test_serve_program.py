"""`research-agent serve` as a program: two processes over one index, and their end."""

import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TextIO

import httpx2
import pytest
import yaml
from click.testing import CliRunner

from research_agent.config import configured
from research_agent.errors import ConfigError
from research_agent.interfaces.cli.main import main
from research_agent.interfaces.listening import listening
from research_agent.interfaces.serve.tokens import TOKEN, Rule
from tests.interfaces.api_server import TOKENS, serving
from tests.interfaces.commands import ANSWER, BAKED, Waiting, begun, in_sessions, run, signalled
from tests.needed import needed_package

ASKED = {"question": BAKED}
DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.fixture
def model() -> Waiting:
    return Waiting(waits=False)


def client_of(told: IO[str]) -> httpx2.Client:
    """Return a client of the server that tells its address and token."""
    shown = ""
    while "Bearer" not in shown and (line := told.readline()):
        shown += line
    found = re.search(r"serving (http\S+)\n.*Bearer (\S+)\n", shown)
    assert found, shown
    headers = {"Authorization": f"Bearer {found[2]}"}
    return httpx2.Client(base_url=found[1], headers=headers, timeout=40)


@contextmanager
def program(config: str, *options: str) -> Iterator[tuple[subprocess.Popen[str], httpx2.Client]]:
    """Serve on a free port, and give the process and a client of it."""
    process = begun("serve", "--config", config, "--port", "0", *options)
    assert process.stderr is not None
    try:
        with client_of(process.stderr) as client:
            yield process, client
    finally:
        process.kill()
        process.communicate()


def asking(client: httpx2.Client, model: Waiting) -> "Future[int]":
    """Ask, and return when the model is reached; the status of the reply is 0 for none."""

    def ask() -> int:
        try:
            return client.post("/v1/research", json=ASKED).status_code
        except httpx2.HTTPError:
            return 0

    model.asked.clear()
    thread, until = ThreadPoolExecutor(1), time.monotonic() + 30
    asked = thread.submit(ask)
    thread.shutdown(wait=False)
    while not model.asked and time.monotonic() < until:
        time.sleep(0.02)
    return asked


def test_two_processes_over_one_shared_index(
    config: str, docs: Path, tmp_path: Path, model: Waiting
) -> None:
    """A program and this process answer, share conversations and see what is indexed later.

    SIGTERM lets the program's running question end, and the other goes on.
    """
    needed_package("lancedb", "cluster")
    index = f"lance:{tmp_path / 'shared'}"
    assert 0 == run("index", "--index", index, str(docs)).exit_code
    talk, later = {"session": "oven", **ASKED}, {"session": "oven", "question": "Is it rye bread?"}
    with (
        program(config, "--index", index, "--grace", "30") as (first, a),
        serving(config, model, rules=[Rule(token=TOKENS["bread"])], index=index) as second,
    ):
        b = second.clients["bread"]
        answers = [client.post("/v1/research", json=ASKED) for client in (a, b)]
        statuses = [client.get("/ready").status_code for client in (a, b)]
        said = [a.post("/v1/chat", json=talk).json()["answer"]]
        (docs / "cake.md").write_text("# Cake\n\nCake is baked at 180 degrees.\n", encoding="utf-8")
        assert 0 == run("index", "--index", index, str(docs)).exit_code
        model.takes = 0.7
        last = asking(a, model)
        first.send_signal(signal.SIGTERM)
        end = last.result(30), first.wait(30)
        model.takes = 0.0
        said.append(b.post("/v1/chat", json=later).json()["answer"])
        found = b.post("/v1/search", json={"query": "cake", "max_chunks": 1, "rerank": False})

    assert [200, 200] == statuses
    assert [ANSWER, ANSWER] == [one.json()["answer"] for one in answers]
    assert all(one.startswith("Bread is baked at 230 degrees") for one in said)
    assert [(2,)] == in_sessions("select turns from research_agent_sessions")
    assert ["cake"] == [row["doc_id"] for row in found.json()["chunks"]]
    assert (200, 0) == end


@pytest.mark.usefixtures("indexed")
def test_sigterm_without_any_time_leaves_the_model_alone(config: str, model: Waiting) -> None:
    model.waits = True
    given = ("serve", "--config", config, "--port", "0", "--grace", "0")
    code, last = signalled(signal.SIGTERM, lambda told: asking(client_of(told), model), *given)

    assert 0 == code
    assert last.result(30) in (500, 0)
    assert model.left.wait(10)


@pytest.mark.usefixtures("indexed")
def test_sigterm_ends_the_page_in_order(config: str) -> None:
    """With status 0: what was open is closed."""

    def look(told: TextIO) -> tuple[int, str]:
        shown = told.readline()
        while "#token=" not in shown:
            shown = told.readline()
        address, _, token = shown.strip().partition("/#token=")
        return httpx2.get(address, timeout=40).status_code, token

    given = ("web", "--config", config, "--port", "0")
    code, (status, token) = signalled(signal.SIGTERM, look, *given)

    assert (0, 200, True) == (code, status, bool(token))


def test_an_address_of_another_machine_is_told() -> None:
    """With its name: another port would not do."""
    with pytest.raises(ConfigError, match=r"192\.0\.2\.1, port 0 cannot be used") as caught:
        listening(0, option="--port", host="192.0.2.1")
    assert caught.value.hint.endswith("or --host ADDRESS")


def test_who_connects_before_the_server_runs_waits_for_it() -> None:
    """The address is printed first: a browser that is as fast is not refused."""
    with listening(0, option="--port") as door, socket.create_connection(door.getsockname(), 5):
        pass


def test_what_cannot_be_served_is_told(data_home: Path, config: str, model: Waiting) -> None:
    """No token for other machines; an index that is not there is not ready, and live."""
    open_to_all = run("serve", "--config", config, "--host", "0.0.0.0", "--port", "0")  # noqa: S104 (refused)
    with serving(config, model, index="nowhere") as server:
        client = server.clients["bread"]
        statuses = [client.get(path).status_code for path in ("/health", "/ready")]
        asked = client.post("/v1/research", json=ASKED)

    assert 2 == open_to_all.exit_code
    assert TOKEN in open_to_all.stderr
    assert [200, 503] == statuses
    assert (503, "IndexMissingError") == (asked.status_code, asked.json()["error"]["type"])
    assert not data_home.exists() or not list(data_home.glob("indexes/nowhere*"))


@pytest.mark.parametrize("name", ["compose.yaml", "kubernetes.yaml"])
def test_examples_of_deployment_name_what_there_is(name: str) -> None:
    """They are YAML; their commands, options and settings are this program's."""
    text = (DEPLOY / name).read_text("utf-8")
    documents = [*yaml.safe_load_all(text)]
    commands = re.findall(r"\[research-agent, ([^\]]+)\]", text)
    helps = {part: CliRunner().invoke(main, [part, "--help"]).output for part in ("serve", "index")}
    keys = re.findall(r"^ +(RESEARCH_AGENT_\w+__\w+): (\S+)", text, re.MULTILINE)
    settings = configured(None, dict(keys)).settings

    assert documents
    assert "openai" == settings.models.chat.provider
    for variable in (settings.sessions.postgres_env, settings.models.chat.api_key_env):
        assert re.search(rf"{variable}[:=]", text)
    assert all(isinstance(one, dict) for one in documents)
    assert {"serve", "index"} == {command.split(", ")[0] for command in commands}
    for command in commands:
        name, *options = [part.strip('"') for part in command.split(", ")]
        for option in options:
            assert not option.startswith("--") or option.split("=")[0] in helps[name], option


def test_the_example_starts_ray_with_options_that_it_has() -> None:
    needed_package("ray", "cluster")
    from ray.scripts.scripts import start

    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    options = [part for part in compose["services"]["ray"]["command"] if part.startswith("--")]
    assert {"--head", "--disable-usage-stats"} <= set(options)
    assert set(options) <= {option for one in start.params for option in one.opts}
