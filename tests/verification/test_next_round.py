"""Whether to stop, and with which draft; what the next query has; each profile's doubt."""

import math
from dataclasses import replace
from typing import Any, Literal

import pytest

from research_agent.settings import BudgetSettings, Settings, VerifySettings
from research_agent.types import Hit
from research_agent.types.budget import Allowance
from research_agent.types.claims import Claim, Verdict
from research_agent.types.evidence import Evidence
from research_agent.types.verification import Answer, Check, Draft
from research_agent.verification.claims import read_claims
from research_agent.verification.next_round import WrittenRound, answer_doubt, decide_next_round
from tests.fakes import chunk, says, token

EVIDENCE = [Evidence("c1", Hit(chunk("Bread is baked at 230 degrees. It takes an hour.")))]
NOTHING = Draft()
PLENTY = Allowance(10, 10, 10_000, 60.0)
GOOD = "Bread is baked at 230 degrees [c1]."
NEAR = "At 230 degrees bread is baked [c1]."
POOR = "Bread weighs 700 grams [c1]."
REFUSED = Answer("x", refused="insufficient_evidence")
FALSE = "Bread is baked at 999 degrees [c1]."
SHOWN = Claim("It is so.", ("c1",), verdict="supported")
VERDICTS: dict[str, Verdict] = {
    "Bread is baked at 230 degrees.": "supported",
    "At 230 degrees bread is baked.": "supported",
    "Bread is baked at 999 degrees.": "contradicted",
    "Rye rests a night.": "supported",
    "Bonn sells rye loaves.": "supported",
}
Profile = Literal["entropy", "dragin", "seed"]


def check(
    answer: Answer,
    best: Draft = NOTHING,
    number: int = 1,
    *,
    allowance: Allowance = PLENTY,
    settings: VerifySettings | None = None,
    **more: Any,  # noqa: ANN401 (of a WrittenRound)
) -> tuple[Check, Draft]:
    given = {"question": "How is bread baked?", "evidence": EVIDENCE, **more}
    written = WrittenRound(answer=answer, number=number, best=best, **given)
    claims = () if answer.refused else read_claims(answer.text, answer.tokens)
    claims = tuple(replace(c, verdict=VERDICTS.get(c.text, "unconfirmed")) for c in claims)
    budget = BudgetSettings(rounds=3)
    every = Settings(budget=budget, verify=settings or VerifySettings())
    found, draft = decide_next_round(written, claims, every, allowance)
    return replace(found, rounds=()), draft


def written(text: str, *, sure: bool = True) -> Answer:
    return Answer(text, says(text, sure=sure).tokens)


@pytest.mark.parametrize(
    ("answer", "decision", "reason"),
    [
        (written(GOOD), "stop", "confident"),
        (Answer(GOOD), "stop", "unchecked"),
        (written(NEAR, sure=False), "again", "uncertain"),
        (written(GOOD, sure=False), "stop", "confident"),
        (replace(written(GOOD), missing=("the price",)), "again", "missing"),
        (replace(written("No price is told."), missing=("the price",)), "again", "refused"),
        (replace(written("It is cheap [c1]."), missing=("the price",)), "again", "missing"),
        (written(FALSE), "again", "unconfirmed"),
        (Answer(POOR), "again", "unconfirmed"),
        (written("[4]"), "again", "unconfirmed"),
        (REFUSED, "again", "refused"),
        (Answer("x", refused="no_evidence"), "stop", "refused"),
        (replace(written(GOOD), unchecked=True), "stop", "unchecked"),
        (Answer(GOOD, form="passages"), "stop", "unchecked"),
        (Answer(GOOD, second="It is 230 degrees that bread is baked at."), "stop", "confident"),
        (Answer(GOOD, second="not found in provided docs"), "again", "uncertain"),
        (Answer(NEAR, second="Bread is baked at 180 degrees."), "again", "uncertain"),
        (Answer(GOOD, second=""), "stop", "unchecked"),
        (Answer(GOOD, says("Something else.", sure=False).tokens), "stop", "unchecked"),
    ],
)
def test_first_round(answer: Answer, decision: str, reason: str) -> None:
    """A refusal, a missing part and a doubt lead back; a copied sentence is in none.

    A lack of log-probabilities alone does not, nor does an index without anything near.
    """
    found, _ = check(answer)

    assert (decision, reason) == (found.decision, found.reason)


