"""Codes blended into a ranking, and codes from a model."""

from collections.abc import Mapping, Sequence

import pytest

from research_agent.errors import BudgetError, ModelError, ModelUnavailableError
from research_agent.retrieval.reorder.codes import ModelCodes, PatternCodes, blend_codes
from research_agent.retrieval.reorder.topic_labels import Code, CodeBook, CodeCache, Label
from research_agent.types import Chunk, Completion, Hit, Message
from research_agent.types.blending import BlendRule
from tests.fakes import PROMPTS, says

BOOK = CodeBook(
    (Label("law", ("court",)), Label("art", ("paint",))), (Label("define", ("what is",)),), ()
)
RULE = BlendRule(alpha=0.0, top_k=2, pool=5)
HITS = [
    Hit(Chunk("a", "d", "Paint dries."), 0.9),
    Hit(Chunk("b", "d", "It sits.", title="Court"), 0.5),
]


class Model:
    """Says what it was told to, and notes what it was asked."""

    def __init__(self, *replies: str | Exception) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[str, Mapping[str, object]]] = []

    def __call__(self, messages: Sequence[Message], schema: Mapping[str, object]) -> Completion:
        self.asked.append((messages[-1].text, schema))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return says(reply)


def model_codes(model: Model, cache: CodeCache | None = None) -> ModelCodes:
    return ModelCodes(model, PROMPTS.code, BOOK, cache or CodeCache(), model="m")


def test_chunks_with_the_questions_code_rise() -> None:
    """Headings count as text."""
    found = blend_codes("Which court?", HITS, PatternCodes(BOOK, CodeCache()), RULE)

    assert ["b", "a"] == [hit.chunk.chunk_id for hit in found.hits]
    assert 2 == found.diagnostics.known


def test_a_question_without_a_code_changes_nothing() -> None:
    """The channel is off, and the diagnostics say that it had no score."""
    found = blend_codes("How warm?", HITS, PatternCodes(BOOK, CodeCache()), RULE)

    assert tuple(HITS) == found.hits
    assert (0, "constant") == (found.diagnostics.known, found.diagnostics.second)


def test_only_the_pool_gets_codes() -> None:
    """The rest of a ranking costs nothing."""
    cache = CodeCache()
    rule = BlendRule(alpha=0.0, top_k=1, pool=1)
    blend_codes("Which court?", HITS, PatternCodes(BOOK, cache), rule)

    assert 2 == len(cache.codes)


def test_a_model_gives_codes_of_the_same_book() -> None:
    """It sees the labels, answers under a schema, and is asked once a text."""
    model, cache = Model('{"domain": "art", "task": "define", "modifier": "unknown"}'), CodeCache()
    codes = model_codes(model, cache)

    assert Code("art", "define") == codes.of("x < y")
    assert Code("art", "define") == model_codes(Model(), cache).of("x < y")
    prompt, schema = model.asked[0]
    assert "law, art" in prompt
    assert "x &lt; y" in prompt
    assert BOOK.schema() == schema
    assert 0 == codes.failed


@pytest.mark.parametrize(
    "reply",
    [
        "no JSON",
        "[1]",
        '{"domain": "physics"}',
        '{"domain": "unknown", "task": "unknown", "modifier": "unknown"}',
        ModelUnavailableError("down"),
        BudgetError("llm_calls"),
    ],
)
def test_patterns_stand_in(reply: str | ModelError | BudgetError) -> None:
    """A failure is counted, is no code of its own, and is not kept."""
    model = Model(reply, '{"domain": "art", "task": "", "modifier": ""}')
    codes = model_codes(model)

    assert Code("law") == codes.of("The court")
    assert 1 == codes.failed
    assert Code("art") == codes.of("The court")
