"""`research-agent diagnose`, against a scripted server."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.interfaces.commands import BAKED as QUESTION
from tests.interfaces.commands import GUIDE, Model, index_of, printed, run, served
from tests.loopback import Json, Raw, error_reply, text_reply, token

TRAINS = "# Trains\n\nA ticket from Jakarta to Bandung costs five.\n"


@dataclass
class Sure(Model):
    """Sure where the prompt has the right chunk; keeps what it was sent."""

    silent: bool = False
    seen: list[Json] = field(default_factory=list)

    def reply(self, request: Json) -> Json | Raw:
        self.seen.append(request)
        if self.error:
            return self.error
        sure = "230" in request["messages"][-1]["content"]
        first = token("230", -0.01, {"200": -6.0}) if sure else token("200", -0.8, {"180": -1.2})
        rest = token(" degrees", -0.02, {" C": -5.0})
        said = f"{first['token']} degrees"
        return text_reply(said, tokens=[] if self.silent else [first, rest])


home = index_of({"guide.md": GUIDE, "trains.md": TRAINS})


def test_three_measurements(tmp_path: Path) -> None:
    """Without a chunk unsure, with the right one sure, with an unrelated one as before."""
    with served(Sure(), tmp_path) as config:
        given = ("diagnose", QUESTION, "--config", config)
        done, told = run(*given), printed(run(*given, "--json"))
        hits = printed(run("search", "ticket", "--json"))["hits"]
        ids = {hit["doc_id"]: hit["chunk_id"] for hit in hits}
        named = printed(run(*given, "--chunk", ids["trains"], "--json"))
        wrong = run(*given, "--chunk", "nowhere")
    alone, relevant, noise = told["measurements"]

    assert 0 == done.exit_code, done.output
    for kind in ("no chunk", "relevant chunk: guide", "noise chunk: "):
        assert f"\nwith {kind}" in done.stdout
    assert "'230' 0.990" in done.stdout
    assert "'180' 0.301" in done.stdout
    assert (True, "scripted", "") == (told["log_probabilities"], told["model"], told["problem"])
    assert alone["nu"] - relevant["nu"] == pytest.approx(relevant["gain"])
    assert relevant["gain"] > 0.3
    assert pytest.approx(0.0) == noise["gain"]
    assert ["230", " degrees"] == [row["text"] for row in relevant["tokens"]]
    assert ids["trains"] == named["measurements"][1]["chunk_id"]
    assert (2, True) == (wrong.exit_code, "no chunk nowhere" in wrong.stderr)


@pytest.mark.parametrize(
    ("model", "status", "missing"),
    [
        (Sure(silent=True), 0, "no log-probabilities"),
        (Sure(error=error_reply(500, "out of order")), 1, "failed"),
    ],
)
def test_what_cannot_be_measured(tmp_path: Path, model: Sure, status: int, missing: str) -> None:
    """It is said in words, and no number is made up."""
    with served(model, tmp_path) as config:
        given = ("diagnose", QUESTION, "--config", config)
        done, told = run(*given), printed(run(*given, "--json"))
    (only,) = told["measurements"]

    assert status == done.exit_code
    assert f"not measured: {missing}" in done.stdout
    assert (missing, None, False) == (only["missing"], only["nu"], told["log_probabilities"])


def test_pruned_run_is_replayed_without_asking(tmp_path: Path) -> None:
    """What measuring asked is in the trace too."""
    model = Sure()
    with served(model, tmp_path, prune={"mode": "threshold", "min_gain": 0.05}) as config:
        given = ("--config", config, "--json")
        asked = run("ask", QUESTION, *given, "--trace", str(tmp_path / "runs"))
        assert 0 == asked.exit_code, asked.output
        (path,) = (tmp_path / "runs").iterdir()
        sent = len(model.seen)
        replayed = run("replay", str(path), "--json")
    told = printed(asked)["prune"]

    assert 0 == replayed.exit_code, replayed.output
    assert ("gain", sent) == (told["source"], len(model.seen))
    assert 0 < told["calls"] == sum(request["max_tokens"] == 24 for request in model.seen)
    assert told["kept"] < told["original"]
