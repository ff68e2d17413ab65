"""The form of an answer, and what is read as a refusal: by the prompt's words, or by a check."""

from collections.abc import Sequence
from dataclasses import replace
from math import log

import pytest

from research_agent.answering.write.answerability import answerability
from research_agent.answering.write.answering import answer_question
from research_agent.errors import ModelBusyError
from research_agent.metering import whole
from research_agent.model_settings import ModelSettings, RoleSettings
from research_agent.settings import AnswerSettings, Settings
from research_agent.types import Alternative, Completion, Hit, ModelCall, Outcome, Token
from research_agent.types.evidence import Evidence
from research_agent.types.verification import Answer
from tests.fakes import NO, PROMPTS, ScriptedChat, WordEmbedder, WordPairs, chunk, ports, says

QUESTION = "At how many degrees is bread baked?"
COMPARING = "How do AES and RSA differ?"
TEXTS = ("Bread is baked at 230 degrees.", "It takes an hour.")
CIPHERS = ("AES is a block cipher of 1998.", "RSA is a signature scheme of 1977.")
GOOD = "Bread is baked at 230 degrees [c1]."
BY_PROMPT = Settings(answer=AnswerSettings(refusal="prompt"))
BY_CHECK = Settings(answer=AnswerSettings(refusal="check"))
SERVED = Settings(models=ModelSettings(chat=RoleSettings(provider="openai", model="m")))


