"""Running the command line, in this process and in one of its own."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any, TextIO, TypeVar

import pytest
from click.testing import CliRunner, Result

from research_agent.interfaces.cli.main import main
from tests.loopback import Json, Live, Peer, Raw, server, text_reply, token

T = TypeVar("T")
BAKED = "At how many degrees is bread baked?"
ANSWER = "Bread is baked at 230 degrees [c1]."
SHOWN = "Bread is baked at 230 degrees [1]."
"""The same, as a terminal has it."""
GUIDE = """# Bread

Bread is baked at 230 degrees. It takes an hour.

## Rye

Rye bread needs 90 minutes in the oven.
"""

THINGS = ("Bread", "Butter", "Cheese", "Dough", "Flour", "Honey", "Malt", "Rye", "Salt", "Yeast")
WORKS = {
    "pumps.md": "# Pumps of the Morava works\n\nThe Kestrel pump was designed by Ilona Varga. It "
    "lifts 40 litres a second and was built from 1931 on.\n",
    "engineers.md": "# Engineers of the Morava works\n\nIlona Varga was born in Szolnok in 1899. "
    "She studied in Graz and joined the works in 1924.\n",
    "canteen.md": "# The canteen\n\nThe canteen of the works opened in 1928. It served soup on "
    "Mondays and fish on Fridays.\n",
}
BORN = "In which year was the designer of the Kestrel pump born?"
"""It takes two of these files."""


def run(*arguments: str) -> Result:
    """Give a command in this process."""
    return CliRunner().invoke(main, list(arguments))


def works_folder(folder: Path) -> Path:
    """Make "docs" with the files of the works in it."""
    docs = folder / "docs"
    docs.mkdir()
    for name, text in WORKS.items():
        (docs / name).write_text(text, encoding="utf-8")
    return docs


def chat(
    config: str, *said: str, docs: Path | None = None, options: tuple[str, ...] = ()
) -> Result:
    """Give lines to `chat` in this process, over `docs` or the default index."""
    over = ("--docs", str(docs)) if docs else ()
    arguments = ["chat", *over, "--config", config, *options]
    return CliRunner().invoke(main, arguments, input="".join(f"{line}\n" for line in said))


def in_sessions(statement: str, *values: object) -> list[Any]:
    """Give SQL to the database of the conversations."""
    file = Path(os.environ["RESEARCH_AGENT_HOME"]) / "sessions" / "sessions.sqlite3"
    with closing(sqlite3.connect(file)) as database, database:
        return database.execute(statement, values).fetchall()


def in_a_process(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Give a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "research_agent.interfaces.cli.main", *arguments],
        cwd=folder,
        capture_output=True,
        check=False,
        text=True,
    )


def begun(*arguments: str) -> subprocess.Popen[str]:
    """Begin a command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "research_agent.interfaces.cli.main", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def signalled(
    number: signal.Signals, work: Callable[[TextIO], T], *arguments: str
) -> tuple[object, T]:
    """Run a server's command in this thread and `work` in another, then send it a signal.

    `work` reads what the command tells. Returns the command's exit status, and what `work` gives.
    """
    over, before = Event(), signal.getsignal(signal.SIGTERM)
    reading, writing = os.pipe()

    def working() -> T:
        try:
            return work(told)
        finally:
            if not over.is_set():
                os.kill(os.getpid(), number)

    with os.fdopen(reading) as told, ThreadPoolExecutor(1) as thread:
        try:
            with (
                os.fdopen(writing, "w", buffering=1) as shown,
                redirect_stdout(shown),
                redirect_stderr(shown),
            ):
                done = thread.submit(working)
                with pytest.raises(SystemExit) as ended:
                    main([*arguments])
        finally:
            over.set()
            signal.signal(signal.SIGTERM, before)
        return ended.value.code, done.result()


def made_index(folder: Path, files: Mapping[str, str]) -> Path:
    """Make "docs" with these files, and "home", a data folder with their index."""
    for name, text in files.items():
        file = folder / "docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RESEARCH_AGENT_HOME", str(folder / "home"))
        assert 0 == run("index", str(folder / "docs")).exit_code
    return folder


def index_of(files: Mapping[str, str]) -> Any:  # noqa: ANN401 (a fixture)
    """Return a fixture: a folder of `made_index` that the tests of a module find, not to change."""

    @pytest.fixture(scope="module", autouse=True)
    def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
        folder = made_index(tmp_path_factory.mktemp("made"), files)
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("RESEARCH_AGENT_HOME", str(folder / "home"))
            yield folder

    return home


@dataclass
class Model:
    """What a scripted model says, and what it was asked."""

    answer: str = ANSWER
    verdict: str = "yes"
    plan: str = '{"kind": "keep", "queries": []}'
    judge: str = "off"
    """Which sentences it judges (`verify.judge`)."""
    ended: str = "stop"
    """Why its answers end."""
    error: Raw | None = None
    takes: float = 0.0
    """Seconds that it takes to say anything."""
    asked: list[str] = field(default_factory=list)

    def reply(self, request: Json) -> Json | Raw:
        self.asked.append(request["messages"][-1]["content"])
        time.sleep(self.takes)
        if self.error:
            return self.error
        if "response_format" in request:
            return text_reply(self.plan)
        if request["max_tokens"] == 1:
            other = "no" if self.verdict == "yes" else "yes"
            return text_reply(self.verdict, tokens=[token(self.verdict, -0.1, {other: -2.5})])
        return text_reply(self.answer, finish_reason=self.ended)


class Waiting(Model):
    """A model that can be told to say nothing, and notices when nobody waits for it any more."""

    def __init__(self, *, waits: bool = True) -> None:
        super().__init__()
        self.waits = waits
        self.reached, self.left = Event(), Event()

    def reply(self, request: Json) -> Json | Raw | Live:  # type: ignore[override]  # (it may wait)
        said = super().reply(request)
        if not self.waits:
            return said

        def wait(peer: Peer) -> None:
            self.reached.set()
            if peer.gone(30):
                self.left.set()

        return Live(wait)


@contextmanager
def served(model: Model, folder: Path, **more: object) -> Iterator[str]:
    """Serve a scripted model; give the path of a configuration that names it and has `more`."""
    with server(model.reply) as url:
        config = folder / "served.yaml"
        chat = {"provider": "openai", "model": "scripted", "base_url": url}
        settings = {"preset": "local", "models": {"chat": chat}, "answer": {"refusal": "check"}}
        given = settings | {"verify": {"judge": model.judge}} | more
        config.write_text(json.dumps(given), encoding="utf-8")
        yield str(config)


def printed(result: Result) -> Any:  # noqa: ANN401 (JSON)
    """Return the JSON on stdout."""
    return json.loads(result.stdout)
