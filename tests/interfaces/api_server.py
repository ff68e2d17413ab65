"""The server of `research-agent serve` in this process, over two indexes, on a loopback port."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2
import pytest
import uvicorn

from research_agent.config import configured
from research_agent.interfaces.http_limits import BoundedProtocol
from research_agent.interfaces.listening import listening
from research_agent.interfaces.serve.app import GracefulServer, build_app
from research_agent.interfaces.serve.shelf import Shelf
from research_agent.interfaces.serve.tokens import Clients, Rule
from tests.interfaces.commands import Waiting, run, served

SECRET = "The vault of the Morava works opens with the word heliotrope."  # noqa: S105 (a document)
TOKENS = {name: f"a-token-of-{name}-for-tests" for name in ("bread", "vault", "few", "watcher")}


RULES = (
    Rule(name="bread", token=TOKENS["bread"], requests_per_minute=10_000),
    Rule(name="vault", token=TOKENS["vault"], index="vault", requests_per_minute=10_000),
    Rule(name="few", token=TOKENS["few"], requests_per_minute=3, questions=1),
    Rule(name="watcher", token=TOKENS["watcher"], metrics=True),
)
"""Three tokens for the default index, and one for its own."""


class Server:
    """A running server and its model."""

    def __init__(self, url: str, model: Waiting) -> None:
        self.url, self.model = url, model
        self.clients = {
            name: httpx2.Client(
                base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=30
            )
            for name, token in TOKENS.items()
        }

    def post(self, path: str, given: object, *, who: str = "bread", **headers: str) -> Any:  # noqa: ANN401 (a response)
        return self.clients[who].post(path, json=given, headers=headers)

    def stream(self, path: str, given: object, *, who: str = "bread") -> Any:  # noqa: ANN401 (a context)
        """Begin to read server-sent events; leaving it closes the connection."""
        headers = {"Authorization": f"Bearer {TOKENS[who]}", "Accept": "text/event-stream"}
        url = f"{self.url}{path}"
        return httpx2.stream("POST", url, json=given, headers=headers, timeout=30)

    def events(self, path: str, given: object) -> list[tuple[str, dict[str, Any]]]:
        """Ask for server-sent events, and return them all."""
        reply = self.post(path, given, Accept="text/event-stream")
        assert reply.headers["content-type"].startswith("text/event-stream")
        told = []
        for block in reply.text.split("\n\n")[:-1]:
            if block != ":":
                kind, data = block.split("\n")
                told.append((kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
        return told


@contextmanager
def serving(
    config: str, model: Waiting, *, rules: Sequence[Rule] = RULES, index: str = "default"
) -> Iterator[Server]:
    """Serve an index to the tokens of these rules."""
    settings = configured(config, {}).settings
    with listening(0, option="--port") as door, Shelf(settings) as shelf:
        app: Any = build_app(shelf, Clients(rules, index=index), hosts=("agent.example",))
        server = GracefulServer(
            uvicorn.Config(app, http=BoundedProtocol, lifespan="off", log_level="error")
        )
        thread = Thread(target=lambda: asyncio.run(server.serve(sockets=[door])))
        thread.start()
        made = Server(f"http://127.0.0.1:{door.getsockname()[1]}", model)
        try:
            yield made
        finally:
            for client in made.clients.values():
                client.close()
            server.should_exit = True
            thread.join(20)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def api(guide: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests of a file; its home has the guide, the vault and sessions."""
    folder, model = tmp_path_factory.mktemp("api"), Waiting(waits=False)
    (folder / "vault.md").write_text(f"# Vault\n\n{SECRET}\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RESEARCH_AGENT_HOME", str(folder / "home"))
        for docs, name in ((guide / "docs", "default"), (folder / "vault.md", "vault")):
            assert 0 == run("index", str(docs), "--index", name).exit_code
        with served(model, folder) as config, serving(config, model) as made:
            yield made
