"""Bedrock's embedding models through botocore's own HTTP, against a server on this machine."""

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from research_agent.errors import (
    ContextOverflowError,
    ModelBusyError,
    ModelReplyError,
    ModelTimeoutError,
)
from research_agent.models.adapters.bedrock import BedrockEmbedder, BedrockEndpoint
from research_agent.ports import TextWindows
from tests import converse
from tests.loopback import Json, Raw, Reply, Script
from tests.loopback_faults import hang

TITAN = "amazon.titan-embed-text-v2:0"
COHERE = "cohere.embed-multilingual-v3"


@contextmanager
def asking(
    script: Script, model: str, timeout: float = 60
) -> Iterator[tuple[BedrockEmbedder, converse.Running]]:
    with converse.bedrock(script) as server:
        endpoint = BedrockEndpoint(model=model, region="us-east-1", url=server.url, timeout=timeout)
        with closing(BedrockEmbedder(endpoint)) as embedder:
            yield embedder, server


def by_length(asked: converse.Asked) -> Json:
    """A vector that tells which text it is of."""
    return converse.titan_reply([3.0 * len(asked.body["inputText"]), 4.0])


def test_titan() -> None:
    """Each text is a request; the vectors have length one, and keep the order of the texts."""
    texts = ["a" * n for n in range(1, 11)]
    with asking(by_length, TITAN) as (embedder, server):
        vectors = embedder.embed(texts)
        assert TITAN == embedder.name
        assert [] == embedder.embed([])
    assert [0.6, 0.8] == vectors[0]
    assert sorted(vectors) == vectors
    assert 10 == len({tuple(vector) for vector in vectors})
    assert all(abs(x * x + y * y - 1) < 1e-9 for x, y in vectors)
    assert {(TITAN, "invoke")} == {(asked.model, asked.operation) for asked in server.log}
    assert sorted(texts) == sorted(asked.body["inputText"] for asked in server.log)


def test_cohere() -> None:
    """Texts are sent 96 at a time, and each gets its vector."""

    def script(asked: converse.Asked) -> Json:
        return converse.cohere_reply([[float(text), 1.0] for text in asked.body["texts"]])

    with asking(script, COHERE) as (embedder, server):
        vectors = embedder.embed([str(n) for n in range(200)])
    assert sorted(vectors) == vectors
    assert 200 == len(vectors)
    assert [8, 96, 96] == sorted(len(asked.body["texts"]) for asked in server.log)


def test_windows() -> None:
    """Long texts are cut to what the model takes, and a longer one is refused unsent."""
    with asking(by_length, COHERE) as (embedder, server):
        assert isinstance(embedder, TextWindows)
        assert ["Title\ntext"] == embedder.windows("text", header="Title")
        cut = embedder.windows("word " * 1000, header="Title")
        assert all(len(text) <= 2048 and text.startswith("Title\n") for text in cut)
        assert 3 == len(cut)
        with pytest.raises(ContextOverflowError):
            embedder.embed(["x" * 2049])
    assert [] == server.log


@pytest.mark.parametrize(
    ("model", "replies"),
    [
        (
            TITAN,
            [converse.titan_reply([0.0, 0.0]), {"embedding": ["x"]}, {}, Raw(body=b"<html>")],
        ),
        (
            COHERE,
            [converse.cohere_reply(found) for found in ([[1.0]], [[1.0], [1.0, 2.0]])]
            + [{"embeddings": None}],
        ),
    ],
)
def test_what_is_no_reply(model: str, replies: list[Reply]) -> None:
    """Vectors that are missing, of no direction or of two lengths are errors."""
    with asking(lambda _: replies[-1], model) as (embedder, _):
        while replies:
            with pytest.raises(ModelReplyError):
                embedder.embed(["a", "b"])
            replies.pop()


def test_errors_and_their_log(caplog: pytest.LogCaptureFixture) -> None:
    """An error is one of ours after one request, and its words are not logged."""
    busy = converse.error_reply("ThrottlingException", 429, "secret", {"Retry-After": "2"})
    with (
        caplog.at_level(logging.INFO),
        asking(lambda _: busy, TITAN) as (embedder, server),
        pytest.raises(ModelBusyError) as caught,
    ):
        embedder.embed(["a"])
    assert 2.0 == caught.value.retry_after
    assert 1 == len(server.log)
    assert "secret" not in caplog.text


def test_deadline() -> None:
    """A request that hangs ends at the deadline."""
    with (
        asking(hang()(by_length), TITAN, 0.5) as (embedder, _),
        pytest.raises(ModelTimeoutError),
    ):
        embedder.embed(["a", "b"])
