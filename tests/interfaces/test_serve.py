"""The HTTP server: its addresses, who is let in, limits, tenants, and clients that go."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPConnection
from urllib.parse import urlsplit

import httpx2
import openai
import pytest

from graphs.research_tool import result_text
from graphs.state import RESULT
from research_agent.interfaces import http_limits
from research_agent.interfaces.serve import answers, gate
from research_agent.interfaces.serve.answers import Completion, answer_text
from research_agent.interfaces.serve.bodies import CompletionInputs
from tests.interfaces.api_server import SECRET, TOKENS, Server, api
from tests.interfaces.commands import ANSWER, BAKED, Waiting

__all__ = ["api"]
ASKED = {"question": BAKED}
SAID = {"model": "research-agent", "messages": [{"role": "user", "content": BAKED}]}


@pytest.fixture(autouse=True)
def _model(api: Server) -> Iterator[None]:
    """Each test begins with a model that answers at once."""
    fresh = Waiting(waits=False)
    api.model.__dict__.update(fresh.__dict__)
    yield
    api.model.waits = False


def test_research_as_json_and_as_events(api: Server) -> None:
    whole = api.post("/v1/research", {**ASKED, "max_seconds": 60, "documents": ["guide"]}).json()
    told = api.events("/v1/research", ASKED)

    assert (ANSWER, "answered") == (whole["answer"], whole["status"])
    assert RESULT.validate_python(whole).citations[0].doc_id == "guide"
    assert ("asked", BAKED) == (told[0][0], told[0][1]["question"])
    assert {"hits", "evidence", "sentence"} <= {kind for kind, _ in told}
    assert ("result", ANSWER) == (told[-1][0], told[-1][1]["result"]["answer"])


def test_a_silent_stream_has_comments(api: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "PAUSE", 0.01)
    api.model.takes = 0.2
    asked = {"question": f"{BAKED} Slowly?"}
    reply = api.post("/v1/research", asked, Accept="text/event-stream").text

    assert ":\n\n" in reply
    assert ANSWER in reply


def test_a_conversation_lasts_and_a_session_answers_one_at_a_time(api: Server) -> None:
    first = api.post("/v1/chat", {"session": "oven", **ASKED}).json()
    api.model.plan = json.dumps({"about": [], "question": "How many minutes needs rye bread?"})
    before = len(api.model.asked)
    told = api.events("/v1/chat", {"session": "oven", "question": "And rye?"})
    calls = len(api.model.asked) - before
    api.model.waits = True
    later = {"session": "oven", "question": "How long in the oven?"}
    with api.stream("/v1/chat", later):
        assert api.model.reached.wait(15)
        second = api.post("/v1/chat", {"session": "oven", **ASKED})

    assert ANSWER == first["answer"]
    assert told[-1][1]["result"]["question"] == "How many minutes needs rye bread?"
    assert calls == told[-1][1]["result"]["usage"]["llm_calls"]  # (with that for the follow-up)
    assert (409, "SessionLockedError") == (second.status_code, second.json()["error"]["type"])
    assert "the session is answering another question" == second.json()["error"]["message"]
    assert "process" not in second.text
    assert api.model.left.wait(15)


def test_the_client_of_openai_gets_answers_whole_and_in_parts(api: Server) -> None:
    with openai.OpenAI(base_url=f"{api.url}/v1", api_key=TOKENS["bread"]) as client:
        names = [model.id for model in client.models.list()]
        whole = client.chat.completions.create(
            model="research-agent", messages=[{"role": "user", "content": BAKED}], temperature=0.5
        )
        parts = list(
            client.chat.completions.create(
                model="research-agent-local",
                messages=[{"role": "user", "content": [{"type": "text", "text": BAKED}]}],
                stream=True,
                stream_options={"include_usage": True},
            )
        )
    text = "".join(part.choices[0].delta.content or "" for part in parts if part.choices)

    assert {"research-agent", "research-agent-full"} < set(names)
    assert whole.choices[0].message.content == text
    assert text.startswith(f"{ANSWER}\n\n- [c1] guide")
    assert "Bread is baked at 230 degrees." in text.split("\n\n")[1]
    assert whole.usage
    assert [None, "stop"] == [part.choices[0].finish_reason for part in parts[-3:-1]]
    assert parts[-1].usage
    steps = "".join(str(part.choices[0].delta) for part in parts if part.choices)
    assert 'searched "' in steps


def test_a_cut_answer_is_told(api: Server) -> None:
    result = RESULT.validate_python(api.post("/v1/research", ASKED).json())
    cut = replace(result, warnings=("filter: by rank", "answer: cut at answer.max_tokens"))
    texts = (answer_text(cut), result_text(cut), cut.to_markdown().replace("\\", ""))
    made = Completion(CompletionInputs.model_validate(SAID))
    whole = made.whole(cut)

    assert all("answer: cut at answer.max_tokens" in text for text in texts)
    assert not any("filter: by rank" in text for text in texts)
    assert "length" == whole["choices"][0]["finish_reason"]


def test_a_follow_up_in_the_form_of_openai_is_asked_with_what_was_said(api: Server) -> None:
    api.model.plan = json.dumps({"about": [], "question": "How long does rye bread take?"})
    said = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": BAKED},
        {"role": "assistant", "content": ANSWER},
        {"role": "user", "content": "And how long does rye bread take?"},
    ]
    alone = {**SAID, "messages": [{"role": "user", "content": "How long does rye bread take?"}]}
    api.post("/v1/chat/completions", alone)
    again = api.post("/v1/chat/completions", alone).json()
    whole = api.post("/v1/chat/completions", {**SAID, "messages": said}).json()

    assert any("How long does rye bread take?" in asked for asked in api.model.asked)
    assert whole["usage"]["prompt_tokens"] > again["usage"]["prompt_tokens"]


def test_words_of_documents_are_no_links_or_pictures(api: Server) -> None:
    result = RESULT.validate_python(api.post("/v1/research", ASKED).json())
    cited = result.citations[0]
    object.__setattr__(
        cited, "quote", "![x](https://evil.example) <img src=y> [c1](z) \\[a](b) \x1b"
    )
    text = answer_text(result)

    assert "!\\[x](https" in text
    assert "\\<img" in text
    assert "\\[c1](z)" in text
    assert "\\\\\\[a](b)" in text
    assert "\x1b" not in text
    assert text.startswith(ANSWER)


@pytest.mark.parametrize(
    ("path", "given", "told"),
    [
        ("/v1/research", {"question": " "}, "the question is empty"),
        ("/v1/research", {**ASKED, "rounds": 0}, "rounds: it should be greater"),
        ("/v1/research", {**ASKED, "rounds": 4}, "4 rounds are more than"),
        ("/v1/research", {**ASKED, "documents": ["gide"]}, "no document fits"),
        ("/v1/research", [1], "no JSON object"),
        ("/v1/search", {}, "query is missing"),
        ("/v1/chat", {"session": "../x", **ASKED}, "session: "),
        ("/v1/chat/completions", {**SAID, "model": "gpt"}, "there is no model 'gpt'"),
        ("/v1/chat/completions", {**SAID, "messages": []}, "messages: "),
    ],
)
def test_wrong_requests_are_told(api: Server, path: str, given: object, told: str) -> None:
    reply = api.post(path, given)

    assert 400 == reply.status_code
    assert told in reply.json()["error"]["message"]


def test_an_error_in_a_stream_is_its_last_event(api: Server) -> None:
    kind, last = api.events("/v1/research", {**ASKED, "documents": ["gide"]})[-1]
    parts = api.post(
        "/v1/chat/completions",
        {**SAID, "stream": True, "messages": [{"role": "user", "content": " "}]},
    ).text

    assert ("stopped", "ToolInputError") == (kind, last["error"])
    assert "the question is empty" in parts


@pytest.mark.parametrize(
    ("path", "who", "headers", "status"),
    [
        ("/v1/models", "", {}, 401),
        ("/v1/models", "", {"Authorization": "Bearer wrong-wrong-wrong-wrong"}, 401),
        ("/v1/models", "", {"Authorization": f"Basic {TOKENS['bread']}"}, 401),
        ("/nowhere", "bread", {}, 404),
        ("/v1/models", "bread", {}, 200),
        ("/v1/models", "bread", {"Host": "agent.example"}, 200),
        ("/v1/models", "bread", {"Host": "evil.example"}, 421),
        ("/openapi.json", "", {"Host": "evil.example"}, 421),
        ("/v1/models", "bread", {"Origin": "https://evil.example"}, 403),
        ("/metrics", "bread", {}, 403),
        ("/v1/models", "watcher", {}, 403),
        ("/health", "", {"Host": "10.1.2.3:8480"}, 200),
        ("/ready", "", {"Host": "10.1.2.3:8480"}, 200),
    ],
)
def test_who_is_let_in(
    api: Server, path: str, who: str, headers: dict[str, str], status: int
) -> None:
    known = {"Authorization": f"Bearer {TOKENS[who]}"} if who else {}
    assert status == httpx2.get(f"{api.url}{path}", headers=known | headers).status_code


def test_clients_that_take_too_much(api: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long body is refused, connections beyond 64, heads and bodies that never end are closed."""
    monkeypatch.setattr(http_limits, "REQUEST_SECONDS", 1.0)
    url = httpx2.URL(api.url)
    head = f"POST /v1/research HTTP/1.1\r\nHost: {url.host}\r\nAuthorization: Bearer "
    begun = [f"{head}{TOKENS['bread']}\r\nContent-Length: 9\r\n\r\n{{", *[head] * 80]
    many, ends, said = [], list[float](), list[bytes]()
    since = time.monotonic()
    for text in begun:
        many.append(socket.create_connection((url.host, url.port), timeout=30))
        with suppress(OSError):  # (closed already)
            many[-1].sendall(text.encode())
    for one in many:
        with suppress(OSError):
            said.append(one.recv(20))
        ends.append(time.monotonic() - since)
        one.close()

    large = api.post("/v1/research", {"question": "x" * 1_100_000})
    assert (413, "refused") == (large.status_code, large.json()["error"]["type"])
    assert said[0].startswith(b"HTTP/1.1 408")
    assert sum(end > 0.9 for end in ends) >= 64 - len(TOKENS) - 2
    assert max(ends) < 15


