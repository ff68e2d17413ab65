"""What may not change between a question and a rewritten query."""

import pytest

from research_agent.core.validators.languages import LANGUAGES, with_languages
from research_agent.core.validators.rewrite_words import RewriteWords
from research_agent.core.validators.spans import check_spans
from research_agent.core.validators.verdicts import Block


def reason(question: str, query: str) -> str:
    ruling = check_spans(question, query, LANGUAGES)
    return ruling.reason if isinstance(ruling, Block) else ""


@pytest.mark.parametrize(
    ("question", "query", "why"),
    [
        ("When was version 3.1 released?", "When was version 3.10 released?", "numbers differ"),
        ("What is due in 12 months?", "What is due in 12 weeks?", "numbers differ"),
        ("Who founded Siemens?", "Who founded Bosch?", "names are missing: siemens"),
        ("siemens founder", "bosch founder", "siemens became bosch"),
        ("What does the linter do?", "What does the compiler do?", "linter became compiler"),
        ("What if it rains?", "What if it doesn't rain?", "negations differ: 0 and 1"),
        ("Can it be reversed?", "Can it be irreversible?", "reversed became irreversible"),
        ("Which bird is largest?", "Which bird is smallest?", "relations differ: maximum"),
        ("Does smoke cause fire?", "Does fire cause smoke?", "smok and fir changed places"),
        (
            "Does the client authenticate the server?",
            "Is the client authenticated by the server?",
            "server and client changed places",
        ),
        (
            "trains from Oslo to Rome",
            "trains that go to Oslo from Rome",
            "from rome stood otherwise",
        ),
        ('What does "retry later" mean?', "What does retry mean?", "quoted text is missing"),
        ("What is ML-KEM?", "What is RSA (ML-KEM) and AES?", "names were added: rsa, aes"),
        ("Which keys has ML-KEM?", "Kunci apa yang dimiliki ML-KEM?", "is indonesian"),
        ("How heavy is the steel bridge of the port?", "port", "most is missing"),
        ("Wie lange gilt sie?", "Wie lange gilt sie nicht?", "nicht in a language"),
        ("Gilt sie nicht?", "Gilt sie?", "nicht is missing"),
        ("What changed on 2020-03-04?", "What changed on 2020-04-03?", "numbers differ"),
        ("Is the limit -5 degrees?", "Is the limit 5 degrees?", "numbers differ"),
        ("Is it $5?", "Is it \u20ac5?", "numbers differ: 5 dollar, 5 euro"),
        ("Is it open at 8 am?", "Is it open at 8 pm?", "numbers differ: 8 am, 8 pm"),
        ("When did Bach die?", "Where did Bach die?", "relations differ: when became where"),
        ("Must I pay?", "May I pay?", "relations differ: requir became allow"),
        ("Kapan perang dimulai?", "Di mana perang dimulai?", "relations differ: kapan"),
        ("How large are keys?", "How large are AES-256 keys (keys)?", "names were added"),
    ],
)
def test_changes_are_noticed(question: str, query: str, why: str) -> None:
    """Each kind of change has its own reason."""
    assert reason(question, query).startswith(why)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("What is the weight of the pump?", "pump weight"),
        ("Who founded Siemens?", "founder of Siemens"),
        ("How is it made, and by whom?", "how is it made and by whom"),
        ("Is it made of tin and zinc?", "Is it made of zinc and tin?"),
        ("Which keys does ML-KEM 768 have?", "ML-KEM-768 keys"),
        ("How large is 1,184 bytes?", "size of 1184 bytes"),
        ("What is ML-KEM?", "Module-Lattice-Based Key-Encapsulation Mechanism (ML-KEM)"),
        ("Who directed Sinister?", "Sinister director"),
        ("What is it?", "What is it"),
        ("reset router password", "How can I reset the password of the router?"),
        ("Which trains run?", "trains running"),
        ("Can I pay by card or cash?", "Can I pay by cash or card?"),
        ("What does the VPN need?", "What does the virtual private network (VPN) need?"),
        ("Is it $5?", "Is it 5 dollars?"),
        ("", ""),
    ],
)
def test_other_words_for_the_same_pass(question: str, query: str) -> None:
    """Synonyms, order, roots, spelling of numbers, names in full."""
    assert not reason(question, query)


def test_ruling_has_its_figures() -> None:
    """How much of the question's content is kept, lost and new."""
    ruling = check_spans("Who founded Siemens?", "Siemens company", LANGUAGES)

    assert {"kept": 1.0, "lost": 1.0, "gained": 1.0} == ruling.figures


def test_languages_are_settings() -> None:
    """A language of one's own knows its negations."""
    german = RewriteWords(language="german", function=("wie", "sie", "gilt"), negations=("nicht",))
    ruling = check_spans(
        "Wie lange gilt sie?", "Wie lange gilt sie nicht?", with_languages([german])
    )

    assert "negations differ: 0 and 1" == ruling.reason


@pytest.mark.parametrize("text", ["???", "\u200b", "(", "#1", "a" * 4000, "\ud800", "'" * 99])
def test_any_text_is_judged(text: str) -> None:
    """Whatever a model writes, there is a ruling and no error."""
    assert check_spans("How large are ML-KEM keys?", text, LANGUAGES).ruling == "block"
