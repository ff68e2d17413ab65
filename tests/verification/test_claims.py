"""An answer, sentence by sentence: what is read, which keys stay, and which verdict follows."""

from dataclasses import replace

import pytest

from research_agent.text.hard_facts import Fact
from research_agent.text.quote_search import Quote
from research_agent.types.claims import Claim, is_supported
from research_agent.types.result import in_lines
from research_agent.verification.adapters.grounding_file import read_grounding
from research_agent.verification.claims import (
    grounded_claim,
    is_copied,
    is_known_heading,
    is_verbatim,
    read_claims,
)
from research_agent.verification.contradictions import Contradiction
from research_agent.verification.grounding import Grounded, ground, ground_verbatim
from tests.fakes import WordPairs, chunk, says

KEY = chunk("The key has 1184 bytes, or 1.5 kB.  It may be\npublished.")


def test_sentences_and_their_keys_are_read() -> None:
    text = (
        "# Sizes\n- It has 5 bytes [c2][c10].\n- IT  HAS 5 bytes.\n---\n\n...\n\n[c1]\n\n[4]\n\n"
        "The price follows (chunk c3)! 密钥有32字节。[c1]"
    )

    assert [
        ("It has 5 bytes.", ("c2", "c10")),
        ("The price follows!", ("c3",)),
        ("密钥有32字节。", ("c1",)),
    ] == [(claim.text, claim.keys) for claim in read_claims(text)]


@pytest.mark.parametrize("text", ["", " \n", "...", "[c1]", "?! [c1][c2]", "|---|---|"])
def test_text_without_words_has_no_claims(text: str) -> None:
    assert () == read_claims(text)


LISTED = """To close the pump [c1]:
1. Turn the valve [c1].
2. Wait. Do it again [c2].
   - slowly [c1]

It weighs 5 kg [c3].

## The tank
It is red [c3]."""


def test_lists_lines_and_headings_of_a_draft_are_kept() -> None:
    """They are shown again; a heading goes with all that is below it."""
    claims = [replace(one, verdict="supported") for one in read_claims(LISTED)]

    assert ["1. ", "\n2. ", "", "\n   - ", "\n\n", "\n\n"] == [one.lead for one in claims]
    assert ["To close the pump:", "## The tank"] == list(dict.fromkeys(o.heading for o in claims))
    shown = """To close the pump:
1. Turn the valve [c1].
2. Wait. Do it again [c2].
   - slowly [c1].

It weighs 5 kg [c3].

## The tank
It is red [c3]."""
    keyed = [replace(one, keys=one.keys or ("c2",)) for one in claims]
    assert shown.replace("Wait.", "Wait [c2].") == in_lines(keyed)
    assert "To close the pump:\n2. Wait" in in_lines(keyed[1:])  # (where one is left out)


def test_the_line_below_a_tables_head_is_kept() -> None:
    """Without it Markdown has no table; it goes with a head that is said before."""
    line, head, row = "| :--- | --: |\n", "| name | size [c1] |\n", "| A | 5 [c1] |\n"
    last = "| B | 6 [c2] |"
    claims = read_claims(f"Sizes:\n{head}{line}{row}\n{head}{line}{last}")
    shown = in_lines([replace(one, verdict="supported") for one in claims])

    assert f"Sizes:\n{head}{line}{row}{last}" == shown


@pytest.mark.parametrize(
    ("heading", "kept"),
    [
        ("The sizes of ML-KEM:", "The sizes of ML-KEM:"),
        ("Keys", "Keys"),
        ("Colours", ""),
        ("ML-KEM-768", ""),
    ],
)
def test_only_headings_that_name_what_is_known_are_kept(heading: str, kept: str) -> None:
    """Nobody checks a heading, so half of its words have to be known, and all of its numbers."""
    known = ["How long are keys of ML-KEM?", "ML-KEM-512 has sizes"]

    assert kept == (heading if is_known_heading(heading, known) else "")


@pytest.mark.parametrize(
    "sentence", ["The atlas (C1) is broken.", "The pair (c1, c2) is sent.", "It is [C] and (c)."]
)
def test_what_only_looks_like_a_key_stays(sentence: str) -> None:
    assert [(sentence, ())] == [(claim.text, claim.keys) for claim in read_claims(sentence)]


