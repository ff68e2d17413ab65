"""`research-agent calibrate --modes`: what `answer.mode: auto` is, from answers of known worth."""

import json
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from research_agent.assembly.connection import connect
from research_agent.config import load_settings
from research_agent.index.adapters.folders import locate
from tests.interfaces.commands import Model, made_index, printed, run, served
from tests.interfaces.test_command import THINGS, text_about
from tests.loopback import Json, Raw, text_reply, token

OPTIONS = ("calibrate", "--rules", "--rate", "0.3", "--yes", "--modes", "12")


@dataclass
class Inventor(Model):
    """A model that invents what it writes, and finds every answer right."""

    written: list[str] = field(default_factory=list)

    def reply(self, request: Json) -> Json | Raw:
        text = request["messages"][-1]["content"]
        if request["max_tokens"] == 1:
            return text_reply("yes", tokens=[token("yes", -0.05, {"no": -3.0})])
        self.written.append(text)
        return text_reply("The moon is made of cheese [c1].")


@dataclass
class Copier(Inventor):
    """A model that writes what the first chunk says."""

    def reply(self, request: Json) -> Json | Raw:
        text = request["messages"][-1]["content"]
        found = re.search(r'key="(c\d+)"[^>]*>\s*(?:\w+ \d+\s*)?(\w+ Number\d+ is[^.]*)\.', text)
        if request["max_tokens"] == 1 or found is None:
            return super().reply(request)
        return text_reply(f"{found[2]} [{found[1]}].")


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


def used(config: str | Path, **changes: str) -> tuple[str, tuple[str, ...]]:
    """Return the mode that questions are answered in, and the warnings."""
    named = {f"RESEARCH_AGENT_{key}": value for key, value in changes.items()}
    with connect("default", load_settings(Path(config), named), {}) as connection:
        return connection.settings.answer.mode, connection.ports.warnings()


def test_the_mode_that_was_right_is_used(index: str, tmp_path: Path) -> None:
    """A model that invents leaves it to passages; not with another model, setting or choice."""
    with served(Inventor(), tmp_path) as config:
        told: Any = printed(run(*OPTIONS, "--config", config, "--json"))
        said = run("doctor", "--no-models", "--config", config).stdout
    after = tmp_path / "served.yaml"
    kept = json.loads(locate(index).calibration.read_text())["mode"]

    assert ("extractive", 12, kept) == (told["mode"]["value"], told["mode"]["questions"], kept)
    assert kept == told["mode"]
    assert 0 == kept["counts"]["abstractive"]["right"]
    assert kept["counts"]["extractive"]["right"] > 6
    assert ("extractive", ()) == used(after)
    assert "answer.mode auto is extractive" in said
    assert "abstractive" == used(after, ANSWER__MODE="abstractive")[0]
    assert ("auto", ()) == used(after, CONFIDENCE__CALIBRATED="off")
    other, (model,) = used(after, MODELS__CHAT__MODEL="other")
    assert ("auto", True) == (other, "answer mode chosen for this index is not used" in model)
    fewer, (evidence,) = used(after, EVIDENCE__MAX_CHUNKS="2")
    assert ("auto", True) == (fewer, "the settings of answer or evidence are others" in evidence)


def test_level_modes_keep_the_rule(index: str, tmp_path: Path) -> None:
    """Where copying and showing are as good, nothing is chosen, and that is said and kept."""
    with served(Copier(), tmp_path) as config:
        told = run(*OPTIONS, "--config", config)
    kept = json.loads(locate(index).calibration.read_text())["mode"]

    assert 0 == told.exit_code
    assert "12 questions answered in each mode" in told.stdout
    assert "auto keeps its own rule: " in told.stdout
    assert ("auto", True) == (kept["value"], kept["reason"].endswith("are level"))
    assert ("auto", ()) == used(tmp_path / "served.yaml")


@pytest.mark.usefixtures("index")
def test_a_later_run_without_modes_keeps_the_choice(tmp_path: Path) -> None:
    """Like limits and thresholds that still fit."""
    with served(Inventor(), tmp_path) as config:
        assert 0 == run(*OPTIONS, "--config", config).exit_code
        assert 0 == run(*OPTIONS[:-2], "--config", config).exit_code

    assert "extractive" == used(tmp_path / "served.yaml")[0]


@pytest.mark.usefixtures("index")
def test_a_model_that_fails_chooses_nothing(tmp_path: Path) -> None:
    """The reason is told, and that too few questions were asked."""
    with served(Model(error=Raw(500, b"{}")), tmp_path) as config:
        told = run(*OPTIONS, "--config", config)

    assert "no mode was tried any further" in told.stderr
    assert "questions are too few, 12 are needed" in told.stdout
    assert "auto" == used(tmp_path / "served.yaml")[0]


def test_what_it_costs_is_told_first(index: str, tmp_path: Path) -> None:
    """Three answers, one written by nobody; two judge passages, and each is checked."""
    model = Inventor()
    with served(model, tmp_path) as config:
        told = run(*OPTIONS, "--config", config, "--dry-run")

    assert "36 answers, 348 model calls, 800 searches" in told.stdout
    assert ([], False) == (model.written, locate(index).calibration.exists())


@pytest.mark.usefixtures("index")
def test_what_cannot_choose_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too few questions, and a mode that was chosen by the user."""
    few = run("calibrate", "--rules", "--yes", "--modes", "11")
    monkeypatch.setenv("RESEARCH_AGENT_ANSWER__MODE", "extractive")
    fixed = run(*OPTIONS)

    assert (2, True) == (few.exit_code, "--modes 20" in few.stderr)
    assert (2, True) == (fixed.exit_code, "answer.mode: auto" in fixed.stderr)
