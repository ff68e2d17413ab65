"""The rules that make false sentences: what they change, and that they share nothing."""

import ast
from pathlib import Path

import pytest

from benchmarks import alterations as module
from benchmarks.alterations import KINDS, Kind, alterations
from benchmarks.claims_sets import rows

SIZES = "Sizes\n | key | text\nAB-1 | 800 | 1 632\nAB-2 | 1 184 | 2 400"


def made(kind: Kind, sentence: str, *evidence: str) -> list[str]:
    return [one.text for one in alterations(sentence, evidence) if one.kind == kind]


def test_a_value_is_replaced_by_its_neighbours() -> None:
    """The nearest ones of about as many digits, whatever stands between thousands."""
    assert ["A key has 2400 bytes.", "A key has 1632 bytes."] == made(
        "value", "A key has 1184 bytes.", SIZES
    )
    assert [] == made("value", "A key has 1184 bytes.", "There are 2 keys.")


def test_names_are_replaced_by_their_like() -> None:
    """A name that the evidence has beside it; a value inside a name is none."""
    assert ["The AB-1 key."] == made("identifier", "The AB-2 key.", SIZES)
    assert [] == made("value", "The AB-2 key.", SIZES)


def test_dates() -> None:
    """Years by years, and a month with its year by another one."""
    assert ["It came in 1990."] == made("date", "It came in 1980.", "In 1990 and in 12 days.")
    assert ["It came in July 2022."] == made(
        "date", "It came in May 2020.", "May 2020 | a\nJuly 2022 | b"
    )


@pytest.mark.parametrize(
    ("kind", "sentence", "expected"),
    [
        ("unit", "It has 32 bytes.", "It has 32 bits."),
        ("unit", "A 22-byte string.", "A 22-bit string."),
        ("negation", "It shall not use floats.", "It shall use floats."),
        ("negation", "It was made.", "It was not made."),
        ("quantifier", "Some do; it may break.", "Some do; it must break."),
        ("relation", "A key is larger than a text.", "A key is smaller than a text."),
        ("relation", "It needs at least 3.", "It needs at most 3."),
        ("condition", "It fails if the key is short.", "It fails."),
        ("condition", "When empty, it fails.", "It fails."),
        ("swap", "AB-1 is derived from AB-2.", "AB-2 is derived from AB-1."),
        ("swap", "A key has 800 bytes, a text 768.", "A key has 768 bytes, a text 800."),
    ],
)
def test_a_rule_changes_one_thing(kind: Kind, sentence: str, expected: str) -> None:
    """What each rule makes of a sentence that fits it."""
    assert expected in made(kind, sentence)


@pytest.mark.parametrize(
    "sentence", ["", ".", "Rain falls", "周一闭馆。", "[c1]", "((((", "5" * 500]
)
def test_odd_sentences_do_no_harm(sentence: str) -> None:
    """What no rule fits is left alone, and nothing is proposed twice."""
    texts = [one.text for one in alterations(sentence, ["", "5", "(["])]

    assert sentence not in texts
    assert len(texts) == len(set(texts))


def test_what_is_kept_can_be_made_again() -> None:
    """Every altered sentence that is by a rule is among what that rule proposes today."""
    originals = {row["id"]: row for row in rows("originals")}
    texts = {row["id"]: row["text"] for row in rows("passages")}
    for row in rows("altered"):
        original = originals[row["of"]]
        proposed = made(
            row["kind"], original["text"], *[texts[name] for name in original["evidence"]]
        )
        assert (row["by"] == "rule") == (row["text"] in proposed), row["id"]


def test_every_kind_is_there() -> None:
    """At least ten sentences of each kind, by rules and by hand."""
    kept = rows("altered")

    assert set(KINDS) == {row["kind"] for row in kept}
    assert all(sum(row["kind"] == kind for row in kept) >= 10 for kind in KINDS)
    assert {"rule", "hand"} == {row["by"] for row in kept}


def test_the_rules_share_no_code_with_the_checks() -> None:
    """They import the standard library alone."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    imported = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }

    assert {"re", "collections.abc", "dataclasses", "itertools", "typing"} == imported
