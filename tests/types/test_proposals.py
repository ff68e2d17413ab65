"""What a planner model replies, read."""

import json

import pytest

from research_agent.types.proposals import read_proposal, read_translation

QUESTION = "key size in FIPS 203"


@pytest.mark.parametrize(
    ("reply", "kind", "queries"),
    [
        ('{"kind": "rewrite", "queries": ["FIPS 203 key length"]}', "rewrite", 1),
        ('```json\n{"kind": "decompose", "queries": ["a 1", "b 2"]}\n```', "decompose", 2),
        ('{"kind": "keep", "queries": ["FIPS 203 key length"]}', "keep", 0),
        ('{"kind": "rewrite", "queries": ["Key size in FIPS 203?", "a", "A "]}', "rewrite", 1),
        ('{"kind": "keep", "queries": "none"}', "keep", 0),
        ('{"kind": "decompose", "queries": ["a", "b", "c", "d"]}', "decompose", 3),
    ],
)
def test_replies_are_read_tolerantly(reply: str, kind: str, queries: int) -> None:
    """Fences are passed over; queries that are none, or the question again, are left out."""
    proposal = read_proposal(QUESTION, reply)

    assert (kind, queries, "") == (proposal.kind, len(proposal.queries), proposal.problem)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "the reply is not the JSON that was asked for"),
        ("You could search for the key length.", "the reply is not the JSON that was asked for"),
        ('{"kind": "guess", "queries": []}', "the reply is not the JSON that was asked for"),
        ("{broken", "the reply is not the JSON that was asked for"),
        ("[" * 100_000, "the reply is not the JSON that was asked for"),
        ('{"kind": "rewrite", "queries": []}', "the reply has no query"),
        ('{"kind": "rewrite", "queries": [7, "", "   "]}', "the reply has no query"),
        ('{"kind": "rewrite"}', "the reply has no query"),
        (
            '{"kind": "rewrite", "queries": ["Key size in FIPS 203?"]}',
            "the reply repeats what was asked before",
        ),
        (
            json.dumps({"kind": "decompose", "queries": [f"part {i}" for i in range(50)]}),
            "the reply has 50 queries",
        ),
    ],
)
def test_reply_of_no_use_proposes_nothing_and_says_so(reply: str, problem: str) -> None:
    """Prose, nothing, fifty queries, the question again: the problem is a value."""
    proposal = read_proposal(QUESTION, reply)

    assert ((), problem) == (proposal.queries, proposal.problem)


def test_query_that_was_tried_is_not_tried_again() -> None:
    """Spelling and case make no difference."""
    reply = '{"kind": "rewrite", "queries": ["Key  Length?", "key length FIPS 203"]}'

    assert ("key length FIPS 203",) == read_proposal(QUESTION, reply, tried=("key length",)).queries


@pytest.mark.parametrize("reply", ["", "no", '{"query": 3}', '{"query": ""}', '{"query": "x"}'])
def test_translation_of_no_use_has_a_problem(reply: str) -> None:
    """Nothing, no text, or the question as it was."""
    assert read_translation("x", reply).problem


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["Who owns X?", "Who founded Acme?", "Where was #2 born?"], (1, "Where was #1 born?")),
        (
            ["Who founded Acme?", "who founded acme", "Where was #2 born?"],
            (1, "Where was #1 born?"),
        ),
        (["Who founded Acme?", "Where was #1 born?"], (1, "Where was #1 born?")),
        (["Acme founder", "Where is issue #12?"], (1, "Where is issue #12?")),
    ],
)
def test_gaps_follow_the_queries_they_name(written: list[str], expected: tuple[int, str]) -> None:
    """What is left out before a query moves the numbers in it."""
    reply = json.dumps({"kind": "decompose", "queries": written})
    queries = read_proposal("Who owns X?", reply).queries

    assert expected == (queries.index(expected[1]), queries[-1])


def test_query_that_waits_for_one_left_out_is_left_out() -> None:
    """Its gap could only be filled with the answer to another query."""
    reply = json.dumps({"kind": "decompose", "queries": ["Who owns X?", "X in use", "#1 born"]})

    assert ("X in use",) == read_proposal("Who owns X?", reply).queries


def test_number_that_is_too_long_is_no_proposal() -> None:
    """Python reads no whole number of so many digits."""
    assert read_proposal("Who?", '{"kind": ' + "1" * 5000 + "}").problem
