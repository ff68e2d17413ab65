"""What two answers do not both say."""

import pytest

from research_agent.core.disagreement import Disagreement, disagreement


def differ(first: str, second: str) -> Disagreement:
    found = disagreement([first], second)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The key has 1,184 bytes.", "It has 1184 bytes, the key [c2]."),
        ("It takes three hours.", "It takes 3 hours."),
        ("Kunci itu memiliki 32 byte.", "Kunci itu memiliki 32 byte [c1]."),
        ("\u5bc6\u94a5\u6709 32 \u5b57\u8282\u3002", "\u5bc6\u94a5\u6709 32 \u5b57\u8282\u3002"),
        ("ML-KEM-768 is used.", "We use ML-KEM-768."),
    ],
)
def test_the_same_in_other_words(first: str, second: str) -> None:
    """Commas, number words, markers, inflection and order make no difference."""
    assert 0.0 == differ(first, second).value


@pytest.mark.parametrize(
    ("first", "second", "kind", "own", "other"),
    [
        ("The hose has 12 m.", "The hose has 16 m.", "number", ("12",), ("16",)),
        (
            "It uses ML-KEM-768.",
            "It uses ML-KEM-512.",
            "identifier",
            ("ml-kem-768",),
            ("ml-kem-512",),
        ),
        (
            "\u5bc6\u94a5\u6709 32 \u5b57\u8282\u3002",
            "\u5bc6\u94a5\u6709 64 \u5b57\u8282\u3002",
            "number",
            ("32",),
            ("64",),
        ),
        ("It was made by Bos.", "It was made by Ducas.", "name", ("bos",), ("ducas",)),
        ("The hose has 12 m.", "The hose is long.", "number", ("12",), ()),
    ],
)
def test_values_that_differ_are_named(
    first: str, second: str, kind: str, own: tuple[str, ...], other: tuple[str, ...]
) -> None:
    """Numbers, identifiers and names, with what stands in their place."""
    found = differ(first, second).sentences[0]

    assert (kind, own, other) == (found.kind, found.own, found.other)
    assert 1.0 == found.share


def test_it_is_symmetric_and_by_sentence() -> None:
    """What only the second answer says counts as well; sentences that agree are not listed."""
    one, both = "The hose is red.", "The hose is red. The pump has 400 W."
    longer = disagreement(["The hose is red.", "The pump has 400 W."], one)

    assert longer is not None
    assert ["The pump has 400 W."] == [found.sentence for found in longer.sentences]
    assert longer.value == differ(one, both).value == 1.0
    assert () == differ(one, both).sentences


@pytest.mark.parametrize(
    ("first", "second"), [([], "It is."), (["..."], "It has 5."), (["It has 5."], "")]
)
def test_nothing_to_compare(first: list[str], second: str) -> None:
    """An answer that says nothing neither agrees nor differs."""
    assert disagreement(first, second) is None
