"""`research-agent diagnose`, against a scripted server."""

from pathlib import Path

import pytest

from tests.interfaces.commands import BAKED as QUESTION
from tests.interfaces.commands import GUIDE, made_index, printed, run
from tests.loopback import Json, Raw, error_reply, server, text_reply, token

TRAINS = "# Trains\n\nA ticket from Jakarta to Bandung costs five.\n"


class Server:
    """Sure where the prompt has the right chunk; keeps what it was sent."""

    def __init__(self, *, silent: bool = False, down: bool = False) -> None:
        self.silent, self.down = silent, down
        self.seen: list[Json] = []

    def reply(self, request: Json) -> Json | Raw:
        self.seen.append(request)
        if self.down:
            return error_reply(500, "out of order")
        sure = "230" in request["messages"][-1]["content"]
        first = token("230", -0.01, {"200": -6.0}) if sure else token("200", -0.8, {"180": -1.2})
        rest = token(" degrees", -0.02, {" C": -5.0})
        said = f"{first['token']} degrees"
        return text_reply(said, tokens=[] if self.silent else [first, rest])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an index of two documents; no test changes it."""
    files = {"guide.md": GUIDE, "trains.md": TRAINS}
    return made_index(tmp_path_factory.mktemp("made"), files) / "home"


@pytest.fixture
def index(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(made))
    return tmp_path


def config(folder: Path, url: str, prune: str = "{}") -> str:
    file = folder / "c.yaml"
    chat = f"{{provider: openai, model: scripted, base_url: '{url}'}}"
    file.write_text(f"models: {{chat: {chat}}}\nprune: {prune}\n", encoding="utf-8")
    return str(file)


def test_three_measurements(index: Path) -> None:
    """Without a chunk unsure, with the right one sure, with an unrelated one as before."""
    model = Server()
    with server(model.reply) as url:
        given = ("diagnose", QUESTION, "--config", config(index, url))
        done, told = run(*given), printed(run(*given, "--json"))
    alone, relevant, noise = told["measurements"]

    assert 0 == done.exit_code, done.output
    lines = done.stdout.splitlines()
    assert "model: scripted" == lines[0]
    for kind in ("no chunk", "relevant chunk: guide", "noise chunk: "):
        assert any(line.startswith(f"with {kind}") for line in lines)
    assert 3 == sum("NU " in line and "nats a token" in line for line in lines)
    assert any(line.split()[:3] == ['"230"', "0.990", "0.06"] for line in lines), done.stdout
    assert any('"180" 0.301' in line for line in lines)
    assert (True, "scripted", "") == (told["log_probabilities"], told["model"], told["problem"])
    assert alone["nu"] - relevant["nu"] == pytest.approx(relevant["gain"])
    assert relevant["gain"] > 0.3
    assert pytest.approx(0.0) == noise["gain"]
    assert [2, 2, 2] == [item["token_count"] for item in told["measurements"]]
    assert ["230", " degrees"] == [row["text"] for row in relevant["tokens"]]
    assert [24] * 6 == [sent["max_tokens"] for sent in model.seen]


def test_named_chunks(index: Path) -> None:
    """Their ids can be given; one that is not there is an error that says where ids are."""
    model = Server()
    with server(model.reply) as url:
        options = ("--config", config(index, url))
        hits = printed(run("search", "ticket", "--json"))["hits"]
        ids = {hit["doc_id"]: hit["chunk_id"] for hit in hits}
        named = ("--chunk", ids["trains"], "--noise", ids["guide"], "--json")
        told = printed(run("diagnose", QUESTION, *options, *named))
        wrong = run("diagnose", QUESTION, *options, "--chunk", "nowhere")

    assert [ids["trains"], ids["guide"]] == [m["chunk_id"] for m in told["measurements"][1:]]
    assert 2 == wrong.exit_code
    assert "no chunk nowhere" in wrong.stderr
    assert "search --json" in wrong.stderr


def test_server_without_log_probabilities(index: Path) -> None:
    """Silent about them or rejecting the parameter: said in words, after one call; no error."""
    model, silent = Server(), Server(silent=True)

    def reply(request: Json) -> Json | Raw:
        if "logprobs" in request:
            return error_reply(400, "logprobs is not supported by this model")
        return model.reply(request)

    with server(reply) as url:
        done = run("diagnose", QUESTION, "--config", config(index, url), "--json")
    with server(silent.reply) as url:
        told = run("diagnose", QUESTION, "--config", config(index, url))
    (only,) = printed(done)["measurements"]

    assert (0, 1) == (done.exit_code, len(model.seen))
    assert ("no log-probabilities", None, []) == (only["missing"], only["nu"], only["tokens"])
    assert (0, 1) == (told.exit_code, len(silent.seen))
    assert "This model gives no log-probabilities" in told.stdout
    assert "200 degrees" in told.stdout
    assert "NU 0" not in told.stdout


def test_model_that_is_down(index: Path) -> None:
    """No number is made up: the error is shown, and the exit status is 1."""
    with server(Server(down=True).reply) as url:
        options = ("--config", config(index, url))
        done = run("diagnose", QUESTION, *options)
        told = run("diagnose", QUESTION, *options, "--json")

    assert 1 == done.exit_code == told.exit_code
    assert "not measured: failed" in done.stdout
    assert "the model server answered 500" in done.stdout
    assert (None, False) == (
        printed(told)["measurements"][0]["nu"],
        printed(told)["log_probabilities"],
    )


def test_index_of_one_chunk_has_no_noise(tmp_path: Path, data_home: Path) -> None:  # noqa: ARG001 (an index of its own)
    """What is not there is left out."""
    (tmp_path / "one.md").write_text("Bread is baked at 230 degrees.", encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "one.md")).exit_code
    with server(Server().reply) as url:
        options = ("--config", config(tmp_path, url), "--json")
        told = printed(run("diagnose", QUESTION, *options))

    assert ["no chunk", "relevant chunk"] == [m["with"] for m in told["measurements"]]


def test_pruned_run_is_replayed_without_asking(index: Path) -> None:
    """What measuring asked is in the trace too."""
    model = Server()
    prune = "{mode: threshold, min_gain: 0.05}"
    with server(model.reply) as url:
        given = ("--config", config(index, url, prune), "--json")
        asked = run("ask", QUESTION, *given, "--trace", str(index / "runs"))
        assert 0 == asked.exit_code, asked.output
        (path,) = (index / "runs").iterdir()
        sent = len(model.seen)
        replayed = run("replay", str(path), "--json")
    told = printed(asked)["prune"]

    assert 0 == replayed.exit_code, replayed.output
    assert ("gain", sent) == (told["source"], len(model.seen))
    assert 0 < told["calls"] == sum(request["max_tokens"] == 24 for request in model.seen)
    assert told["kept"] < told["original"]
