"""The words of the lexical index: compounds whole and in parts, typography folded, no crash."""

import pytest

from research_agent.text.words import MAX_WORD, fold, index_words, query_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ML-KEM.KeyGen", ("ml-kem.keygen", "ml", "kem", "keygen")),
        ("SP800-227", ("sp800-227", "sp", "800", "227")),
        ("snake_case_name", ("snake_case_name", "snake", "case", "name")),
        ("§5.2.", ("5.2", "5", "2")),
        ("C++ and C#", ("c++", "c", "and", "c#", "c")),
        ("-- ... __ /", ()),
        ("don't", ("don", "t")),
        ("हिन्दी भाषा", ("हिन्दी", "भाषा")),
    ],
)
def test_compounds_are_kept_whole_and_in_parts(text: str, expected: tuple[str, ...]) -> None:
    """A compound is one word, and so is each of its parts; punctuation is none."""
    assert expected == index_words(text)


def test_scripts_without_spaces_give_pairs() -> None:
    """Han, kana and Thai become overlapping pairs, apart from Latin letters beside them."""
    assert ("python", "言語", "語は") == index_words("Python言語は")
    assert ("水",) == index_words("水")
    assert ("ภา", "าษ", "ษา") == index_words("ภาษา")


def test_typography_makes_no_difference() -> None:
    """Soft and special hyphens, thin spaces in numbers and wide letters are folded."""
    assert index_words("ML-KEM 7856 key") == index_words("ML\u2011KEM 7\u202f856 k\u00ade\u200by")
    assert "fips" == fold("\uff26\uff29\uff30\uff33")
    assert fold("STRASSE") == fold("Stra\u00dfe")


def test_ordinary_spaces_between_numbers_stay() -> None:
    """Only a thin space can be part of a number."""
    assert ("800", "227") == index_words("800 227")


def test_stop_words_leave_queries_only() -> None:
    """A document keeps its stop words; a query loses them unless it has nothing else."""
    assert ("what", "is", "the", "key") == index_words("What is the key?")
    assert ("key",) == query_words("What is the key?")
    assert ("to", "be", "or", "not") == query_words("To be, or not to be?")
    assert () == query_words("\ud800 ?!")


def test_long_words_are_cut() -> None:
    """What is longer than a word can be is cut, and takes no time to be."""
    assert ("a" * MAX_WORD,) == index_words("a" * 400_000)
    assert MAX_WORD == max(map(len, index_words("a-1." * 100_000)))