def test_no_way_from_one_index_to_another(api: Server) -> None:
    """Neither a name, a path, a document, a model's name nor a session leads there."""
    asked = {"question": "With which word opens the vault?"}
    inside = api.post("/v1/search", {"query": "vault", "rerank": False}, who="vault").text
    api.post("/v1/chat", {"session": "shared", **asked}, who="vault")
    turns = len(api.model.asked)
    tries = [
        api.post("/v1/research", {**asked, "index": "vault"}),
        api.post("/v1/research?index=vault", asked),
        api.post("/v1/research", asked, **{"X-Index": "vault"}),
        api.post("/v1/vault/research", asked),
        api.post("/v1/research", {**asked, "documents": ["vault"]}),
        api.post("/v1/search", {"query": "vault heliotrope", "file_filter": "../vault"}),
        api.post("/v1/search", {"query": "vault heliotrope", "rerank": False}),
        api.post("/v1/chat/completions", {**SAID, "model": "vault"}),
        api.post("/v1/chat", {"session": "shared", "question": "And what else about it?"}),
        api.post("/v1/chat", {"session": "serve-x-shared", "question": "And what else?"}),
    ]

    assert "heliotrope" in inside
    assert [400, 200, 200, 404, 400, 400, 200, 400, 200, 200] == [one.status_code for one in tries]
    assert not any("heliotrope" in one.text.replace("vault heliotrope", "") for one in tries)
    assert not any(SECRET in asked for asked in api.model.asked[turns:])


