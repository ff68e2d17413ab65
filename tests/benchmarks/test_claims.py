"""The sets of claims are whole, and their verdicts are counted as they should be."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import claims, keeping
from benchmarks.__main__ import main
from benchmarks.claims_sets import SETS, Case, SetName, cases, is_aside, rows
from benchmarks.claims_table import Judged, misses, table
from research_agent.core.claims import Claim
from research_agent.core.evidence import Evidence
from research_agent.core.types import Chunk, Hit

EVIDENCE = (Evidence("c1", Hit(Chunk("p", "d", "A key has 32 bytes."))),)
CASE = Case(
    id="original-1",
    set="originals",
    kind="english",
    language="english",
    answer="A key has 32 bytes [c1].",
    evidence=EVIDENCE,
    expected="supported",
    aside=False,
)
ALTERED = replace(
    CASE,
    id="altered-1",
    set="altered",
    kind="value",
    answer="A key has 64 bytes [c1].",
    expected="unsupported",
)


def cells(text: str, what: str) -> list[str]:
    line = next(line for line in text.split("\n") if f"| {what} |" in line)
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_the_sets_are_large_enough() -> None:
    """As many cases as the targets speak of, in three languages."""
    sizes = {name: len(rows(name)) for name in SETS}

    assert {"altered": 233, "originals": 162, "paraphrases": 162, "labelled": 60} == sizes
    for name in SETS:
        languages = Counter(row["language"] for row in rows(name))
        assert {"english", "indonesian", "chinese"} == set(languages)
    labels = Counter(row["label"] for row in rows("labelled"))
    assert {"supported": 30, "misattributed": 10, "stitched": 10, "unsupported": 10} == labels


@pytest.mark.parametrize("name", SETS)
def test_a_case_has_its_evidence(name: SetName) -> None:
    """Four to six passages; the keys in an answer are those of passages that stand there."""
    known = {row["id"]: row for row in rows("passages")}
    for case in cases(name):
        chunks = [item.hit.chunk for item in case.evidence]
        assert 4 <= len(chunks) <= 6, case.id
        assert len(chunks) == len({chunk.chunk_id for chunk in chunks}), case.id
        assert all(chunk.text == known[chunk.chunk_id]["text"] for chunk in chunks)
        cited = re.findall(r"\[(c\d)\]", case.answer)
        assert cited, case.id
        assert set(cited) <= {item.key for item in case.evidence}, case.id


@pytest.mark.parametrize("name", SETS)
def test_a_third_is_kept_aside_by_its_id(name: SetName) -> None:
    """The field says what the hash says, and ids and sentences are there once."""
    lines = rows(name)
    ids = [row["id"] for row in lines]
    texts = [row.get("text") or row["answer"] for row in lines]

    assert len(ids) == len(set(ids))
    assert len(texts) == len(set(texts))
    assert [is_aside(row_id) for row_id in ids] == [row["aside"] for row in lines]
    assert 0.25 < sum(row["aside"] for row in lines) / len(lines) < 0.42


def test_no_altered_sentence_is_a_true_one() -> None:
    """Altered sentences, originals and paraphrases have nothing in common."""
    true = {row["text"] for name in ("originals", "paraphrases") for row in rows(name)}

    assert len(true) == 324
    assert not true & {row["text"] for row in rows("altered")}


def test_a_misattributed_pair_does_not_cite_what_carries_it() -> None:
    """Labels and keys fit together."""
    for case, row in zip(cases("labelled"), rows("labelled"), strict=True):
        passages = {item.key: item.hit.chunk.chunk_id for item in case.evidence}
        cited = {passages[key] for key in re.findall(r"\[(c\d)\]", case.answer)}
        carried = set(row["carried_by"])
        match row["label"]:
            case "supported":
                assert len(carried) == 1
                assert carried == cited
            case "stitched":
                assert len(carried) == 2
                assert carried == cited
            case "misattributed":
                assert carried
                assert not carried & cited
                assert carried <= set(passages.values())
            case _:
                assert not carried


@pytest.mark.parametrize(
    ("case", "verdict", "right"),
    [
        (ALTERED, "unsupported", True),
        (ALTERED, "misattributed", False),
        (ALTERED, "stitched", False),
        (ALTERED, "supported", False),
        (ALTERED, "none", False),
        (CASE, "supported", True),
        (CASE, "stitched", False),
        (CASE, "misattributed", False),
        (replace(CASE, expected="stitched"), "supported", True),
        (replace(CASE, expected="stitched"), "stitched", True),
        (replace(CASE, set="labelled", expected="stitched"), "supported", False),
    ],
)
def test_what_is_right(case: Case, verdict: str, *, right: bool) -> None:
    """A false sentence must go, and a true one with its right key must stay as it is."""
    assert right == Judged(case, verdict).right


def test_the_parts_are_counted_apart() -> None:
    """Caught of those not kept aside, then of the others; false alarms the other way round."""
    aside = replace(ALTERED, aside=True)
    text = table(
        [
            Judged(ALTERED, "unsupported"),
            Judged(ALTERED, "misattributed"),
            Judged(aside, "supported"),
            Judged(CASE, "unsupported"),
            Judged(CASE, "supported"),
        ]
    )

    assert ["1 of 2", "9 to 91", "0 of 1", "0 to 79", "1 of 3", "6 to 79", "≥ 95 %"] == cells(
        text, "**altered, all: caught**"
    )[1:]
    assert "1 of 2" == cells(text, "… left in the answer as misattributed")[1]
    assert ["1 of 2", "9 to 91", "-", ""] == cells(text, "**originals, all: false alarms**")[1:5]


def test_what_is_kept_aside_is_never_shown() -> None:
    """Of two wrong verdicts one line is printed, with what was said and why."""
    aside = Judged(replace(CASE, id="kept", aside=True), "unsupported")
    shown = Judged(CASE, "unsupported", "no quote")

    assert ["original-1: unsupported (no quote), not supported: A key has 32 bytes [c1]."] == list(
        misses([aside, shown, Judged(CASE, "supported")])
    )


def test_the_worst_verdict_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an answer that is read as several claims; an answer without any has none."""
    read: list[tuple[Claim, ...]] = [
        (Claim("a", verdict="supported"), Claim("b", verdict="misattributed", problem="key")),
        (),
    ]
    monkeypatch.setattr(claims, "read_claims", lambda *_, **__: read.pop(0))

    assert Judged(CASE, "misattributed", "key") == claims.judge(CASE)
    assert Judged(CASE, "none") == claims.judge(CASE)


def test_the_command_keeps_what_it_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is a file; the rows leave out what is kept aside; --show dev prints the rest."""
    aside = replace(ALTERED, id="altered-2", aside=True)
    sets: dict[str, Sequence[Case]] = {"altered": (ALTERED, aside), "originals": (CASE,)}
    monkeypatch.setattr(keeping, "RESULTS", tmp_path)
    monkeypatch.setattr(
        claims,
        "cases",
        lambda name, collection: sets.get(name, ()) if collection == "claims" else (),
    )
    monkeypatch.setattr(claims, "read_claims", lambda *_, **__: (Claim("a", verdict="supported"),))

    plain = CliRunner().invoke(main, ["claims"], catch_exceptions=False)
    shown = CliRunner().invoke(main, ["claims", "--show", "dev"], catch_exceptions=False)

    assert (tmp_path / "claims.md").read_text(encoding="utf-8") == plain.output
    assert shown.output == (
        f"{plain.output}\naltered-1: supported, not unsupported: A key has 64 bytes [c1].\n"
    )
    kept = (tmp_path / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    assert [("altered-1", False), ("original-1", True)] == [
        (row["id"], row["right"]) for row in map(json.loads, kept)
    ]
