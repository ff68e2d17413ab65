"""Whether to stop, and with which draft."""

from dataclasses import replace

import pytest

from research_agent import routing
from research_agent.types import Hit, Probe
from research_agent.types.budget import Allowance
from research_agent.types.calls import CallPlan, Found, ToolCall
from research_agent.types.claims import Claim, Verdict, read_claims
from research_agent.types.evidence import Evidence
from research_agent.types.refinement import Refinement
from research_agent.types.verification import Answer, Check, Draft
from research_agent.verification.next_round import verify
from research_agent.verification.uncertainty_rule import DoubtRule
from research_agent.verification.uncertainty_sources import by_logprobs
from tests.fakes import chunk, says, token

EVIDENCE = [Evidence("c1", Hit(chunk("Bread is baked at 230 degrees. It takes an hour.")))]
NOTHING = Draft()
PLENTY = Allowance(10, 10, 10_000, 60.0)
GOOD = "Bread is baked at 230 degrees [c1]."
NEAR = "At 230 degrees bread is baked [c1]."
POOR = "Bread weighs 700 grams [c1]."
FALSE = "Bread is baked at 999 degrees [c1]."
VERDICTS: dict[str, Verdict] = {
    "Bread is baked at 230 degrees.": "supported",
    "At 230 degrees bread is baked.": "supported",
    "Bread is baked at 999 degrees.": "contradicted",
}


def claims_of(answer: Answer) -> tuple[Claim, ...]:
    claims = read_claims(answer.text, answer.tokens)
    return tuple(replace(c, verdict=VERDICTS.get(c.text, "unconfirmed")) for c in claims)


def check(
    answer: Answer,
    best: Draft = NOTHING,
    round_: int = 1,
    *,
    allowance: Allowance = PLENTY,
    probe_failed: bool = False,
    exhausted: bool = False,
) -> tuple[Check, Draft]:
    return verify(
        "How is bread baked?",
        answer,
        claims_of(answer),
        EVIDENCE,
        best,
        allowance=allowance,
        probe_failed=probe_failed,
        exhausted=exhausted,
        round_=round_,
        max_rounds=3,
        rule=DoubtRule("entropy", 0.6),
    )


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
        (written(FALSE), "again", "unconfirmed"),
        (Answer(POOR), "again", "unconfirmed"),
        (written("[4]"), "again", "unconfirmed"),
        (Answer("x", refused="insufficient_evidence"), "again", "refused"),
        (Answer("x", refused="no_evidence"), "stop", "refused"),
        (replace(written(GOOD), unchecked=True), "stop", "unchecked"),
    ],
)
def test_first_round(answer: Answer, decision: str, reason: str) -> None:
    """A refusal, a missing part and a doubt lead back; a copied sentence is in none.

    A lack of log-probabilities alone does not, nor does an index without anything near.
    """
    found, _ = check(answer)

    assert (decision, reason) == (found.decision, found.reason)


def test_next_query_has_nothing_that_the_draft_made_up() -> None:
    """Only the sentence in doubt is searched for, without its own number and name."""
    found, _ = check(written(f"{GOOD} By Shannon's rule bread weighs 700 grams in an hour [c1]."))

    assert "How is bread baked? rule weighs grams hour" == found.next_query
    assert ("By Shannon's rule bread weighs 700 grams in an hour.",) == found.doubts


def test_next_query_has_what_is_missing() -> None:
    """Of an answer and of a refusal; one that names nothing has the question searched again."""
    part = replace(written(GOOD), missing=("the time in Ulm's ovens", ""))
    refusal = Answer("x", refused="insufficient_evidence", missing=("the price",))
    nameless = Answer("x", refused="insufficient_evidence", missing=("",))

    assert ("How is bread baked? time ovens", ("the time in Ulm's ovens",)) == (
        check(part)[0].next_query,
        check(part)[0].missing,
    )
    assert "How is bread baked? price" == check(refusal)[0].next_query
    assert ("How is bread baked?", ()) == (
        check(nameless)[0].next_query,
        check(nameless)[0].missing,
    )


