"""`research-agent calibrate --answers`: limits of answers, fitted to answers of known worth."""

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
from research_agent.settings import AnswerSettings
from research_agent.verification.calibration import BYPASS, MAX_ENTROPY, MIN_ANSWERABLE
from tests.interfaces.commands import Model, made_index, printed, run, served
from tests.interfaces.test_calibrate import THINGS, text_about
from tests.loopback import Json, Raw, text_reply, token

SURE, UNSURE = (-0.02, -4.0), (-4.0, -0.02)
"""Log-probabilities of a "yes" and of a "no"."""
EACH = 4


@dataclass
class Reader(Model):
    """A model that copies from the first chunk, and is sure where its thing was asked for."""

    def reply(self, request: Json) -> Json | Raw:
        text = request["messages"][-1]["content"]
        self.asked.append(text)
        found = re.search(r'key="(c\d+)"[^>]*>\s*[^\n]+\s*(\w+ Number\d+ is[^.]*)\.', text)
        if found is None:
            return text_reply(self.plan)
        key, said = found.groups()
        sure = f"Question: {' '.join(said.split()[:2])} kept" in text
        if request["max_tokens"] == 1:
            yes, no = SURE if sure else UNSURE
            return text_reply("yes", tokens=[token("yes", yes, {"no": no})])
        return text_reply(f"{said} [{key}].")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an index of one document in forty sections, to be copied."""
    texts = [text_about(thing, number) for thing in THINGS for number in range(EACH)]
    return made_index(tmp_path_factory.mktemp("made"), texts)


@pytest.fixture
def index(made: Path, data_home: Path) -> str:
    """A copy of that index for one test."""
    shutil.copytree(made / "home", data_home)
    return "default"


OPTIONS = ("--rules", "--rate", "0.3", "--yes", "--answers", "12", "--json")


def calibrated(tmp_path: Path, *more: str) -> Any:  # noqa: ANN401 (JSON)
    """Return what the command says, given with a model that reads."""
    with served(Reader(), tmp_path) as config:
        return printed(run("calibrate", "--config", config, *OPTIONS, *more))


def used(config: Path, **changes: str) -> tuple[float, tuple[str, ...]]:
    """Return the limit that questions use, and the warnings."""
    named = {f"RESEARCH_AGENT_{key}": value for key, value in changes.items()}
    settings = load_settings(config, named)
    with connect("default", settings, {}) as connection:
        return connection.settings.answer.min_answerable, connection.ports.warnings()


def test_what_answers_cost_is_told_first(index: str, tmp_path: Path) -> None:
    """Two answers a question, two calls an answer; nothing is asked or kept."""
    model = Reader()
    with served(model, tmp_path) as config:
        told = run("calibrate", "--config", config, "--rules", "--answers", "12", "--dry-run")

    assert "24 answers, 48 model calls, 400 searches" in told.stdout
    assert ([], False) == (model.asked, locate(index).calibration.exists())


def test_the_limit_tells_right_answers_from_those_without_their_chunks(
    index: str, tmp_path: Path
) -> None:
    """With its chunk an answer cites it, without it another one."""
    told = calibrated(tmp_path)
    limit = told["limits"][MIN_ANSWERABLE]

    assert [MIN_ANSWERABLE] == list(told["limits"])
    assert 24 == limit["drafts"]
    assert limit["answered"] >= 12  # the sure ones, and as many more as the rate allows
    assert (limit["wrong"] + 1) / (limit["answered"] + 1) <= 0.3
    assert 0.1 < limit["value"] < 0.9
    kept = json.loads(locate(index).calibration.read_text())
    assert limit == kept["answers"][MIN_ANSWERABLE]
    assert "scripted" == limit["writers"]


def test_the_limit_is_used_in_place_of_the_default(index: str, tmp_path: Path) -> None:
    """Not of a user's own value, not with another model or evidence; that is said, where it is."""
    fitted = calibrated(tmp_path, "--index", index)["limits"][MIN_ANSWERABLE]["value"]
    config = tmp_path / "served.yaml"
    default = AnswerSettings().min_answerable

    assert (fitted, ()) == used(config)
    assert (0.9, ()) == used(config, ANSWER__MIN_ANSWERABLE="0.9")
    assert (default, ()) == used(config, CONFIDENCE__CALIBRATED="off")
    other, (model,) = used(config, MODELS__CHAT__MODEL="other")
    fewer, (evidence,) = used(config, EVIDENCE__MAX_CHUNKS="2")
    assert (default, default) == (other, fewer)
    assert "answers were written by scripted; they are not used" in model
    assert "the settings of answer or evidence are others" in evidence


def test_people_see_the_limit(index: str, tmp_path: Path) -> None:
    """An entropy that nobody measured is not fitted; doctor shows it, too."""
    with served(Reader(), tmp_path) as config:
        told = run("calibrate", "--index", index, "--config", config, *OPTIONS[:-1]).stdout
        doctor = run("doctor", "--no-models", "--config", config).stdout

    assert "24 answers asked for: 24 drafted, 12 of them wrong" in told
    assert re.search(
        r"answer.min_answerable: 0\.\d+ \(was 0\.41\): 1\d of 24 answers, \d of them", told
    )
    assert f"{MAX_ENTROPY} stays 0.6" in told
    assert "answer.min_answerable" in doctor


def test_limits_are_kept_without_a_threshold(index: str, tmp_path: Path) -> None:
    """Forty questions cannot show one error in ten, but answers have a limit, which stays."""
    with served(Reader(), tmp_path) as config:
        options = ("calibrate", "--config", config, "--rules", "--yes", "--rate")
        few = run(*options, "0.1", "--answers", "12")
        assert 0 == run(*options, "0.3").exit_code
    kept = json.loads(locate(index).calibration.read_text())

    assert (0, True) == (few.exit_code, "confidence.bypass stays 0.25" in few.stdout)
    assert f"kept in {locate(index).calibration}" == few.stdout.splitlines()[-1]
    assert ([BYPASS], [MIN_ANSWERABLE]) == (list(kept["thresholds"]), list(kept["answers"]))


def test_a_model_that_fails_ends_it(index: str, tmp_path: Path) -> None:
    """What was fitted to searches is kept; the reason is told."""
    model = Model(error=Raw(500, b"{}"))
    with served(model, tmp_path) as config:
        result = run("calibrate", "--index", index, "--config", config, *OPTIONS)

    assert "no further answers were asked for" in result.stderr
    assert ({}, []) == (printed(result)["limits"], printed(result)["answers"])


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--answers", "3"), "--answers 40"),
        (("--answers", "9", "--answer-rate", "0.05"), "--answers 190"),
    ],
)
def test_too_few_answers_are_refused_at_once(
    index: str, options: tuple[str, ...], hint: str
) -> None:
    """Even if every one of them were right, they would show nothing."""
    result = run("calibrate", "--index", index, "--rules", "--yes", *options)

    assert (2, True) == (result.exit_code, hint in result.stderr)


def test_answers_that_are_not_checked_have_no_limit(
    index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setting that stands against it is named."""
    monkeypatch.setenv("RESEARCH_AGENT_ANSWER__REFUSAL", "prompt")
    result = run("calibrate", "--index", index, "--rules", "--yes", "--answers", "9")

    assert (2, True) == (result.exit_code, "answer.refusal: check" in result.stderr)
