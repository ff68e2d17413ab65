"""Forms of an answer: written, the documents' own words, or written from those alone."""

from collections.abc import Sequence
from dataclasses import replace
from math import log

import pytest

from research_agent.core.types import Alternative, Completion, Message, ModelCall, Token
from research_agent.errors import ModelBusyError
from research_agent.settings import AnswerSettings, BudgetSettings, EvidenceSettings, VerifySettings
from tests.fakes import (
    BYPASSING,
    NO,
    TEXTS,
    YES,
    MemoryChunks,
    ScriptedChat,
    WordEmbedder,
    ports,
    says,
)
from tests.graphs.test_graph import run

ONE_ROUND = replace(BYPASSING, budget=BudgetSettings(rounds=1))
WHY = "Why is bread baked at 230 degrees?"
BREAD = (
    "Bread is baked at 230 degrees so that its crust seals quickly.",
    "A sealed crust keeps steam inside. ML-KEM-768 has an encapsulation key of 1184 bytes.",
)
CIRCULAR = "Bread is baked at 230 degrees because baking bread takes 230 degrees [c1]."


def extractive(**keys: object) -> AnswerSettings:
    """Return settings of the mode that writes nothing."""
    return AnswerSettings(mode="extractive", **keys)  # type: ignore[arg-type]  # (as the test says)


def test_passages_need_no_model_but_for_the_check() -> None:
    """The answer is the documents' own words, each with its key and quote."""
    model = ScriptedChat(says("never asked"))
    result = run(ports(model, texts=BREAD), replace(ONE_ROUND, answer=extractive()), WHY)

    assert [] == model.asked
    assert "answered" == result.status
    assert "Bread is baked at 230 degrees so that its crust seals quickly [c1]." in result.answer
    assert all(claim.text == claim.quotes[0].quote for claim in result.claims)
    assert "none" == result.uncertainty.source


def test_the_model_puts_passages_in_order() -> None:
    """By its probability of a yes, one call a passage; the unlikely ones behind the first go."""
    prompts = []

    class Judge:
        def complete(self, role: str, messages: Sequence[Message], **_: object) -> Completion:
            prompts.append(messages[-1].text)
            likely = 0.9 if "steam" in messages[-1].text.split("<chunk")[-1] else 0.1
            if "Proposed answer" in messages[-1].text:
                return YES
            shown = (Alternative("yes", log(likely)), Alternative("no", log(1 - likely)))
            return Completion("yes", ModelCall(role), tokens=(Token("yes", log(likely), shown),))

    given = replace(ports(ScriptedChat(), texts=BREAD), verifier=Judge())
    result = run(given, replace(ONE_ROUND, answer=extractive()), WHY)

    assert 4 == len(prompts)
    assert ["A sealed crust keeps steam inside."] == [claim.text for claim in result.claims]
    assert all(prompt.index(WHY) < prompt.index("<chunk") for prompt in prompts[:3])


def test_without_probabilities_the_ranking_decides() -> None:
    """A bare yes puts nothing in order: the model is not asked again, and that is told."""
    judge = ScriptedChat(Completion("yes", ModelCall("verifier")))
    given = replace(ports(ScriptedChat(), texts=BREAD), verifier=judge)
    by_ranking = extractive(passages_by="ranking")

    first = run(given, replace(ONE_ROUND, answer=extractive()), WHY)
    other = run(ports(ScriptedChat(), texts=BREAD), replace(ONE_ROUND, answer=by_ranking), WHY)

    assert other.answer == first.answer
    assert 2 == len(judge.asked)
    assert any("order of the ranking" in warning for warning in first.warnings)


def test_passages_are_as_many_as_are_set() -> None:
    """One passage of any length, where no more are allowed."""
    settings = replace(ONE_ROUND, answer=extractive(passages=1, passage_words=10))
    result = run(ports(ScriptedChat(), texts=BREAD), settings, WHY)

    assert 1 == len(result.claims)


