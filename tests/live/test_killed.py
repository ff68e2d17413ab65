"""The embedded model's server is killed while it answers."""

import os
import signal
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from research_agent.assembly.models.connecting import connect_models
from research_agent.model_settings import LocalModelSettings, ModelSettings, ReplyCacheSettings
from research_agent.models.adapters.weights import cache_directory, ensure_weights
from research_agent.types import Message
from tests.needed import needed_weights

pytestmark = pytest.mark.live
ASKED = [Message("user", "Tell a long story about a potter and her kiln.")]
KILLED_AFTER = 0.4
"""Seconds after the request; 80 tokens take longer than that."""


def servers() -> list[int]:
    """Return the embedded servers that this process has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == os.getpid() and "llama_child" in (folder / "cmdline").read_text():
                found.append(int(folder.name))
        except OSError:  # (it has ended meanwhile)
            continue
    return found


def test_killed_server_is_started_anew() -> None:
    """The answer arrives at the second try, whole, and no process is left behind."""
    weights = needed_weights("0.5b", "1.5b").weights
    file = ensure_weights(weights, cache_directory(os.environ))
    settings = ModelSettings(
        local=LocalModelSettings(path=str(file), context=1024),
        reply_cache=ReplyCacheSettings(mode="off"),
    )
    with closing(
        connect_models(settings, environment=os.environ, on_progress=lambda _, __: None)
    ) as models:
        models.answerer.complete("answer", [Message("user", "Hello")], max_tokens=1)
        (first,) = servers()
        killing = Timer(KILLED_AFTER, os.kill, (first, signal.SIGKILL))
        killing.start()
        reply = models.answerer.complete("answer", ASKED, max_tokens=80, seconds=180)
        killing.join()
        (second,) = servers()

    assert first != second
    assert (2, "") == (reply.cost.tries, reply.cost.failed)
    assert KILLED_AFTER < reply.cost.seconds < 180
    assert "length" == reply.finish_reason
    assert 80 == len(reply.tokens)
    assert [] == servers()
