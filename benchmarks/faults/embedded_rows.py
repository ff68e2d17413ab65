"""Faults of the embedded model, with a real one."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING
from unittest.mock import patch

from benchmarks.faults.good import Row, Terms
from research_agent.model_settings import LocalModelSettings, ModelSettings
from research_agent.models.adapters.openai import chat
from research_agent.models.adapters.openai.chat import Sent
from research_agent.models.adapters.openai.replies import Reply
from research_agent.models.adapters.openai.request import Options
from research_agent.models.adapters.weights import WEIGHT_SETS, cache_directory, ensure_weights

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

AFTER = 0.5
"""Seconds from a request to the end of its server: the reply takes longer than that."""


def rows() -> tuple[Row, ...]:
    """Return the rows of the embedded model with the smaller weights; each runs by itself."""
    faults = {
        "no fault at all": 0,
        "server killed in the middle of an answer": 1,
        "server killed at each try": 100,
    }
    killed = [
        Row(
            provider="embedded",
            fault=fault,
            opened=partial(_killed, times),
            alone=True,
            named_by="warning" if times else "nothing",
        )
        for fault, times in faults.items()
    ]
    cut = Row(provider="embedded", fault="GGUF file cut in its middle", opened=_cut, alone=True)
    return (*killed, cut)


def children() -> list[int]:
    """Return the embedded servers that are children of this process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            command = (folder / "cmdline").read_text()
        except OSError:  # (it has ended meanwhile)
            continue
        if parent == os.getpid() and "llama_child" in command:
            found.append(int(folder.name))
    return found


def kill_children() -> None:
    """Kill the embedded servers of this process as the system does when memory is short."""
    for child in children():
        os.kill(child, signal.SIGKILL)


def weights_file() -> Path:
    """Return the smaller weights, joined; they are in RESEARCH_AGENT_CACHE."""
    return ensure_weights(WEIGHT_SETS["0.5b"], cache_directory(os.environ))


@contextmanager
def _killed(times: int, terms: Terms) -> Iterator[ModelSettings]:
    """Kill the server during the first `times` requests for an answer."""
    del terms
    killers = [Timer(AFTER, kill_children) for _ in range(times)]
    send = chat._send  # noqa: SLF001 (where one request goes out, and no other)

    async def sent(client: "ChatOpenAI", messages: Sent, options: Options) -> Reply:
        if options.streamed and killers:
            killers.pop().start()
        return await send(client, messages, options)

    with patch.object(chat, "_send", sent):
        yield ModelSettings(local=LocalModelSettings(path=str(weights_file()), context=2048))


@contextmanager
def _cut(terms: Terms) -> Iterator[ModelSettings]:
    file = terms.folder / "cut.gguf"
    with weights_file().open("rb") as whole:
        file.write_bytes(whole.read(20_000_000))
    yield ModelSettings(local=LocalModelSettings(path=str(file)))
