"""What kind of answer a question wants, told from its words alone, and what follows for search.

The user's own words always rank most; what a plan adds weighs less or takes reserved places.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from research_agent.core.question_words import QuestionWords, phrases, spelled

QuestionKind = Literal["definition", "look-up", "comparison", "attribute", "overview", "general"]
TERM_WORDS = 4
"""A definition of something with a longer name is no definition but a description."""
MOST_THINGS = 4
"""Things of a comparison that are searched one by one."""

_NAME = re.compile(
    r"\b(?:[A-Z][\w.]*(?:-[A-Z0-9][\w.]*)+|[A-Z]{2,}[\w-]*|[A-Z][a-z]+(?: [A-Z][a-z]+)+)\b"
)
_IDENTIFIER = re.compile(
    r"\b[A-Za-z0-9]+_[A-Za-z0-9_]+\b|\b[a-z]\w*[a-z0-9][A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+"
)


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """What kind of question it is, and what its search looks for besides its own words."""

    kind: QuestionKind = "general"
    term: str = ""
    """What a definition is wanted of; empty for other kinds."""
    queries: tuple[str, ...] = ()
    """The question about each of the things that it compares."""

    @property
    def overview(self) -> bool:
        """Whether pages that say what a document is about may help."""
        return self.kind in {"definition", "overview", "comparison"}

    @property
    def exact(self) -> bool:
        """Whether the words count more than the meaning, as with identifiers."""
        return self.kind == "look-up"


def plan_question(question: str, languages: Sequence[QuestionWords]) -> QuestionPlan:
    """Return the plan of a question: that of the first language that recognises it.

    A look-up is recognised before an attribute, this before a comparison, a definition, an
    overview: a question for one property of a thing wants no pages about the thing.

    >>> from research_agent.core.question_words import ENGLISH
    >>> plan_question("What is an ADRS in SLH-DSA?", [ENGLISH]).term
    'ADRS'
    >>> plan_question("How do ABC and XYZ differ in use?", [ENGLISH]).queries
    ('How do ABC and differ in use?', 'How do and XYZ differ in use?')
    >>> plan_question("What are the steps of Algorithm 2?", [ENGLISH]).kind
    'look-up'
    """
    plans = (_plan(question, words) for words in languages)
    return next((plan for plan in plans if plan.kind != "general"), QuestionPlan())


def _plan(question: str, words: QuestionWords) -> QuestionPlan:
    if _numbered(words).search(question) or phrases(words.look_up).search(question):
        return QuestionPlan("look-up")
    if _IDENTIFIER.search(question):
        return QuestionPlan("look-up")
    if phrases(words.attribute).search(question):
        return QuestionPlan("attribute")
    things = tuple(dict.fromkeys(_NAME.findall(question)))
    if 1 < len(things) <= MOST_THINGS and phrases(words.comparison).search(question):
        return QuestionPlan("comparison", queries=_apart(question, things))
    if term := _term(question, words):
        return QuestionPlan("definition", term)
    survey = phrases(words.overview).match(question.strip())
    return QuestionPlan("overview" if survey else "general")


def _term(question: str, words: QuestionWords) -> str:
    """Return what a definition is wanted of, empty where none is."""
    text = question.strip().rstrip("?!. ")
    start = phrases(words.definition).match(text)
    if not start:
        return ""
    rest = re.sub(rf"(?i)^(?:{spelled(words.articles)})\s+", "", text[start.end() :].strip())
    rest = re.sub(rf"(?i)\s+(?:{spelled(words.meaning)})$", "", rest)
    term = re.split(rf"(?i)\s+(?:{spelled(words.connectives)})\s|,", rest)[0].strip(" \"'“”")
    return term if len(term.split()) <= TERM_WORDS else ""


def _apart(question: str, things: Sequence[str]) -> tuple[str, ...]:
    """Return the question about each thing alone: without the names of the others."""
    queries = []
    for thing in things:
        others = [re.escape(other) for other in things if other != thing]
        left = re.sub(rf"(?<![\w-])(?:{'|'.join(others)})(?![\w-])", " ", question)
        queries.append(" ".join(left.split()))
    return tuple(queries)


@cache
def _numbered(words: QuestionWords) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{spelled(words.numbered)})\s+(?:[A-Z]\.?)?\d", re.IGNORECASE)
