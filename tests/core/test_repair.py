"""Which sentences are asked for again, how a reply is read, and what it puts in their place."""

import pytest

from research_agent.core.claims import Claim, read_claims
from research_agent.core.evidence import Evidence
from research_agent.core.repair import (
    MOST,
    NEAREST,
    Repair,
    faulty_sentences,
    listed_problems,
    marked,
    may_replace,
    read_rewritten,
    rewritten,
    token_slice,
)
from research_agent.core.sentences import sentence_spans
from research_agent.core.types import Chunk, Hit, Token

TEXT = "The hose is 5 m long and red. The pump X-2 weighs 40 kg."
EVIDENCE = [Evidence("c1", Hit(Chunk("x", "guide", TEXT)))]
QUESTION = "How long is the hose?"


def tokens_of(text: str) -> tuple[Token, ...]:
    """Return tokens of three characters each."""
    return tuple(Token(text[at : at + 3], -0.5) for at in range(0, len(text), 3))


def fits(sentence: str, first: str, question: str = QUESTION, draft: str = "") -> bool:
    """Return whether a sentence may stand in the place of another."""
    return may_replace(
        sentence,
        Claim(first),
        question=question,
        draft=draft or first,
        evidence=EVIDENCE,
        min_support=0.5,
        min_new=0.5,
    )


def test_what_is_missing_is_no_fault() -> None:
    """A sentence that says that nothing is said, a heading and a right one are left alone."""
    text = "## Hose\nThe hose is 5 m long [c1]. The documents do not specify the price."

    assert () == faulty_sentences(text, EVIDENCE, min_support=0.5)


def test_few_and_short_ones_are_sent() -> None:
    """A reply to many sentences would be long, and no list is one sentence."""
    many = " ".join(f"The hose is {number} m long." for number in range(6, 14))
    endless = f"The hose is {'very ' * 90}long and 7 m."

    assert MOST == len(faulty_sentences(many, EVIDENCE, min_support=0.5))
    assert () == faulty_sentences(endless, EVIDENCE, min_support=0.5)


def test_a_problem_tells_something() -> None:
    """A share of words says nothing to a model; the wording is the one that claims have."""
    told = read_claims("Cats are fond of warm milk.", (), EVIDENCE, min_support=0.5)
    listed = listed_problems(faulty_sentences(told[0].text, EVIDENCE, min_support=0.5))

    assert told[0].problem.startswith(NEAREST)
    assert "1. Cats are fond of warm milk. (Wrong: no chunk says this.)" == listed


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("1. It is so.\n2. It is not.", {1: "It is so.", 2: "It is not."}),
        ("1) It is so. And more.\n\n- 2: It is not.", {1: "It is so.", 2: "It is not."}),
        ("**1.** It is so.\n[2] It is not.", {1: "It is so.", 2: "It is not."}),
        ("1. It is so.\n1. Again.\n3. Three.", {1: "It is so."}),
        ("Sure! Here they are:\n2. It is not. [c1]", {2: "It is not. [c1]"}),
        ("It is so.", {}),
        ("", {}),
        ("1.\n2.", {}),
    ],
)
def test_replies_are_read_by_their_numbers(reply: str, found: dict[int, str]) -> None:
    """Of each line the first sentence counts; a number that nobody asked for is passed over."""
    read = read_rewritten(reply, 2)

    assert found == {number: one.text for number, one in read.items()}
    assert all(one.text == reply[one.start : one.end] for one in read.values())


def test_a_cut_reply_loses_its_last_line() -> None:
    """Unless that line has an end."""
    assert [1] == list(read_rewritten("1. It is so.\n2. It is", 2, cut=True))
    assert [1, 2] == list(read_rewritten("1. It is so.\n2. It is not [c1]", 2, cut=True))


