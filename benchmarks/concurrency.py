"""Many questions at a time against a model server with a fixed latency, and the first hits.

The server is a process of its own. All questions are different, take one round with two calls, and
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

from benchmarks.places import PDFS
from research_agent.assembly.connection import connect
from research_agent.assembly.index import remove_index
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.cli.index import index_for_docs
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
        [sys.executable, "-m", "benchmarks.slow_server", str(LATENCY)],
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
    large = index_for_docs([str(PDFS)], Settings(), quiet=True)
    with TemporaryDirectory() as folder, served() as url:
        Path(folder, "keys.md").write_text(DOCUMENT, encoding="utf-8")
        small = index_for_docs([folder], Settings(), quiet=True)
        figures = {
            "latency_seconds": LATENCY,
            "questions": QUESTIONS,
            "first_hits": first_hits(large, url),
            **{f"concurrency_{n}": measure(small, url, n) for n in (32, 8)},
        }
        remove_index(small)
    return figures