def test_passages_may_be_refused() -> None:
    """The yes/no check judges them like a written answer."""
    result = run(
        ports(ScriptedChat(), verifier=ScriptedChat(NO), texts=BREAD),
        replace(ONE_ROUND, answer=extractive()),
        WHY,
    )

    assert ("refused", "insufficient_evidence") == (result.status, result.refusal_reason)


def test_the_model_writes_from_passages_alone() -> None:
    """It reads the chosen sentences, and neither the others nor the chunks that have none."""
    model = ScriptedChat(says("Its crust seals quickly [c1]."))
    settings = AnswerSettings(mode="select_then_write", passages=1)
    result = run(ports(model, texts=BREAD), replace(ONE_ROUND, answer=settings), WHY)

    prompt = model.asked[0][1]
    assert "crust seals quickly" in prompt
    assert "1184" not in prompt
    assert "answered" == result.status


def test_what_explains_nothing_gives_way_to_passages() -> None:
    """In mode "auto" the model's circle is dropped; in mode "abstractive" it stays."""
    answers = []
    for mode in ("auto", "abstractive"):
        settings = replace(ONE_ROUND, answer=AnswerSettings(mode=mode))
        answers.append(run(ports(ScriptedChat(says(CIRCULAR)), texts=BREAD), settings, WHY))

    assert "so that its crust seals quickly" in answers[0].answer
    assert any("explains nothing" in warning for warning in answers[0].warnings)
    assert "so that its crust seals quickly" not in answers[1].answer


def test_a_long_answer_ends_after_so_many_words() -> None:
    """With a whole sentence; a question for all of it gets all of it."""
    said = says("Its crust seals quickly [c1]. A sealed crust keeps steam inside [c1].")
    short = replace(ONE_ROUND, answer=AnswerSettings(max_words=5))
    cut, whole = (
        run(ports(ScriptedChat(said), texts=BREAD), short, question)
        for question in (WHY, f"{WHY} Explain in detail.")
    )

    assert ["Its crust seals quickly."] == [claim.text for claim in cut.claims]
    assert cut.claims[0].mean_entropy is not None
    assert 2 == len(whole.claims)
    told = "answer: shortened from 10 to 4 words (answer.max_words)"
    assert (True, False) == (told in cut.warnings, told in whole.warnings)


def test_an_algorithm_is_shown_as_it_stands() -> None:
    """No model writes it down anew."""
    text = "Algorithm 2 Sum(a, b)\nInput: two numbers.\n1: add a and b\n2: return the sum"
    model = ScriptedChat(says("never asked"))
    given = ports(model, texts=(text, *TEXTS))
    assert isinstance(given.chunks, MemoryChunks)
    for chunk in list(given.chunks.known.values()):
        if chunk.text == text:
            given.chunks.known[chunk.chunk_id] = replace(chunk, kind="algorithm")
    result = run(given, ONE_ROUND, "Give me Algorithm 2")

    assert [] == model.asked
    assert "1: add a and b [c1]" in result.answer
    assert "2: return the sum [c1]" in result.answer


def test_the_other_side_of_a_comparison_is_added() -> None:
    """What the model leaves out comes from the evidence, and sentences keep their entropies."""
    texts = ("AES is a block cipher of 1998.", "RSA is a signature scheme of 1977.")
    settings = replace(ONE_ROUND, evidence=EvidenceSettings(max_chunks=2))
    question = "How do AES and RSA differ?"
    result = run(
        ports(ScriptedChat(says("AES is a block cipher [c1].")), texts=texts), settings, question
    )

    assert "RSA is a signature scheme of 1977" in result.answer
    assert ("answered", ()) == (result.status, result.unanswered)
    assert [True, False] == [claim.mean_entropy is not None for claim in result.claims]


