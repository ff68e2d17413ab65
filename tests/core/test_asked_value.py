"""What kind of value a question asks for, and whether an answer gives one."""

import json

import pytest

from research_agent.core.asked_value import asked_value, lacking
from tests.data_sets import data_set

ASKED = [
    ("How many bytes long is the shared secret?", "a number"),
    ("What is the ciphertext size in bytes of X-Wing?", "a number"),
    ("What signature sizes do the parameter sets have?", "a number"),
    ("What IV length must be used?", "a number"),
    ("Berapa ukuran kuncinya?", "a number"),
    ("密钥有多少字节", "a number"),
    ("When was the draft published?", "a time"),
    ("After which year will it be disallowed?", "a time"),
    ("Kapan rancangan itu terbit?", "a time"),
    ("标准何时发布", "a time"),
    ("In which city will it be held?", "a name"),
    ("From which version does OpenSSL support it?", "an identifier"),
    ("Which ACVP protocol revision is used?", "an identifier"),
    ("What is the object identifier (OID) of it?", "an identifier"),
    ("What does the agent do when it is unsure?", ""),
    ("Why did NIST select HQC?", ""),
    ("What is ML-KEM?", ""),
    ("Who wrote it?", ""),
    ("Explain the steps of key generation.", ""),
    ("What are the consequences of a large key?", ""),
]


@pytest.mark.parametrize(("question", "asked"), ASKED)
def test_asked_value(question: str, asked: str) -> None:
    """The question's words tell what it asks for, in three languages."""
    assert asked == asked_value(question)


GIVEN = [
    ("How many bytes has it?", "It has 768 bytes."),
    ("How many keys are there?", "There are two keys."),
    ("How many keys are there?", "There is no key."),
    ("How long is the answer kept?", "It is kept until the index is built again."),
    ("How often is it checked?", "It is checked before each call and every 5 s."),
    ("Berapa kuncinya?", "Ada dua kunci."),
    ("密钥有多少字节", "密钥有 768 字节。"),
    ("When was it published?", "It was published in August 2024."),
    ("When is the index read again?", "Whenever a file changes, before the next question."),
    ("标准何时发布", "标准于二零二四年发布。"),
    ("In which city will it be held?", "It will be held in Gaithersburg."),
    ("From which version does OpenSSL support it?", "OpenSSL has had it since 3.5."),
]


@pytest.mark.parametrize(("question", "sentence"), GIVEN)
def test_a_value_that_is_given(question: str, sentence: str) -> None:
    """Digits, number words, events and names answer what asks for them."""
    assert "" == lacking(question, [sentence])


NOT_GIVEN = [
    ("What is the size of it?", "This is given in Table 3."),
    ("How many bytes has the secret of hqc-128?", "HQC."),
    ("How many bytes has the secret of hqc-128?", "It is part of hqc-128 in FIPS 207."),
    ("How many comments were received?", "The comments were received in April 2023."),
    ("How many of the 82 candidates failed?", "There were 82 candidates."),
    ("After which year will it be disallowed?", "It will be disallowed."),
    ("In which city will NIST meet?", "NIST will meet in a city."),
    ("What is the object identifier (OID) of it?", "The signature has 3309 bytes."),
    ("What is the estimated cost in dollars?", "It will take a long time."),
    ("Which ACVP protocol revision is used?", "Main internal algorithms."),
]


@pytest.mark.parametrize(("question", "sentence"), NOT_GIVEN)
def test_a_value_that_is_not_given(question: str, sentence: str) -> None:
    """Places in a text, names, years of an event and the question's own numbers are no answer."""
    assert asked_value(question) == lacking(question, [sentence])


def test_one_sentence_is_enough() -> None:
    """The value may stand in any sentence; without any sentence it is lacking."""
    assert "" == lacking("How many are there?", ["There are some.", "There are 3."])
    assert "a number" == lacking("How many are there?", [])


def test_right_answers_of_two_question_sets_pass() -> None:
    """No answer key of 200 questions lacks what its question asks for."""
    checked, wrong = 0, []
    for name in ("hotpotqa", "musique"):
        text = data_set("multihop", name, "questions.jsonl").read_text(encoding="utf-8")
        for row in map(json.loads, text.splitlines()):
            checked += bool(asked_value(row["question"]))
            if lacking(row["question"], [f"It is {row['answer']}."]):
                wrong.append(row["question"])

    assert 25 < checked
    assert [] == wrong
