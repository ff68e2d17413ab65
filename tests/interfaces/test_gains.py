"""`research-agent calibrate --gains`: the least gain of a chunk that stays, from known chunks."""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from research_agent.assembly.connection import connect
from research_agent.config import load_settings
from research_agent.index.adapters.folders import locate
from tests.interfaces.commands import Model, made_index, printed, run, served
from tests.interfaces.test_command import THINGS, text_about
from tests.loopback import Json, Raw, text_reply, token

OPTIONS = ("calibrate", "--rules", "--rate", "0.3", "--yes", "--gains", "12")


@dataclass
class Guesser(Model):
    """A model that is surer where a chunk is about the thing that is asked for."""

    silent: bool = False

    def reply(self, request: Json) -> Json | Raw:
        text = request["messages"][-1]["content"]
        self.asked.append(text)
        if self.silent:
            return text_reply("It is so", tokens=[])
        thing = re.search(r"What is (\w+ Number\d+)", text)
        told = "<chunk" in text and thing is not None and text.count(f"{thing[1]} is") > 0
        logprob = -0.05 if told else -0.7
        return text_reply("So", tokens=[token("So", logprob, {"No": -0.7 if not told else -3.5})])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an index of one document in forty sections, to be copied."""
    texts = [text_about(thing, number) for thing in THINGS for number in range(4)]
    return made_index(tmp_path_factory.mktemp("made"), texts)


@pytest.fixture
def index(made: Path, data_home: Path) -> str:
    """A copy of that index for one test."""
    shutil.copytree(made / "home", data_home)
    return "default"


def used(config: Path, **changes: str) -> tuple[float, tuple[str, ...]]:
    """Return the least gain that questions use, and the warnings."""
    named = {f"RESEARCH_AGENT_{key}": value for key, value in changes.items()}
    with connect("default", load_settings(config, named), {}) as connection:
        return connection.settings.prune.min_gain, connection.ports.warnings()


def test_the_limit_keeps_right_chunks_and_is_used(index: str, tmp_path: Path) -> None:
    """Right chunks gain, others do not; only mode threshold uses it, and no other model."""
    model = Guesser()
    with served(model, tmp_path) as config:
        told: Any = printed(run(*OPTIONS, "--config", config, "--json"))
    gain, after = told["gain"], tmp_path / "served.yaml"

    assert gain == json.loads(locate(index).calibration.read_text())["gain"]
    assert (12, 0, 12, 12) == tuple(
        gain[key] for key in ("questions", "right_lost", "others", "others_lost")
    )
    assert 36 == len(model.asked)
    assert 0.2 < gain["value"] < 1.0
    assert (0.0, ()) == used(after)
    assert (gain["value"], ()) == used(after, PRUNE__MODE="threshold")
    assert (0.0, ()) == used(after, PRUNE__MODE="ratio")
    assert (0.5, ()) == used(after, PRUNE__MODE="threshold", PRUNE__MIN_GAIN="0.5")
    for change in ({"MODELS__CHAT__MODEL": "other"}, {"MODELS__TOP_LOGPROBS": "9"}):
        value, (warning,) = used(after, PRUNE__MODE="threshold", **change)
        assert (0.0, True) == (value, "fitted for pruning is not used" in warning)


@pytest.mark.usefixtures("index")
def test_without_log_probabilities_nothing_is_fitted(tmp_path: Path) -> None:
    """One call tells."""
    model = Guesser(silent=True)
    with served(model, tmp_path) as config:
        told = run(*OPTIONS, "--config", config)

    assert 1 == len(model.asked)
    assert "no gains were measured any further" in told.stderr
    assert "prune.min_gain stays 0" in told.stdout


def test_what_it_costs_is_told_first(index: str, tmp_path: Path) -> None:
    """Three calls a question; too few questions are refused at once."""
    with served(Guesser(), tmp_path) as config:
        told = run(*OPTIONS, "--config", config, "--dry-run")
        few = run("calibrate", "--rules", "--yes", "--gains", "8", "--config", config)

    assert "36 model calls, 800 searches" in told.stdout
    assert not locate(index).calibration.exists()
    assert (2, True) == (few.exit_code, "--gains 90" in few.stderr)
