"""The words of the lexical index: compounds whole and in parts, typography folded, no crash."""

import pytest

from research_agent.text.words import MAX_WORD, fold, index_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("snake_case_name", ("snake_case_name", "snake", "case", "name")),
        ("§5.2.", ("5.2", "5", "2")),
        ("C++ and C#", ("c++", "c", "and", "c#", "c")),
        ("-- ... __ /", ()),
        ("don't", ("don", "t")),
        ("हिन्दी भाषा", ("हिन्दी", "भाषा")),
        ("Python言語は", ("python", "言語", "語は")),  # overlapping pairs
        ("水", ("水",)),
        ("ภาษา", ("ภา", "าษ", "ษา")),
        ("ML\u2011KEM 7\u202f856 k\u00ade\u200by", index_words("ML-KEM 7856 key")),  # typography
        ("800 227", ("800", "227")),  # only a thin space can be part of a number
        ("a" * 400_000, ("a" * MAX_WORD,)),
        ("What is the key?", ("what", "is", "the", "key")),
    ],
)
def test_words(text: str, expected: tuple[str, ...]) -> None:
    """A compound is one word, and so is each of its parts; punctuation is none."""
    assert expected == index_words(text)
    assert MAX_WORD >= max(map(len, index_words(text)), default=0)


def test_folding() -> None:
    assert "fips" == fold("\uff26\uff29\uff30\uff33")
    assert fold("STRASSE") == fold("Stra\u00dfe")
