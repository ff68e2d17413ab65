"""Tables spelled out for small models."""

from research_agent.text.tables import head_of, spelled_out

SIZES = "Table 3. Sizes\n | key | ciphertext\nML-KEM-512 | 800 | 768\nML-KEM-768 | 1184 | 1088"


def test_names_and_values_without_a_head_stay_as_they_are() -> None:
    about = "Name | Alice\nAge | 30\nCity | Paris"

    assert about == spelled_out(about)
    assert "" == head_of(about)


def test_rows_of_another_width_stay_as_they_are() -> None:
    assert "note | only here" == spelled_out(f"{SIZES}\nnote | only here").split("\n")[-1]
