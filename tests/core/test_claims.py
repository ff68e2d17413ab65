"""Sentences of an answer against the evidence."""

import pytest

from research_agent.core.claims import read_claims
from research_agent.core.evidence import Evidence
from research_agent.core.quoting import quotes_of
from research_agent.core.types import Chunk, Hit
from tests.fakes import chunk, token

KEM = "ML-KEM-768 has keys of 1184 bytes. Its ciphertext has 1088 bytes. It is approved."
BREAD = "Bread is baked at 230 degrees. It takes an hour."
EVIDENCE = [Evidence("c1", Hit(chunk(KEM))), Evidence("c2", Hit(chunk(BREAD, 1)))]


def verdicts(answer: str) -> list[tuple[str, tuple[str, ...]]]:
    claims = read_claims(answer, (), EVIDENCE, min_support=0.5)
    return [(claim.verdict, claim.keys) for claim in claims]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The ciphertext has 1088 bytes [c1].", ("supported", ("c1",))),
        ("The ciphertext has 1088 bytes. [C1]", ("supported", ("c1",))),
        ("The ciphertext has 1,088 bytes [c1, c2].", ("supported", ("c1",))),
        ("The ciphertext has 1088 bytes.", ("supported", ("c1",))),
        ("The ciphertext has 1088 bytes [c2].", ("misattributed", ("c1",))),
        ("The ciphertext has 1088 bytes [c9].", ("supported", ("c1",))),
        ("The ciphertext has 2400 bytes [c1].", ("unsupported", ())),
        ("Elephants never forget anything [c1].", ("unsupported", ())),
    ],
)
def test_verdicts(answer: str, expected: tuple[str, tuple[str, ...]]) -> None:
    """Right key, missing key, wrong key, invented key, wrong number, wrong words."""
    assert [expected] == verdicts(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "ML-KEM-768 cures cancer [c1].",
        "ML-KEM-768 was broken in practice [c1].",
        "The ciphertext has 768 bytes [c1].",
        "The ML-KEM-1024 ciphertext has 1088 bytes [c1].",
        "The ciphertext has 203 bytes [c1].",
    ],
)
def test_name_carries_nothing_else(answer: str) -> None:
    """A name is one word however many parts it has, and its numbers prove no other statement."""
    (claim,) = read_claims(answer, (), EVIDENCE, min_support=0.5)

    assert "unsupported" == claim.verdict


@pytest.mark.parametrize("marker", ["(c1)", "[chunk c1]", "[c1-c2]", "[c1 and c2]", "(c9)"])
def test_markers_of_every_shape_are_read_and_taken_out(marker: str) -> None:
    """No key but a real one is left in a claim."""
    answer = f"The ciphertext has 1088 bytes {marker}."
    (claim,) = read_claims(answer, (), EVIDENCE, min_support=0.5)

    assert ("supported", ("c1",)) == (claim.verdict, claim.keys)
    assert "The ciphertext has 1088 bytes." == claim.text


def test_each_sentence_has_its_own_verdict() -> None:
    """One wrong sentence does not take the others with it."""
    answer = "Bread is baked at 230 degrees [c2]. Bread is baked at 500 degrees [c2]."

    assert ["supported", "unsupported"] == [verdict for verdict, _ in verdicts(answer)]


def test_quote_is_the_shortest_verbatim_span() -> None:
    """One sentence of the chunk, with its place in it."""
    (claim,) = read_claims("Its ciphertext has 1088 bytes [c1].", (), EVIDENCE, min_support=0.5)
    (quote,) = claim.quotes

    assert "Its ciphertext has 1088 bytes." == quote.quote == KEM[quote.start : quote.end]


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("In FIPS 203 the ciphertext has 1088 bytes [c1].", "supported"),
        ("In FIPS 204 the ciphertext has 1088 bytes [c1].", "unsupported"),
        ("The X-Wing ciphertext has 1088 bytes [c1].", "unsupported"),
        ("The HQC ciphertext has 1088 bytes [c1].", "unsupported"),
    ],
)
def test_claim_names_only_what_its_source_names(answer: str, verdict: str) -> None:
    """The value of one thing is not given to another; the document's name counts."""
    evidence = [Evidence("c1", Hit(chunk(KEM, doc_id="NIST.FIPS.203")))]
    (claim,) = read_claims(answer, (), evidence, min_support=0.5)

    assert verdict == claim.verdict
    assert (verdict == "unsupported") == bool(claim.problem)


def test_tokens_that_do_not_spell_the_text_give_no_sentence_entropy() -> None:
    """Entropy is never laid on other words than those it was measured for."""
    tokens = (token("Brea", -1.1, -1.1), token("d is", -1.1, -1.1))
    (claim,) = read_claims("Bread is baked at 230 degrees.", tokens, EVIDENCE, min_support=0.5)

    assert claim.mean_entropy is None


def test_lines_of_a_table_are_quoted_whole() -> None:
    """A table has no sentences; its row carries the claim."""
    table = Chunk(
        "t", "d", "set | key | ct\nML-KEM-512 | 800 | 768\nML-KEM-768 | 1184 | 1088", kind="table"
    )

    (found,) = quotes_of("ML-KEM-768 has a key of 1184 and a ct of 1088.", table, most=1)

    assert "ML-KEM-768 | 1184 | 1088" in found.quote
    assert () == found.missing


def test_entropy_is_that_of_the_sentence() -> None:
    """Tokens are counted where they stand; markers are not."""
    even = (-1.1, -1.1, -1.1)
    tokens = (
        *[token(t, -0.001) for t in ("Bread", " is", " baked", ".")],
        *[token(t, *even) for t in (" Bread", " burns")],
        token(" [c2]", *even),
        token(".", *even),
    )
    text = "".join(item.text for item in tokens)
    sure, unsure = read_claims(text, tokens, EVIDENCE, min_support=0.5)

    assert sure.mean_entropy == pytest.approx(0.0, abs=0.01)
    assert unsure.mean_entropy == pytest.approx(1.0986, abs=0.01)
