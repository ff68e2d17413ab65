"""What a proposed query has to keep of its question, as strings."""

import time

import pytest

from research_agent.planning.refine.validators.kept import check_added, check_kept
from research_agent.text.content_words import content_words
from research_agent.types.validation import first_block


def blocked(question: str, *queries: str, translated: bool = False) -> str:
    rulings = check_kept(question, queries, translated=translated)
    return next(filter(None, (first_block((ruling,)) for ruling in rulings)), "")


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("How heavy is the PX-200 pump?", "weight of PX 200"),
        ("Who paid 1,184 euros?", "1 184 euros: by whom"),
        ("Which two rivers meet?", "2 rivers that meet"),
        ("How far is a run of 5 km?", "5 kilometres of running"),
        ("Is 3 square metres enough?", "3 m\u00b2"),
        ("What does the World Health Organization say?", "WHO advice"),
        ("What does the WHO say?", "World Health Organization advice"),
        ("Where is the court of Portugal?", "Portuguese court"),
        ("How are keys made?", "FIPS 203 ML-KEM.KeyGen"),
        ("Wie lange gilt die Garantie?", "Dauer der Gew\u00e4hrleistung"),
        ("", "anything"),
        ("\u5982\u4f55\u8d2d\u4e70\u6708\u7968?", "\u600e\u4e48\u4e70\u6708\u7968?"),
    ],
)
def test_other_words_for_the_same_pass(question: str, query: str) -> None:
    """Spelling, order, initials, forms of a name, a name that the documents may use."""
    assert "" == blocked(question, query)


@pytest.mark.parametrize(
    ("question", "query", "reason"),
    [
        ("How heavy is the PX-200?", "weight of the PX-300", "missing: PX-200"),
        ("Who paid after 30 days?", "who paid after 30 weeks", "another unit: 30"),
        ("Who paid \u20ac5?", "who paid $5", "another unit: 5"),
        ("Who paid in three months?", "who paid in four months", "missing: 3"),
        ("How long is the film?", "length of the film of 1994", "a number was added: 1994"),
        ("What is in FIPS 203?", "FIPS 203 and FIPS 205", "a number was added: 205"),
        ("Which rivers are in Poland?", "rivers of Portugal", "missing: Poland"),
        ('What means "retry later"?', 'meaning of "retry now"', "missing: retry later"),
        ("\u957f\u6c5f\u6709\u591a\u957f?", "\u9ec4\u6cb3\u6709\u591a\u957f?", "\u6c5f became"),
    ],
)
def test_what_was_changed_or_lost_blocks(question: str, query: str, reason: str) -> None:
    """The reason names it."""
    assert blocked(question, query).startswith(reason)


def test_parts_share_what_the_question_names() -> None:
    """Each may have some of it; what none has is charged to all."""
    question = "Is RSA 2048 older than AES 256?"

    assert "" == blocked(question, "RSA 2048 age", "AES 256 age")
    assert "missing: 256" == blocked(question, "RSA 2048 age", "age of AES")


def test_translation_keeps_numbers_units_and_identifiers() -> None:
    """Names that are words may be translated too."""
    question = "Berapa lama garansi PX-200 di Jerman, 2 tahun?"

    assert "" == blocked(question, "PX-200 warranty in Germany, 2 years", translated=True)
    assert blocked(question, "PX-200 warranty in Germany, 2 weeks", translated=True)
    assert blocked(question, "PX-300 warranty in Germany, 2 years", translated=True)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("ML-KEM-768 key", ""),
        ("what Kyber is called now", ""),
        ("its length in bytes", ""),
        ("Who is #1?", ""),
        ("key of ML-KEM-512", "stands in nothing that was read: ML-KEM-512"),
        ("what Shannon wrote", "stands in nothing that was read: Shannon"),
        ("1088 bytes", "stands in nothing that was read: 1088"),
    ],
)
def test_later_round_may_name_what_was_read(query: str, reason: str) -> None:
    """A part of the question is enough, by the name that the documents have for the thing."""
    known = content_words("How long are Kyber keys of level 3? ML-KEM-768 came from it.")

    assert reason == first_block(check_added([query], known))


@pytest.mark.parametrize("char", ["A", "1", "a-", ".", "1,", "\u4e09", "\U0001f600", "\ud800"])
def test_long_texts_are_read_in_time(char: str) -> None:
    """No pattern takes a time that grows with the square of the text."""
    blocked("1 km", "1 km")  # the tables are loaded
    started = time.monotonic()
    blocked(char * 5000, "A 1")

    assert time.monotonic() - started < 5
