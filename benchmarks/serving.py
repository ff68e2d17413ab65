"""Two servers over one shared index and one PostgreSQL, many clients, cancellations, and a kill.

The model is a server on loopback whose answer names what the question names, so that an answer to
another question is seen.
"""

import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2

from benchmarks.common import percentile
from tests.loopback import Json, server, text_reply
from tests.postgres import postgres

CLIENTS, CANCELLED, LOAVES, SEED = 8, 0.2, 60, 11
TOKEN = "a-token-of-this-benchmark"  # noqa: S105 (of a server on loopback)
QUESTION = "At how many degrees is bread number {} baked?"
_ASKED = re.compile(r"is bread number (\d+) baked\?")
_NAMED = re.compile(r"[Bb]read number (\d+) is baked")
AGAIN = ("server away", "session in use")
WAYS = {"/v1/search": 0.4, "/v1/research": 0.4, "/v1/chat": 0.2}


def reply(request: Json) -> Json:
    """Answer the question that was asked last, with the key of the chunk that says so."""
    prompt = "\n".join(str(message["content"]) for message in request["messages"])
    number = (_ASKED.findall(prompt) or ["0"])[-1]
    if "response_format" in request:
        plan = {"kind": "keep", "queries": []}
        follow_up = {"about": [], "question": QUESTION.format(number)}
        return text_reply(json.dumps(follow_up if "about" in str(request) else plan))
    before = prompt.partition(f"Bread number {number} is baked")[0]
    key = (re.findall(r"\bc\d+\b", before) or ["c1"])[-1]
    return text_reply(f"Bread number {number} is baked at {1000 + int(number)} degrees [{key}].")


class Load:
    """The servers, and what came of the requests."""

    def __init__(self, folder: Path, model: str, sessions: str) -> None:
        """Write documents, an index and a configuration."""
        docs = folder / "docs"
        docs.mkdir()
        for number in range(LOAVES):
            text = f"# Loaf {number}\n\nBread number {number} is baked at {1000 + number} degrees."
            (docs / f"loaf-{number}.md").write_text(text, encoding="utf-8")
        chat = {"provider": "openai", "model": "scripted", "base_url": model}
        settings = {"preset": "local", "models": {"chat": chat}, "verify": {"judge": "off"}}
        (folder / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
        rule = {"name": "all", "token": TOKEN, "requests_per_minute": 10**6, "questions": 64}
        self._given = os.environ | {
            "RESEARCH_AGENT_HOME": str(folder / "home"),
            "RESEARCH_AGENT_SERVE_TOKENS": json.dumps([rule]),
            "RESEARCH_AGENT_SESSIONS__POSTGRES_ENV": "SESSIONS_URL",
            "SESSIONS_URL": sessions,
        }
        self._folder, self.came, self.times = folder, Counter[str](), list[float]()
        self._index = f"lance:{folder / 'index'}"
        self._command("index", "--index", self._index, str(docs)).wait()
        self.urls = ["", ""]
        self.processes = [self.begin(place) for place in range(2)]

    def begin(self, place: int) -> subprocess.Popen[bytes]:
        """Start a server, at the port that it had before."""
        log, port = self._folder / f"{place}.log", self.urls[place].rpartition(":")[2] or "0"
        log.unlink(missing_ok=True)
        process = self._command("serve", "--index", self._index, "--port", port, log=log)
        until = time.monotonic() + 120
        while not (found := re.search(r"serving (http\S+)", log.read_text("utf-8"))):
            if time.monotonic() > until:
                raise TimeoutError(log.read_text("utf-8"))
            time.sleep(0.1)
        self.urls[place] = found[1]
        return process

    def client(self, name: str, requests: int) -> None:
        """Ask one question after the other; where a server is away, the other one is asked."""
        chance = random.Random(f"{SEED}-{name}")  # noqa: S311 (no secret)
        with httpx2.Client(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120) as http:
            for _ in range(requests):
                (path,), number = (
                    chance.choices([*WAYS], [*WAYS.values()]),
                    chance.randrange(LOAVES),
                )
                leaves = chance.uniform(0.0, 0.5) if chance.random() < CANCELLED else 0.0
                place, began = chance.randrange(2), time.perf_counter()
                asked = (name, number, leaves)
                while (what := self._asked(http, place, path, asked)) in AGAIN:
                    self.came[f"asked again: {what}"] += 1
                    place = 1 - place
                    time.sleep(0.05)
                self.came[f"{path} {what}"] += 1
                if what == "right":
                    self.times.append(time.perf_counter() - began)

    def _asked(
        self, http: httpx2.Client, place: int, path: str, what: tuple[str, int, float]
    ) -> str:
        name, number, leaves = what
        asked = QUESTION.format(number)
        body: dict[str, Any] = {"question": asked}
        if path == "/v1/search":
            body = {"query": asked, "max_chunks": 1}
        elif path == "/v1/chat":
            body["session"] = name
        try:
            wait = httpx2.Timeout(120, read=leaves or 120)
            said = http.post(f"{self.urls[place]}{path}", json=body, timeout=wait)
        except httpx2.ReadTimeout:
            return "cancelled"
        except httpx2.TransportError:
            return "server away"
        if said.status_code == 409:  # noqa: PLR2004 (a cancelled question of the session still ends)
            return "session in use"
        if said.status_code != 200:  # noqa: PLR2004
            return f"status {said.status_code}"
        found = said.json()
        text = found["chunks"][0]["text"] if path == "/v1/search" else found["answer"]
        named = set(_NAMED.findall(text))
        if named - {str(number)}:
            return "mixed"
        return "right" if named and str(1000 + number) in text else "wrong"

    def _command(self, *arguments: str, log: Path | None = None) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "research_agent.interfaces.cli.main", *arguments]
        with (log or Path(os.devnull)).open("wb") as stream:
            return subprocess.Popen(  # noqa: S603 (our own program)
                [*command, "--config", str(self._folder / "config.yaml")],
                env=self._given,
                stdout=stream,
                stderr=stream,
            )


def run(requests: int) -> Mapping[str, object]:
    """Ask `requests` questions; a third of the way a server is killed, and begun again."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        model = stack.enter_context(server(reply))
        load = Load(folder, model, stack.enter_context(postgres()))
        began = time.perf_counter()
        with ThreadPoolExecutor(CLIENTS) as pool:
            each = requests // CLIENTS
            work = [pool.submit(load.client, f"client-{n}", each) for n in range(CLIENTS)]
            try:
                while sum(load.came.values()) < requests // 3 and not any(w.done() for w in work):
                    time.sleep(0.1)
                load.processes[0].kill()
                time.sleep(2)
                load.processes[0] = load.begin(0)
                for one in work:
                    one.result()
            finally:
                for process in load.processes:
                    process.kill()
        return {
            "requests": each * CLIENTS,
            **dict(sorted(load.came.items())),
            "seconds": round(time.perf_counter() - began),
            "p50": round(percentile(load.times, 0.5), 2),
            "p95": round(percentile(load.times, 0.95), 2),
            "load average": os.getloadavg()[1],
        }
