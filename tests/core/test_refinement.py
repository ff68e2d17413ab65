"""What a planner model proposes, and what is let through."""

import pytest

from research_agent.core.refinement import Proposal, judge, read_proposal

QUESTION = "key size in FIPS 203"


def judged(proposal: Proposal, *measured: tuple[float, float]) -> list[str]:
    refinement = judge(QUESTION, proposal, measured, own_top=0.6, min_similarity=0.7, margin=0.15)
    return [verdict.blocked for verdict in refinement.verdicts]


@pytest.mark.parametrize(
    ("reply", "kind", "queries"),
    [
        ('{"kind": "rewrite", "queries": ["FIPS 203 key length"]}', "rewrite", 1),
        ('```json\n{"kind": "decompose", "queries": ["a 1", "b 2"]}\n```', "decompose", 2),
        ('{"kind": "rewrite", "queries": ["key size in FIPS 203"]}', "keep", 0),
        ('{"kind": "rewrite", "queries": []}', "keep", 0),
        ('{"kind": "keep", "queries": ["FIPS 203 key length"]}', "keep", 0),
        ('{"kind": "rewrite", "queries": ["Key size in FIPS 203?", "a", "A "]}', "rewrite", 1),
        ('{"kind": "rewrite", "queries": [7, "", "   "]}', "keep", 0),
        ('{"kind": "keep", "queries": "none"}', "keep", 0),
    ],
)
def test_replies_are_read_tolerantly(reply: str, kind: str, queries: int) -> None:
    """Fences are passed over; queries that are none, or the question again, are left out."""
    proposal = read_proposal(QUESTION, reply)

    assert (kind, queries, "") == (proposal.kind, len(proposal.queries), proposal.problem)


@pytest.mark.parametrize("reply", ["", "KEEP", '{"kind": "guess", "queries": []}', "{broken"])
def test_unreadable_reply_proposes_nothing_and_says_so(reply: str) -> None:
    """The problem is a value, so that the result can tell it."""
    assert ("keep", ()) == (
        read_proposal(QUESTION, reply).kind,
        read_proposal(QUESTION, reply).queries,
    )
    assert read_proposal(QUESTION, reply).problem


def test_good_rewrite_is_searched_beside_the_question() -> None:
    """The question's own words are always the first query."""
    proposal = Proposal("rewrite", ("FIPS 203 key length",))
    refinement = judge(
        QUESTION, proposal, [(0.9, 0.6)], own_top=0.6, min_similarity=0.7, margin=0.15
    )

    assert ("rewrite", (QUESTION, "FIPS 203 key length")) == (refinement.kind, refinement.queries)


@pytest.mark.parametrize(
    ("query", "measured", "reason"),
    [
        ("FIPS 204 key length", (0.9, 0.6), "names or numbers differ: 203, 204"),
        ("key length of the standard", (0.9, 0.6), "names or numbers differ: 203, fips"),
        ("FIPS 203 history", (0.69, 0.6), "asks something else"),
        ("FIPS 203 key length", (0.9, 0.44), "finds worse"),
    ],
)
def test_bad_rewrites_are_blocked(query: str, measured: tuple[float, float], reason: str) -> None:
    """Other names or numbers, another meaning, or worse hits: the question is kept."""
    (blocked,) = judged(Proposal("rewrite", (query,)), measured)

    assert blocked.startswith(reason)


def test_parts_of_a_question_keep_its_names_together() -> None:
    """A part may be narrower than the question, but none may be about something new."""
    parts = Proposal("decompose", ("FIPS 203", "key size"))
    strange = Proposal("decompose", ("FIPS 203", "key size in FIPS 205"))

    assert ["", ""] == judged(parts, (0.5, 0.6), (0.5, 0.6))
    assert ["", "names or numbers differ: 205"] == judged(strange, (0.5, 0.6), (0.5, 0.6))
