"""What a model says of the sentences that the checks pass: asked once, recorded, and counted."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import claims, claims_judging, keeping
from benchmarks.__main__ import main
from benchmarks.claims_judging import Chosen, asked, passing, read_cases
from benchmarks.claims_judging_table import Asked, rows, table
from benchmarks.claims_sets import Case
from benchmarks.claims_table import Judged
from tests.benchmarks.test_claims import ALTERED, CASE, cells
from tests.fakes import NO, YES, ScriptedChat

TRUE = Judged(CASE, "supported")
FALSE = Judged(ALTERED, "supported")


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two true sentences that pass and an altered one that does not, in one collection."""
    again = replace(CASE, id="a", set="paraphrases")
    sets: dict[str, Sequence[Case]] = {
        "altered": (ALTERED,),
        "originals": (CASE,),
        "paraphrases": (again,),
    }
    monkeypatch.setattr(
        claims,
        "cases",
        lambda name, collection: sets.get(name, ()) if collection == "claims" else (),
    )
    monkeypatch.setattr(claims_judging, "RECORDINGS", tmp_path)
    return tmp_path


def of(judged: Judged, yes: float, *, support: float = 0.5) -> Asked:
    return Asked(
        judged=judged,
        collection="claims",
        support=support,
        is_asked_about=support < 1.0,
        yes=yes,
        seconds=2.0,
    )


def known(chosen: Chosen, model: ScriptedChat | None) -> list[Asked]:
    return list(asked(chosen, model, "claims", read_cases("claims")))


@pytest.mark.usefixtures("sets")
def test_only_what_the_checks_pass_is_asked_about() -> None:
    """Sorted by their sources, then by id."""
    assert ["a", "original-1"] == [case.id for case, _ in passing(read_cases("claims"))]


def test_what_was_said_is_recorded(sets: Path) -> None:
    """Another run asks nobody; what is not recorded is left out."""
    assert [] == known(Chosen(), None)

    model = ScriptedChat(YES, NO)
    first, again = known(Chosen(), model), known(Chosen(), None)

    assert ["claims-1.5b.jsonl"] == [path.name for path in sets.iterdir()]
    assert 1 == len(model.asked)  # (both sentences are the same, and so is the prompt)
    assert "A key has 32 bytes." in model.asked[0][1]
    assert [one.yes for one in first] == [one.yes for one in again]
    assert all(one.yes > 0.9 for one in first)


@pytest.mark.usefixtures("sets")
def test_nothing_is_begun_after_the_time() -> None:
    """The model stays unasked."""
    model = ScriptedChat(YES)

    assert [] == known(Chosen(minutes=-1.0), model)
    assert [] == model.asked


def test_the_command_keeps_what_it_prints(sets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `live` from recordings; what the model denies is unsupported in the tables of all."""
    monkeypatch.setattr(keeping, "RESULTS", sets / "results")
    monkeypatch.setattr(claims_judging, "is_asked_about", lambda _claim: True)
    known(Chosen(), ScriptedChat(NO))
    done = CliRunner().invoke(main, ["claims", "--judge"], catch_exceptions=False)

    assert (sets / "results" / "claims-judged.md").read_text(encoding="utf-8") == done.output
    _, _, with_judge = done.output.partition("# All sentences, with the judge")
    assert "1 of 1" == cells(with_judge, "**originals, all: false alarms**")[1]
    assert "1 of 1" == cells(with_judge, "**altered, all: caught**")[1]
    lines = (sets / "results" / "claims-judged.jsonl").read_text(encoding="utf-8").splitlines()
    assert 2 == len(lines)


def test_a_row_for_each_limit() -> None:
    """An altered sentence below the limit is caught, a true one lost; by support and part."""
    found = [
        of(FALSE, 0.15),
        of(FALSE, 0.15, support=1.0),
        of(TRUE, 0.4),
        of(TRUE, 0.9),
    ]
    text = table(found)
    lines = [line for line in text.split("\n") if "| tuned |" in line]

    assert lines[1].startswith("| support below .75 | tuned | 1 | 2 | 1.00 (")
    assert "Mean of a call: 2.0 s." in text
    counts = {
        limit: [cell.strip() for cell in line.split("|")[4:6]]
        for line in lines
        for limit in ("(the product) | 0.50", "all that pass | 0.20")
        if limit in line
    }
    assert {
        "(the product) | 0.50": ["1 of 2", "1 of 2"],
        "all that pass | 0.20": ["2 of 2", "0 of 2"],
    } == counts


def test_labelled_answers_are_mended_or_lost() -> None:
    """One that should have been unsupported, and one that was right."""
    wrong = Judged(replace(CASE, set="labelled", expected="unsupported"), "supported")
    right = Judged(replace(CASE, set="labelled"), "supported")
    text = table([of(wrong, 0.1), of(right, 0.1)])
    line = next(line for line in text.split("\n") if "(the product) | 0.20 | tuned" in line)

    assert ["1", "1"] == [cell.strip() for cell in line.split("|")[6:8]]


def test_what_is_kept_aside_has_no_row() -> None:
    """It is counted alone."""
    aside = of(Judged(replace(CASE, aside=True), "supported"), 0.5)

    assert ["original-1"] == [row["id"] for row in rows([aside, of(TRUE, 0.5)])]
    assert "| support below .75 | aside | 0 | 1 |" in table([aside])
