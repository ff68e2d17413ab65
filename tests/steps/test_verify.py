"""Similarity of sentences and quotes, and a model asked about sentences in their own words."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import pytest

from research_agent.core.claims import Claim
from research_agent.core.evidence import Evidence
from research_agent.core.support import Support
from research_agent.core.types import Alternative, Completion, Hit, ModelCall, Outcome, Token
from research_agent.core.verification import Answer, Check, Draft
from research_agent.errors import ModelBusyError
from research_agent.metering import Meter, whole
from research_agent.settings import BudgetSettings, Settings, VerifySettings
from research_agent.steps.verify import verify_answer
from research_agent.steps.verify.judging import ClaimJudge
from research_agent.steps.verify.verifying import Verified
from tests.fakes import (
    NO,
    PROMPTS,
    YES,
    CountingClock,
    ScriptedChat,
    WordCount,
    WordEmbedder,
    chunk,
    ports,
)

BREAD = "Bread is baked daily in the old stone oven at 230 degrees."
EVIDENCE = [Evidence("c1", Hit(chunk(BREAD)))]
COPIED = "Bread is baked daily in the old stone oven at 230 degrees [c1]."
LOOSE = "Bread is baked daily with local flour and salt at 230 degrees [c1]."
FEW = "The old stone oven warms visiting children and neighbours [c1]."


class AlikeEmbedder:
    """Finds every two texts alike, or fails."""

    name = "alike"

    def __init__(self, error: Exception | None = None, value: float = 1.0) -> None:
        self.error, self.value = error, value

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.error:
            raise self.error
        half = len(texts) // 2
        other = (1 - self.value**2) ** 0.5
        return [[1.0, 0.0]] * half + [[self.value, other]] * (len(texts) - half)


def verified(  # noqa: PLR0913 (keyword-only settings)
    text: str,
    verify: VerifySettings,
    *,
    verifier: ScriptedChat | None = None,
    embedder: WordEmbedder | AlikeEmbedder | None = None,
    budget: BudgetSettings | None = None,
    evidence: Sequence[Evidence] = EVIDENCE,
    form: Literal["written", "passages"] = "written",
) -> Outcome[Verified]:
    given = ports(ScriptedChat(YES), verifier=verifier, texts=(BREAD,))
    settings = Settings(verify=verify, budget=budget or BudgetSettings())
    return verify_answer(
        "How is bread baked?",
        Answer(text, form=form, keys=("c1",)),
        evidence,
        Draft(),
        Check(),
        allowance=whole(settings.budget),
        ports=replace(given, embedder=embedder or given.embedder),
        prompts=PROMPTS,
        settings=settings,
        probe_failed=False,
        round_=1,
    )


def only(outcome: Outcome[Verified]) -> Claim:
    (claim,) = outcome.value.best.claims
    return claim


def test_similarity_is_told_beside_the_support() -> None:
    """A copied sentence and its quote have the same vector; the verdict is not touched."""
    told, silent = (
        verified(COPIED, VerifySettings(similarity="told")),
        verified(COPIED, VerifySettings(similarity="off")),
    )

    assert 1.0 == only(told).support
    assert pytest.approx(1.0) == only(told).similarity
    assert replace(only(told), similarity=None) == only(silent)


def test_embedder_that_fails_leaves_the_lexical_score() -> None:
    """The claims are those without similarity, and a note says why."""
    told = VerifySettings(similarity="told")
    failed = verified(COPIED, told, embedder=AlikeEmbedder(ModelBusyError("busy")))

    assert ("supported", None) == (only(failed).verdict, only(failed).similarity)
    assert ("verify: similarities were not measured: busy",) == failed.event.notes


@pytest.mark.parametrize(
    ("mode", "value", "verdict"),
    [
        ("told", 1.0, "unsupported"),
        ("counted", 1.0, "supported"),
        ("counted", 0.6, "unsupported"),
    ],
)
def test_alike_quote_counts_only_where_it_is_asked_for(
    mode: str, value: float, verdict: str
) -> None:
    """With few of its words in the quote, nothing wrong found, and a similarity above the limit."""
    settings = VerifySettings(similarity="counted" if mode == "counted" else "told")
    claim = only(verified(FEW, settings, embedder=AlikeEmbedder(value=value)))

    assert verdict == claim.verdict
    assert claim.support < 0.5


def test_a_wrong_value_is_not_saved_by_a_quote_that_is_alike() -> None:
    """Numbers have to agree, however alike the texts are."""
    wrong = "Bread gets hot, brown, fresh and tasty in an oven of 250 degrees [c1]."
    claim = only(verified(wrong, VerifySettings(similarity="counted"), embedder=AlikeEmbedder()))

    assert "unsupported" == claim.verdict


def test_model_that_denies_makes_a_sentence_unsupported() -> None:
    """It reads the cited source and the sentence; the problem says who denied it."""
    verifier = ScriptedChat(NO)
    outcome = verified(LOOSE, VerifySettings(judge="model"), verifier=verifier)
    claim = only(outcome)

    assert ("unsupported", (), ()) == (claim.verdict, claim.keys, claim.quotes)
    assert claim.problem.startswith("the model that checks says no")
    ((role, prompt, _),) = verifier.asked
    assert "verifier" == role
    assert BREAD in prompt
    assert claim.text in prompt
    assert 1 == len(outcome.event.calls)


def test_model_that_agrees_changes_nothing_and_is_not_asked_about_copies() -> None:
    """A sentence that stands in its quote word for word is true; without judge none is asked."""
    verifier = ScriptedChat(YES)
    settings = VerifySettings(judge="model")

    assert "supported" == only(verified(LOOSE, settings, verifier=verifier)).verdict
    assert "supported" == only(verified(COPIED, settings, verifier=verifier)).verdict
    assert "supported" == only(verified(LOOSE, VerifySettings(), verifier=verifier)).verdict
    assert 1 == len(verifier.asked)


def test_limit_of_a_yes_is_a_setting() -> None:
    """What the model holds for even is denied above one half only."""
    shown = (Alternative("yes", -0.69), Alternative("no", -0.7))
    even = Completion("yes", ModelCall("verifier"), tokens=(Token("yes", -0.69, shown),))
    limits = [VerifySettings(judge="model", min_yes=least) for least in (0.3, 0.6)]
    verdicts = [only(verified(LOOSE, one, verifier=ScriptedChat(even))).verdict for one in limits]

    assert ["supported", "unsupported"] == verdicts


def test_least_supported_sentences_are_asked_about() -> None:
    """Of more than eight those whose quotes hold the least of their words, in their order."""
    said = [f"Bread number {n} is baked daily in an old oven at 230 degrees." for n in range(9)]
    claims = tuple(
        Claim(text, ("c1",), (Support(quote=BREAD),), "supported", support=0.9 - n / 100)
        for n, text in enumerate(said)
    )
    model = ScriptedChat(YES)
    meter = Meter(whole(BudgetSettings()), tokenizer=WordCount(), clock=CountingClock())
    judge = ClaimJudge(model=model, prompt=PROMPTS.supported, meter=meter, min_yes=0.3)
    judge.judged(claims, {"c1": chunk(BREAD)})
    numbers = [prompt.partition("Bread number ")[2][:1] for _, prompt, _ in model.asked]

    assert list("12345678") == numbers


def test_the_documents_own_words_are_not_asked_about() -> None:
    """A step of a list that was copied without its number, and an answer of passages."""
    steps = "Bake it so:\n1. Heat the oven to 230 degrees.\n2. Bake for an hour."
    listed = [Evidence("c1", Hit(chunk(steps)))]
    model, settings = ScriptedChat(NO), VerifySettings(judge="model")
    step = "Heat the oven to 230 degrees [c1]."
    copied = verified(step, settings, verifier=model, evidence=listed)
    passages = verified(LOOSE, settings, verifier=model, form="passages")

    assert ("supported", "supported") == (only(copied).verdict, only(passages).verdict)
    assert [] == model.asked


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (ModelBusyError("busy"), "busy"),
        (Completion("no", ModelCall("verifier")), "no probability of a yes"),
    ],
)
def test_failure_leaves_the_verdict(reply: Completion | ModelBusyError, why: str) -> None:
    """A busy server, or one without log-probabilities, decides nothing; a note tells."""
    outcome = verified(LOOSE, VerifySettings(judge="model"), verifier=ScriptedChat(reply))

    assert "supported" == only(outcome).verdict
    (note,) = outcome.event.notes
    assert why in note


def test_unpaid_call_leaves_the_verdict() -> None:
    """The budget holds for the judge as for every other call."""
    verifier = ScriptedChat(NO)
    few = BudgetSettings(tokens=100)
    long = Evidence("c1", Hit(chunk(f"{BREAD} {'Rain falls on Monday. ' * 40}")))
    given = verified(
        LOOSE, VerifySettings(judge="model"), verifier=verifier, budget=few, evidence=[long]
    )

    assert "supported" == only(given).verdict
    assert [] == verifier.asked
    (note,) = given.event.notes
    assert "were not judged" in note