FORMS = (
    "[c2]|(c2)|【c2】|【c2†L1-L9】|[^c2]|[[c2]]|[Source: c2]|**[c2]**|`[c2]`|[chunk c2]"
    '|[chunk key="c2"]'
)


@pytest.mark.parametrize("marker", FORMS.split("|"))
def test_keys_are_read_in_the_forms_of_models(marker: str) -> None:
    """No bracket, star or number of them stays in the sentence."""
    text = f"**It** has 5 bytes {marker}. It is red {marker}."

    assert [("**It** has 5 bytes.", ("c2",)), ("It is red.", ("c2",))] == [
        (claim.text, claim.keys) for claim in read_claims(text)
    ]
    behind = read_claims("It has 5 bytes.\u3010c2\u3011 It is red.[^c1] It is **wet**[c3].")
    assert [("c2",), ("c1",), ("c3",)] == [claim.keys for claim in behind]
    assert "It is **wet**." == behind[-1].text


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("**Sizes**\n\nIt has 5 bytes [c1].", ["It has 5 bytes."]),
        ("**It has 5 bytes [c1].**\n\nIt is red.", ["**It has 5 bytes.**", "It is red."]),
        ("**5 bytes** [c1]\n\nIt is red.", ["**5 bytes**", "It is red."]),
        ("**It has 5 bytes.**\n\nIt is red.", ["**It has 5 bytes.**", "It is red."]),
        ("**5 bytes**", ["**5 bytes**"]),  # (nothing else is there)
    ],
)
def test_bold_lines_are_headings_only_above_other_text(text: str, claims: list[str]) -> None:
    assert claims == [claim.text for claim in read_claims(text)]


def test_entropy_is_that_of_the_sentence_alone() -> None:
    sure, unsure = says("It is wet."), says(" It is red.", sure=False)
    first, second = read_claims(sure.text + unsure.text, (*sure.tokens, *unsure.tokens))

    assert (first.mean_entropy or 0.0) < 0.1 < (second.mean_entropy or 0.0)
    assert read_claims("It is dry.", sure.tokens)[0].mean_entropy is None


@pytest.mark.parametrize(
    ("written", "scores", "keys", "rekeyed"),
    [
        (("c1", "c2"), {"c1": 0.8, "c2": 0.5}, ("c1", "c2"), False),  # kept: both are near
        (("c1", "c2"), {"c1": 0.8, "c2": 0.3}, ("c1",), False),  # dropped: far behind the best
        (("c1",), {"c2": 0.8}, ("c2",), True),  # the chunk shares no word
        (("c1",), {"c10": 0.9, "c1": 0.2}, ("c10",), True),  # another one is much nearer
        ((), {"c3": 0.1, "c2": 0.4}, ("c2",), True),  # none was written
        (("c9",), {}, (), False),  # invented, and nothing is near
        (("c10", "c2"), {"c10": 0.9, "c2": 0.9}, ("c2", "c10"), False),  # in their order
    ],
)
def test_keys_stay_where_their_chunks_are_near(
    written: tuple[str, ...], scores: dict[str, float], keys: tuple[str, ...], *, rekeyed: bool
) -> None:
    quotes = {key: Quote(score, "words", 0, 5) for key, score in scores.items()}
    found = Grounded(probability=0.9, quotes=quotes)
    claim = grounded_claim(Claim("It is so.", written), found, limit=0.5)

    assert (keys, rekeyed) == (claim.keys, claim.rekeyed)
    assert [scores[key] for key in keys] == [quote.score for quote in claim.quotes]


@pytest.mark.parametrize(
    ("written", "keys"),
    [(("c1",), ("c2",)), (("c2",), ("c2",)), (("c1", "c2"), ("c2",)), ((), ("c2",))],
)
def test_a_passage_alike_with_other_numbers_is_not_cited(
    written: tuple[str, ...], keys: tuple[str, ...]
) -> None:
    """As in a series of minutes: the words are the same each week, the figures are not."""
    texts = ("It handles 1,200 requests with a median of 85 ms.", "2,150 requests, 61 ms.")
    chunks = {f"c{at}": chunk(text, at) for at, text in enumerate(texts, 1)}
    said = Claim("It handles 2,150 requests with a median of 61 ms.", written)
    both = Claim("The median fell from 85 ms to 61 ms.", ("c1", "c2"))

    assert keys == grounded_claim(said, ground_verbatim(said.text, chunks), limit=0.5).keys
    found = ground_verbatim(both.text, chunks)
    assert ("c1", "c2") == grounded_claim(both, found, limit=0.5).keys


