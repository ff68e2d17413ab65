"""How unsure an answer is by the best that is known of it, and why by nothing better."""

import math
from dataclasses import replace

import pytest

from research_agent.types import Alternative, Hit, Token
from research_agent.types.budget import Allowance
from research_agent.types.claims import Claim, is_verbatim, read_claims
from research_agent.types.evidence import Evidence
from research_agent.types.uncertain_spans import placed
from research_agent.types.uncertainty import Passed, Uncertainty, in_words
from research_agent.types.verification import Answer, Check, Draft
from research_agent.verification.next_round import verify
from research_agent.verification.uncertainty_rule import DoubtRule
from research_agent.verification.uncertainty_sources import climbed, unusable_tokens
from tests.fakes import chunk, says, token

EVIDENCE = [Evidence("c1", Hit(chunk("Bread is baked at 230 degrees. It takes an hour.")))]
GOOD = "Bread is baked at 230 degrees [c1]."
NEAR = "At 230 degrees bread is baked."
TOKENS = says(GOOD).tokens


def claims_of(text: str, tokens: tuple[Token, ...] = ()) -> tuple[Claim, ...]:
    """Return the sentences; those that stand in the evidence are supported, and NEAR."""
    known = {item.key: item.hit.chunk for item in EVIDENCE}
    claims = read_claims(text, tokens)
    return tuple(
        replace(claim, verdict="supported", support=1.0)
        if is_verbatim(claim, known) or claim.text == NEAR
        else claim
        for claim in claims
    )


def climb(text: str, tokens: tuple[Token, ...] = (), *, second: str | None = None) -> Uncertainty:
    return climbed(text, tokens, claims_of(text, tokens), is_written=True, second=second)[0]


def check(
    answer: Answer, *, max_disagreement: float = 0.5, rule: DoubtRule | None = None
) -> tuple[Check, Draft]:
    return verify(
        "How is bread baked?",
        answer,
        () if answer.refused else claims_of(answer.text, answer.tokens),
        EVIDENCE,
        Draft(),
        allowance=Allowance(10, 10, 10_000, 60.0),
        probe_failed=False,
        round_=1,
        max_rounds=3,
        rule=rule or DoubtRule(max_disagreement=max_disagreement),
    )


def valued(*logprobs: float) -> tuple[Token, ...]:
    """Return the tokens of GOOD, each with alternatives of these values."""
    return tuple(
        Token(
            one.text,
            -0.1,
            tuple(Alternative(f"{one.text}{i or ''}", v) for i, v in enumerate(logprobs)),
        )
        for one in TOKENS
    )


def test_log_probabilities_are_the_first_rung() -> None:
    """A second answer is not looked at where there are any."""
    found = climb(GOOD, TOKENS, second="Bread is boiled.")

    assert ("logprobs", ()) == (found.source, found.passed)
    assert found.value == found.normalized


@pytest.mark.parametrize(
    ("text", "tokens", "why"),
    [
        (GOOD, (), "absent"),
        ("Something else.", TOKENS, "misaligned"),
        (GOOD, TOKENS[:-1], "misaligned"),
        (GOOD, tuple(Token(one.text, -0.1) for one in TOKENS), "partial"),
        (GOOD, (*TOKENS[:2], *(Token(one.text, -0.1) for one in TOKENS[2:])), "partial"),
        (GOOD, valued(math.nan), "partial"),
        (GOOD, valued(0.7, 5.0), "partial"),
        (GOOD, valued(-math.inf), "partial"),
        (GOOD, tuple(Token(t.text, -9.0, (Alternative("{", -0.1),)) for t in TOKENS), "forced"),
        (" ...", (token(" ...", -0.1, -2.5),), "silent"),
    ],
)
def test_what_cannot_be_used_is_passed_with_its_reason(
    text: str, tokens: tuple[Token, ...], why: str
) -> None:
    """Absent, of another text, of a part, not numbers, positive, infinite, chosen by a grammar."""
    assert why == unusable_tokens(text, tokens)
    assert why == climb(text, tokens).passed[0].why


@pytest.mark.parametrize(
    "tokens", [valued(-0.1), valued(-0.2, -3.0), valued(math.log2(0.9), math.log2(0.1)), TOKENS * 1]
)
def test_fewer_alternatives_and_bits_are_used(tokens: tuple[Token, ...]) -> None:
    """They cannot be told from what a surer or less sure model gives, and stay within 0 to 1."""
    found = climb(GOOD, tokens)

    assert "logprobs" == found.source
    assert 0.0 <= (found.value or 0.0) <= 1.0


@pytest.mark.parametrize("count", [1, 2000])
def test_length_does_not_matter(count: int) -> None:
    """One token and two thousand have a mean."""
    found = climb(" so" * count, (token(" so", -0.1, -2.5),) * count)

    assert ("logprobs", count) == (found.source, found.tokens)


