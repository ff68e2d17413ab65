"""Which follow-ups rules complete, in three languages, and which they leave alone."""

import pytest

from research_agent.core.follow_up import Said, follow_up
from research_agent.core.follow_up_check import check_completed

SIZE = [Said("How many bytes has an ML-KEM-768 encapsulation key?")]
TWO = [
    Said("How large are ML-KEM-512 and ML-KEM-768 keys?"),
    Said("How many bytes has ML-KEM-512?"),
]
BREAD = [Said("How long is bread baked?", "Bread is baked for an hour.")]
INDONESIAN = [Said("Berapa ukuran kunci ML-KEM-768?")]
CHINESE = [Said("ML-KEM-768 的密钥有多大\uff1f")]


@pytest.mark.parametrize(
    ("before", "text", "question"),
    [
        (SIZE, "and for ML-KEM-512?", "How many bytes has an ML-KEM-512 encapsulation key?"),
        (SIZE, "ML-KEM-512?", "How many bytes has an ML-KEM-512 encapsulation key?"),
        (SIZE, "How fast is it?", "How fast is ML-KEM-768?"),
        (SIZE, "What are its parameters?", "What are ML-KEM-768's parameters?"),
        (TWO, "and for the other one?", "How many bytes has ML-KEM-768?"),
        (TWO, "How fast is the other one?", "How fast is ML-KEM-768?"),
        (TWO[:1], "Which standard has them?", "Which standard has ML-KEM-512 and ML-KEM-768?"),
        ([Said("How hot is Wheat bread?")], "and Rye bread?", "How hot is Rye bread?"),
        (BREAD, "and rye bread?", "How long is rye bread baked?"),
        (INDONESIAN, "Dan untuk ML-KEM-512?", "Berapa ukuran kunci ML-KEM-512?"),
        (CHINESE, "它有多快\uff1f", "ML-KEM-768有多快\uff1f"),
        (CHINESE, "那 ML-KEM-512 呢\uff1f", "ML-KEM-512 的密钥有多大\uff1f"),
    ],
)
def test_completed_by_rules(before: list[Said], text: str, question: str) -> None:
    """What is left out stands in the turns before, and only one thing can be meant."""
    found = follow_up(text, before)

    assert ("rules", question) == (found.how, found.question)


@pytest.mark.parametrize(
    ("before", "text", "topic"),
    [
        (TWO[:1], "How fast is it?", "ML-KEM-512, ML-KEM-768"),
        (SIZE, "And the ciphertext?", "ML-KEM-768"),
        (SIZE, "for the other one?", "ML-KEM-768"),
        (SIZE, "why?", "ML-KEM-768"),
        (SIZE, "and the ML-KEM-512 ciphertext?", "many bytes encapsulation key"),
        ([Said("How hot is wheat bread baked?")], "and rye bread?", "wheat bread baked"),
        ([Said("How do I bake bread?")], "and rye bread?", "bake bread"),
        (INDONESIAN, "Berapa kecepatannya?", "ML-KEM-768"),
    ],
)
def test_topic_stands_behind_what_rules_cannot_complete(
    before: list[Said], text: str, topic: str
) -> None:
    """Nothing is guessed: the words stay, and the search is told what it was about."""
    found = follow_up(text, before)

    assert ("context", f"{text} ({topic})") == (found.how, found.question)


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of France?",
        "Does the device reset when it overheats?",
        "And how large is the ML-KEM-512 key?",
        "key sizes of bread",
        "How hot is the oven?",
    ],
)
def test_whole_questions_stay(text: str) -> None:
    """A question that names what it is about is asked as it was typed."""
    assert ("new", text) == (follow_up(text, SIZE).how, follow_up(text, SIZE).question)


@pytest.mark.parametrize(
    ("completed", "reason"),
    [
        ("How large is an ML-KEM-1024 ciphertext?", "nobody has said: ml-kem-1024"),
        ("What is not the ciphertext of ML-KEM-768?", "a negation was added or lost"),
        ("And the ciphertext?", "nothing was completed"),
        ("ML-KEM-768 attack weakness exploit history?", "is about something else"),
    ],
)
def test_what_a_model_adds_is_refused(completed: str, reason: str) -> None:
    """A completed question holds what was said, and nothing else."""
    ruling = check_completed("And the ciphertext?", SIZE, completed)

    assert "block" == ruling.ruling
    assert ruling.reason.startswith(reason)
