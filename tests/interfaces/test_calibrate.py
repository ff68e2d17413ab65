"""`research-agent calibrate`: its cost first, then a threshold that questions use."""

import json
import shutil
from pathlib import Path

import pytest

from research_agent.assembly.calibration import index_state
from research_agent.assembly.connection import connect
from research_agent.index.adapters.folders import locate
from research_agent.interfaces.cli.calibrate import BY_MODEL
from research_agent.settings import ConfidenceSettings, Settings
from research_agent.verification.calibration import BYPASS
from tests.interfaces.commands import Model, made_index, printed, run, served

THINGS = ("Bread", "Butter", "Cheese", "Dough", "Flour", "Honey", "Malt", "Rye", "Salt", "Yeast")
MANY = 3


def text_about(thing: str, number: int) -> str:
    says = f"{thing} Number{number} is a thing that is kept in a cellar at {number} degrees. "
    return f"# {thing} Number{number} kept at {number} degrees\n\n" + says * 4


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an index of one document in thirty sections, to be copied."""
    texts = [text_about(thing, number) for thing in THINGS for number in range(MANY)]
    return made_index(tmp_path_factory.mktemp("made"), texts)


@pytest.fixture
def index(made: Path, tmp_path: Path, data_home: Path) -> str:
    """A copy of that index for one test."""
    shutil.copytree(made / "home", data_home)
    shutil.copytree(made / "docs", tmp_path / "docs")
    return "default"


def calibrate(*options: str) -> object:
    return printed(run("calibrate", "--rules", "--rate", "0.3", "--yes", "--json", *options))


def bypass(settings: Settings) -> tuple[float, tuple[str, ...]]:
    """Return the threshold that questions of an agent with `settings` use, and the warnings."""
    with connect("default", settings, {}) as connection:
        return connection.settings.confidence.bypass, connection.ports.warnings()


def test_cost_is_told_first_and_nothing_done(index: str) -> None:
    """Questions, calls, searches; without a yes nothing is asked or kept."""
    dry, no = run("calibrate", "--rules", "--dry-run"), run("calibrate", "--rules")

    line = "400 questions made by rules, 0 model calls, 400 searches: at most 10 minutes"
    assert (0, f"{line}\n") == (dry.exit_code, dry.stdout)
    assert no.stdout.startswith(line)
    assert "Go on? [y/N]" in no.stdout
    assert not locate(index).calibration.exists()


def test_fitted_threshold_is_used_by_what_asks_questions(index: str) -> None:
    """In place of the default, not of what the user has chosen; and it can be switched off."""
    told = calibrate()
    assert isinstance(told, dict)
    fitted = told["threshold"]["value"]

    assert (MANY * len(THINGS), 0) == (told["threshold"]["questions"], told["threshold"]["errors"])
    assert (fitted, ()) == bypass(Settings())
    own = ConfidenceSettings(bypass=0.9)
    assert (0.9, ()) == bypass(Settings(confidence=own))
    off = ConfidenceSettings(calibrated="off")
    assert (off.bypass, ()) == bypass(Settings(confidence=off))
    assert told["file"] == str(locate(index).calibration)
    kept = json.loads(Path(told["file"]).read_text())
    assert [BYPASS] == list(kept["thresholds"])
    assert index_state(index)[0].generation == kept["fingerprint"]["generation"]


def test_it_says_when_it_is_out_of_date(index: str, tmp_path: Path) -> None:
    """New documents: a warning; other settings: another threshold's meaning, so it is not used."""
    told = calibrate("--index", index)
    assert isinstance(told, dict)
    fitted = told["threshold"]["value"]
    (tmp_path / "docs" / "new.md").write_text(text_about("New", 9), encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "docs")).exit_code

    value, (warning,) = bypass(Settings())
    other, (refused,) = bypass(Settings(confidence=ConfidenceSettings(top_k=3)))

    assert fitted == value
    assert "the index has changed; its thresholds are used still" in warning
    assert warning.endswith("Again: research-agent calibrate")
    assert (ConfidenceSettings().bypass, True) == (other, "are not used" in refused)
    assert "the index has changed" in run("doctor", "--no-models").stdout


def test_a_damaged_file_is_a_warning(index: str) -> None:
    """Questions are answered with the settings as they are."""
    locate(index).calibration.write_text("{")

    value, (warning,) = bypass(Settings())

    assert ConfidenceSettings().bypass == value
    assert "cannot be read" in warning
    assert "cannot be read" in run("doctor", "--no-models").stdout


def test_it_goes_with_the_index(index: str) -> None:
    """Removing the index leaves nothing behind."""
    calibrate()
    path = locate(index).path

    assert 0 == run("index", "--remove", index).exit_code
    assert not path.exists()


def test_where_no_threshold_holds_nothing_is_kept(index: str) -> None:
    """Thirty questions cannot show one error in ten; the cure is named."""
    result = run("calibrate", "--rules", "--rate", "0.1", "--yes")

    assert 1 == result.exit_code
    assert "no threshold keeps the share of errors below 10% for certain" in result.stdout
    assert "more questions (--questions)" in result.stdout
    assert not locate(index).calibration.exists()


def test_too_few_questions_are_refused_at_once(index: str) -> None:
    """Even if every one of them were right, they would show nothing."""
    result = run("calibrate", "--index", index, "--rules", "--questions", "20", "--yes")

    assert 2 == result.exit_code
    assert "--questions 76" in result.stderr


def test_what_an_earlier_version_fitted_is_read(index: str) -> None:
    """Its threshold is used; what is not fitted any more is one line of warning, and replaced."""
    told = calibrate("--index", index)
    assert isinstance(told, dict)
    path = locate(index).calibration
    old = json.loads(path.read_text()) | {"mode": {"value": "extractive"}}
    path.write_text(json.dumps(old))

    value, (warning,) = bypass(Settings())
    assert told["threshold"]["value"] == value
    assert "What an earlier version fitted for answer.mode is not used any more." in warning
    calibrate("--index", index)
    assert () == bypass(Settings())[1]


def test_planner_model_writes_the_questions(index: str, tmp_path: Path) -> None:
    """Its name and its calls are told before it is asked; what it cannot do the rules do."""
    model = Model(plan="Is this a question?")
    with served(model, tmp_path) as config:
        options = ("--index", index, "--config", config)
        told = run("calibrate", *options, "--dry-run").stdout
        result = run("calibrate", *options, "--yes", "--max-minutes", "1")

    assert told.startswith(f"{BY_MODEL} questions written by scripted, {BY_MODEL} model calls")
    assert MANY * len(THINGS) == len(model.asked)
    assert result.stdout.splitlines()[1].startswith("0 questions")


def test_without_an_index_it_says_how_to_make_one(data_home: Path) -> None:
    """Like every command that needs one."""
    result = run("calibrate", "--rules", "--yes")

    assert (1, False) == (result.exit_code, data_home.exists())
    assert "research-agent index" in result.stderr
