"""What parts of a question, and translations of it, may not change."""

import pytest

from research_agent.core.validators.languages import LANGUAGES
from research_agent.core.validators.parts import check_parts, check_translation


@pytest.mark.parametrize(
    ("question", "part", "why"),
    [
        ("Who founded Acme?", "Siapa yang mendirikan Acme?", "is indonesian"),
        ('Who wrote "the last tram"?', "Who wrote it?", "no part has: the last tram"),
        ("Who founded Acme?", "Who founded Acme in 1990?", "names or numbers were added: 1990"),
    ],
)
def test_parts_stay_within_the_question(question: str, part: str, why: str) -> None:
    """Neither another language, nor without what was quoted, nor with more numbers."""
    assert check_parts(question, [part], LANGUAGES)[0].reason.startswith(why)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("Which plants need sun?", "negations differ: 1 and 0"),
        ("Which plants do not need sun?", "a translation"),
        ("Tanaman mana yang tidak butuh matahari?", "is indonesian still"),
    ],
)
def test_translation_keeps_negation(query: str, why: str) -> None:
    """A translation that turns the question round, or is none, is noticed."""
    asked = "Tanaman apa yang tidak membutuhkan matahari?"

    assert check_translation(asked, query, LANGUAGES).reason.startswith(why)
