"""The parts of a question, told by rules: the plan that stands in for a planner model."""

import re
from collections.abc import Sequence

from research_agent.planning.refine.validators.named import is_identifier, read
from research_agent.text.function_words import function_words
from research_agent.text.words import index_words
from research_agent.types.question_plan import plan_question
from research_agent.types.question_words import QuestionWords

_ASKING = re.compile(
    r"^\W*(?:(?:in|on|at|of|for|from|to|by|with|under|during|after|before|and)\s+)?"
    r"(?:who|whom|whose|that|which|where|when|what|how|why)\b"
    r"(?:['\u2019]s\b)?",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?:who|whom|whose|that|which|where)\b|\byang\b", re.IGNORECASE)
_OWNER = re.compile(
    r"(?<!\bit)(?<!\bthat)(?<!\bwhat)(?<!\bwho)(?<!\bthere)['\u2019]s\b|s['\u2019]\s"
)
_CHINESE_LINK = "\u7684"
_END = re.compile("(?<=[?\uff1f\u061f])\\s*")


def question_parts(
    question: str,
    *,
    comparisons: Sequence[QuestionWords] = (),
    most: int = 3,
) -> tuple[str, ...]:
    """Return the questions that are asked in one, each with the names it is about.

    A question without a name gets those of the first one, because it mostly speaks of them as
    "it". With `comparisons`, a single question that compares gives one part for each thing.
    Nothing where the question is simple.

    >>> question_parts("What is ML-KEM? How large are its keys?")
    ('What is ML-KEM?', 'ML-KEM: How large are its keys?')
    >>> question_parts("How large are its keys?")
    ()
    """
    pieces = (piece for piece in _END.split(question) if piece.endswith(("?", "\uff1f", "\u061f")))
    asked = [piece for piece in pieces if _says_something(piece)]
    if len(asked) > 1:
        return tuple(_named(part, asked[0]) for part in asked)[:most]
    return plan_question(question, comparisons).queries[:most]


def _named(part: str, first: str) -> str:
    names = read(first).names
    return part if part is first or read(part).names or not names else f"{', '.join(names)}: {part}"


def _says_something(text: str) -> bool:
    """Return whether a text has a word, a name or a number that is no function word."""
    found = read(text)
    return bool(found.names or found.numbers or {*index_words(text)} - function_words(text))


def is_nested(question: str) -> bool:
    """Return whether a question names a thing by way of another: "the wife of the man who ...".

    Told by relative pronouns behind the question word and by owners; English, Indonesian and
    Chinese. Such a question may need two searches, one with what the other has found.

    >>> is_nested("Who is the wife of the man who wrote it?"), is_nested("Who wrote it?")
    (True, False)
    >>> is_nested("Who is Ann's brother?"), is_nested("When it's empty, what is done?")
    (True, False)
    """
    rest = _ASKING.sub("", question.strip())
    relative = _RELATIVE.search(rest) or _OWNER.search(rest)
    return bool(relative) or rest.count(_CHINESE_LINK) > 1


def why_simple(question: str) -> str:
    """Return why no other words can ask for more, empty where some may.

    >>> why_simple("What is it?"), why_simple("ML-KEM-768")
    ('the question has no word to search for', 'the question is a name alone')
    """
    if not _says_something(question):
        return "the question has no word to search for"
    alone = (
        any(map(str.isalpha, question))
        and is_identifier(question.strip(" ?"))
        and not re.search(r"\s", question.strip())
    )
    return "the question is a name alone" if alone else ""
