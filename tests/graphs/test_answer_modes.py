"""Forms of an answer: written, the documents' own words, or written from those alone."""

from dataclasses import replace

from research_agent.settings import AnswerSettings, BudgetSettings, EvidenceSettings, VerifySettings
from tests.fakes import BYPASSING, NO, TEXTS, MemoryChunks, ScriptedChat, ports, says
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
