"""An answer is grounded, judged by a model in one call, and weighed."""

import json
from typing import Literal

import pytest

from research_agent.context import RunContext
from research_agent.errors import ModelBusyError
from research_agent.settings import BudgetSettings, Settings, VerifySettings
from research_agent.types import Completion, Hit, ModelCall, Outcome
from research_agent.types.evidence import Evidence
from research_agent.types.verification import Answer
from research_agent.verification.judge import MOST
from research_agent.verification.next_round import WrittenRound
from research_agent.verification.step import Verified, verify_answer
from tests.fakes import PROMPTS, ScriptedChat, chunk, ports

BREAD = "Bread is baked daily in the old stone oven at 230 degrees."
TRAIN = "The night train leaves Basel at noon."
SURE = "Daily bread is baked at 230 degrees [c1]."
UNSURE = "Bread is baked daily with local flour and salt at 230 degrees [c1]."
FALSE = "Bread is baked daily in the old stone oven at 250 degrees [c1]."
INVENTED = "The moon is made of green cheese [c1]."
MISSING = "Daily the oven bakes bread of 17 kinds and salt [c1]."
Judge = Literal["auto", "off", "unsure", "all"]


def verified(
    text: str | Answer,
    *,
    judge: Judge = "off",
    verifier: ScriptedChat | None = None,
    min_support: float = 0.0,
    budget: BudgetSettings | None = None,
) -> Outcome[Verified]:
    verify = VerifySettings(judge=judge, min_support=min_support)
    settings = Settings(verify=verify, budget=budget or BudgetSettings())
    answer = Answer(text, keys=("c1",)) if isinstance(text, str) else text
    evidence = [Evidence(f"c{n}", Hit(chunk(text, n))) for n, text in enumerate((BREAD, TRAIN), 1)]
    given = ports(ScriptedChat(), verifier=verifier or ScriptedChat(ModelBusyError("asked")))
    written = WrittenRound(
        question="How is bread baked?", number=1, answer=answer, evidence=evidence
    )
    return verify_answer(written, RunContext(given, settings, PROMPTS).with_all_left(()))


def verdicts(outcome: Outcome[Verified]) -> list[str]:
    return [claim.verdict for claim in outcome.value.best.claims]


def votes(*given: tuple[str, str, str]) -> ScriptedChat:
    said = [
        {"sentence": n, "verdict": verdict, "key": key, "quote": quote}
        for n, (verdict, key, quote) in enumerate(given, 1)
    ]
    reply = json.dumps({"verdicts": said})
    return ScriptedChat(Completion(reply, ModelCall("verifier", 50, 20, model="fake")))


def test_verdicts_of_the_score() -> None:
    """Supported, below the limit, another number in the same place, and a number from nowhere."""
    outcome = verified(f"{SURE} {INVENTED} {FALSE} {MISSING}")
    sure, invented, false, missing = outcome.value.best.claims

    assert ["supported", "unconfirmed", "contradicted", "unconfirmed"] == verdicts(outcome)
    assert ((BREAD,), ()) == (tuple(quote.quote for quote in sure.quotes), invented.keys)
    assert (True, True) == (sure.support > 0.8, invented.support < 0.1)
    assert ("", True) == (sure.problem, BREAD in false.problem)
    assert "the evidence has no 17" in missing.problem
    assert ("max_rounds", 1) == (outcome.value.check.reason, outcome.value.best.supported)


def test_a_number_is_computed_of_those_in_earlier_sentences() -> None:
    """Of a sentence that misses none of its own."""
    for start, status in ((SURE, "computed"), (SURE.replace("230", "999"), "missing")):
        last = verified(f"{start} It changed by 0.5 % and is 231.15 [c1].").value.best.claims[-1]
        assert [status] == [fact.status for fact in last.facts if fact.text == "231.15"]


