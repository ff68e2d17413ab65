"""The embedded server: started once, restarted, ended with its parent; a few tests are live."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from research_agent.errors import ModelError, ModelUnavailableError
from research_agent.models.adapters import llama
from research_agent.models.adapters.llama import LlamaServer
from research_agent.models.adapters.openai import Endpoint, OpenAIChat
from research_agent.models.adapters.weights import cache_directory, ensure_weights
from research_agent.types import Message
from tests.needed import needed_package, needed_weights

FAKE = """
import json, os, sys
asked = json.loads(sys.stdin.buffer.readline())
with open(asked["path"], "a") as log:
    log.write(f"{os.getpid()} {asked['context']} {asked['threads']} {asked['key']}\\n")
print(f"http://127.0.0.1:{os.getpid()}", flush=True)
sys.stdin.read()
"""
PARENT = """
import sys, time
from pathlib import Path
from research_agent.models.adapters import llama
llama.CHILD = Path(sys.argv[1])
server = llama.LlamaServer(lambda: Path(sys.argv[2]), context=1024)
server.base_url()
print(server._process.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Put another program in the server's place."""

    def write(program: str) -> Path:
        path = tmp_path / "child.py"
        path.write_text(program)
        monkeypatch.setattr(llama, "CHILD", path)
        return path

    return write


@pytest.fixture
def log(child: Callable[[str], Path], tmp_path: Path) -> Path:
    """Where the fake server writes down each start; the fake is in place."""
    child(FAKE)
    return tmp_path / "log"


def starts(log: Path) -> list[list[str]]:
    return [line.split() for line in log.read_text().splitlines()]


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def gone(pid: int, seconds: float = 5) -> bool:
    deadline = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


def test_one_server_for_all_threads(log: Path) -> None:
    """Threads that ask at the same time get the one server, with the settings it was given.

    Before the first call nothing is started; one that nobody closed ends when it is forgotten.
    """
    with closing(LlamaServer(lambda: log, context=2048, threads=3)) as server:
        assert not log.exists()
        urls: set[str] = set()
        asking = [threading.Thread(target=lambda: urls.add(server.base_url())) for _ in range(4)]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
        [[pid, *given]] = starts(log)
        assert {f"http://127.0.0.1:{pid}/v1"} == urls
        assert ["2048", "3", server.api_key] == given
    assert gone(int(pid))
    forgotten = LlamaServer(lambda: log, context=2048)
    forgotten.base_url()
    del forgotten
    assert gone(int(starts(log)[1][0]))


def test_killed_server_is_started_again(log: Path) -> None:
    """After a kill the next call has a new server, and closing ends that one."""
    with closing(LlamaServer(lambda: log, context=2048)) as server:
        first = server.base_url()
        os.kill(int(starts(log)[0][0]), signal.SIGKILL)
        assert gone(int(starts(log)[0][0]))
        assert first != server.base_url()
        assert server.base_url() == server.base_url()
        assert 2 == len(starts(log))
    assert gone(int(starts(log)[1][0]))


def test_hanging_server_is_ended_by_force(
    child: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child that ignores the end of its input is killed."""
    child(FAKE + "import time; time.sleep(60)")
    monkeypatch.setattr(llama, "STOP_SECONDS", 0.2)
    server = LlamaServer(lambda: tmp_path / "log", context=2048)
    server.base_url()
    server.close()
    assert gone(int(starts(tmp_path / "log")[0][0]))


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; sys.exit('no room for the model')", "no room for the model"),
        ("import os, sys; sys.stdin.readline(); os._exit(3)", "it said nothing"),
    ],
)
def test_server_that_gives_up(child: Callable[[str], Path], program: str, said: str) -> None:
    """The error has the last lines the server wrote, and says what to try."""
    child(program)
    server = LlamaServer(lambda: Path("/x/model.gguf"), context=2048)
    with pytest.raises(ModelUnavailableError, match=said) as caught:
        server.base_url()
    assert "model.gguf did not start" in str(caught.value)
    assert "research-agent models" in caught.value.hint


def test_start_has_a_deadline(
    child: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that says nothing is ended after the deadline."""
    child("import time; time.sleep(60)")
    monkeypatch.setattr(llama, "START_SECONDS", 0.3)
    server = LlamaServer(lambda: Path("/x/model.gguf"), context=2048)
    with pytest.raises(ModelUnavailableError, match="did not start within"):
        server.base_url()


def test_child_ends_when_its_parent_is_killed(child: Callable[[str], Path], log: Path) -> None:
    """A parent that is killed leaves no server behind."""
    assert killed_parent_leaves_nothing(child(FAKE), log)


def killed_parent_leaves_nothing(program: Path, weights: Path) -> bool:
    """Start a parent with a server, kill the parent, and return whether the server ended."""
    command = [sys.executable, "-c", PARENT, str(program), str(weights)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.kill()
        return gone(pid)


def test_damaged_weights_are_reported(tmp_path: Path) -> None:
    """The real server's own words about a file that is no model reach the error."""
    needed_package("xllamacpp")
    path = tmp_path / "junk.gguf"
    path.write_bytes(b"GGUF" + b"junk" * 1000)
    with pytest.raises(ModelUnavailableError, match="failed to load model"):
        LlamaServer(lambda: path, context=2048).base_url()


@pytest.fixture(scope="module")
def weights() -> Iterator[Path]:
    """The smallest weights that are here, joined in the user's cache or for these tests only."""
    found, cache = needed_weights("0.5b", "1.5b"), cache_directory(os.environ)
    with tempfile.TemporaryDirectory() as passing:
        yield ensure_weights(found.weights, cache if found.joined else Path(passing))


@pytest.fixture(scope="module")
def server(weights: Path) -> Iterator[LlamaServer]:
    running = LlamaServer(lambda: weights, context=2048)
    yield running
    running.close()


@pytest.fixture
def model(server: LlamaServer) -> Iterator[OpenAIChat]:
    endpoint = Endpoint(
        model="local",
        url=server.base_url,
        where="the embedded model",
        api_key=server.api_key,
        embedded=True,
    )
    chat = OpenAIChat(endpoint)
    yield chat
    chat.close()


CAPITAL = [Message("user", "Reply with one word: the capital of France")]


@pytest.mark.live
def test_model_answers_with_log_probabilities(model: OpenAIChat) -> None:
    """The embedded model knows a capital, and says how sure it is."""
    got = model.complete("answer", CAPITAL, max_tokens=8)
    assert "Paris" in got.text
    assert got.text == "".join(token.text for token in got.tokens)
    assert all(token.logprob <= 0 and 5 == len(token.alternatives) for token in got.tokens)
    assert got.cost.prompt_tokens > 10
    assert "qwen2.5" in got.cost.model


@pytest.mark.live
def test_model_obeys_a_schema(model: OpenAIChat) -> None:
    """A reply to a schema is one of the objects the schema allows."""
    schema = {
        "type": "object",
        "properties": {"color": {"enum": ["green", "purple"]}},
        "required": ["color"],
        "additionalProperties": False,
    }
    got = model.complete("filter", CAPITAL, max_tokens=40, schema=schema)
    assert "".join(got.text.split()) in ('{"color":"green"}', '{"color":"purple"}')


@pytest.mark.live
def test_model_comes_back_after_a_kill(server: LlamaServer, model: OpenAIChat) -> None:
    """The server killed between two questions does not fail the second."""
    before = model.complete("answer", CAPITAL, max_tokens=8)
    process = server._process  # noqa: SLF001 (the test kills what nobody else should reach)
    assert process
    process.kill()
    process.wait()
    assert before.text == model.complete("answer", CAPITAL, max_tokens=8).text


@pytest.mark.live
def test_server_needs_its_key(server: LlamaServer) -> None:
    """Other programs and web pages cannot use the server: they do not have its key."""
    model = OpenAIChat(
        Endpoint(model="local", url=server.base_url, where="here", api_key="guessed")
    )
    with closing(model), pytest.raises(ModelError, match="401"):
        model.complete("answer", CAPITAL, max_tokens=8)


@pytest.mark.live
def test_model_ends_with_its_killed_parent(weights: Path) -> None:
    """The real server is gone within five seconds after its parent was killed."""
    assert killed_parent_leaves_nothing(llama.CHILD, weights)
