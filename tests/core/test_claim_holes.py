"""Reference marks, strange proper names, and values of a column that the table does not have."""

import pytest

from research_agent.core.claim_checks.cells import in_another_cell
from research_agent.core.claim_checks.proper_names import strange_names
from research_agent.core.claim_checks.reading import read
from research_agent.core.claims import Claim, read_claims
from research_agent.core.evidence import Evidence
from research_agent.core.reference_marks import without_reference_marks
from research_agent.core.types import Chunk, Hit

OFFICE = "The office moved to Gaithersburg in 1969. NIST works with Robert De Niro and the Germans."
SIZES = (
    "Sizes of ML-KEM in bytes\n | encapsulation key | ciphertext\n"
    "ML-KEM-768 | 1184 | 1088\nML-KEM-1024 | 1568 | 1568"
)


def judge(sentence: str, chunk: Chunk, asked: str = "") -> Claim:
    evidence = [Evidence("c1", Hit(chunk))]
    (claim,) = read_claims(f"{sentence} [c1]", (), evidence, min_support=0.5, asked=asked)
    return claim


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It has 32 bytes [4].", "It has 32 bytes."),
        ("It has 32 bytes.[12][14]", "It has 32 bytes."),
        ("Smith [4, 7] and others[2-5] agree.", "Smith and others agree."),
        ("Read A[3] and B2[4].", "Read A[3] and B2[4]."),
        ("The value lies in [0, 1].", "The value lies in [0, 1]."),
        ("Choose from the range [2, 5] freely.", "Choose from the range [2, 5] freely."),
        ("seed[3] = 7", "seed[3] = 7"),
    ],
)
def test_reference_marks_are_left_out(text: str, plain: str) -> None:
    """Elements of arrays and intervals are no such marks."""
    assert plain == without_reference_marks(text)


def test_reference_mark_is_no_number_of_a_quote() -> None:
    """A sentence with 4 needs a 4 that the quote says."""
    chunk = Chunk("x", "guide", "The encapsulation key of the scheme is checked twice [4].")

    wrong = judge("The encapsulation key of the scheme is checked 4 times.", chunk)
    right = judge("The encapsulation key of the scheme is checked twice.", chunk)

    assert ("unsupported", "supported") == (wrong.verdict, right.verdict)
    assert "does not hold 4" in wrong.problem


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("The office moved to Rockville, Maryland, in 1969.", {"Rockville", "Maryland"}),
        ("Kantor itu pindah ke Bandung.", {"Bandung"}),
        ("Rockville is where it moved.", set()),
        ("It moved to Gaithersburg and is German.", set()),
        ("It works with Bobby De Niro.", set()),
        ("It is the National Institute of Standards and Technology.", set()),
        ("The Office Moved To Another Maryland Town.", set()),
        ("It moved in July, as Table 3 shows.", set()),
        ("He said: Maryland is it.", set()),
    ],
)
def test_strange_names_are_found(sentence: str, found: set[str]) -> None:
    """A capital letter that the place gives, and what the source has in other forms, is none."""
    assert found == strange_names(sentence, OFFICE)


def test_strange_name_makes_a_sentence_unsupported_unless_it_was_asked_for() -> None:
    """A name counts like a number; one of the question may be said again."""
    chunk = Chunk("x", "guide", OFFICE)
    sentence = "The office of Maryland moved to Gaithersburg in 1969."

    assert "does not hold Maryland" in judge(sentence, chunk).problem
    assert "supported" == judge(sentence, chunk, "When did the Maryland office move?").verdict


@pytest.mark.parametrize(
    ("sentence", "problem"),
    [
        (
            "The shared secret of ML-KEM-768 has 1088 bytes.",
            "the evidence says 1088 of ciphertext, not of shared secret",
        ),
        ("The ciphertext of ML-KEM-768 has 1088 bytes.", ""),
        ("ML-KEM-768 has 1088 bytes.", ""),
        ("The size of the public key of ML-KEM-768 is 1184 bytes.", ""),
    ],
)
def test_value_belongs_to_a_column_that_the_sentence_names(sentence: str, problem: str) -> None:
    """What has no column, caption or row there cannot have a value of the table."""
    assert problem == judge(sentence, Chunk("x", "guide", SIZES, kind="table")).problem


def test_cell_that_says_the_opposite_is_told() -> None:
    """Rows of words alone are rows too, though no number tells them from the head."""
    table = "Day | Pool | Sauna\nMonday | closed | closed\nSunday | 8 to 18 | 10 to 20"
    chunk = Chunk("x", "guide", table, kind="table")

    assert (
        'the evidence says "closed" for monday, pool'
        == judge("On Monday the pool is open.", chunk).problem
    )
    assert "supported" == judge("On Monday the pool is closed.", chunk).verdict


def test_each_behind_an_amount_is_not_all() -> None:
    """The evidence speaks of minor repairs; "each" shares the amount out."""
    chunk = Chunk("x", "guide", "Minor repairs up to 90 euros each are paid by the tenant.")

    assert "unsupported" == judge("The tenant pays all repairs.", chunk).verdict
    assert "supported" == judge("The tenant pays minor repairs up to 90 euros.", chunk).verdict


def test_a_sentence_with_many_names_is_no_heading() -> None:
    """Words without content do not make it one sentence more or less."""
    said = "The September 2025 NIST Breads Conference will be held in Rockville, Maryland."

    assert {"Rockville", "Maryland"} <= strange_names(said, OFFICE)
    assert not strange_names("Transition of Standards with Rockville from Maryland", OFFICE)


def test_a_row_may_say_more_than_another_one() -> None:
    """What holds for both rows is no sign that the value of one of them is wrong."""
    table = (
        "Family | Parameters | Transition\n"
        "ECDSA | 112 bits | Deprecated after 2030 Disallowed after 2035\n"
        "| 128 bits | Disallowed after 2035"
    )
    late = "ECDSA with 112 bits is disallowed after 2035."
    early = "ECDSA with 128 bits is deprecated after 2030."

    assert "" == in_another_cell(read(late), table)
    assert "112" in in_another_cell(read(early), table)