@pytest.mark.parametrize(
    ("answer", "query", "missing", "doubts"),
    [
        (
            replace(written(GOOD), missing=("the time in Ulm's ovens", "")),
            "How is bread baked? time ovens",
            ("the time in Ulm's ovens",),
            (),
        ),
        (replace(REFUSED, missing=("the price",)), "How is bread baked? price", ("the price",), ()),
        (replace(REFUSED, missing=("",)), "How is bread baked?", (), ()),
        (
            written(f"{GOOD} By Shannon's rule bread weighs 700 grams in an hour [c1]."),
            "How is bread baked? rule weighs grams hour",
            (),
            ("By Shannon's rule bread weighs 700 grams in an hour.",),
        ),
    ],
)
def test_next_query_has_what_is_missing_and_nothing_that_was_made_up(
    answer: Answer, query: str, missing: tuple[str, ...], doubts: tuple[str, ...]
) -> None:
    found, _ = check(answer)

    assert (query, missing, doubts) == (found.next_query, found.missing, found.doubts)


def test_words_that_the_model_was_unsure_of_are_masked() -> None:
    evidence = [Evidence("c1", Hit(chunk("Loaves: 230 or 250 degrees.")))]
    pieces = ("Every", " loaf", " goes", " to", " 250", " degrees", ".")
    unsure = tuple(
        token(one, *((-1.1, -1.1, -1.2) if "250" in one else (-0.001,))) for one in pieces
    )
    found, _ = check(Answer("".join(pieces), unsure), evidence=evidence)

    assert "How is bread baked? loaf goes degrees" == found.next_query


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        (f"{POOR} {FALSE}", ""),
        (f"{FALSE} Bread is baked at 999 degrees.", "unsupported_draft"),
        ("[4]", "unsupported_draft"),
    ],
)
def test_the_last_round_ends_with_what_it_has(text: str, refused: str) -> None:
    found, _ = check(written(text), number=3)

    assert ("stop", "max_rounds", refused) == (found.decision, found.reason, found.refused)


@pytest.mark.parametrize(
    ("spent", "reason"),
    [
        ({"llm_calls": 0}, "budget_llm_calls"),
        ({"tool_calls": 0}, "budget_tool_calls"),
        ({"tokens": 0}, "budget_tokens"),
        ({"seconds": 0.5}, "budget_seconds"),
        ({"cost": 0.0}, "budget_cost"),
    ],
)
def test_round_that_cannot_be_paid_is_not_begun(spent: dict[str, Any], reason: str) -> None:
    allowance = replace(PLENTY, **spent)
    found, best = check(written(NEAR, sure=False), allowance=allowance)
    refusal, _ = check(REFUSED, allowance=allowance)

    assert ("stop", reason, "") == (found.decision, found.reason, found.refused)
    assert (reason, "insufficient_evidence") == (refusal.reason, refusal.refused)
    assert 1 == len(best.claims)
    assert "confident" == check(written(GOOD), allowance=allowance)[0].reason


def test_draft_survives_what_fails_after_it() -> None:
    _, best = check(written(GOOD, sure=False))
    broken = Answer(failed="budget_tokens")

    assert (Check("stop", "error"), best) == check(written(GOOD), best, 2, probe_failed=True)
    assert (Check("stop", "error"), best) == check(Answer(failed="error"), best, 2)
    assert (Check("stop", "budget_tokens"), best) == check(broken, best, 2)
    assert (Check("stop", "nothing_to_search"), best) == check(
        written(POOR), best, 2, exhausted=True
    )


@pytest.mark.parametrize(
    ("answer", "calls", "reason"),
    [
        (REFUSED, 2, "pruned"),
        (REFUSED, 1, "refused"),
        (written(POOR), 2, "pruned"),
        (written(GOOD), 2, "confident"),
        (Answer(failed="budget_tokens"), 2, "budget_tokens"),
    ],
)
def test_chunks_that_were_left_out_come_back_before_all_else(
    answer: Answer, calls: int, reason: str
) -> None:
    allowance = Allowance(calls, 0, 9999, 99.0)
    found, _ = check(answer, number=3, allowance=allowance, left_out=True)

    assert (reason, reason == "pruned") == (found.reason, found.decision == "again")


def test_nothing_written_is_a_refusal() -> None:
    _, poor = check(written(POOR))
    _, false = check(written(FALSE))
    refused = Draft(1, refused="insufficient_evidence")

    assert "budget" == check(Answer(refused="budget", failed="budget_tokens"))[0].refused
    assert "unsupported_draft" == check(Answer(failed="error"), false, 2)[0].refused
    assert "" == check(Answer(failed="error"), poor, 2)[0].refused
    assert "model_failed" == check(Answer(), probe_failed=True)[0].refused
    assert "model_failed" == check(Answer(failed="error"))[0].refused
    assert "insufficient_evidence" == check(Answer("x"), refused, 2, exhausted=True)[0].refused


