"""Rules of doubt, and what another round may be worth."""

import math
from dataclasses import replace

import pytest

from research_agent.types import Completion, Hit
from research_agent.types.budget import Allowance
from research_agent.types.claims import Claim, read_claims
from research_agent.types.evidence import Evidence
from research_agent.types.rounds import NO_PROGRESS, Progress, Round, expected_value, quality
from research_agent.types.verification import Answer, Draft
from research_agent.verification.next_round import verify
from research_agent.verification.uncertainty_rule import DoubtRule, Profile
from tests.fakes import chunk, says, token

HALF = (math.log(0.5), math.log(0.5))
SAID = (*says("one two three four").tokens, token(" five", *HALF))
SHOWN = Claim("It is so.", ("c1",), verdict="supported")
FIRST = Round(1, 0.3, 0.3, 4, 3, 0.6, 2000)


@pytest.mark.parametrize(
    ("profile", "doubt"),
    [("entropy", 0.14), ("seed", 0.2), ("seed_fifth", math.log(2)), ("dragin", 1.5)],
)
def test_each_profile_measures_something_else(profile: Profile, doubt: float) -> None:
    """Four sure tokens and one that was a guess between two."""
    rule = DoubtRule(profile, 0.6)
    cited = {"c1": chunk("one two three four")}
    sentences = rule.sentences("one two three four five", SAID, (), cited, ())
    found = rule.doubt(SAID, 0.14, sentences)

    expected = math.log(2) if profile == "dragin" else doubt
    assert math.isclose(expected, found or 0.0, abs_tol=0.01)
    assert rule.doubt((), None, ()) is None


def test_seed_rules_doubt_the_whole_answer() -> None:
    """Where nothing is unsupported, every sentence is searched for."""
    claims = (SHOWN, replace(SHOWN, text="It is.", mean_entropy=2.0))

    assert claims == tuple(DoubtRule("seed", 0.5).doubtful(claims, ()))
    assert claims[1:] == tuple(DoubtRule("entropy", 0.6).doubtful(claims, ()))


@pytest.mark.parametrize("profile", ["entropy", "seed", "seed_fifth", "dragin"])
def test_what_the_evidence_has_word_for_word_is_in_no_doubt(profile: Profile) -> None:
    """However unsure its tokens are; the sentence beside it is doubted by its own alone."""
    copied, own = "Rye rests a night [c1].", " Bonn sells rye loaves [c2]."
    evidence = [
        Evidence("c2", Hit(chunk("Ulm sells it so. It is so.", 2))),
        Evidence("c1", Hit(chunk("Here rye rests a night. It rains.", 1))),
    ]

    def doubts(*said: Completion) -> tuple[str, tuple[str, ...]]:
        text = "".join(one.text for one in said)
        tokens = tuple(one for part in said for one in part.tokens)
        found, _ = verify(
            "What of rye?",
            Answer(text, tokens),
            tuple(replace(one, verdict="supported") for one in read_claims(text, tokens)),
            evidence,
            Draft(),
            allowance=Allowance(9, 9, 9999, 99.0),
            probe_failed=False,
            round_=1,
            max_rounds=2,
            rule=DoubtRule(profile, 0.3),
        )
        return found.reason, found.doubts

    assert ("confident", ()) == doubts(says(copied, sure=False))
    assert ("confident", ()) == doubts(says(copied, sure=False), says(own))
    assert ("uncertain", (own.replace(" [c2]", "").strip(),)) == doubts(
        says(copied), says(own, sure=False)
    )


def test_unknown_doubt_does_not_win() -> None:
    """A later draft of which nothing is known is not better than one that is known, nor worse."""
    known, unknown = Draft(1, (SHOWN,), doubt=0.9), Draft(2, (SHOWN,))

    assert not unknown.is_better_than(known)
    assert not known.is_better_than(unknown)
    assert Draft(2, (SHOWN,), doubt=0.5).is_better_than(known)
    assert Draft(2, (SHOWN, replace(SHOWN, text="So.")), doubt=2.0).is_better_than(known)


def test_value_of_a_round() -> None:
    """It is known from the last one, and bounded by what is left to gain."""
    free = replace(FIRST, tokens=0)

    assert expected_value([]) is None
    assert expected_value([free]) is None
    assert 0.5 == expected_value(
        [replace(FIRST, quality=0.0), replace(FIRST, quality=0.5, tokens=3000)]
    )
    assert 0.0 == expected_value([replace(FIRST, quality=1.0)])
    assert (1.0, 0.0) == (quality(3, 3, None), quality(0, 0, 0.4))


def test_rounds_are_not_weighed_unless_asked_for() -> None:
    """The default goes on whatever a round brings; an unknown value stops nothing."""
    assert not NO_PROGRESS.too_poor(FIRST)
    assert not Progress(min_value=9.0).too_poor(replace(FIRST, tokens=0))
    assert Progress((FIRST,), min_value=0.01).too_poor(replace(FIRST, round=2, tokens=4000))