class Broken(WordEmbedder):
    """Fails whenever it is asked."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:  # noqa: ARG002 (the port's)
        raise ModelBusyError("the embedding server is busy")


def answered(  # noqa: PLR0913 (keyword-only settings)
    model: ScriptedChat,
    settings: Settings,
    *,
    verifier: ScriptedChat | None = None,
    question: str = QUESTION,
    texts: Sequence[str] = TEXTS,
    embedder: WordEmbedder | None = None,
    kind: str = "text",
) -> Outcome[Answer]:
    chunks = [replace(chunk(text, n), kind=kind) for n, text in enumerate(texts)]  # type: ignore[arg-type]  # (one of its words)
    given = ports(model, verifier=verifier, texts=texts)
    return answer_question(
        question,
        [Evidence(f"c{n}", Hit(one)) for n, one in enumerate(chunks, 1)],
        Answer(),
        allowance=whole(settings.budget),
        ports=replace(given, embedder=embedder or given.embedder),
        prompts=PROMPTS,
        settings=settings,
    )


def leaning(probability: float) -> Completion:
    """Return a yes of this probability."""
    shown = (Alternative("yes", log(probability)), Alternative("no", log(1 - probability)))
    return Completion("yes", ModelCall("verifier"), tokens=(Token("yes", shown[0].logprob, shown),))


def probable(yes: float) -> float:
    """Return what a yes of this probability comes to with the evidence of the fakes."""
    return answerability(yes, max(WordPairs().relevance(QUESTION, TEXTS)))


def silent(text: str) -> Completion:
    """Return a reply without log-probabilities."""
    return Completion(text, ModelCall("any", 10, 2, model="fake"))


@pytest.mark.parametrize(
    ("settings", "refuses_by", "judges"),
    [
        (Settings(), "check", "unsure"),
        (SERVED, "prompt", "all"),
        (replace(SERVED, answer=AnswerSettings(refusal="check")), "check", "all"),
        (
            Settings(models=ModelSettings(verifier=RoleSettings(provider="openai", model="m"))),
            "check",
            "all",
        ),
        (
            Settings(models=ModelSettings(answer=RoleSettings(provider="bedrock", model="m"))),
            "prompt",
            "unsure",
        ),
    ],
    ids=["embedded", "server", "server, as set", "verifier elsewhere", "answer elsewhere"],
)
def test_the_provider_decides_what_is_not_set(
    settings: Settings, refuses_by: str, judges: str
) -> None:
    """The answer's about refusals, the verifier's about the judge."""
    assert (refuses_by, judges) == (settings.refuses_by, settings.judges)


@pytest.mark.parametrize(
    ("written", "refused", "text", "missing"),
    [
        (f"{GOOD}", "", GOOD, ()),
        ("NOT FOUND: the degrees", "insufficient_evidence", "", ("the degrees",)),
        ("**NOT FOUND:** the degrees [c1].", "insufficient_evidence", "", ("the degrees",)),
        ("Not found in provided docs.", "insufficient_evidence", "", ("",)),
        (f"{GOOD}\nNOT FOUND: the time", "", GOOD, ("the time",)),
        (f'{{"answer": "{GOOD}", "missing": "the time"}}', "", GOOD, ("the time",)),
        ("The documents do not say it [c1].", "", "The documents do not say it [c1].", ()),
    ],
)
def test_refusals_that_the_prompt_asks_for(
    written: str, refused: str, text: str, missing: tuple[str, ...]
) -> None:
    """One form is read, whole or for a part; any other wording is an answer. Nothing is checked."""
    model, verifier = ScriptedChat(says(written)), ScriptedChat(NO)
    answer = answered(model, BY_PROMPT, verifier=verifier).value

    assert (refused, missing) == (answer.refused, answer.missing)
    if not refused:
        assert text == answer.text
        assert text == "".join(token.text for token in answer.tokens)
    assert ([], None) == (verifier.asked, answer.answerable)
    assert "NOT FOUND:" in model.asked[0][1]


def test_a_prompt_that_is_checked_says_nothing_of_refusing() -> None:
    """A small model refuses too much where its prompt allows it."""
    model, verifier = ScriptedChat(says(GOOD)), ScriptedChat(leaning(0.9))
    answer = answered(model, BY_CHECK, verifier=verifier).value

    assert "" == answer.refused
    assert answer.answerable == pytest.approx(probable(0.9))
    assert "NOT FOUND" not in model.asked[0][1]
    assert GOOD in verifier.asked[0][1]


@pytest.mark.parametrize(
    ("verdict", "least", "refused", "answerable"),
    [
        (leaning(0.6), 0.5, "", probable(0.6)),
        (leaning(0.6), 0.7, "insufficient_evidence", probable(0.6)),
        (leaning(0.2), 0.5, "insufficient_evidence", probable(0.2)),
        (silent("Yes."), 0.7, "", 1.0),
        (silent("no"), 0.0, "insufficient_evidence", 0.0),
        (silent("maybe"), 0.5, "", None),
        (ModelBusyError("busy"), 0.5, "", None),
    ],
)
def test_check_decides_by_probability_or_by_the_bare_word(
    verdict: Completion | ModelBusyError, least: float, refused: str, answerable: float | None
) -> None:
    """The limit is one of probabilities; without a verdict nothing is refused, and that is told."""
    settings = Settings(answer=AnswerSettings(refusal="check", min_answerable=least))
    said = answered(ScriptedChat(says(GOOD)), settings, verifier=ScriptedChat(verdict))

    assert refused == said.value.refused
    assert said.value.answerable == (None if answerable is None else pytest.approx(answerable))
    assert (answerable is None) == said.value.unchecked == bool(said.event.notes)


@pytest.mark.parametrize("settings", [BY_PROMPT, BY_CHECK])
def test_passages_stand_for_a_refused_comparison(settings: Settings) -> None:
    """One on each thing, where the evidence has both; in mode "auto" alone."""
    model = ScriptedChat(says("Not found in provided docs."))
    settings = replace(settings, answer=replace(settings.answer, min_answerable=0.0))
    both = answered(model, settings, question=COMPARING, texts=CIPHERS)
    one = answered(model, settings, question=COMPARING, texts=CIPHERS[:1])
    written = replace(settings, answer=replace(settings.answer, mode="abstractive"))
    abstractive = answered(model, written, question=COMPARING, texts=CIPHERS)

    assert ("passages", "") == (both.value.form, both.value.refused)
    assert all(text[:-1] in both.value.text for text in CIPHERS)
    assert any("passages on what is compared" in note for note in both.event.notes)
    assert ["insufficient_evidence"] * 2 == [one.value.refused, abstractive.value.refused]


def test_an_embedder_that_fails_leaves_the_refusal() -> None:
    """The passages on what is compared are not worth an error."""
    model = ScriptedChat(says("NOT FOUND: all of it"))
    said = answered(model, BY_PROMPT, question=COMPARING, texts=CIPHERS, embedder=Broken())

    assert "insufficient_evidence" == said.value.refused
    assert any("the embedding server is busy" in note for note in said.event.notes)


@pytest.mark.parametrize("question", [COMPARING, "Give me Algorithm 2"])
def test_what_the_model_answers_is_not_replaced(question: str) -> None:
    """Neither in a comparison, nor where the evidence has no algorithm."""
    said = answered(ScriptedChat(says(GOOD)), BY_PROMPT, question=question)

    assert (GOOD, "written") == (said.value.text, said.value.form)


def test_an_algorithm_is_shown_as_it_stands() -> None:
    """No model writes it down anew; in mode "abstractive" it does."""
    text = "Algorithm 2 Sum(a, b)\nInput: two numbers.\n1: add a and b\n2: return the sum"
    model, question = ScriptedChat(says(GOOD)), "Give me Algorithm 2"
    said = answered(model, BY_PROMPT, question=question, texts=[text], kind="algorithm")
    abstractive = replace(BY_PROMPT, answer=AnswerSettings(refusal="prompt", mode="abstractive"))

    assert [] == model.asked
    assert "passages" == said.value.form
    assert all(f"{line} [c1]" in said.value.text for line in text.split("\n")[2:])
    answered(model, abstractive, question=question, texts=[text], kind="algorithm")
    assert 1 == len(model.asked)