def test_answer_after_a_refusal_wins_and_a_refusal_after_an_answer_does_not() -> None:
    refusal = replace(REFUSED, missing=("the price",))
    _, refused = check(refusal)
    _, answered = check(written(POOR), refused, 2)
    again, last = check(refusal, refused, 3)
    repeated, _ = check(replace(refusal, repeated=True), refused, 2)
    failed, _ = check(Answer(failed="error"), refused, 2)
    kept, draft = check(refusal, answered, 3)

    assert (2, "") == (answered.round, answered.refused)
    assert ("stop", "refused", ("the price",)) == (again.decision, again.reason, last.missing)
    assert ("stop", "no_new_evidence") == (repeated.decision, repeated.reason)
    assert {"insufficient_evidence"} == {one.refused for one in (again, repeated, failed)}
    assert ("worse_than_before", answered) == (kept.reason, draft)


def test_better_draft() -> None:
    """Fewer missing parts, but not without a supported sentence; then doubt where both have one."""
    _, two = check(replace(written(f"{GOOD} {NEAR}"), missing=("the time", "the oven")))
    _, one = check(replace(written(f"{GOOD} {POOR}"), missing=("the time",)))
    known, unknown = Draft(1, (SHOWN,), doubt=0.9), Draft(2, (SHOWN,))

    assert one.is_better_than(two)
    assert not two.is_better_than(one)
    assert not check(written(POOR))[1].is_better_than(two)
    assert not unknown.is_better_than(known)
    assert not known.is_better_than(unknown)
    assert replace(unknown, doubt=0.5).is_better_than(known)
    assert Draft(2, (SHOWN, replace(SHOWN, text="So.")), doubt=2.0).is_better_than(known)


@pytest.mark.parametrize(("profile", "doubt"), [("entropy", 0.14), ("seed", 0.2), ("dragin", 0.69)])
def test_each_profile_measures_something_else(profile: Profile, doubt: float) -> None:
    half = (math.log(0.5), math.log(0.5))
    tokens = (*says("one two three four").tokens, token(" five", *half))
    evidence = [Evidence("c1", Hit(chunk("one two three four")))]
    answer = Answer("one two three four five", tokens)
    settings = VerifySettings(profile=profile)
    _, draft = check(answer, settings=settings, evidence=evidence)

    assert math.isclose(doubt, draft.doubt or 0.0, abs_tol=0.01)
    assert answer_doubt(settings, (), None, ()) is None


@pytest.mark.parametrize("profile", ["entropy", "seed", "dragin"])
def test_what_the_evidence_has_word_for_word_is_in_no_doubt(profile: Profile) -> None:
    copied, own = "Rye rests a night [c1].", " Bonn sells rye loaves [c2]."
    evidence = [
        Evidence("c2", Hit(chunk("Ulm sells it so. It is so.", 2))),
        Evidence("c1", Hit(chunk("Here rye rests a night. It rains.", 1))),
    ]
    settings = VerifySettings(profile=profile, max_entropy=0.3, max_doubt=0.3, seed_threshold=0.7)

    def doubts(*, copied_sure: bool, own_sure: bool | None) -> tuple[str, tuple[str, ...]]:
        said = [says(copied, sure=copied_sure)]
        said += [] if own_sure is None else [says(own, sure=own_sure)]
        tokens = tuple(one for part in said for one in part.tokens)
        answer = Answer("".join(one.text for one in said), tokens)
        found, _ = check(answer, settings=settings, evidence=evidence, question="What of rye?")
        return found.reason, found.doubts

    assert ("confident", ()) == doubts(copied_sure=False, own_sure=None)
    assert ("confident", ()) == doubts(copied_sure=False, own_sure=True)
    assert ("uncertain", ("Bonn sells rye loaves.",)) == doubts(copied_sure=True, own_sure=False)


@pytest.mark.parametrize(("limit", "told"), [(0.2, True), (2.0, False)])
def test_whole_sentences_are_told_by_their_own_limit(limit: float, *, told: bool) -> None:
    settings = VerifySettings(profile="dragin", max_doubt=9.0, max_entropy=limit)
    _, draft = check(written(GOOD, sure=False), settings=settings)

    assert told == any(spot.kind == "sentence" for spot in draft.spots)
