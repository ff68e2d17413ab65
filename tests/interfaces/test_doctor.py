"""`research-agent doctor`: the page about it is true, and nothing that is broken stops it."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interfaces import doctor_page
from tests.interfaces.commands import Model, printed, run, served


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    with doctor_page.indexed() as folder:
        yield folder


@pytest.mark.parametrize("set_up", doctor_page.SET_UPS, ids=lambda set_up: set_up.title)
def test_page_shows_what_is_printed(set_up: doctor_page.SetUp, made: Path) -> None:
    """Each broken set-up has one cause, told as the page says, but for numbers; so has JSON."""
    title = f"## {set_up.title}\n"
    section = doctor_page.PAGE.read_text(encoding="utf-8").partition(title)[2].partition("\n## ")[0]
    output = "\n".join(line for line in section.splitlines() if line.startswith("    "))

    assert doctor_page.masked(output) == doctor_page.masked(
        doctor_page.indented(doctor_page.shown(set_up, made))
    )
    assert "cure: " in output
    with doctor_page.placed(made) as place:
        set_up.prepare(place)
        result = run(*set_up.arguments, "--json")
    told = printed(result)
    levels = [item["level"] for item in told["findings"]]
    bad = [item for item in told["findings"] if item["level"] in ("fault", "warning")]
    assert told["sound"] == (result.exit_code == 0) == ("fault" not in levels)
    assert bad
    assert all(item["cure"] for item in bad)


def test_cure_cures(made: Path) -> None:
    """The command that it names makes the damaged cache anew; all is well afterwards."""
    damaged = next(set_up for set_up in doctor_page.SET_UPS if set_up.title == "A damaged cache")
    with doctor_page.placed(made) as place:
        damaged.prepare(place)
        before = printed(run("doctor", "--no-models", "--json"))
        cure = next(item["cure"] for item in before["findings"] if item["level"] == "warning")
        assert 0 == run(*shlex.split(cure)[1:]).exit_code
        after = printed(run("doctor", "--no-models", "--json"))

    assert {"ok"} == {item["level"] for item in after["findings"] if item["part"] == "index"}


def test_model_at_a_server_is_asked(made: Path, tmp_path: Path) -> None:
    """Its speed and log-probabilities are told, and it is asked once for all roles."""
    model = Model(answer="one two three four")
    with doctor_page.placed(made) as place, served(model, tmp_path) as config:
        place.index()
        result = run("doctor", "--config", config)

    assert 0 == result.exit_code, result.output
    assert "answer, planner, filter, verifier: openai scripted: answers in" in result.stdout
    assert "gives log-probabilities" in result.stdout
    assert (
        "on this machine: 127.0.0.1 is asked by answer, planner, filter, verifier" in result.stdout
    )
    assert 1 == len(model.asked)


def test_settings_that_cannot_be_read_are_a_finding(made: Path, tmp_path: Path) -> None:
    """Everything else is looked at all the same."""
    config = tmp_path / "wrong.yaml"
    config.write_text("retrieval: {top_kk: 3}", encoding="utf-8")
    with doctor_page.placed(made) as place:
        place.index()
        result = run("doctor", "--config", str(config))

    assert 1 == result.exit_code
    assert "fault   settings: wrong.yaml: unknown key retrieval.top_kk" in result.stdout
    assert "cure: Did you mean retrieval.top_k?" in result.stdout
    assert "the word index is current" in result.stdout