def test_words_that_the_model_was_unsure_of_are_masked() -> None:
    """Where the evidence has them too: with any profile that has tokens."""
    evidence = [Evidence("c1", Hit(chunk("Loaves: 230 or 250 degrees.")))]
    pieces = ("Every", " loaf", " goes", " to", " 250", " degrees", ".")
    unsure = tuple(
        token(one, *((-1.1, -1.1, -1.2) if "250" in one else (-0.001,))) for one in pieces
    )
    answer = Answer("".join(pieces), unsure)
    found, _ = verify(
        "How is bread baked?",
        answer,
        read_claims(answer.text, unsure),
        evidence,
        NOTHING,
        allowance=PLENTY,
        probe_failed=False,
        round_=1,
        max_rounds=3,
        rule=DoubtRule("entropy", 0.6),
    )

    assert ("unconfirmed", "How is bread baked? loaf goes degrees") == (
        found.reason,
        found.next_query,
    )


@pytest.mark.parametrize("second", [POOR, FALSE, GOOD])
def test_round_that_is_no_better_is_not_taken(second: str) -> None:
    """The best draft stays, and the loop stops."""
    _, best = check(written(GOOD))
    found, kept = check(written(second), best, 2)

    assert ("stop", "worse_than_before") == (found.decision, found.reason)
    assert best == kept


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        (POOR, ""),
        (f"{POOR} {FALSE}", ""),
        (FALSE, "unsupported_draft"),
        (f"{FALSE} Bread is baked at 999 degrees.", "unsupported_draft"),
        ("[4]", "unsupported_draft"),
    ],
)
def test_the_last_round_ends_with_what_it_has(text: str, refused: str) -> None:
    """What could not be confirmed is no refusal; what is contradicted throughout is one."""
    found, _ = check(written(text), round_=3)

    assert ("stop", "max_rounds", refused) == (found.decision, found.reason, found.refused)


@pytest.mark.parametrize(
    ("allowance", "reason"),
    [
        (replace(PLENTY, llm_calls=0), "budget_llm_calls"),
        (replace(PLENTY, tool_calls=0), "budget_tool_calls"),
        (replace(PLENTY, tokens=0), "budget_tokens"),
        (replace(PLENTY, seconds=0.5), "budget_seconds"),
        (replace(PLENTY, cost=0.0), "budget_cost"),
    ],
)
def test_round_that_cannot_be_paid_is_not_begun(allowance: Allowance, reason: str) -> None:
    """A doubtful draft is reported, with the limit that let no other round be made."""
    found, best = check(written(NEAR, sure=False), allowance=allowance)
    refusal, _ = check(Answer("x", refused="insufficient_evidence"), allowance=allowance)

    assert ("stop", reason, "") == (found.decision, found.reason, found.refused)
    assert ("stop", reason, "insufficient_evidence") == (
        refusal.decision,
        refusal.reason,
        refusal.refused,
    )
    assert 1 == len(best.claims)


def test_spent_budget_does_not_change_what_is_certain() -> None:
    """An answer without doubt needs no other round, so nothing was missed."""
    found, _ = check(written(GOOD), allowance=replace(PLENTY, llm_calls=0))

    assert "confident" == found.reason


def test_draft_survives_what_fails_after_it() -> None:
    """A search or an answer that failed ends the loop with the draft that was there before."""
    _, best = check(written(GOOD, sure=False))
    broken = Answer(failed="budget_tokens")

    assert (Check("stop", "error"), best) == check(written(GOOD), best, 2, probe_failed=True)
    assert (Check("stop", "error"), best) == check(Answer(failed="error"), best, 2)
    assert (Check("stop", "budget_tokens"), best) == check(broken, best, 2)


def test_nothing_written_is_a_refusal() -> None:
    """Its reason tells a budget that was too small from a draft that is contradicted."""
    _, poor = check(written(POOR))
    _, false = check(written(FALSE))
    unpaid = Answer(refused="budget", failed="budget_tokens")

    assert "budget" == check(unpaid)[0].refused
    assert "unsupported_draft" == check(Answer(failed="error"), false, 2)[0].refused
    assert "" == check(Answer(failed="error"), poor, 2)[0].refused