def test_keys_stay_that_have_what_a_number_is_computed_of() -> None:
    """With the place of it; what only shares words with the sentence is not quoted then."""
    texts = (
        "The roof was dearer, by 28,000. It rains. Isolux asked for 418,000.",
        "It snows. Brandt asked for 413,200. It snows.",
        "Isolux asked for 418,000.",
    )
    chunks = {f"c{at}": chunk(text, at) for at, text in enumerate(texts, 1)}
    said = Claim("That was 4,800 dearer.", ("c1", "c2", "c9"))
    earlier = [Fact("number", text, "held") for text in ("418,000", "413,200")]
    found = ground(
        said.text, chunks, WordPairs(), read_grounding(), earlier=earlier, written=said.keys
    )
    claim = grounded_claim(said, found, limit=0.5)

    assert ("418,000", "413,200") == claim.facts[0].operands
    assert (("c1", "c2"), False) == (claim.keys, claim.rekeyed)
    assert ["Isolux asked for 418,000.", "Brandt asked for 413,200."] == [
        quote.quote for quote in claim.quotes
    ]


@pytest.mark.parametrize(("probability", "verdict"), [(0.5, "supported"), (0.49, "unconfirmed")])
def test_the_limit_decides(probability: float, verdict: str) -> None:
    """A sentence that is not supported says why, with the facts that are missing."""
    missing = Fact("quotation", "so it is", "missing")
    grounded = Grounded(probability=probability, facts=(missing, Fact("number", "5", "held")))
    claim = grounded_claim(Claim('It has 5 "so it is".'), grounded, limit=0.5)

    assert (verdict, probability) == (claim.verdict, claim.support)
    assert (verdict == "unconfirmed") == claim.problem.endswith("; the evidence has no so it is")
    assert is_supported(claim) == (not claim.problem)


def test_what_is_said_again_below_another_heading_stays() -> None:
    """Without it the heading would stand above the next sentence."""
    pays = "The tenants pay [c1]."
    claims = read_claims(f"Heating:\n- {pays}\n- {pays}\n\nWater:\n- {pays}\n\nRoof:\n- He pays.")

    assert ["Heating:", "Water:", "Roof:"] == [claim.heading for claim in claims]
    assert ["The tenants pay."] * 2 + ["He pays."] == [claim.text for claim in claims]


OTHER = Contradiction("1088", "1184", Quote(1.0, "It has\n1184 bytes.", 0, 17))
NOWHERE = (Fact("number", "1088", "missing"),)


@pytest.mark.parametrize(
    ("grounded", "verdict", "problem"),
    [
        (
            Grounded(probability=0.99, contradiction=OTHER),
            "contradicted",
            "the evidence has 1184, not 1088: It has 1184 bytes.",
        ),
        (Grounded(probability=0.9, facts=NOWHERE), "unconfirmed", "the evidence has no 1088"),
    ],
)
def test_another_number_contradicts_and_one_from_nowhere_is_never_confirmed(
    grounded: Grounded, verdict: str, problem: str
) -> None:
    claim = grounded_claim(Claim("It has 1088 bytes."), grounded, limit=0.5)

    assert (verdict, problem) == (claim.verdict, claim.problem)


@pytest.mark.parametrize(
    ("text", "copied", "verbatim"),
    [
        ("The KEY has 1184 bytes, or 1.5 kB", True, True),
        ("It may be published by anybody.", True, True),
        ("- It may be published by anybody.", True, True),
        ("It may be published.", True, True),
        ("The key has 1184 bytes.", True, False),
        ("No.", True, False),
        ("The key has 11.", False, False),
        ("The key has 1184 bytes, or 1.", False, False),
        ("5 kB.", False, False),
        ("The key has 1,184 bytes.", False, False),
    ],
)
def test_copied_are_whole_words_and_verbatim_whole_sentences(
    text: str, *, copied: bool, verbatim: bool
) -> None:
    """A part may leave out what the whole depends on; a word may be there by chance."""
    other = chunk("Is it for sale? No.\n- It may be published by anybody.", 1)
    chunks = {"c1": KEY, "c2": other}

    assert (copied, verbatim) == (is_copied(Claim(text), chunks), is_verbatim(Claim(text), chunks))
