"""Whether to stop, and with which draft."""

from dataclasses import replace

import pytest

from research_agent.core import routing
from research_agent.core.budget import Allowance
from research_agent.core.calls import CallPlan, Found, ToolCall
from research_agent.core.claims import Claim, Verdict, read_claims
from research_agent.core.doubting import DoubtRule
from research_agent.core.evidence import Evidence
from research_agent.core.ladder import by_logprobs
from research_agent.core.types import Hit, Probe
from research_agent.core.verification import Answer, Check, Draft, verify
from tests.fakes import chunk, says

EVIDENCE = [Evidence("c1", Hit(chunk("Bread is baked at 230 degrees. It takes an hour.")))]
NOTHING = Draft()
PLENTY = Allowance(10, 10, 10_000, 60.0)
GOOD = "Bread is baked at 230 degrees [c1]."
POOR = "Bread weighs 700 grams [c1]."
FALSE = "Bread is baked at 999 degrees [c1]."
VERDICTS: dict[str, Verdict] = {
    "Bread is baked at 230 degrees.": "supported",
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
) -> tuple[Check, Draft]:
    return verify(
        "How is bread baked?",
        answer,
        claims_of(answer),
        EVIDENCE,
        best,
        allowance=allowance,
        probe_failed=probe_failed,
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
        (written(GOOD, sure=False), "again", "uncertain"),
        (written(FALSE), "again", "unconfirmed"),
        (Answer(POOR), "again", "unconfirmed"),
        (written("[4]"), "again", "unconfirmed"),
        (Answer("x", refused="insufficient_evidence"), "stop", "refused"),
        (replace(written(GOOD), unchecked=True), "stop", "unchecked"),
    ],
)
def test_first_round(answer: Answer, decision: str, reason: str) -> None:
    """Doubt leads back; a lack of log-probabilities alone does not."""
    found, _ = check(answer)

    assert (decision, reason) == (found.decision, found.reason)


def test_next_query_holds_the_question_and_the_doubtful_words() -> None:
    """Only the sentence in doubt is searched for."""
    found, _ = check(written(f"{GOOD} Bread weighs 700 grams [c1]."))

    assert "How is bread baked? Bread weighs 700 grams." == found.next_query


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
    found, best = check(written(GOOD, sure=False), allowance=allowance)

    assert ("stop", reason, "") == (found.decision, found.reason, found.refused)
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
    _, best = check(written(GOOD, sure=False))
    found, kept = check(Answer("No.", refused="insufficient_evidence"), best, 2)

    assert ("worse_than_before", best) == (found.reason, kept)


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
    assert ("retrieve", "report") == (
        routing.after_verify(Check("again")),
        routing.after_verify(Check()),
    )
