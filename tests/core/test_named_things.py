"""What a question names, and evidence that names none of it."""

import pytest

from research_agent.core.evidence import Evidence
from research_agent.core.named_things import is_about_something_else, named_in
from research_agent.core.types import Chunk, Hit


def evidence(*texts: str, title: str = "") -> list[Evidence]:
    return [
        Evidence(f"c{i}", Hit(Chunk(str(i), "notes", text, title=title)))
        for i, text in enumerate(texts, start=1)
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does a train ticket from Jakarta to Bandung cost?", {"Jakarta", "Bandung"}),
        ("Can I keep the seed?", set()),
        ("How long is the key of ML-KEM-768 in FIPS 203?", {"ML-KEM-768", "FIPS"}),
        ("Wie hoch ist die Temperatur in der Küche?", set()),
        ("从雅加达到万隆的火车票多少钱?", set()),
        ("", set()),
    ],
)
def test_names(question: str, expected: set[str]) -> None:
    """Capitals within a sentence name something, in languages where they do."""
    assert expected <= named_in(question)
    assert bool(expected) == bool(named_in(question))


def test_evidence_about_something_else() -> None:
    """One name of several in text or title is enough, with one name nothing is said."""
    question = "What does a train ticket from Jakarta to Bandung cost?"

    assert is_about_something_else(question, evidence("The cost is counted in tokens.", "Rounds."))
    assert not is_about_something_else(question, evidence("Tokens.", "A ticket to BANDUNG is 5."))
    assert not is_about_something_else(question, evidence("A ticket is 5.", title="Jakarta trains"))
    assert not is_about_something_else("What is the fare to Bandung?", evidence("A ticket is 5."))
    assert not is_about_something_else("What does a ticket cost?", evidence("Tokens."))
