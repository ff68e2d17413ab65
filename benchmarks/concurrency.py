"""Many questions at a time against a model server with a fixed latency, and the first hits.

The server is a process of its own (`python -m benchmarks.concurrency SECONDS`), which prints its
port and ends with its input. All questions are different, take one round with two calls, and
are asked of a small index, so that the graph and not the search is measured; the first hits are
those of the six PDFs.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread

from benchmarks.retrieval import index_of
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.cli.index import update
from research_agent.model_settings import ModelSettings, ReplyCacheSettings, RoleSettings
from research_agent.settings import BudgetSettings, Settings
from research_agent.types.result import ResearchResult

LATENCY = 0.2
"""Seconds that each request takes."""
QUESTIONS = 32
REPEATS = 5
DOCUMENT = "# Keys\n\nAn encapsulation key has 1184 bytes.\n\n# Bread\n\nBread needs an hour.\n"


@contextmanager
def served() -> Iterator[str]:
    """Run the slow server and give its base URL."""
    with subprocess.Popen(  # noqa: S603 (our own program, no shell)
        [sys.executable, "-m", "benchmarks.concurrency", str(LATENCY)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        if process.stdout is None:
            raise OSError("the server has no output")
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"


def questions() -> Sequence[str]:
    """Return different questions."""
    return [f"How many bytes has the encapsulation key, for reader {i}?" for i in range(QUESTIONS)]


def seconds(agent: ResearchAgent, asked: Sequence[str]) -> tuple[float, list[ResearchResult]]:
    """Return how long all of `asked` take together, and the results."""

    async def ask() -> list[ResearchResult]:
        return list(await asyncio.gather(*(agent.aask(question) for question in asked)))

    started = time.perf_counter()
    results = asyncio.run(ask())
    return time.perf_counter() - started, results


def measure(index: str, url: str, concurrency: int) -> Mapping[str, float]:
    """Return the time of one question and of all together, and how they compare."""
    models = ModelSettings(
        chat=RoleSettings(provider="openai", model="slow", base_url=url),
        concurrency=concurrency,
        reply_cache=ReplyCacheSettings(mode="off"),
    )
    settings = replace(Settings(), models=models, budget=BudgetSettings(rounds=1))
    with (
        connect(index, settings, {}) as connection,
        ResearchAgent(connection.ports, connection.settings, load_prompts()) as agent,
    ):
        seconds(agent, questions())  # (connections, caches)
        one = median(seconds(agent, questions()[:1])[0] for _ in range(REPEATS))
        spent, mixed = [], 0
        before = time.process_time()
        for _ in range(REPEATS):
            took, results = seconds(agent, questions())
            spent.append(took)
            mixed += sum(r.question != q for r, q in zip(results, questions(), strict=True))
        cpu = (time.process_time() - before) / REPEATS / QUESTIONS
    return {
        "one_seconds": one,
        "all_seconds": median(spent),
        "times_one": median(spent) / one,
        "mixed": mixed,
        "processor_ms_a_question": 1000 * cpu,
    }


def first_hits(index: str, url: str) -> Mapping[str, float]:
    """Return the seconds from the start of `ask --events` to its first hits, and their median."""
    with TemporaryDirectory() as folder:
        config = Path(folder) / "config.yaml"
        chat = {"provider": "openai", "model": "slow", "base_url": url}
        config.write_text(json.dumps({"models": {"chat": chat}}), encoding="utf-8")
        spent = [_first_hits(index, str(config)) for _ in range(REPEATS)]
    return {"median_seconds": median(spent), "most_seconds": max(spent)}


def _first_hits(index: str, config: str) -> float:
    asked = ("ask", questions()[0], "--index", index, "--config", config, "--events", "--quiet")
    started = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 (our own program, no shell)
        [sys.executable, "-m", "research_agent.interfaces.cli.main", *asked],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    ) as process:
        for line in process.stdout or ():
            if json.loads(line)["event"] == "hits":
                took = time.perf_counter() - started
                process.kill()
                return took
    raise ValueError("no hits were told")


def run() -> Mapping[str, object]:
    """Return all figures."""
    with TemporaryDirectory() as folder, served() as url:
        documents, small = Path(folder, "documents"), str(Path(folder, "small"))
        documents.mkdir()
        (documents / "keys.md").write_text(DOCUMENT, encoding="utf-8")
        update(small, [str(documents)], Settings())
        large, _ = index_of("nist", Path(folder), Settings())
        return {
            "latency_seconds": LATENCY,
            "questions": QUESTIONS,
            "first_hits": first_hits(large, url),
            **{f"concurrency_{n}": measure(small, url, n) for n in (32, 8)},
        }


ANSWER = "An encapsulation key has 1184 bytes [c1]."


class Handler(BaseHTTPRequestHandler):
    """Answers chat requests; the same to all, with log-probabilities."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Wait, then answer as a stream, or at once where none is asked for."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(float(sys.argv[1]))
        said = "yes" if asked["max_tokens"] == 1 else ANSWER
        streamed = bool(asked.get("stream"))
        body = _stream(said) if streamed else json.dumps(_reply(said)).encode()
        self.send_response(200)
        kind = "text/event-stream" if streamed else "application/json"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Takes many connections at once."""

    request_queue_size = 256


def _tokens(said: str) -> dict[str, object]:
    other = {"token": "no", "logprob": -2.5, "bytes": None}
    words = [word + " " for word in said.split()] if " " in said else [said]
    return {
        "content": [
            {"token": word, "logprob": -0.1, "bytes": None, "top_logprobs": [_top(word), other]}
            for word in words
        ]
    }


def _top(word: str) -> dict[str, object]:
    return {"token": word, "logprob": -0.1, "bytes": None}


def _reply(said: str) -> dict[str, object]:
    message = {"role": "assistant", "content": said}
    choice = {"index": 0, "message": message, "logprobs": _tokens(said), "finish_reason": "stop"}
    usage = {"prompt_tokens": 90, "completion_tokens": 9, "total_tokens": 99}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "slow",
        "choices": [choice],
        "usage": usage,
    }


def _stream(said: str) -> bytes:
    reply = _reply(said)
    base = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "slow"}
    delta = {"role": "assistant", "content": said}
    told = {"index": 0, "delta": delta, "logprobs": _tokens(said), "finish_reason": None}
    ended = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}
    chunks = (
        {**base, "choices": [told]},
        {**base, "choices": [ended]},
        {**base, "choices": [], "usage": reply["usage"]},
    )
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


def serve() -> None:
    """Serve until the input ends."""
    with Server(("127.0.0.1", 0), Handler) as server:
        print(server.server_port, flush=True)
        Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    serve()
