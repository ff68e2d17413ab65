"""What may be searched beside a question: read from a reply, or cut by rules."""

import json

import pytest

from research_agent.planning.refine import proposals
from research_agent.text.language import languages_apart

QUESTION = "key size in FIPS 203"
UNREADABLE = "the reply is not the JSON that was asked for"
ACME = ("Who founded Acme?", "Where was #1 born?")
REPEATS = "the reply repeats what was asked before"


@pytest.mark.parametrize(
    ("reply", "kind", "queries"),
    [
        ('{"kind": "rewrite", "queries": ["FIPS 203 key length"]}', "rewrite", 1),
        ('```json\n{"kind": "decompose", "queries": ["a 1", "b 2"]}\n```', "decompose", 2),
        ('{"kind": "keep", "queries": ["FIPS 203 key length"]}', "keep", 0),
        ('{"kind": "rewrite", "queries": ["Key  Length", "key length FIPS 203"]}', "rewrite", 1),
        ('{"kind": "rewrite", "queries": ["Key size in FIPS 203?", "a", "A "]}', "rewrite", 1),
        ('{"kind": "keep", "queries": "none"}', "keep", 0),
        ('{"kind": "decompose", "queries": ["a", "b", "c", "d"]}', "decompose", 3),
    ],
)
def test_replies_are_read_tolerantly(reply: str, kind: str, queries: int) -> None:
    """Fences are passed over; no queries, the question, and what was tried are left out."""
    proposal = proposals.read_proposal(QUESTION, reply, tried=("key  LENGTH?",))

    assert (kind, queries, "") == (proposal.kind, len(proposal.queries), proposal.problem)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", UNREADABLE),
        ("You could search for the key length.", UNREADABLE),
        ('{"kind": "guess", "queries": []}', UNREADABLE),
        ("[" * 100_000, UNREADABLE),
        ('{"kind": ' + "1" * 5000 + "}", UNREADABLE),
        ('{"kind": "rewrite", "queries": []}', "the reply has no query"),
        ('{"kind": "rewrite", "queries": [7, "", "   "]}', "the reply has no query"),
        ('{"kind": "rewrite", "queries": ["Key size in FIPS 203?"]}', REPEATS),
        (
            json.dumps({"kind": "decompose", "queries": [f"part {i}" for i in range(50)]}),
            "the reply has 50 queries",
        ),
    ],
)
def test_reply_of_no_use_proposes_nothing_and_says_so(reply: str, problem: str) -> None:
    proposal = proposals.read_proposal(QUESTION, reply)

    assert ((), problem) == (proposal.queries, proposal.problem)


@pytest.mark.parametrize("reply", ["", "no", '{"query": 3}', '{"query": ""}', '{"query": "x"}'])
def test_translation_of_no_use_has_a_problem(reply: str) -> None:
    assert proposals.read_translation("x", reply).problem


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["Who owns X?", "Who founded Acme?", "Where was #2 born?"], ACME),
        (["Who founded Acme?", "who founded acme", "Where was #2 born?"], ACME),
        (["A of B", "C of #1", "#1 and #2"], ("A of B", "C of #1", "#1 and #2")),
        (["Acme founder", "Where is issue #12?"], ("Acme founder", "Where is issue #12?")),
        (["Acme founder", "Where is box #9?"], ("Acme founder", "Where is box #9?")),
        (["Who owns X?", "X in use", "#1 born"], ("X in use",)),
    ],
)
def test_gaps_follow_the_queries_they_name(written: list[str], expected: tuple[str, ...]) -> None:
    reply = json.dumps({"kind": "decompose", "queries": written})

    assert expected == proposals.read_proposal("Who owns X?", reply).queries


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is ML-KEM?", ()),
        ("What is ML-KEM? Who made RSA?", ("What is ML-KEM?", "Who made RSA?")),
        ("What is ML-KEM? How large is it?", ("What is ML-KEM?", "ML-KEM: How large is it?")),
        ("What is a pump? Is it? Thanks!", ()),
        (
            "\u4ec0\u4e48\u662f\u6c34\u6cf5\uff1f\u8c01\u53d1\u660e\u4e86\u7535\u8bdd\uff1f",
            ("\u4ec0\u4e48\u662f\u6c34\u6cf5\uff1f", "\u8c01\u53d1\u660e\u4e86\u7535\u8bdd\uff1f"),
        ),
        ("Pumps? Valves? Hoses? Seals?", ("Pumps?", "Valves?", "Hoses?")),
        (
            "What does https://example.org/a?id=3 show? What is a?.b?",
            ("What does https://example.org/a?id=3 show?", "What is a?.b?"),
        ),
        ("What does user?.name do?", ()),
        ("Do ABC and XYZ differ?", ()),
        ("", ()),
    ],
)
def test_several_questions_in_one(question: str, parts: tuple[str, ...]) -> None:
    """Each is searched, with the names it is about; at most three."""
    assert parts == proposals.question_parts(question)
    assert 2 == len(proposals.question_parts("Do ABC and XYZ differ?", comparisons=True))


@pytest.mark.parametrize("question", ["Which pump is it?", "Was ist 5?", "203", "Siemens in Bonn"])
def test_question_with_something_to_word_is_not_simple(question: str) -> None:
    assert "" == proposals.why_simple(question)


ENGLISH = "The tenants pay for the small ones, and the landlord for all others. "
CHINESE = "房屋的维修费用由出租人承担。承租人只负责小额维修。"
RUSSIAN = "Ремонт оплачивает арендодатель. Мелкий ремонт оплачивает арендатор. "
GERMAN = "Die Reparaturen bezahlt der Vermieter, und zwar innerhalb von vierzehn Tagen. " * 3


@pytest.mark.parametrize(
    ("question", "texts", "apart"),
    [
        ("What is the size?", ["The size is what it is."], ("", "")),
        ("ML-KEM-768", ["The size is what it is."], ("", "")),
        ("Apa itu?", ["1184 1088 768"], ("", "")),
        ("Who pays for the repairs?", [GERMAN, ENGLISH], ("", "")),
        ("Wer bezahlt die Reparaturen?", [ENGLISH * 9, GERMAN[:78]], ("", "")),
        ("Wer bezahlt die Reparaturen?", [CHINESE, CHINESE, ENGLISH, ENGLISH, RUSSIAN], ("", "")),
        ("Who pays for the repairs?", [GERMAN, GERMAN, ENGLISH], ("en", "de")),
        ("Who pays for the repairs?", [GERMAN, GERMAN, CHINESE * 9], ("en", "de")),
    ],
)
def test_most_hits_in_one_other_language_need_a_translation(
    question: str, texts: list[str], apart: tuple[str, str]
) -> None:
    """Hits count, not their length; half in the question's language, or no one other, is enough."""
    assert apart == languages_apart(question, texts)


@pytest.mark.parametrize(
    ("question", "nested"),
    [
        ("What is the capital of the state that borders Utah?", True),
        ("Who is Ann\u2019s brother?", True),
        ("In which city was the founders' school?", True),
        ("Siapa istri orang yang menulis buku itu?", True),
        ("\u5199\u8fd9\u672c\u4e66\u7684\u4eba\u7684\u59bb\u5b50\u662f\u8c01", True),
        ("Which key is larger?", False),
        ("What is the size of the key of ML-KEM-768?", False),
        ("What's in it, and when it's there?", False),
        ("", False),
    ],
)
def test_questions_that_name_a_thing_by_another(question: str, *, nested: bool) -> None:
    assert nested is proposals.is_nested(question)