@pytest.mark.parametrize(
    ("sentence", "first", "question"),
    [
        ("The pump X-2 weighs 40 kg [c1].", "The hose is 7 m long.", QUESTION),
        ("The pump X-2 weighs 40 kg.", "The pump X-9 weighs 50 kg.", "What does X-9 weigh?"),
        ("The hose is 7 m long.", "The hose is 7 m long.", QUESTION),
        ("The hose is 8 m long.", "The hose is 7 m long.", QUESTION),
        ("The documents do not give its length.", "The hose is 7 m long.", QUESTION),
        ("The hose is a hose.", "The hose is blue.", "What is the hose?"),
        ("[c1]", "The hose is 7 m long.", QUESTION),
        ("", "The hose is 7 m long.", QUESTION),
    ],
)
def test_what_may_not_take_the_place(sentence: str, first: str, question: str) -> None:
    """Another subject, the same words, another wrong value, nothing at all."""
    assert not fits(sentence, first, question)


def test_what_may_take_the_place() -> None:
    """A sentence that the evidence carries; not where the draft has it already."""
    said, first = "The hose is 5 m long [c1].", "The hose is 7 m long."

    assert fits(said, first)
    assert fits("The hose is red [c1].", "The hose is 7 m long.", "What is the hose like?")
    assert not fits(said, first, draft=f"{said} {first}")


def test_the_new_words_bring_their_own_tokens() -> None:
    """The tokens spell the text; what was around the sentence keeps its own."""
    text, new = "- A b.\n- C d. E.", "New one."
    found, tokens = rewritten(text, tokens_of(text), [(7, 13, new, tokens_of(new))])

    assert "- A b.\n- New one. E." == found
    assert found == "".join(token.text for token in tokens)


def test_a_repeated_sentence_goes() -> None:
    """An empty replacement takes out the tokens too."""
    text = "A b. A b. C."
    found, tokens = rewritten(text, tokens_of(text), [(0, 4, "D.", ()), (5, 9, "", ())])

    assert ["D.", "C."] == found.split()
    assert found == "".join(token.text for token in tokens)
    assert Token("D.", 0.0) in tokens


def test_tokens_that_spell_nothing() -> None:
    """Without tokens there are none; strange ones stay, and the new ones are behind them."""
    strange = (Token("???", -0.5),)
    new = tokens_of("D.")

    assert ("D. C.", ()) == rewritten("A b. C.", (), [(0, 4, "D.", new)])
    assert (*strange, *new) == rewritten("A b. C.", strange, [(0, 4, "D.", new)])[1]


def test_a_token_across_an_end_is_cut() -> None:
    """It is scored where only white space was cut off."""
    tokens = [Token("One", -0.5), Token(" two", -0.5), Token(".Three", -0.5)]
    cut = token_slice(tokens, 4, 8)

    assert [("two", -0.5), (".", 0.0)] == [(token.text, token.logprob) for token in cut]


def test_only_rewritten_sentences_are_marked() -> None:
    """The size of letters does not matter; others keep their own mark, denied ones have none."""
    claims = [
        Claim("The hose is red.", verdict="supported"),
        Claim("It is long.", repaired="rekeyed"),
        Claim("It is new."),
    ]
    repairs = [Repair("the hose is RED.", "The hose is blue."), Repair("It is new.")]
    first, second, denied = marked(claims, repairs)

    assert ("reasked", "The hose is blue.") == (first.repaired, first.first)
    assert ("rekeyed", "") == (second.repaired, second.first)
    assert "" == denied.repaired


@pytest.mark.parametrize(
    ("text", "end", "new"),
    [
        ("A b is c. D e is f.", 9, "New is good [c1]"),
        ("A b is c. D e is f.", 9, "New is good"),
        ("\u7532\u662f\u4e59\u3002\u4e19\u662f\u4e01\u3002", 4, "\u7532\u662f\u4e94 [c1]"),
        ("A b is c. D e is f.", 9, "New is good. [c1]"),
        ("- A b is c.\n- D e is f.", 11, "New is good [c1]"),
    ],
)
def test_a_new_sentence_does_not_run_into_the_next(text: str, end: int, new: str) -> None:
    """Models leave out the full stop behind a key; what follows stays a sentence of its own."""
    found, tokens = rewritten(text, tokens_of(text), [(0, end, new, tokens_of(new))])
    last = text[slice(*sentence_spans(text)[-1])]

    assert 2 == len(sentence_spans(found))
    assert last == found[slice(*sentence_spans(found)[-1])]
    assert new in found
    assert found == "".join(token.text for token in tokens)
