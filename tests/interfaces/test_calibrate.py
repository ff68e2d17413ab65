"""`research-agent calibrate`: its cost first, then limits that questions and answers use."""

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from research_agent.assembly.calibration import index_state
from research_agent.assembly.connection import connect
from research_agent.config import load_settings
from research_agent.index.adapters.folders import locate
from research_agent.interfaces.cli.calibrate import BY_MODEL
from research_agent.settings import AnswerSettings, ConfidenceSettings, Settings
from research_agent.verification.calibration import BYPASS, MAX_ENTROPY, MIN_ANSWERABLE
from tests.interfaces.commands import Model, made_index, printed, run, served
from tests.loopback import Json, Raw, text_reply, token

THINGS = ("Bread", "Butter", "Cheese", "Dough", "Flour", "Honey", "Malt", "Rye", "Salt", "Yeast")
EACH = 4
MANY = EACH * len(THINGS)
SURE, UNSURE = (-0.02, -4.0), (-4.0, -0.02)
"""Log-probabilities of a "yes" and of a "no"."""
RULES = ("calibrate", "--rules", "--rate", "0.3", "--yes")
ANSWERS = (*RULES, "--answers", "12", "--json")


def text_about(thing: str, number: int) -> str:
    says = f"{thing} Number{number} is a thing that is kept in a cellar at {number} degrees. "
    return f"# {thing} Number{number} kept at {number} degrees\n\n" + says * 4


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
    """An index of one document in forty sections, to be copied."""
    texts = [text_about(thing, number) for thing in THINGS for number in range(EACH)]
    return made_index(tmp_path_factory.mktemp("made"), {"things.md": "\n\n".join(texts)})


@pytest.fixture
def index(made: Path, tmp_path: Path, data_home: Path) -> str:
    """A copy of that index for one test."""
    shutil.copytree(made / "home", data_home)
    shutil.copytree(made / "docs", tmp_path / "docs")
    return "default"


def fitted() -> float:
    """Return the threshold that the command has fitted by headings."""
    told = printed(run(*RULES, "--json"))
    assert isinstance(told, dict)
    return float(told["threshold"]["value"])


def answered(tmp_path: Path) -> Any:  # noqa: ANN401 (JSON)
    """Return what the command says, given with a model that reads."""
    with served(Reader(), tmp_path) as config:
        return printed(run(*ANSWERS, "--config", config))


def used(settings: Settings) -> tuple[float, float, tuple[str, ...]]:
    """Return the limits that questions of an agent with `settings` use, and the warnings."""
    with connect("default", settings, {}) as connection:
        own = connection.settings
        return own.confidence.bypass, own.answer.min_answerable, connection.ports.warnings()


def served_settings(tmp_path: Path, changes: Mapping[str, str]) -> Settings:
    named = {f"RESEARCH_AGENT_{key}": value for key, value in changes.items()}
    return load_settings(tmp_path / "served.yaml", named)


def test_cost_is_told_first_and_nothing_done(index: str, tmp_path: Path) -> None:
    """Questions, calls, searches; without a yes nothing is asked or kept."""
    model = Reader()
    dry, no = run("calibrate", "--rules", "--dry-run"), run("calibrate", "--rules")
    with served(model, tmp_path) as config:
        given = ("calibrate", "--config", config, "--dry-run")
        answers, written = run(*given, "--rules", "--answers", "12"), run(*given)

    line = "400 questions made by rules, 0 model calls, 400 searches: at most 10 minutes"
    assert (0, f"{line}\n") == (dry.exit_code, dry.stdout)
    assert no.stdout.startswith(line)
    assert "Go on? [y/N]" in no.stdout
    assert "24 answers, 48 model calls, 400 searches" in answers.stdout
    assert written.stdout.startswith(f"{BY_MODEL} questions written by scripted, {BY_MODEL} model")
    assert ([], False) == (model.asked, locate(index).calibration.exists())


def test_fitted_threshold_is_used_by_what_asks_questions(index: str) -> None:
    """In place of the default, not of what the user has chosen; and it can be switched off."""
    told = printed(run(*RULES, "--index", index, "--json"))
    assert isinstance(told, dict)
    value = told["threshold"]["value"]

    assert (MANY, 0) == (told["threshold"]["questions"], told["threshold"]["errors"])
    assert (value, ()) == used(Settings())[::2]
    assert (0.9, ()) == used(Settings(confidence=ConfidenceSettings(bypass=0.9)))[::2]
    off = ConfidenceSettings(calibrated=False)
    assert (off.bypass, ()) == used(Settings(confidence=off))[::2]
    assert told["file"] == str(locate(index).calibration)
    kept = json.loads(Path(told["file"]).read_text())
    assert [BYPASS] == list(kept["thresholds"])
    assert index_state(index)[0].generation == kept["fingerprint"]["generation"]
    assert 0 == run("index", "--remove", index).exit_code
    assert not Path(told["file"]).exists()


def test_it_says_when_it_is_out_of_date(index: str, tmp_path: Path) -> None:
    """New documents: a warning; other settings: another threshold's meaning, so it is not used."""
    before = fitted()
    assert "fitted to" in run("doctor", "--no-models").stdout
    (tmp_path / "docs" / "new.md").write_text(text_about("New", 9), encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "docs"), "--index", index).exit_code

    value, _, (warning,) = used(Settings())
    other, _, (refused,) = used(Settings(confidence=ConfidenceSettings(top_k=3)))

    assert before == value
    assert "the index has changed; its thresholds are used still" in warning
    assert warning.endswith("Again: research-agent calibrate")
    assert (ConfidenceSettings().bypass, True) == (other, "are not used" in refused)
    assert "the index has changed" in run("doctor", "--no-models").stdout


