"""Writing an answer: its form, what is read as a refusal, and sentences that are written again."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import log

import pytest

from research_agent.answering.write.rewriting import token_slice, with_changes
from research_agent.answering.write.step import answer_question, answerability
from research_agent.context import RunContext
from research_agent.errors import ModelBusyError, ModelReplyError
from research_agent.model_settings import ModelSettings, RoleSettings
from research_agent.settings import AnswerSettings, Settings
from research_agent.types import Alternative, Completion, Hit, ModelCall, Outcome, Token
from research_agent.types.evidence import Evidence
from research_agent.types.verification import Answer
from tests import fakes

QUESTION = "At how many degrees is bread baked?"
COMPARING = "How do AES and RSA differ?"
TEXTS = ("Bread is baked at 230 degrees.", "It takes an hour.")
CIPHERS = ("AES is a block cipher of 1998.", "RSA is a signature scheme of 1977.")
GOOD = "Bread is baked at 230 degrees [c1]."
BY_PROMPT = Settings(answer=AnswerSettings(refusal="prompt"))
BY_CHECK = Settings(answer=AnswerSettings(refusal="check"))
SERVER = RoleSettings(provider="openai", model="m")
SERVED = Settings(models=ModelSettings(chat=SERVER))


def answered(  # noqa: PLR0913 (keyword-only settings)
    model: fakes.ScriptedChat,
    settings: Settings,
    *,
    verifier: fakes.ScriptedChat | None = None,
    question: str = QUESTION,
    texts: Sequence[str] = TEXTS,
    embedder: fakes.WordEmbedder | None = None,
    kind: str = "text",
) -> Outcome[Answer]:
    chunks = [replace(fakes.chunk(text, n), kind=kind) for n, text in enumerate(texts)]  # type: ignore[arg-type]  # (one of its words)
    given = fakes.ports(model, verifier=verifier, texts=texts)
    run = RunContext(replace(given, embedder=embedder or given.embedder), settings, fakes.PROMPTS)
    return answer_question(
        question,
        [Evidence(f"c{n}", Hit(one)) for n, one in enumerate(chunks, 1)],
        Answer(),
        run.with_all_left(()),
    )


def leaning(probability: float) -> Completion:
    shown = (Alternative("yes", log(probability)), Alternative("no", log(1 - probability)))
    return Completion("yes", ModelCall("verifier"), tokens=(Token("yes", shown[0].logprob, shown),))


def probable(yes: float) -> float:
    """Return what a yes of this probability comes to with the evidence of the fakes."""
    return answerability(yes, max(fakes.WordPairs().relevance(QUESTION, TEXTS)))


def silent(text: str) -> Completion:
    return Completion(text, ModelCall("any", 10, 2, model="fake"))


@pytest.mark.parametrize(
    ("settings", "refuses_by", "judges"),
    [
        (Settings(), "check", "unsure"),
        (SERVED, "prompt", "all"),
        (replace(SERVED, answer=AnswerSettings(refusal="check")), "check", "all"),
        (Settings(models=ModelSettings(verifier=SERVER)), "check", "all"),
        (Settings(models=ModelSettings(answer=SERVER)), "prompt", "unsure"),
    ],
    ids=["embedded", "server", "server, as set", "verifier elsewhere", "answer elsewhere"],
)
def test_the_provider_decides_what_is_not_set(
    settings: Settings, refuses_by: str, judges: str
) -> None:
    assert (refuses_by, judges) == (settings.refuses_by, settings.judges)


@pytest.mark.parametrize(
    ("written", "refused", "text", "missing"),
    [
        (f"{GOOD}", "", GOOD, ()),
        ("NOT FOUND: the degrees", "insufficient_evidence", "", ("the degrees",)),
        (f"{GOOD}\nNOT FOUND: the time", "", GOOD, ("the time",)),
        ("The documents do not say it [c1].", "", "The documents do not say it [c1].", ()),
        (f'{{"answer": "{GOOD}", "missing": ""}}', "", GOOD, ()),
        ("```python\nbake(230)\n```", "", "```python\nbake(230)\n```", ()),
    ],
)
def test_refusals_that_the_prompt_asks_for(
    written: str, refused: str, text: str, missing: tuple[str, ...]
) -> None:
    model, verifier = fakes.ScriptedChat(fakes.says(written)), fakes.ScriptedChat(fakes.NO)
    answer = answered(model, BY_PROMPT, verifier=verifier).value

    assert (refused, missing) == (answer.refused, answer.missing)
    if not refused:
        assert text == answer.text
        assert text == "".join(token.text for token in answer.tokens)
    assert ([], None) == (verifier.asked, answer.answerable)
    assert "NOT FOUND:" in model.asked[0][1]


@pytest.mark.parametrize(
    ("ended", "hint"), [("length", "Raise answer.max_tokens"), ("stop", "Ask again")]
)
def test_an_empty_answer_says_what_helps(ended: str, hint: str) -> None:
    silent = Completion(" ", ModelCall("answer"), finish_reason=ended)

    with pytest.raises(ModelReplyError) as raised:
        answered(fakes.ScriptedChat(silent), BY_PROMPT)
    assert raised.value.hint.startswith(hint)


def test_a_prompt_that_is_checked_says_nothing_of_refusing() -> None:
    model, verifier = fakes.ScriptedChat(fakes.says(GOOD)), fakes.ScriptedChat(leaning(0.9))
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
    settings = Settings(answer=AnswerSettings(refusal="check", min_answerable=least))
    said = answered(
        fakes.ScriptedChat(fakes.says(GOOD)), settings, verifier=fakes.ScriptedChat(verdict)
    )

    assert refused == said.value.refused
    assert said.value.answerable == (None if answerable is None else pytest.approx(answerable))
    assert (answerable is None) == said.value.unchecked == bool(said.event.notes)


@pytest.mark.parametrize("settings", [BY_PROMPT, BY_CHECK])
def test_passages_stand_for_a_refused_comparison(settings: Settings) -> None:
    """On both things, and as far as they can be embedded; else it is a refusal."""
    model = fakes.ScriptedChat(fakes.says("Not found in provided docs."))
    settings = replace(settings, answer=replace(settings.answer, min_answerable=0.0))
    asked = partial(answered, model, settings, question=COMPARING)
    both, one = asked(texts=CIPHERS), asked(texts=CIPHERS[:1])
    failed = asked(texts=CIPHERS, embedder=fakes.FailingEmbedder())

    assert ("passages", "") == (both.value.form, both.value.refused)
    assert all(text[:-1] in both.value.text for text in CIPHERS)
    assert any("passages on what is compared" in note for note in both.event.notes)
    assert ["insufficient_evidence"] * 2 == [said.value.refused for said in (one, failed)]
    assert any("no embeddings" in note for note in failed.event.notes)


@pytest.mark.parametrize("question", [COMPARING, "Give me Algorithm 2"])
def test_what_the_model_answers_is_not_replaced(question: str) -> None:
    said = answered(fakes.ScriptedChat(fakes.says(GOOD)), BY_PROMPT, question=question)

    assert (GOOD, "written") == (said.value.text, said.value.form)


def test_an_algorithm_is_shown_in_the_documents_words() -> None:
    text = "Algorithm 2 Sum(a, b)\nInput: two numbers.\n1: add a and b\n2: return the sum"
    model, question = fakes.ScriptedChat(fakes.says(GOOD)), "Give me Algorithm 2"
    asked = partial(answered, model, question=question, texts=[text], kind="algorithm")
    said, denied = asked(BY_PROMPT), asked(BY_CHECK, verifier=fakes.ScriptedChat(fakes.NO))

    assert [] == model.asked
    assert "passages" == said.value.form
    assert all(f"{line} [c1]" in said.value.text for line in text.split("\n")[2:])
    assert "insufficient_evidence" == denied.value.refused


WET = "It is wet. It has 5 m [c1]. It is red."
WET_TOKENS = fakes.says(WET).tokens


def changed(new: str, old: str = "It has 5 m [c1].", text: str = WET) -> str:
    at = text.index(old)
    return with_changes(text, (), [(at, at + len(old), new, ())])[0]


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        (WET, "It has 5 m [c1].", "It has 6 m [c2].", "It is wet. It has 6 m [c2]. It is red."),
        (WET, "It has 5 m [c1].", "It has 6 m", "It is wet. It has 6 m. It is red."),
        (WET, "It has 5 m [c1].", "It has 6 m [c2]", "It is wet. It has 6 m [c2]. It is red."),
        (WET, "It is red.", "It is blue", "It is wet. It has 5 m [c1]. It is blue"),
        ("- It is 5.\n- It is 6.", "- It is 5.", "It is 7.", "- It is 7.\n- It is 6."),
        ("1. It is 5.\n2. It is 6.", "2. It is 6.", "It is 8.", "1. It is 5.\n2. It is 8."),
        ("它是红的。它是湿的。", "它是红的。", "它是蓝的", "它是蓝的。它是湿的。"),
        (WET, "It has 5 m [c1].", "", "It is wet.  It is red."),
    ],
)
def test_a_sentence_takes_the_place_of_another(
    text: str, old: str, new: str, expected: str
) -> None:
    assert expected == changed(new, old, text)


def test_tokens_spell_the_new_text() -> None:
    """Those of another text stay and grow."""
    at, new = WET.index("It has"), fakes.says("It has 6 m [c2].")
    end = at + len("It has 5 m [c1].")
    strange = fakes.says("Quite another text.").tokens

    for tokens in (new.tokens, ()):
        text, own = with_changes(WET, WET_TOKENS, [(at, end, new.text, tokens)])
        assert text == "".join(one.text for one in own)
        assert not any("5" in one.text for one in own)
    assert (*strange, *new.tokens) == with_changes(WET, strange, [(0, 10, "It", new.tokens)])[1]


def test_a_part_of_a_token_is_not_scored() -> None:
    (whole,) = token_slice(WET_TOKENS, 3, 5)
    (part,) = token_slice([Token("wetter", -0.1, WET_TOKENS[0].alternatives)], 0, 3)

    assert ("is", WET_TOKENS[1].alternatives) == (whole.text, whole.alternatives)
    assert ("wet", ()) == (part.text, part.alternatives)
