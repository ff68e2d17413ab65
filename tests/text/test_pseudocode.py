"""Steps of algorithms, and text that only looks like them."""

import pytest

from research_agent.text.pseudocode import goes_on, has_algorithm, prettified, steps

TWO = "Algorithm 1 A\n1: a\n2: b\n\nAlgorithm 12 B\n1: c\n2: d\n3: e\n"
INLINE = "Algorithm 3 Sum(x) 1: s = 0 2: for (i = 0; i < n; i++) 3: s = s + x 4: return s"


def test_steps_get_lines_of_their_own() -> None:
    shown = prettified(INLINE)

    assert 5 <= len(shown.split("\n"))
    assert INLINE.split() == shown.split()
    assert "4: return s" == shown.split("\n")[-1]


@pytest.mark.parametrize(
    "text",
    [
        "Open from 9: at the gate, until 17: at the door, and at 3: by the river.",
        "The ratio 1: 2 is small.",
        "1: a\n2: b\n3: c",
        "",
    ],
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert text == prettified(text)


@pytest.mark.parametrize(
    ("text", "number", "word", "expected"),
    [
        (TWO, "1", "algorithm", True),
        (TWO, "12", "algorithm", True),
        (TWO, "2", "algorithm", False),
        ("Algorithm 1 A\nno step\nAlgorithm 2 B\n1: c\n2: d", "1", "algorithm", False),
        ("Algorithm A.1 A\n1: a\n2: b", "a.1", "algorithm", True),
        ("Algorithm A.1 A\n1: a\n2: b", "1", "algorithm", False),
        ("1: a\n2: b, without a caption", "1", "algorithm", False),
        ("Verfahren 12 B\n1: c\n2: d", "12", "verfahren", True),
    ],
)
def test_one_of_several_algorithms(text: str, number: str, word: str, *, expected: bool) -> None:
    """An algorithm ends where the next one begins; one that is not there has no steps."""
    assert expected == has_algorithm(text, number, word=word)


def test_steps_that_go_on() -> None:
    assert 60 == len(steps("\n".join(f"{i}: x" for i in range(1, 99))))
    assert goes_on("Head\n1: a\n2: b", "3: c\n4: d")
    assert not goes_on("1: a\n2: b", "4: c\n5: d")
    assert not goes_on("no steps", "1: a\n2: b")