def test_damaged_and_old_files(index: str) -> None:
    """A damaged one is a warning; of an old one what is not fitted any more, until the next run."""
    path = locate(index).calibration
    path.write_text("{")
    value, _, (warning,) = used(Settings())
    doctor = run("doctor", "--no-models").stdout
    own = fitted()
    path.write_text(json.dumps(json.loads(path.read_text()) | {"mode": {"value": "extractive"}}))
    kept, _, (old,) = used(Settings())

    assert ConfidenceSettings().bypass == value
    assert "cannot be read" in warning
    assert "cannot be read" in doctor
    assert own == kept
    assert "What an earlier version fitted for answer.mode is not used any more." in old
    assert (fitted(), ()) == used(Settings())[::2]


def test_where_no_threshold_holds_nothing_is_kept(index: str) -> None:
    """Forty questions cannot show one error in ten; the cure is named."""
    result = run("calibrate", "--rules", "--rate", "0.1", "--yes")

    assert 1 == result.exit_code
    assert "no threshold keeps the share of errors below 10% for certain" in result.stdout
    assert "more questions (--questions)" in result.stdout
    assert not locate(index).calibration.exists()


@pytest.mark.parametrize(
    ("options", "refusal", "hint"),
    [
        (("--questions", "20"), "check", "--questions 76"),
        (("--answers", "3"), "check", "--answers 40"),
        (("--answers", "9", "--answer-rate", "0.05"), "check", "--answers 190"),
        (("--answers", "9"), "prompt", "answer.refusal: check"),
    ],
)
def test_what_could_show_nothing_is_refused_at_once(
    index: str, options: tuple[str, ...], refusal: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too few questions or answers, were all of them right, and answers that are not checked."""
    monkeypatch.setenv("RESEARCH_AGENT_ANSWER__REFUSAL", refusal)
    result = run("calibrate", "--index", index, "--rules", "--yes", *options)

    assert (2, True) == (result.exit_code, hint in result.stderr)


def test_limit_of_answers(index: str, tmp_path: Path) -> None:
    """With its chunk an answer cites it, without it another one; used where models are the same."""
    limits = answered(tmp_path)["limits"]
    limit, default = limits[MIN_ANSWERABLE], AnswerSettings().min_answerable

    assert [MIN_ANSWERABLE] == list(limits)
    assert (24, "scripted") == (limit["drafts"], limit["writers"])
    assert limit["answered"] >= 12  # the sure ones, and as many more as the rate allows
    assert (limit["wrong"] + 1) / (limit["answered"] + 1) <= 0.2
    assert 0.1 < limit["value"] < 0.9
    assert limit == json.loads(locate(index).calibration.read_text())["answers"][MIN_ANSWERABLE]
    for changes, value, why in (
        ({}, limit["value"], ""),
        ({"ANSWER__MIN_ANSWERABLE": "0.9"}, 0.9, ""),
        ({"CONFIDENCE__CALIBRATED": "off"}, default, ""),
        ({"MODELS__CHAT__MODEL": "other"}, default, "answers were written by scripted; they are"),
        ({"EVIDENCE__MAX_CHUNKS": "2"}, default, "the settings of answer or evidence are others"),
    ):
        _, found, warnings = used(served_settings(tmp_path, changes))
        assert (value, bool(why)) == (found, bool(warnings))
        assert why in "".join(warnings)


def test_limits_are_kept_without_a_threshold(index: str, tmp_path: Path) -> None:
    """Forty questions cannot show one error in ten, but answers have a limit, which stays."""
    with served(Reader(), tmp_path) as config:
        few = run(*RULES[:2], "--yes", "--rate", "0.1", "--answers", "12", "--config", config)
        assert 0 == run(*RULES, "--config", config).exit_code
        doctor = run("doctor", "--no-models", "--config", config).stdout
    kept = json.loads(locate(index).calibration.read_text())

    assert (0, True) == (few.exit_code, "confidence.bypass stays 0.25" in few.stdout)
    assert "24 answers asked for: 24 drafted, 12 of them wrong" in few.stdout
    assert re.search(
        r"answer.min_answerable: 0\.\d+ \(was 0\.2\): 1\d of 24 answers, \d of them", few.stdout
    )
    assert f"{MAX_ENTROPY} stays 0.6" in few.stdout  # (an entropy that nobody measured)
    assert f"kept in {locate(index).calibration}" == few.stdout.splitlines()[-1]
    assert ([BYPASS], [MIN_ANSWERABLE]) == (list(kept["thresholds"]), list(kept["answers"]))
    assert "answer.min_answerable" in doctor


@pytest.mark.parametrize(
    ("model", "options", "told"),
    [
        (Model(plan="Is this a question?"), (), "0 questions"),
        (Model(error=Raw(500, b"{}")), ANSWERS[1:-1], "no further answers were asked for"),
    ],
)
def test_a_model_of_no_use(
    model: Model, options: tuple[str, ...], told: str, index: str, tmp_path: Path
) -> None:
    """What is no question makes none; one that fails ends the answers, searches are kept."""
    with served(model, tmp_path) as config:
        given = ("--index", index, "--config", config, "--yes", "--max-minutes", "1")
        result = run("calibrate", *given, *options)

    assert told in result.output
    assert not options or "answer.min_answerable stays" in result.stdout