def test_limits_of_a_token(api: Server) -> None:
    api.model.waits = True
    asked = {"question": f"{BAKED} Are you sure?"}
    with api.stream("/v1/research", asked, who="few"):
        assert api.model.reached.wait(15)
        second = api.post("/v1/research", ASKED, who="few")
        third = api.post("/v1/models", {}, who="few")
        fourth = api.clients["few"].get("/v1/models")

    assert [429, 405, 429] == [one.status_code for one in (second, third, fourth)]
    assert "1 questions at a time" in second.json()["error"]["message"]
    assert "3 requests a minute" in fourth.json()["error"]["message"]
    assert 1 <= int(fourth.headers["retry-after"]) <= 20
    assert api.model.left.wait(15)


@pytest.mark.parametrize("path", ["/v1/research", "/v1/chat", "/v1/chat/completions"])
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_client_that_goes_ends_its_question(api: Server, path: str, accept: str) -> None:
    api.model.waits = True
    question = f"{BAKED} Asked by {accept} at {path}?"
    said = {"messages": [{"role": "user", "content": question}], "stream": "text" in accept}
    session = {"session": f"gone-{accept[:4]}"} if path == "/v1/chat" else {}
    given = said if "completions" in path else {"question": question, **session}
    headers = {"Authorization": f"Bearer {TOKENS['bread']}", "Accept": accept}
    client = HTTPConnection(urlsplit(api.url).netloc)
    client.request("POST", path, json.dumps(given), {**headers, "Content-Type": "application/json"})

    assert api.model.reached.wait(15)
    client.close()
    assert api.model.left.wait(15)


def test_metrics(api: Server) -> None:
    api.post("/v1/research", {"question": f"{BAKED} Counted?"})
    api.post("/v1/research", {**ASKED, "documents": ["gide"]})
    told = api.clients["watcher"].get("/metrics").text

    assert 'research_agent_requests_total{path="/v1/research",status="200"}' in told
    assert 'research_agent_request_seconds_count{path="/v1/research"}' in told
    assert 'research_agent_errors_total{error="ToolInputError"}' in told
    assert float(told.split('model_tokens_total{kind="prompt"} ')[1].split("\n")[0]) >= 90
    assert "research_agent_questions_running 0.0" in told
    assert "heliotrope" not in told


def test_the_description_names_what_there_is(api: Server) -> None:
    described = httpx2.get(f"{api.url}/openapi.json").json()
    schemas = described["components"]["schemas"]
    found = api.post("/v1/search", {"query": "rye bread", "rerank": False}).json()

    for reference in set(json.dumps(described).split('"#/components/schemas/')[1:]):
        assert reference.split('"')[0] in schemas
    for path, methods in described["paths"].items():
        for method in methods:
            assert 404 != api.clients["bread"].request(method, path).status_code
    assert set(gate.PATHS) == set(described["paths"])
    assert set(found) == set(schemas["Found"]["properties"])
