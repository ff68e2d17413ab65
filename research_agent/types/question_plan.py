"""What kind of answer a question wants, told from its words alone, and what follows for search.

The user's own words always rank most; what a plan adds weighs less or takes reserved places.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from research_agent.retrieval.heading_lookup import LookUp
from research_agent.types import ChunkKind
from research_agent.types.question_words import QuestionWords, phrases, spelled

QuestionKind = Literal["definition", "look-up", "comparison", "attribute", "overview", "general"]
TERM_WORDS = 4
"""A definition of something with a longer name is no definition but a description."""
MOST_THINGS = 4
"""Things of a comparison that are searched one by one."""
LISTED = 3
"""A question that lists so many things wants each of them, as a comparison does."""

_NAME = re.compile(
    r"\b(?:[A-Z][\w.]*(?:-[A-Z0-9][\w.]*)+|[A-Z]{2,}[\w-]*|[A-Z][a-z]+(?: [A-Z][a-z]+)+)\b"
)
_IDENTIFIER = re.compile(
    r"\b[A-Za-z0-9]+_[A-Za-z0-9_]+\b|\b\w[\w-]+\.[A-Za-z]\w{2,}\b"
    r"|\b[a-z]\w*[a-z0-9][A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+"
)


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """What kind of question it is, and what its search looks for besides its own words."""

    kind: QuestionKind = "general"
    term: str = ""
    """What a definition is wanted of; empty for other kinds."""
    meaning: bool = False
    """Whether the definition is wanted as a glossary has it: what a term means or stands for."""
    look_up: LookUp | None = None
    """The algorithm or table that is asked for by name or number."""
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

    >>> from research_agent.types.question_words import ENGLISH
    >>> plan_question("What is an ADRS in SLH-DSA?", [ENGLISH]).term
    'ADRS'
    >>> plan_question("How do ABC and XYZ differ in use?", [ENGLISH]).queries
    ('How do ABC and differ in use?', 'How do and XYZ differ in use?')
    >>> plan_question("What are the steps of Algorithm 2?", [ENGLISH]).look_up.label
    'Algorithm 2'
    """
    plans = (_plan(question, words) for words in languages)
    plan = next((plan for plan in plans if plan.kind != "general"), QuestionPlan())
    wanted = (_look_up(question, words) for words in languages)
    return replace(plan, look_up=next((one for one in wanted if one), None))


def compared_things(question: str, languages: Sequence[QuestionWords]) -> tuple[str, ...]:
    """Return the names that a question compares or lists; nothing where it does neither.

    >>> from research_agent.types.question_words import ENGLISH
    >>> compared_things("How do ML-KEM and ML-DSA differ?", [ENGLISH])
    ('ML-KEM', 'ML-DSA')
    """
    found = (_compared(question, words) for words in languages)
    return next((things for things in found if things), ())


def _plan(question: str, words: QuestionWords) -> QuestionPlan:
    if _numbered(words).search(question) or phrases(words.look_up).search(question):
        return QuestionPlan("look-up")
    if _IDENTIFIER.search(question):
        return QuestionPlan("look-up")
    if phrases(words.attribute).search(question):
        return QuestionPlan("attribute")
    if things := _compared(question, words):
        return QuestionPlan("comparison", queries=asked_apart(question, things))
    if term := _term(question, words):
        meaning = re.search(rf"(?i)\s(?:{spelled(words.meaning)})$", question.rstrip("?!. "))
        return QuestionPlan("definition", term, meaning=bool(meaning))
    survey = phrases(words.overview).match(question.strip())
    return QuestionPlan("overview" if survey else "general")


def _look_up(question: str, words: QuestionWords) -> LookUp | None:
    """Return the algorithm or table that a question names, None where it names none."""
    label = _numbered(words).search(question)
    called = label[0] if label else question
    names = tuple(dict.fromkeys((*_IDENTIFIER.findall(question), *_NAME.findall(question))))
    kinds: tuple[ChunkKind, ...] = ()
    if phrases(words.algorithms).search(called):
        kinds = ("algorithm", "code")
    elif phrases(words.tables).search(called):
        kinds = ("table",)
    if not kinds or not (label or names):
        return None
    return LookUp(kinds, " ".join(label[0].split()) if label else "", names)


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


def _compared(question: str, words: QuestionWords) -> tuple[str, ...]:
    """Return the things that a question compares, or lists: "A, B, and C"; () for neither."""
    things = tuple(dict.fromkeys(_NAME.findall(question)))
    if not phrases(words.comparison).search(question):
        joins = rf"(?:{spelled(words.joins)})"
        between = rf"(?:\s*,\s*(?:{joins}\s+)?|\s+{joins}\s+)"
        run = re.search(rf"{_NAME.pattern}(?:{between}{_NAME.pattern}){{{LISTED - 1},}}", question)
        things = tuple(dict.fromkeys(_NAME.findall(run[0]))) if run else ()
    return things if 1 < len(things) <= MOST_THINGS else ()


def asked_apart(question: str, things: Sequence[str]) -> tuple[str, ...]:
    """Return the question about each thing alone: without the names of the others.

    >>> asked_apart("How do ABC and XYZ differ?", ("ABC", "XYZ"))
    ('How do ABC and differ?', 'How do and XYZ differ?')
    """
    queries = []
    for thing in things:
        others = [re.escape(other) for other in things if other != thing]
        left = re.sub(rf"(?<![\w-])(?:{'|'.join(others)})(?![\w-])", " ", question)
        queries.append(" ".join(left.split()))
    return tuple(queries)


@cache
def _numbered(words: QuestionWords) -> re.Pattern[str]:
    called = spelled(words.numbered)
    return re.compile(rf"\b(?:{called})\s+(?:[A-Z]\.?)?\d+(?:\.\d+)*", re.IGNORECASE)
