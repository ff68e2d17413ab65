"""Other systems: tasks and answers survive the exchange, calls are counted, answers recorded."""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from benchmarks.common import read
from benchmarks.peers.counting import Counter, Counts
from benchmarks.peers.exchange import (
    Answering,
    AnswerTask,
    Task,
    Written,
    answer_all,
    asked,
    read_task,
    write_answers,
    write_task,
)
from benchmarks.peers.running import arms
from research_agent.evaluation.ranking import Span
from tests.loopback import Quiet, serving

USAGE = {"prompt_tokens": 9, "completion_tokens": 2}


@contextmanager
def model_server() -> Iterator[str]:
    """A server of a model that refuses other keys than its own."""

    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.given()
            allowed = self.headers["Authorization"] == "Bearer secret"
            content = json.dumps({"usage": USAGE}).encode() if allowed else b"{}"
            try:
                self.send_response(200 if allowed else 401)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                self.close_connection = True

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as url:
        yield f"{url}/v1"


def post(url: str, key: str = "secret") -> int:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = Request(f"{url}/chat/completions", b"{}", headers)  # noqa: S310 (our own server)
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=5) as reply:
            reply.read()
            return int(reply.status)
    except HTTPError as error:
        with error:
            return error.code


def task(base_url: str, *questions: str) -> AnswerTask:
    return AnswerTask(
        arm="default",
        documents=(("a", "/docs/a.pdf"),),
        questions=tuple((f"q{n}", text) for n, text in enumerate(questions)),
        base_url=base_url,
        model="qwen-1.5b-q4",
        digest="cc32",
        seconds=1.0,
        minutes=1.0,
    )


def test_calls_and_tokens_are_counted() -> None:
    """Every request counts once, also a refused one; a reset begins anew."""
    with model_server() as url, Counter(url) as counter:
        said = [post(counter.base_url), post(counter.base_url), post(counter.base_url, "guess")]
        counted = counter.counts
        counter.reset()

        assert [200, 200, 401] == said
        assert Counts(3, 18, 4) == counted
        assert Counts() == counter.counts


def test_answers_are_recorded_one_by_one(tmp_path: Path) -> None:
    """A row has the answer, its cost and what it was made with; one that took too long is empty."""
    recordings = tmp_path / "answers.jsonl.gz"

    def build(url: str) -> Answering:
        def answering(question: str) -> Written:
            post(url)
            if question == "slow":
                raise TimeoutError
            return Written(f"{question}!", (("a", 2, 3, "a hose"),), evidence_tokens=7)

        return answering

    with model_server() as url:
        answer_all(task(url, "quick", "slow"), build, {"chunks": 4}, recordings)
    quick, slow = read(recordings)

    assert ("quick!", "", 1, 9, 2) == (
        quick["answer"],
        quick["status"],
        quick["calls"],
        quick["prompt_tokens"],
        quick["completion_tokens"],
    )
    assert [{"doc_id": "a", "start_page": 2, "end_page": 3, "text": "a hose"}] == quick["citations"]
    assert ("cc32", {"chunks": 4}, 7) == (
        quick["digest"],
        quick["settings"],
        quick["evidence_tokens"],
    )
    assert "question" not in quick
    assert ("", "timeout", []) == (slow["answer"], slow["status"], slow["citations"])
    assert b"secret" not in gzip.decompress(recordings.read_bytes())


def test_what_a_peer_finds_becomes_an_arm(tmp_path: Path) -> None:
    """What its process reads and writes is what was meant."""
    given = Task(documents=(("a", "/a.pdf"),), questions=(("q1", "one?"),), first=8)
    write_task(given, tmp_path / "task.json")
    answers = asked(lambda _question: [("a", 2, 3, "a hose")], given)
    write_answers({"way": (4, answers)}, tmp_path / "answers.json")
    (found,) = arms(json.loads((tmp_path / "answers.json").read_text()))

    assert given == read_task(tmp_path / "task.json", Task)
    assert ("way", 4) == (found.name, found.chunks)
    assert [Span("a", 2, 3, "a hose")] == found.hits["q1"]
