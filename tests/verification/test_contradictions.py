"""A number is contradicted only by another one in the same place."""

from research_agent.text.hard_facts import hard_facts
from research_agent.types import Chunk
from research_agent.verification.grounding import Contradiction, contradicted

TABLE = Chunk(
    "t",
    "guide",
    "Table 3. Sizes\n | key | ciphertext\nML-KEM-512 | 800 | 768\nML-KEM-768 | 1184 | 1088",
    kind="table",
)


def found(sentence: str, text: str | Chunk) -> Contradiction | None:
    chunk = Chunk("x", "guide", text) if isinstance(text, str) else text
    return contradicted(sentence, chunk, hard_facts(sentence, [chunk.text], window=chunk.text))


def value(sentence: str, text: str | Chunk) -> str:
    other = found(sentence, text)
    return other.found if other else ""


def test_another_number_in_the_same_place() -> None:
    assert "230" == value("Bread is baked at 250 degrees.", "Our bread is baked at 230 degrees.")
    assert "230" == value(
        "Roti dipanggang pada suhu 250 derajat.", "Roti dipanggang pada suhu 230 derajat."
    )
    assert "230" == value("Bread is baked at 250 degrees.", "Bread is baked: 230 degrees.")
    other = found("Bread is baked at 250 degrees.", "It rains. Bread is baked at 230 degrees.")
    assert other
    assert ("250", "Bread is baked at 230 degrees.") == (other.said, other.quote.quote)


def test_the_same_time_and_years_in_other_print() -> None:
    locked, season = "The shed is locked at 22:30 every night.", "The season 1998-1999 was cold."
    assert "" == value("The shed is locked at 22.30 every night.", locked)
    assert "22:30" == value("The shed is locked at 22.45 every night.", locked)
    assert "" == value("The season 1998/99 was cold.", season)


def test_the_same_row_and_column_of_a_table() -> None:
    assert "1184" == value("The ML-KEM-768 key has 1185 bytes.", TABLE)
    assert "1088" == value("The ML-KEM-768 ciphertext has 1185 bytes.", TABLE)
    assert "" == value("The ML-KEM-1024 key has 1185 bytes.", TABLE)


def test_what_contradicts_nothing() -> None:
    assert "" == value("Bread is baked at 250 degrees.", "Kilns are fired at 230 degrees.")
    assert "" == value("Bread is baked for 250 seconds.", "Bread is baked at 230 degrees.")
    assert "" == value(
        "Bread is baked at 250 degrees.", "Bread is baked at 230 degrees. Use 250 ml."
    )
    assert "" == value("Bread is baked at about 230 degrees.", "Bread is baked at 228 degrees.")
    assert "" == value(
        "The moor dries out at 0.7 centimetres a year.",
        "In this year the water table stood 11 centimetres below that of last year.",
    )
    assert "" == value("Bread is baked.", "Bread is baked at 230 degrees.")
    headed = Chunk("x", "offers", "A kiln is insured up to 500 euros.", section=("Three offers",))
    assert "" == value("The three offers add up to 900 euros.", headed)
