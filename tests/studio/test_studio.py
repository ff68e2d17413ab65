"""LangGraph Studio's server, driven as Studio drives it: runs, forms, edits, time travel."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client

from graphs.studio_auth import ORIGINS
from tests.interfaces.commands import ANSWER, BAKED, GUIDE, Waiting, run, served
from tests.studio.serving import DOOR, TOKEN, running

EDITED = "Bread is baked at 180 degrees in Rome."


@dataclass(frozen=True, slots=True)
class Studio:
    """A server, its client (whose JSON has no types), and the model behind it."""

    client: Any
    model: Waiting
    folder: Path
    url: str

    def thread(self) -> str:
        return str(self.client.threads.create()["thread_id"])

    def wait(self, thread: str | None, question: str = BAKED, **given: Any) -> Any:  # noqa: ANN401 (JSON)
        asked = {"input": {"question": question}, **given}
        return self.client.runs.wait(thread, "research", **asked)

    def paused(self, before: str) -> tuple[str, Any]:
        """Run until a node, and give the thread and its state."""
        thread = self.thread()
        self.wait(thread, interrupt_before=[before])
        state = self.client.threads.get_state(thread)
        assert [before] == state["next"]
        return thread, state["values"]

    def resumed(self, thread: str, **given: Any) -> Any:  # noqa: ANN401 (JSON)
        return self.client.runs.wait(thread, "research", input=None, **given)["result"]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """Serve an index of one document."""
    folder, model = tmp_path_factory.mktemp("studio"), Waiting(waits=False)
    (folder / "empty").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RESEARCH_AGENT_HOME", str(folder / "home"))
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        (folder / "guide.md").write_text(GUIDE, encoding="utf-8")
        assert 0 == run("index", str(folder / "guide.md")).exit_code
        with (
            served(model, folder) as config,
            running(folder / "empty", config) as url,
            get_sync_client(url=url, api_key=TOKEN) as client,
        ):
            yield Studio(client, model, folder, url)


KNOWN = {"Authorization": f"Bearer {TOKEN}"}
SEARCH = "/assistants/search"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"x-auth-scheme": "langsmith"},
        {"x-api-key": ""},
        {"Authorization": "Basic OmE="},
    ],
)
def test_nobody_without_the_token(studio: Studio, headers: dict[str, str]) -> None:
    """Not even those who say that they are Studio."""
    asked = httpx.post(studio.url + SEARCH, json={}, headers=headers)

    assert 401 == asked.status_code


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost.evil.example"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:80"},
    ],
)
def test_foreign_pages_and_names(studio: Studio, headers: dict[str, str]) -> None:
    """Also with the token, and for a preflight, which needs none."""
    asked = httpx.post(studio.url + SEARCH, json={}, headers=KNOWN | headers)
    preflight = {"Access-Control-Request-Method": "POST", "Origin": "https://evil.example"}
    before = httpx.options(studio.url + SEARCH, headers=preflight | headers)

    assert {asked.status_code, before.status_code} <= {400, 403}
    for told in (asked, before):
        assert "access-control-allow-origin" not in told.headers


def test_studio_itself_may_ask(studio: Studio) -> None:
    """With the token, which its page is given by hand; so may this server's own pages."""
    for page in (*ORIGINS, studio.url):
        asked = httpx.post(studio.url + SEARCH, json={}, headers=KNOWN | {"Origin": page})
        assert 200 == asked.status_code
    preflight = {
        "Origin": ORIGINS[0],
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    allowed = httpx.options(studio.url + SEARCH, headers=preflight)

    assert 200 == allowed.status_code
    assert ORIGINS[0] == allowed.headers["access-control-allow-origin"]
    assert list(ORIGINS) == DOOR["http"]["cors"]["allow_origins"]


def test_index_graph_stays_within_its_roots(studio: Studio, tmp_path: Path) -> None:
    """Neither a file outside, nor one behind a link, nor an index elsewhere."""
    (tmp_path / "private.md").write_text("# Private\n\nThe code is 4711.", encoding="utf-8")
    (studio.folder / "link").symlink_to(tmp_path)
    inside = str(studio.folder / "guide.md")
    for paths, index in (
        ([str(tmp_path)], "theirs"),
        ([str(studio.folder / "link")], "theirs"),
        (["/etc"], "theirs"),
        ([inside], str(tmp_path / "index")),
    ):
        with pytest.raises(Exception, match=r"PathError.* in none of the folders"):
            studio.client.runs.wait(None, "index", input={"paths": paths, "index": index})

    assert not (tmp_path / "index").exists()
    assert not (studio.folder / "home" / "indexes" / "theirs").exists()


def test_new_token_is_told_at_start(tmp_path: Path) -> None:
    """Where none is set, in the server's log."""
    with running(tmp_path, "", token="") as url:
        log = (tmp_path / "server.log").read_text(encoding="utf-8")
        (told,) = set(re.findall(r"Authorization: Bearer (\S{43})", log))
        headers = {"Authorization": f"Bearer {told}"}
        asked = httpx.post(url + SEARCH, json={}, headers=headers)

    assert 200 == asked.status_code


def test_forms_can_be_filled(studio: Studio) -> None:
    """Every field of input and configuration has a description; numbers have ranges."""
    found, chat = (
        studio.client.assistants.search(graph_id=graph)[0]["assistant_id"]
        for graph in ("research", "chat")
    )
    schemas = studio.client.assistants.get_schemas(found)
    form = schemas["context_schema"]["properties"]

    assert {"index", "chat_provider", "chat_model"} <= form.keys()
    assert {"rounds", "search_mode", "filter_mode", "verify_profile"} <= form.keys()
    assert all(field["description"] for field in form.values())
    assert {"minimum": 1, "maximum": 20, "type": "integer"} == form["rounds"]["anyOf"][0]
    assert "default" == form["index"]["default"]
    asked = schemas["input_schema"]["properties"]
    assert "indexed documents" in asked["question"]["description"]
    assert form == studio.client.assistants.get_schemas(chat)["context_schema"]["properties"]
    graphs = {found["graph_id"] for found in studio.client.assistants.search()}
    assert {"research", "chat", "index"} == graphs


def test_context_holds_for_one_run(studio: Studio) -> None:
    """What the form says reaches the steps, also those inside the search; JSON is the result."""
    context = {"filter_mode": "off", "evidence_chunks": 1}
    narrowed = studio.wait(None, context=context)["result"]
    plain = studio.wait(None)["result"]

    assert "off" == narrowed["filter_stats"]["mode"]
    assert "off" != plain["filter_stats"]["mode"]
    assert ANSWER == plain["answer"]


def test_streams_show_steps_and_events(studio: Studio) -> None:
    """Every step tells what it wrote; the events are those of every door, without subgraphs."""

    def streamed(mode: str) -> list[Any]:
        asked = {"question": BAKED}
        parts = studio.client.runs.stream(None, "research", input=asked, stream_mode=mode)
        return [part.data for part in parts if mode == part.event]

    written = {name: update[name] for update in streamed("updates") for name in update}
    told = streamed("custom")

    shown = ["begin", "retrieve", "assess", "refine", "search", "select_evidence", "answer"]
    assert [*shown, "verify", "report"] == list(written)
    assert BAKED == written["retrieve"]["probe"]["query"]
    assert "Bread is baked" in written["select_evidence"]["evidence"][0]["hit"]["chunk"]["text"]
    assert ("asked", "result") == (told[0]["event"], told[-1]["event"])
    assert "run_call" in [event.get("step") for event in told]
    assert ANSWER == told[-1]["result"]["answer"]


def test_index_and_models_come_through_the_configuration(studio: Studio) -> None:
    """Another index is another graph; what is wrong with one is told in the server's log."""
    with pytest.raises(Exception, match="IndexMissingError"):
        studio.client.runs.wait(
            None,
            "research",
            input={"question": BAKED},
            context={"index": "nowhere"},
            raise_error=True,
        )

    log = (studio.folder / "empty" / "server.log").read_text(encoding="utf-8")
    assert "There is no index nowhere yet." in log


def test_evidence_edited_and_resumed(studio: Studio) -> None:
    """The model reads, and the answer cites, what a person wrote into the evidence."""
    thread, state = studio.paused("answer")
    evidence = state["evidence"]
    evidence[0]["hit"]["chunk"]["text"] = EDITED
    studio.client.threads.update_state(thread, {"evidence": evidence})
    studio.model.answer = "Bread is baked at 180 degrees in Rome [c1]."
    try:
        result = studio.resumed(thread)
    finally:
        studio.model.answer = ANSWER

    assert any(EDITED in asked for asked in studio.model.asked)
    assert (EDITED, "answered") == (result["citations"][0]["quote"], result["status"])


def test_answer_edited_and_resumed(studio: Studio) -> None:
    """What a person wrote is checked as what a model wrote is."""
    thread, state = studio.paused("verify")
    text = "Rye bread needs 90 minutes in the oven [c1]. It costs 7 euros [c1]."
    keys = {item["hit"]["chunk"]["text"]: item["key"] for item in state["evidence"]}
    key = next(key for chunk, key in keys.items() if "90 minutes" in chunk)
    answer = {**state["answer"], "text": text.replace("c1", key), "tokens": []}
    studio.client.threads.update_state(thread, {"answer": answer})
    result = studio.resumed(thread, context={"rounds": 1})

    said = f"Rye bread needs 90 minutes in the oven [{key}]. It costs 7 euros [unconfirmed]."
    assert said == result["answer"]
    assert (1, 1) == (result["supported"], result["unconfirmed"])


def test_time_travel(studio: Studio) -> None:
    """A run goes on from an older checkpoint, and is another branch of the same thread."""
    thread = studio.thread()
    studio.wait(thread)
    history = studio.client.threads.get_history(thread, limit=50)
    before = next(state for state in history if ["answer"] == state["next"])
    studio.model.answer = "It takes an hour [c1]."
    try:
        result = studio.resumed(thread, checkpoint_id=before["checkpoint"]["checkpoint_id"])
    finally:
        studio.model.answer = ANSWER

    assert "It takes an hour [c1]." == result["answer"]
    assert len(studio.client.threads.get_history(thread, limit=50)) > len(history)


def test_two_runs_on_one_thread(studio: Studio) -> None:
    """The second waits for the first; its cost, rounds and queries are its own."""
    thread, questions = studio.thread(), (BAKED, "How long does rye bread need?")
    runs = [
        studio.client.runs.create(
            thread, "research", input={"question": question}, multitask_strategy="enqueue"
        )
        for question in questions
    ]
    first, second = (studio.client.runs.join(thread, one["run_id"])["result"] for one in runs)

    assert questions == (first["question"], second["question"])
    assert (1, 1) == (first["rounds"], second["rounds"])
    assert first["usage"]["llm_calls"] == second["usage"]["llm_calls"]
    assert BAKED not in second["queries"]


def test_cancel_leaves_the_thread_usable(studio: Studio) -> None:
    """A run that waits for a model is cancelled; the next question on the thread is answered."""
    thread = studio.thread()
    studio.model.waits = True
    try:
        begun = studio.client.runs.create(thread, "research", input={"question": f"{BAKED} Now?"})
        asked = len(studio.model.asked)
        until = time.monotonic() + 20
        while len(studio.model.asked) == asked and time.monotonic() < until:
            time.sleep(0.1)
        studio.client.runs.cancel(thread, begun["run_id"], wait=True)
    finally:
        studio.model.waits = False

    assert studio.model.left.wait(5), "the model call goes on"
    assert "interrupted" == studio.client.runs.get(thread, begun["run_id"])["status"]
    assert ANSWER == studio.wait(thread)["result"]["answer"]


def test_index_graph(studio: Studio) -> None:
    """Files are previewed, then indexed; a person can stop in between; then they can be asked."""
    (studio.folder / "more.md").write_text("# Rolls\n\nRolls need 12 minutes.", encoding="utf-8")
    place = str(studio.folder / "rolls")
    given = {"paths": [str(studio.folder / "more.md")], "index": place}
    thread = studio.thread()
    studio.client.runs.wait(thread, "index", input=given, interrupt_before=["update"])
    preview = studio.client.threads.get_state(thread)["values"]["preview"]
    done = studio.client.runs.wait(thread, "index", input=None)
    asked = studio.wait(None, "How long do rolls need?", context={"index": place})

    assert ["added"] == [file["status"] for file in preview["files"]]
    assert 1 == done["report"]["documents"]
    assert {"more"} == {item["hit"]["chunk"]["doc_id"] for item in asked["result"]["evidence"]}


def test_chat_graph_holds_a_conversation(studio: Studio) -> None:
    """Messages come and go on a thread."""
    thread = studio.thread()
    message = {"type": "human", "content": BAKED}
    done = studio.client.runs.wait(thread, "chat", input={"messages": [message]})

    assert ["human", "ai"] == [said["type"] for said in done["messages"]]
    assert "230 degrees" in done["messages"][-1]["content"]
