"""What two answers do not both say."""

import pytest

from research_agent.verification.disagreement import Disagreement, disagreement


def differ(first: str, second: str) -> Disagreement:
    found = disagreement([first], second)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The key has 1,184 bytes.", "It has 1184 bytes, the key [c2]."),
        ("Kunci itu memiliki 32 byte.", "Kunci itu memiliki 32 byte [c1]."),
        ("密钥有 32 字节。", "密钥有 32 字节。"),
        ("ML-KEM-768 encrypts.", "It is encrypted by ML-KEM-768.\nNOT FOUND: the year"),
    ],
)
def test_the_same_in_other_words(first: str, second: str) -> None:
    """Marks of thousands, markers, endings, order and what is missing make no difference."""
    assert Disagreement(0.0) == differ(first, second)


@pytest.mark.parametrize(
    ("first", "second", "own"),
    [
        ("The hose has 12 m.", "The hose has 16 m.", ("12",)),
        ("密钥有 32 字节。", "密钥有 64 字节。", ("32",)),
        ("The hose has 12 m.", "The hose is long.", ("12",)),
        ("A B C D E F G H I 12.", "A B C D E F G H I 16.", ("12",)),
    ],
)
def test_another_value_is_full_disagreement(first: str, second: str, own: tuple[str, ...]) -> None:
    """However many words both have."""
    found = differ(first, second)

    assert 1.0 == found.value == found.sentences[0].share
    assert own == found.sentences[0].own


def test_other_words_are_a_share() -> None:
    """Names are words, too."""
    found = differ("The hose was made by Bos.", "The hose was made by Ducas.")

    assert 0.0 < found.value < 1.0
    assert () == found.sentences[0].own


def test_it_is_symmetric_and_by_sentence() -> None:
    """What only the second answer says counts as well; sentences that agree are not listed."""
    one, both = "The hose is red.", "The hose is red. The pump has 400 W."
    longer = disagreement(["The hose is red.", "The pump has 400 W."], one)

    assert longer is not None
    assert ["The pump has 400 W."] == [found.sentence for found in longer.sentences]
    assert longer.value == differ(one, both).value == 1.0
    assert () == differ(one, both).sentences


@pytest.mark.parametrize("second", ["NOT FOUND: the length", "Not found in provided docs."])
def test_a_refusal_agrees_with_nothing(second: str) -> None:
    """No sentence is blamed for it."""
    assert Disagreement(1.0) == differ("The hose has 12 m.", second)


@pytest.mark.parametrize(
    ("first", "second"), [([], "It is."), (["..."], "The key has 5."), (["The key has 5."], "")]
)
def test_nothing_to_compare(first: list[str], second: str) -> None:
    """An answer that says nothing neither agrees nor differs."""
    assert disagreement(first, second) is None
