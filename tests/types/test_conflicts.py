"""What another document of the evidence says otherwise."""

from dataclasses import replace

import pytest

from research_agent.text.quote_search import Quote
from research_agent.types import Chunk, Hit
from research_agent.types.claims import Claim
from research_agent.types.conflicts import Conflict, conflicts_of
from research_agent.types.evidence import Evidence
from tests.fakes import chunk

LEAVE = "Each clerk gets 25 days of paid leave."


def conflicts(
    said: str,
    other: str,
    quote: str = "",
    *,
    verdict: str = "supported",
    doc_id: str = "rules 2024",
) -> tuple[Conflict, ...]:
    """Return the conflicts of a sentence whose `quote` stands in one document with another one."""
    quote = quote or said
    chunks = [chunk(quote, 0, "rules 2023"), chunk(f"It rains. {other}", 1, doc_id)]
    claim = Claim(said, ("c1",), (Quote(1.0, quote, 0, len(quote)),), verdict)  # type: ignore[arg-type]  # (a verdict)
    return conflicts_of([claim], evidence(*chunks))


def evidence(*chunks: Chunk) -> list[Evidence]:
    return [Evidence(f"c{at}", Hit(one)) for at, one in enumerate(chunks, 1)]


def test_both_values_and_places_are_told() -> None:
    """The agent does not decide who is right."""
    (found,) = conflicts(LEAVE, LEAVE.replace("25", "30"))

    assert ("25", "c1", "rules 2023") == (found.value, found.key, found.doc_id)
    assert ("30", "c2", "rules 2024") == (found.other_value, found.other_key, found.other_doc_id)
    assert "Each clerk gets 30 days of paid leave." == found.other_quote


def test_rows_with_the_same_head() -> None:
    """A row of a table with another head speaks of something else."""
    said, row = "Ulm North Market has 25 apples.", "Ulm North Market | 25 | 40"
    tables = [
        f"Table 1. Stock\nshop | apples | pears\nUlm North Market | {n} | 40" for n in (25, 26)
    ]
    cited, same = (replace(chunk(text, 0, text[-7:]), kind="table") for text in tables)
    headed = replace(same, text=same.text.replace("apples", "barrels"))
    claim = Claim(said, ("c1",), (Quote(1.0, row, 0, len(row)),), "supported")

    assert ["26"] == [one.other_value for one in conflicts_of([claim], evidence(cited, same))]
    assert () == conflicts_of([claim], evidence(cited, headed))


@pytest.mark.parametrize(
    "other",
    [
        LEAVE,
        "Each clerk gets 30 days of unpaid sick leave.",
        "Each clerk gets 30 days of paid leave in 2024.",
        "Each manager earns 30 euros a day.",
        "Each clerk gets paid leave.",
        "Jeder Angestellte hat 30 Tage Urlaub.",
        "",
    ],
)
def test_what_is_no_conflict(other: str) -> None:
    """The same value, other words, another number of values, none, another language."""
    assert () == conflicts(LEAVE, other)


def test_what_is_not_compared() -> None:
    """The same document, sentences that are not supported, a value the answer does not say."""
    other = LEAVE.replace("25", "30")

    assert () == conflicts(LEAVE, other, doc_id="rules 2023")
    assert () == conflicts(LEAVE, other, verdict="unconfirmed")
    assert () == conflicts("Each clerk gets paid leave.", other, LEAVE)
    assert () == conflicts("25.", "30.")


def test_a_document_is_told_once_a_sentence() -> None:
    """However often it says so."""
    claim = Claim(LEAVE, ("c1",), (Quote(1.0, LEAVE, 0, len(LEAVE)),), "supported")
    others = [chunk(LEAVE.replace("25", "30"), at, "new") for at in (1, 2)]
    found = conflicts_of([claim], evidence(chunk(LEAVE, 0, "old"), *others))

    assert ["c2"] == [one.other_key for one in found]
