"""The parts of a question, told by rules: the plan that stands in for a planner model."""

import re
from collections.abc import Sequence

from research_agent.core.question_plan import plan_question
from research_agent.core.question_words import QuestionWords
from research_agent.core.validators.reading import Reading, language_of, read
from research_agent.core.validators.rewrite_words import RewriteWords

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
    languages: Sequence[RewriteWords],
    *,
    comparisons: Sequence[QuestionWords] = (),
    most: int = 3,
) -> tuple[str, ...]:
    """Return the questions that are asked in one, each with the names it is about.

    A question without a name gets those of the first one, because it mostly speaks of them as
    "it". With `comparisons`, a single question that compares gives one part for each thing.
    Nothing where the question is simple.

    >>> from research_agent.core.validators.languages import LANGUAGES
    >>> question_parts("What is ML-KEM? How large are its keys?", LANGUAGES)
    ('What is ML-KEM?', 'ML-KEM: How large are its keys?')
    >>> question_parts("How large are its keys?", LANGUAGES)
    ()
    """
    words = language_of(question, languages)
    pieces = (piece for piece in _END.split(question) if piece.endswith(("?", "\uff1f", "\u061f")))
    asked = [piece for piece in pieces if read(piece, words).content]
    if len(asked) > 1:
        return tuple(_named(part, asked[0], words) for part in asked)[:most]
    return plan_question(question, comparisons).queries[:most]


def _named(part: str, first: str, words: RewriteWords | None) -> str:
    if part is first or any(item.name for item in read(part, words).items):
        return part
    names = [item.text for item in read(first, words).items if item.name]
    spelled = [re.search(re.escape(name), first, re.IGNORECASE) for name in names]
    found = ", ".join(match.group() for match in spelled if match)
    return f"{found}: {part}" if found else part


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


def why_simple(question: str, languages: Sequence[RewriteWords]) -> str:
    """Return why no other words can ask for more, empty where some may.

    >>> from research_agent.core.validators.languages import LANGUAGES
    >>> why_simple("What is it?", LANGUAGES), why_simple("ML-KEM-768", LANGUAGES)
    ('the question has no word to search for', 'the question is a name alone')
    """
    asked: Reading = read(question, language_of(question, languages))
    if not asked.content and not any(item.number for item in asked.items):
        return "the question has no word to search for"
    alone = len(asked.items) == len(asked.content) == sum(item.name for item in asked.items)
    return "the question is a name alone" if alone else ""


def other_language(
    question: str, texts: Sequence[str], languages: Sequence[RewriteWords]
) -> tuple[str, str]:
    """Return the languages of the question and of `texts` where they differ, else empty texts.

    >>> from research_agent.core.validators.languages import LANGUAGES
    >>> other_language("Berapa lama garansi itu?", ["The warranty is for two years."], LANGUAGES)
    ('indonesian', 'english')
    """
    own, theirs = language_of(question, languages), language_of(" ".join(texts), languages)
    if own is None or theirs is None or own is theirs:
        return ("", "")
    return (own.language, theirs.language)