def test_headings_are_shown_that_the_question_or_the_evidence_names() -> None:
    text = f"Baking of bread:\n- {SURE}\n\nColours of Mars:\n- {INVENTED}\n- {FALSE}"

    claims = verified(text).value.best.claims
    assert ["Baking of bread:", "", ""] == [claim.heading for claim in claims]


def test_limit_is_a_setting_and_copied_words_need_none() -> None:
    both = f"{SURE} {BREAD}"

    assert ["supported", "supported"] == verdicts(verified(both))
    assert ["unconfirmed", "supported"] == verdicts(verified(both, min_support=1.0))


@pytest.mark.parametrize(
    ("judge", "asked"),
    [
        ("off", []),
        ("auto", ["1. Bread is baked daily with local flour"]),  # (the embedded model: unsure)
        ("unsure", ["1. Bread is baked daily with local flour"]),
        ("all", ["1. Daily bread", "2. Bread is baked daily with local flour", "3. The moon"]),
    ],
)
def test_which_sentences_are_asked_about(judge: Judge, asked: list[str]) -> None:
    verifier = votes()
    verified(f"{BREAD} {SURE} {UNSURE} {INVENTED}", judge=judge, verifier=verifier)

    assert bool(asked) == len(verifier.asked)
    for _, prompt, _ in verifier.asked:
        assert BREAD in prompt
        told = prompt.partition("<sentences>\n")[2].partition("\n</sentences>")[0].split("\n")
        assert all(line.startswith(start) for line, start in zip(told, asked, strict=True))


@pytest.mark.parametrize(
    "answer", [Answer(BREAD), Answer(UNSURE, form="passages"), Answer("x", refused="budget")]
)
def test_no_call_where_there_is_nothing_to_ask(answer: Answer) -> None:
    outcome = verified(answer, judge="all")

    assert ((), ()) == (outcome.event.calls, outcome.event.notes)
    assert bool(answer.refused) == (outcome.value.best.claims == ())


def test_most_sentences_of_a_long_answer() -> None:
    said = " ".join(f"Number {n} is a word of {'x' * n}." for n in range(MOST))
    verifier = votes()
    verified(f"{SURE} {said}", judge="all", verifier=verifier)
    ((_, prompt, _),) = verifier.asked

    assert "Daily bread is baked at 230 degrees.\n" not in prompt
    assert "1. Number 0" in prompt
    assert f"{MOST}. Number {MOST - 1}" in prompt


def test_votes_are_counted() -> None:
    """A vote whose quote can be looked up decides; of a sentence without one a note is left."""
    yes = ("supported", "c1", "baked daily in the old stone oven")
    outcome = verified(
        f"{INVENTED.replace('moon', 'oven')} {UNSURE} {MISSING} {TRAIN[:-1]} today.",
        judge="all",
        verifier=votes(yes, ("unsupported", "", ""), yes, ("supported", "c9", "noon")),
    )

    assert ["supported", "unconfirmed", "unconfirmed"] == verdicts(outcome)[:3]
    assert ["yes", "no", "", ""] == [claim.judged for claim in outcome.value.best.claims]
    assert 1 == len(outcome.event.calls)
    assert (
        "verify: the judge's reply says nothing that counts of 1 of 4 sentences",
    ) == outcome.event.notes


@pytest.mark.parametrize(
    ("verifier", "budget", "why"),
    [
        (ScriptedChat(ModelBusyError("busy")), BudgetSettings(), "busy"),
        (votes(("unsupported", "", "")), BudgetSettings(tokens=100), "budget.tokens"),
    ],
)
def test_judge_that_fails_or_is_not_paid_leaves_the_score(
    verifier: ScriptedChat, budget: BudgetSettings, why: str
) -> None:
    outcome = verified(INVENTED, judge="all", verifier=verifier, budget=budget)
    (claim,), (note,) = outcome.value.best.claims, outcome.event.notes

    assert ("unconfirmed", "") == (claim.verdict, claim.judged)
    assert note.startswith("verify: sentences were not judged")
    assert why in note