def test_model_that_failed_before_a_draft_is_told() -> None:
    """Without any draft the model is why nothing was answered."""
    assert "model_failed" == check(Answer(), probe_failed=True)[0].refused
    assert "model_failed" == check(Answer(failed="error"))[0].refused


def test_the_draft_with_more_supported_sentences_wins() -> None:
    """Of as many the one with fewer others; what is written again says so."""
    _, first = check(written(f"{GOOD} {POOR} {FALSE}"))
    better = replace(written(f"{GOOD} {POOR}"), rewritten=("Bread weighs  700 grams.",))
    found, kept = check(better, first, 2)

    assert (2, "again") == (kept.round, found.decision)
    assert [False, True] == [claim.rewritten for claim in kept.claims]
    assert ("Bread weighs 700 grams.",) == found.faulty == found.doubts


def test_refusal_after_a_good_draft_keeps_the_draft() -> None:
    """The first answer stays."""
    _, best = check(written(NEAR, sure=False))
    found, kept = check(Answer("No.", refused="insufficient_evidence"), best, 2)

    assert ("worse_than_before", best) == (found.reason, kept)


def test_answer_after_a_refusal_wins() -> None:
    """And a refusal at the end keeps its own reason, and what it names as missing."""
    refusal = Answer("x", refused="insufficient_evidence", missing=("the price",))
    _, refused = check(refusal)
    _, answered = check(written(POOR), refused, 2)
    again, last = check(refusal, refused, 3)
    repeated, _ = check(replace(refusal, repeated=True), refused, 2)
    failed, _ = check(Answer(failed="error"), refused, 2)

    assert (2, "") == (answered.round, answered.refused)
    assert ("stop", "refused", ("the price",)) == (again.decision, again.reason, last.missing)
    assert ("stop", "no_new_evidence") == (repeated.decision, repeated.reason)
    assert {"insufficient_evidence"} == {one.refused for one in (again, repeated, failed)}


def test_draft_that_lacks_fewer_parts_wins() -> None:
    """Before its sentences are counted; but not where none of them is supported."""
    _, two = check(replace(written(f"{GOOD} {NEAR}"), missing=("the time", "the oven")))
    _, one = check(replace(written(f"{GOOD} {POOR}"), missing=("the time",)))

    assert one.is_better_than(two)
    assert not two.is_better_than(one)
    assert not check(written(POOR))[1].is_better_than(two)


def test_planner_that_has_nothing_to_search_for_ends_the_loop() -> None:
    """With the best answer so far, or the refusal that was there."""
    _, best = check(written(f"{GOOD} {POOR}"))
    refused = Draft(1, refused="insufficient_evidence")

    assert (Check("stop", "nothing_to_search"), best) == check(
        written(POOR), best, 2, exhausted=True
    )
    assert "insufficient_evidence" == check(Answer("x"), refused, 2, exhausted=True)[0].refused


def test_markers_and_punctuation_are_not_scored() -> None:
    """Six words are: the marker and the full stop inside it are not."""
    said = by_logprobs(says(GOOD).tokens)

    assert ("logprobs", 6) == (said.source, said.tokens)
    assert said.normalized is not None
    assert said.normalized < 0.05


def test_routing_follows_the_stored_decision() -> None:
    """Nothing is decided on an edge."""
    one = CallPlan(calls=(ToolCall(0, "search_chunks_tool", {"query": "x"}),))

    assert ("collect", "run_call") == (routing.after_plan(CallPlan()), routing.after_plan(one))
    assert ("plan_calls", "end") == (
        routing.after_collect(Found(decision="again")),
        routing.after_collect(Found()),
    )
    assert ("assess", "verify") == (
        routing.after_retrieve(Probe()),
        routing.after_retrieve(Probe(failed=True)),
    )
    assert ("search", "verify") == (
        routing.after_refine(Refinement()),
        routing.after_refine(Refinement(exhausted=True)),
    )
    assert ("retrieve", "report") == (
        routing.after_verify(Check("again")),
        routing.after_verify(Check()),
    )
