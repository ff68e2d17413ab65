"""Rerank servers of three forms on loopback: what is sent, what is read, what goes wrong."""

import json
import math
import time
from collections.abc import Mapping

import pytest

from research_agent import errors
from research_agent.retrieval.adapters.rerank_http import Form, HttpReranker, RerankEndpoint
from tests.rerank_server import Json, Reply, Running, Script, rerank_server

TEXTS = ("no", "perhaps", "yes")
FORMS: tuple[Form, ...] = ("llama.cpp", "vllm", "tei")
GRADES = {"no": 0.1, "perhaps": 0.5, "yes": 0.9}
ASKED: Json = {"query": "q", "documents": [*TEXTS], "top_n": 3}
SECRET = "sk-secret"  # noqa: S105 (a test's)


def judged(given: Json) -> object:
    """Scores as each form gives them: best first, as real servers do."""
    texts = given.get("texts") or given["documents"]
    ranked = sorted(range(len(texts)), key=lambda at: -GRADES[texts[at]])
    if "texts" in given:
        return [{"index": at, "score": GRADES[texts[at]]} for at in ranked]
    listed = [
        {"index": at, "relevance_score": GRADES[texts[at]], "document": {"text": texts[at]}}
        for at in ranked
    ]
    return {"id": "1", "model": "m", "object": "list", "usage": {}, "results": listed}


def listed(form: Form, *scores: object) -> object:
    key = "score" if form == "tei" else "relevance_score"
    rows = [{"index": at, key: score} for at, score in enumerate(scores)]
    return rows if form == "tei" else {"results": rows}


def reranker(running: Running, form: Form = "vllm", seconds: float = 20.0) -> HttpReranker:
    return HttpReranker(
        RerankEndpoint(base_url=running.url, form=form, seconds=seconds, trust_env=False)
    )


def failing(script: Script, form: Form = "vllm", seconds: float = 20.0) -> errors.ModelError:
    """Return the error that a reply leads to; it never repeats what the server wrote."""
    with rerank_server(script) as running, pytest.raises(errors.ModelError) as raised:
        reranker(running, form, seconds).scores("q", TEXTS)
    assert SECRET not in f"{raised.value} {raised.value.hint}"
    return raised.value


@pytest.mark.parametrize(
    ("form", "sent"),
    [
        ("llama.cpp", ASKED),
        ("vllm", {**ASKED, "truncate_prompt_tokens": -1}),
        ("tei", {"query": "q", "texts": [*TEXTS], "raw_scores": False, "truncate": True}),
    ],
)
def test_each_form_is_spoken(form: Form, sent: Json) -> None:
    with rerank_server(judged) as running:
        found = reranker(running, form).scores("q", TEXTS)

    assert (0.1, 0.5, 0.9) == found
    assert [sent] == running.asked
    assert ["/rerank"] == running.paths
    assert [None] == running.keys


def test_model_and_key_are_sent_where_they_are_named() -> None:
    with rerank_server(judged) as running:
        endpoint = RerankEndpoint(
            base_url=f"{running.url}/v1/rerank",
            form="llama.cpp",
            model="bge",
            api_key=SECRET,
            trust_env=False,
        )
        HttpReranker(endpoint).scores("q", TEXTS)

    assert "bge" == running.asked[0]["model"]
    assert ["/v1/rerank"] == running.paths
    assert [f"Bearer {SECRET}"] == running.keys
    assert SECRET not in repr(endpoint)


def test_tei_is_asked_in_batches_it_takes() -> None:
    with rerank_server(judged) as running:
        found = reranker(running, "tei").scores("q", ["no"] * 40 + ["yes"] * 30)

        assert () == reranker(running).scores("q", [])
    assert [32, 32, 6] == [len(given["texts"]) for given in running.asked]
    assert (0.1,) * 40 + (0.9,) * 30 == found


BAD: Mapping[str, object] = {
    "too few": [0.1, 0.2],
    "too many": [0.1, 0.2, 0.3, 0.4],
    "not a number": [0.1, 0.2, math.nan],
    "beyond a float": [0.1, 0.2, 10**400],
    "null": [0.1, 0.2, None],
    "text": [0.1, 0.2, SECRET],
    "true": [0.1, 0.2, True],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scores", BAD.values(), ids=BAD)
def test_wrong_scores(form: Form, scores: list[object]) -> None:
    assert errors.ModelReplyError is type(failing(lambda _given: listed(form, *scores), form))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("indices", [(0, 1, 1), (0, 1, 3), (0, 1, -1), (0, 1, "2"), (0, 1, None)])
def test_wrong_indices(form: Form, indices: tuple[object, ...]) -> None:
    key = "score" if form == "tei" else "relevance_score"
    rows = [{"index": at, key: 0.5} for at in indices]

    error = failing(lambda _given: rows if form == "tei" else {"results": rows}, form)

    assert errors.ModelReplyError is type(error)
    assert f"of the form {form}" in error.hint


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>sk-secret</html>",
        b"\xff\xfe",
        b"{}",
        b'{"results": {"0": 1}}',
        b'{"results": [0.1, 0.2, 0.3]}',
        b'[{"index": 0, "score": 1}]',
        b"[" * 100_000,
        b" " * 16_100_000,
    ],
)
def test_what_is_no_reply(body: bytes) -> None:
    assert errors.ModelReplyError is type(failing(lambda _given: Reply(body)))


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (400, "sk-secret", errors.ModelReplyError),
        (401, "sk-secret is wrong", errors.ModelAccessError),
        (413, "batch size 40 > maximum allowed batch size 32", errors.ModelReplyError),
        (429, "", errors.ModelBusyError),
        (
            500,
            "input is too large to process. increase the physical batch",
            errors.ContextOverflowError,
        ),
        (500, "sk-secret", errors.ModelUnavailableError),
        (501, "This server does not support reranking.", errors.ModelReplyError),
        (503, "Loading model", errors.ModelUnavailableError),
    ],
)
def test_status(status: int, text: str, expected: type[errors.ModelError]) -> None:
    error = failing(lambda _given: Reply(text.encode(), status))

    assert expected is type(error)
    assert error.hint


def test_redirect_is_not_followed() -> None:
    """The documents go where the settings say, and nowhere else."""
    with rerank_server(judged) as other:
        failing(lambda _given: Reply(b"", 307, {"Location": f"{other.url}/rerank"}))
    assert [] == other.asked


@pytest.mark.parametrize(
    "reply",
    [Reply(None), Reply(b'{"results": [', length=100)],
    ids=["closed without a reply", "closed in the middle"],
)
def test_broken_connection(reply: Reply) -> None:
    error = failing(lambda _given: reply)

    assert errors.ModelUnavailableError is type(error)
    assert error.retryable


LATE: Mapping[str, tuple[Form, float, int]] = {
    "never answers": ("vllm", 20.0, 1),
    "a byte now and then": ("vllm", 0.1, 1),
    "each batch in time, all of them not": ("tei", 0.15, 4),
}


@pytest.mark.parametrize("case", LATE)
def test_late_replies_end_at_the_deadline(case: str) -> None:
    form, pause, batches = LATE[case]

    def late(given: Json) -> object:
        if case == "a byte now and then":
            return Reply(json.dumps(listed("vllm", 0.1, 0.2, 0.3)).encode(), pause=pause)
        running.ended.wait(pause)
        return judged(given)

    with rerank_server(late) as running:
        started = time.perf_counter()
        with pytest.raises(errors.ModelTimeoutError, match=r"0\.3 s"):
            reranker(running, form).scores("q", ["no"] * 32 * batches, seconds=0.3)
        assert time.perf_counter() - started < 2
