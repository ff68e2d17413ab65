"""Many questions at a time against a model server with a fixed latency, and the first hits.

The server is a process of its own (`python -m benchmarks.concurrency SECONDS`), which prints its
address and ends with its input. All questions are different, take one round with two calls, and
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
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

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
QUESTIONS = [f"How many bytes has the encapsulation key, for reader {i}?" for i in range(32)]
REPEATS = 5
ANSWER = "An encapsulation key has 1184 bytes [c1]."
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
        yield process.stdout.readline().strip()


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
        seconds(agent, QUESTIONS)  # (connections, caches)
        one = median(seconds(agent, QUESTIONS[:1])[0] for _ in range(REPEATS))
        spent, mixed = [], 0
        before = time.process_time()
        for _ in range(REPEATS):
            took, results = seconds(agent, QUESTIONS)
            spent.append(took)
            mixed += sum(r.question != q for r, q in zip(results, QUESTIONS, strict=True))
        cpu = (time.process_time() - before) / REPEATS / len(QUESTIONS)
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
    asked = ("ask", QUESTIONS[0], "--index", index, "--config", config, "--events", "--quiet")
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
            "questions": len(QUESTIONS),
            "first_hits": first_hits(large, url),
            **{f"concurrency_{n}": measure(small, url, n) for n in (32, 8)},
        }


def serve() -> None:
    """Answer every request after a fixed time until the input ends; print the address first."""
    from tests.loopback import Json, server, text_reply, token

    words = [token(f"{word} ", -0.1, {"no": -2.5}) for word in ANSWER.split()]

    def reply(asked: Json) -> Json:
        time.sleep(float(sys.argv[1]))
        if asked.get("max_tokens") == 1:
            return text_reply("yes", tokens=[token("yes", -0.1, {"no": -2.5})])
        return text_reply(ANSWER, tokens=words)

    with server(reply) as url:
        print(url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    serve()
