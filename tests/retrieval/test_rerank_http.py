"""Rerank servers of three forms on loopback: what is sent, what is read, what goes wrong."""

import json
import math
import time
from collections.abc import Mapping, Sequence

import pytest

from research_agent import errors
from research_agent.retrieval.adapters.rerank_http import Form, HttpReranker, read_scores
from research_agent.settings import RerankSettings
from tests.loopback import CLOSED, Json, Raw, Reply, Script, rerank_server
from tests.loopback_faults import HEAD, Fault, always, dripped, hang, written

TEXTS = ("no", "perhaps", "yes")
FORMS: tuple[Form, ...] = ("llama.cpp", "vllm", "tei")
GRADES = {"no": 0.1, "perhaps": 0.5, "yes": 0.9}
ASKED: Json = {"query": "q", "documents": [*TEXTS], "top_n": 3}
SECRET = "sk-secret"  # noqa: S105 (a test's)


def judged(given: Json) -> Reply:
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


def reranker(url: str, form: Form = "vllm") -> HttpReranker:
    return HttpReranker(RerankSettings(base_url=url, form=form))


def failing(script: Script) -> errors.ModelError:
    """Return the error that a reply leads to; it never repeats what the server wrote."""
    with rerank_server(script) as (url, _), pytest.raises(errors.ModelError) as raised:
        reranker(url).scores("q", TEXTS)
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
    with rerank_server(judged) as (url, log):
        found = reranker(url, form).scores("q", TEXTS)

    assert (0.1, 0.5, 0.9) == found
    assert [sent] == [one.body for one in log]
    assert ["/rerank"] == [one.path for one in log]
    assert [None] == [one.key for one in log]


def test_model_and_key_are_sent_where_they_are_named() -> None:
    with rerank_server(judged) as (url, log):
        settings = RerankSettings(base_url=f"{url}/v1/rerank", model="bge")
        HttpReranker(settings, SECRET).scores("q", TEXTS)

    assert "bge" == log[0].body["model"]
    assert ["/v1/rerank"] == [one.path for one in log]
    assert [f"Bearer {SECRET}"] == [one.key for one in log]


def test_tei_is_asked_in_batches_it_takes() -> None:
    with rerank_server(judged) as (url, log):
        found = reranker(url, "tei").scores("q", ["no"] * 40 + ["yes"] * 30)

        assert () == reranker(url).scores("q", [])
    assert [32, 32, 6] == [len(one.body["texts"]) for one in log]
    assert (0.1,) * 40 + (0.9,) * 30 == found


WRONG: Mapping[str, Sequence[tuple[object, object]]] = {
    "too few": [(0, 0.1), (1, 0.2)],
    "too many": [(0, 0.1), (1, 0.2), (2, 0.3), (3, 0.4)],
    "not a number": [(0, 0.1), (1, 0.2), (2, math.nan)],
    "beyond a float": [(0, 0.1), (1, 0.2), (2, 10**400)],
    "null": [(0, 0.1), (1, 0.2), (2, None)],
    "text": [(0, 0.1), (1, 0.2), (2, SECRET)],
    "true": [(0, 0.1), (1, 0.2), (2, True)],
    "an index twice": [(0, 0.1), (1, 0.2), (1, 0.3)],
    "no such index": [(0, 0.1), (1, 0.2), (3, 0.3)],
    "from the end": [(0, 0.1), (1, 0.2), (-1, 0.3)],
    "an index as text": [(0, 0.1), (1, 0.2), ("2", 0.3)],
    "no index": [(0, 0.1), (1, 0.2), (None, 0.3)],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("pairs", WRONG.values(), ids=WRONG)
def test_wrong_scores(form: Form, pairs: Sequence[tuple[object, object]]) -> None:
    key = "score" if form == "tei" else "relevance_score"
    rows = [{"index": at, key: score} for at, score in pairs]
    content = json.dumps(rows if form == "tei" else {"results": rows}).encode()
    with pytest.raises(ValueError, match="every text") as told:
        read_scores(form, content, len(TEXTS))
    assert SECRET not in str(told.value)


CUT = HEAD.replace(b"Connection: close", b"Content-Length: 100") + b'{"results": ['
NO_REPLY = (
    b"",
    b"<html>sk-secret</html>",
    b"\xff\xfe",
    b"{}",
    b'{"results": {"0": 1}}',
    b'{"results": [0.1, 0.2, 0.3]}',
    b'[{"index": 0, "score": 1}]',
    b"[" * 100_000,
    b" " * 16_100_000,
)
TOO_LARGE = b"input is too large to process. increase the physical batch"


@pytest.mark.parametrize(
    ("script", "expected", "hint"),
    [
        *((Raw(200, body), errors.ModelReplyError, "of the form vllm") for body in NO_REPLY),
        (Raw(400, b"sk-secret"), errors.ModelReplyError, " "),
        (Raw(401, b"sk-secret is wrong"), errors.ModelAccessError, " "),
        (Raw(413, b"batch size 40 > maximum allowed"), errors.ModelReplyError, " "),
        (Raw(429, b""), errors.ModelBusyError, " "),
        (Raw(500, TOO_LARGE), errors.ContextOverflowError, " "),
        (Raw(500, b"sk-secret"), errors.ModelUnavailableError, " "),
        (Raw(501, b"This server does not support it."), errors.ModelReplyError, " "),
        (Raw(503, b"Loading model"), errors.ModelUnavailableError, " "),
        (always(CLOSED), errors.ModelUnavailableError, ""),
        (written(CUT), errors.ModelUnavailableError, ""),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_no_reply(
    script: Raw | Fault, expected: type[errors.ModelError], hint: str
) -> None:
    error = failing((lambda _given: script) if isinstance(script, Raw) else script(judged))

    assert expected is type(error)
    assert hint in error.hint
    assert (expected in (errors.ModelUnavailableError, errors.ModelBusyError)) == error.retryable


def test_redirect_is_not_followed() -> None:
    """The documents go where the settings say, and nowhere else."""
    with rerank_server(judged) as (other, log):
        failing(lambda _given: Raw(307, headers={"Location": f"{other}/rerank"}))
    assert [] == log


def slow(given: Json) -> Reply:
    """Each batch is in time, all of them are not."""
    time.sleep(0.15)
    return judged(given)


@pytest.mark.parametrize(
    ("late", "form"),
    [(hang()(judged), "vllm"), (dripped(HEAD, b" " * 600)(judged), "vllm"), (slow, "tei")],
)
def test_late_replies_end_at_the_deadline(late: Script, form: Form) -> None:
    with rerank_server(late) as (url, _):
        started = time.perf_counter()
        with pytest.raises(errors.ModelTimeoutError, match=r"0\.3 s"):
            reranker(url, form).scores("q", ["no"] * 32 * 4, seconds=0.3)
        assert time.perf_counter() - started < 2