@pytest.mark.parametrize(
    "written",
    [
        "AES and RSA differ in the following ways:\n- AES is a block cipher [c1].",
        "RSA and AES are eleven block ciphers. AES is a block cipher [c1].",
    ],
)
def test_a_side_that_nothing_is_said_of_is_added(written: str) -> None:
    """To be named in a heading, or in a sentence that nothing supports, is not enough."""
    texts = ("AES is a block cipher of 1998.", "RSA is a signature scheme of 1977.")
    settings = replace(ONE_ROUND, evidence=EvidenceSettings(max_chunks=2))
    result = run(
        ports(ScriptedChat(says(written)), texts=texts), settings, "How do AES and RSA differ?"
    )

    assert "RSA is a signature scheme of 1977" in result.answer


def test_a_side_that_the_evidence_lacks_is_told() -> None:
    """The answer is partial, and says what it has nothing on."""
    settings = replace(ONE_ROUND, evidence=EvidenceSettings(max_chunks=1))
    question = "How do AES and RSA differ?"
    texts = ("AES is a block cipher of 1998.",)
    result = run(
        ports(ScriptedChat(says("AES is a block cipher [c1].")), texts=texts), settings, question
    )

    assert ("partial", ("nothing on RSA",)) == (result.status, result.unanswered)


def test_a_number_that_is_asked_for_and_not_given() -> None:
    """A supported sentence beside the point is refused, unless the check is off."""
    question = "How many seconds is bread baked?"
    said = says("Bread is baked [c1].")
    texts = ("Bread is baked in an oven.",)
    strict = run(ports(ScriptedChat(said), texts=texts), ONE_ROUND, question)
    loose = run(
        ports(ScriptedChat(said), texts=texts),
        replace(ONE_ROUND, verify=VerifySettings(asked_value="off")),
        question,
    )

    assert ("refused", "insufficient_evidence") == (strict.status, strict.refusal_reason)
    assert "answered" == loose.status


def test_another_round_may_find_the_number() -> None:
    """What lacks the value sends the search back once, and the better draft wins."""
    question = "How many degrees has the oven?"
    model = ScriptedChat(says("Bread is baked in an oven [c1]."), says("It has 230 degrees [c2]."))
    settings = replace(BYPASSING, budget=BudgetSettings(rounds=2))
    settings = replace(settings, evidence=EvidenceSettings(max_chunks=1))
    texts = ("Bread is baked in an oven of many degrees.", "The oven has 230 degrees.")
    result = run(ports(model, texts=texts), settings, question)

    assert 2 == len(model.asked)
    assert "230" in result.answer


@pytest.mark.parametrize("mode", ["extractive", "select_then_write"])
@pytest.mark.parametrize(("limit", "value"), [("llm_calls", 3), ("tokens", 500)])
def test_judging_passages_leaves_the_answer_its_budget(mode: str, limit: str, value: int) -> None:
    """The ranking decides where the budget pays the answer and its check, and no judge."""
    texts = [f"{text} Rye bread number {i} takes {i} hours." for i, text in enumerate(BREAD * 4)]
    settings = replace(
        ONE_ROUND,
        answer=AnswerSettings(mode=mode, max_tokens=100),  # type: ignore[arg-type]  # (one of its words)
        budget=BudgetSettings(rounds=1, **{limit: value}),
    )
    said = says("Bread is baked at 230 degrees so that its crust seals quickly [c1].")
    result = run(ports(ScriptedChat(said), texts=texts), settings, WHY)

    assert ("answered", True) == (result.status, result.answerable is not None)
    assert any("order of the ranking" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("question", "written"),
    [
        (WHY, CIRCULAR),
        ("How do ML-KEM-768 and ML-KEM-512 differ?", "ML-KEM-768 has 1184 bytes [c1]."),
    ],
)
def test_an_embedder_that_fails_late_loses_no_answer(question: str, written: str) -> None:
    """What was written is shown, without the passages that would have been added."""

    class Late(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if any("bytes" in text or "crust" in text for text in texts):  # (passages)
                raise ModelBusyError("the embedding server is busy")
            return super().embed(texts)

    texts = BREAD if question == WHY else TEXTS
    given = replace(ports(ScriptedChat(says(written)), texts=texts), embedder=Late())
    result = run(given, ONE_ROUND, question)

    assert "refused" != result.status
    assert any("the embedding server is busy" in warning for warning in result.warnings)
