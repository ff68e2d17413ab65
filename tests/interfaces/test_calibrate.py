"""`research-agent calibrate`: its cost first, then a limit that questions use."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from research_agent.assembly.connection import connect
from research_agent.assembly.index import index_state
from research_agent.index.adapters.folders import locate
from research_agent.settings import ConfidenceSettings, Settings
from research_agent.verification.calibration import BYPASS
from tests.interfaces.commands import THINGS, Model, made_index, printed, run, served

EACH = 4
RULES = ("calibrate", "--rules", "--rate", "0.3", "--json")


def text_about(thing: str, number: int) -> str:
    says = f"{thing} Number{number} is a thing that is kept in a cellar at {number} degrees. "
    return f"# {thing} Number{number} kept at {number} degrees\n\n" + says * 4


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of one document in forty sections, to be copied."""
    texts = [text_about(thing, number) for thing in THINGS for number in range(EACH)]
    return made_index(tmp_path_factory.mktemp("made"), {"things.md": "\n\n".join(texts)})


@pytest.fixture
def kept(made: Path, tmp_path: Path, data_home: Path) -> Path:
    """Where the calibration of a copy of that index is kept."""
    shutil.copytree(made / "home", data_home)
    shutil.copytree(made / "docs", tmp_path / "docs")
    return locate("default").calibration


def fitted() -> Any:  # noqa: ANN401 (JSON)
    """Fit by headings, and return what the command says of the threshold."""
    return printed(run(*RULES))["threshold"]


def used(**confidence: Any) -> tuple[float, tuple[str, ...]]:  # noqa: ANN401 (settings)
    """Return the limit that questions use, and the warnings."""
    given = Settings(confidence=ConfidenceSettings(**confidence))
    with connect("default", given, {}) as connection:
        return connection.settings.confidence.bypass, connection.ports.warnings()


def test_cost_is_told_first_and_nothing_done(kept: Path, tmp_path: Path) -> None:
    """Questions, calls, searches; a dry run asks and keeps nothing."""
    model = Model()
    dry = run("calibrate", "--rules", "--dry-run")
    with served(model, tmp_path) as config:
        written = run("calibrate", "--config", config, "--dry-run")

    most = EACH * len(THINGS)  # (as many as there are chunks)
    line = f"{most} questions made by rules, 0 model calls, {most} searches: at most 10 minutes\n"
    assert (0, "", line) == (dry.exit_code, dry.stdout, dry.stderr)
    assert written.stderr.startswith(f"{most} questions written by scripted, {most} model calls")
    assert ([], False) == (model.asked, kept.exists())


def test_fitted_threshold_is_used_until_it_is_out_of_date(kept: Path, tmp_path: Path) -> None:
    """In place of the default, not of what the user chose; new documents are a warning."""
    threshold = fitted()
    value, default = threshold["value"], ConfidenceSettings().bypass
    content = json.loads(kept.read_text())

    assert (EACH * len(THINGS), 0) == (threshold["questions"], threshold["errors"])
    assert [BYPASS] == list(content["thresholds"])
    assert index_state("default")[0].generation == content["fingerprint"]["generation"]
    assert [(value, ()), (0.9, ()), (default, ())] == [
        used(),
        used(bypass=0.9),
        used(calibrated=False),
    ]
    assert "fitted to" in run("doctor", "--no-models").stdout

    (tmp_path / "docs" / "new.md").write_text(text_about("New", 9), encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "docs")).exit_code
    still, (warning,) = used()
    other, (refused,) = used(top_k=3)

    assert (value, default) == (still, other)
    assert "the index has changed; its thresholds are used still" in warning
    assert warning.endswith("Again: research-agent calibrate")
    assert "are not used" in refused
    assert "the index has changed" in run("doctor", "--no-models").stdout


def test_damaged_and_old_files(kept: Path) -> None:
    """A warning, until the next run: of a damaged one, and of one that holds what is gone."""
    kept.write_text("{")
    value, (warning,) = used()
    doctor = run("doctor", "--no-models").stdout
    fitted()
    kept.write_text(json.dumps(json.loads(kept.read_text()) | {"mode": {"value": "extractive"}}))
    old = used()

    assert ConfidenceSettings().bypass == value
    assert "cannot be read" in warning
    assert "cannot be read" in doctor
    assert ConfidenceSettings().bypass == old[0]
    assert "another version wrote it" in old[1][0]
    assert (fitted()["value"], ()) == used()


def test_where_no_threshold_holds_nothing_is_kept(kept: Path, tmp_path: Path) -> None:
    """Forty questions cannot show one error in ten; a model that writes none shows nothing."""
    result = run("calibrate", "--rules", "--rate", "0.1")
    few = run("calibrate", "--rules", "--questions", "20")
    with served(Model(plan="Is this a question?"), tmp_path) as config:
        none = run("calibrate", "--config", config, "--max-minutes", "1")

    assert (1, 2, 1) == (result.exit_code, few.exit_code, none.exit_code)
    assert "no threshold keeps the share of errors below 10% for certain" in result.stdout
    assert "58 questions or more can show it: more documents" in result.stdout
    assert "--questions 76" in few.stderr
    assert "0 questions" in none.stdout
    assert not kept.exists()