def test_second_rung_is_another_answer() -> None:
    """Where there are no log-probabilities and a second answer is there."""
    same, other = climb(GOOD, second=GOOD), climb(GOOD, second="Bread is baked at 180 degrees.")

    assert ("disagreement", 0.0) == (same.source, same.value)
    assert ("disagreement", 1.0) == (other.source, other.value)
    assert (Passed("logprobs", "absent"),) == same.passed
    assert same.mean_entropy is None


@pytest.mark.parametrize(
    ("second", "why"), [(None, "not_asked"), ("", "failed"), ("...", "failed")]
)
def test_third_rung_is_the_evidence(second: str | None, why: str) -> None:
    """Where no second answer is there either."""
    found = climb(GOOD, second=second)

    assert ("overlap", 0.0) == (found.source, found.value)
    assert ["absent", why] == [passed.why for passed in found.passed]


def test_nothing_is_known_of_nothing() -> None:
    """An answer without a sentence, and the documents' own words."""
    shown = climbed("Bread.", (), (), is_written=False, second=None)[0]

    assert ("none", None, "silent") == (climb("").source, climb("").value, climb("").passed[2].why)
    assert ("none", {"passages"}) == (shown.source, {passed.why for passed in shown.passed})
    assert in_words(shown).startswith("not known (no log-probabilities: the documents' own words")


@pytest.mark.parametrize(
    "answer",
    [
        Answer(GOOD),
        Answer(GOOD, form="passages"),
        Answer(GOOD, second=""),
        Answer(GOOD, tuple(Token(one.text, -0.1) for one in TOKENS)),
        Answer(GOOD, says("Something else.", sure=False).tokens),
    ],
)
def test_what_is_not_known_forces_no_round_and_is_not_confident(answer: Answer) -> None:
    """A supported answer ends the work, and counts as unchecked."""
    found, draft = check(answer)

    assert ("stop", "unchecked") == (found.decision, found.reason)
    assert draft.uncertainty.source in {"overlap", "none"}
    assert () == draft.spots


def test_two_answers_that_agree_are_confident() -> None:
    """As sure as a model without log-probabilities can be known to be."""
    assert (
        "confident"
        == check(Answer(GOOD, second="It is 230 degrees that bread is baked at."))[0].reason
    )


def test_two_answers_that_differ_are_searched_for_again() -> None:
    """Where they differ more than the rung's own limit allows."""
    answer = Answer(NEAR, second="Bread is baked at 180 degrees.")

    assert "confident" == check(replace(answer, text=GOOD))[0].reason  # (the evidence has it so)
    assert ("again", "uncertain") == (check(answer)[0].decision, check(answer)[0].reason)
    assert "confident" == check(answer, max_disagreement=1.0)[0].reason
    assert ["a second answer does not say 230"] == [one.text for one in check(answer)[1].spots]


def test_refused_answer_tells_nothing_of_its_draft() -> None:
    """A draft that nothing supports has spots, and its result no words about them."""
    answer = Answer("Bread is baked at 999 degrees.", second="Bread is baked at 180 degrees.")
    found, draft = check(answer)

    assert ["a second answer does not say 999"] == [spot.text for spot in draft.spots]
    assert "unconfirmed" == found.reason
    assert () == placed(draft.spots, {})


def test_refusal_of_the_second_answer_is_full_disagreement() -> None:
    """It found in the same evidence that there is no answer."""
    found, draft = check(Answer(GOOD, second="not found in provided docs"))

    assert ("uncertain", 1.0) == (found.reason, draft.uncertainty.value)
    assert "a second answer found nothing in the documents" == draft.spots[0].text


def test_a_token_that_has_lost_its_space_is_no_strange_one() -> None:
    """The first token of a sentence that was written again has none, its alternatives have one."""
    shown = (Alternative(" Bread", -0.1), Alternative(" Rye", -3.0))
    tokens = (Token("Bread", -0.1, shown), Token(" rises", -0.1, (Alternative(" rises", -0.1),)))

    assert unusable_tokens("Bread rises", tokens) is None


def test_a_refused_draft_is_not_measured_by_tokens_of_another_text() -> None:
    """As with any answer: tokens that do not spell it tell nothing of it."""
    tokens = says("Something else.").tokens
    answer = Answer("It is so [c1].", tokens, keys=("c1",), refused="insufficient_evidence")
    _, draft = check(answer)

    assert "none" == draft.uncertainty.source


@pytest.mark.parametrize(("limit", "told"), [(0.2, True), (2.0, False)])
def test_whole_sentences_are_told_by_their_own_limit(limit: float, *, told: bool) -> None:
    """With every profile `verify.max_entropy` says from where on a sentence is unsure."""
    said = says("Bread is baked at 230 degrees [c1].", sure=False)
    answer = Answer(said.text, said.tokens, keys=("c1",))
    _, draft = check(answer, rule=DoubtRule("dragin", 9.0, max_entropy=limit))

    assert told == any(spot.kind == "sentence" for spot in draft.spots)
