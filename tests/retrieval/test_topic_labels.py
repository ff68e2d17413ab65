"""Codes: one book, no code for a failure, similarity that means something."""

import pytest

from research_agent.retrieval.reorder.topic_labels import (
    FACETS,
    Code,
    CodeBook,
    CodeCache,
    FacetWeights,
    Label,
    code_channel,
    code_key,
    code_similarity,
)
from research_agent.retrieval.reorder.topic_labels_english import ENGLISH

SMALL = CodeBook(
    (Label("law", ("court", r"law\b")), Label("art", ("paint", "music"))),
    (
        Label("define", ("is defined",), ("what is",)),
        Label("count", (r"\d+ bytes",), ("how many",)),
    ),
    (),
)


def test_label_with_most_patterns_wins() -> None:
    """Repetitions of one word count once; of equal labels the first one holds."""
    assert "art" == SMALL.code_of("Court, court, court: painted music.").domain
    assert "law" == SMALL.code_of("A court and a painting").domain


def test_nothing_found_is_no_label() -> None:
    """Not the first label of the book, as a failure of the code 0.0.0 would be."""
    assert Code() == SMALL.code_of("Bread is baked at 230 degrees.")
    assert "-.-.-" == str(SMALL.code_of(""))


def test_questions_have_their_own_patterns() -> None:
    """A question asks "how many"; a chunk has the number."""
    assert "count" == SMALL.code_of("How many bytes are there?", question=True).task
    assert "count" == SMALL.code_of("It has 1184 bytes.").task
    assert "" == SMALL.code_of("It has 1184 bytes.", question=True).task
    assert "law" == SMALL.code_of("Which court?", question=True).domain


def test_patterns_begin_at_words() -> None:
    """Another word that ends like one is not found."""
    assert "" == SMALL.code_of("An outlaw").domain


def test_equal_label_counts_by_its_weight() -> None:
    """Software and history have nothing in common, wherever they stand in the book."""
    weights = FacetWeights(0.5, 0.3, 0.2)
    asked = Code("software", "define", "numeric")

    assert 1.0 == code_similarity(asked, asked, weights)
    assert pytest.approx(0.5) == code_similarity(asked, Code("software", "list"), weights)
    assert 0.0 == code_similarity(asked, Code("history", "list", "secure"), weights)


def test_what_is_not_asked_for_does_not_count() -> None:
    """Only the facets of the question; a chunk without a label is no match."""
    assert 1.0 == code_similarity(Code(task="define"), Code("law", "define", "secure"))
    assert 0.0 == code_similarity(Code(task="define"), Code())
    assert None is code_similarity(Code(), Code())
    assert {} == code_channel(Code(), {"a": Code("law")})


def test_models_use_the_same_book() -> None:
    """Labels of another book, other types and other cases of letters are no trouble."""
    assert Code("law") == SMALL.checked({"domain": " LAW ", "task": "0", "modifier": None})
    assert Code() == SMALL.checked({})
    assert ["law", "art", "unknown"] == SMALL.schema()["properties"]["domain"]["enum"]  # type: ignore[index]  # (a schema of nested objects)


def test_codes_are_kept_by_content() -> None:
    """The same text is coded once; a question, another text or another book is not the same."""
    cache = CodeCache()
    assert cache.of("Court", SMALL) is cache.of("Court", SMALL)
    cache.of("Court", SMALL, question=True)
    cache.of("Court", ENGLISH)

    assert 3 == len(cache.codes)
    assert code_key("a", SMALL) != code_key("a", SMALL, model="m")


@pytest.mark.parametrize("facet", FACETS)
def test_every_english_label_can_be_found(facet: str) -> None:
    """Each of a label's plain words, read as a text, finds that label."""
    for label in getattr(ENGLISH, facet):
        plain = [pattern for pattern in label.patterns if pattern.isalpha()]

        assert plain
        assert all(label.in_text.search(word) for word in plain)


def test_english_labels_are_distinct() -> None:
    """One name, one label."""
    for facet in FACETS:
        names = ENGLISH.names(facet)

        assert len(set(names)) == len(names)
        assert "unknown" not in names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How many bytes has an encapsulation key?", "quantify"),
        ("Why does the boundary layer separate?", "explain"),
        ("Compare ML-DSA and SLH-DSA.", "compare"),
        ("When does the transition end?", "date"),
    ],
)
def test_english_questions(text: str, expected: str) -> None:
    """Plain questions get the task they ask for."""
    assert expected == ENGLISH.code_of(text, question=True).task
