"""Embeddings over the wire: the real client against a scripted server."""

import time
import traceback

import pytest

from research_agent import errors
from tests.loopback import CLOSED, Json, Raw, embedding_reply, error_reply
from tests.loopback_faults import FAULTS
from tests.models.openai_models import embedder, replies


def test_vectors_have_length_one() -> None:
    """Texts go out as text, in their order, and the vectors come back normalised."""
    script, seen = replies(embedding_reply([[3, 4], [0, -2]]))
    with embedder(script) as model:
        assert [[0.6, 0.8], [0.0, -1.0]] == model.embed(["a", "b"])
        assert [] == model.embed([])
        assert "m" == model.name
    assert [["a", "b"]] == [request["input"] for request in seen]


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (embedding_reply([[1, 0]]), errors.ModelReplyError),
        (embedding_reply([[1, 0], [1]]), errors.ModelReplyError),
        (embedding_reply([[1, 0], [0, 0]]), errors.ModelReplyError),
        ({"object": "list", "data": [], "model": "m"}, errors.ModelReplyError),
        (Raw(200, b"<html>", "text/html"), errors.ModelReplyError),
        (Raw(200, b" " * 1_000_000), errors.ModelReplyError),
        (error_reply(400, "input is too large to process SECRET"), errors.ContextOverflowError),
        (error_reply(401, "SECRET"), errors.ModelAccessError),
        (CLOSED, errors.ModelUnavailableError),
    ],
)
def test_vectors_that_are_none(reply: Json | Raw, error: type[errors.ModelError]) -> None:
    """Missing, uneven and empty vectors are refused, and failures are ours."""
    script, _ = replies(reply)
    with embedder(script) as model, pytest.raises(errors.ModelError) as caught:
        model.embed(["a", "b"])
    assert error is type(caught.value)
    assert "SECRET" not in "".join(traceback.format_exception(caught.value))


def test_some_texts_at_a_time() -> None:
    """Requests have as many texts as servers take, and the vectors come in their order."""
    script, seen = replies(*[embedding_reply([[1, 0]] * 32)] * 2, embedding_reply([[0, 1]] * 6))
    with embedder(script) as model:
        assert [[1.0, 0.0]] * 64 + [[0.0, 1.0]] * 6 == model.embed(["a"] * 70)
    assert [32, 32, 6] == [len(request["input"]) for request in seen]


@pytest.mark.parametrize("fault", ["hang before the headers", "body dripped"])
def test_one_deadline_for_a_call(fault: str) -> None:
    """The endpoint's timeout ends a call, also where something comes all the time."""
    begun = time.monotonic()
    with (
        embedder(FAULTS[fault](lambda _: CLOSED), timeout=0.3) as model,
        pytest.raises(errors.ModelTimeoutError, match="in time"),
    ):
        model.embed(["a", "b"])
    assert 0.3 <= time.monotonic() - begun < 3
