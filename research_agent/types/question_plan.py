"""What kind of answer a question wants, recognised by its words alone, and what follows for search.

The user's own words always rank most; what a plan adds weighs less or takes reserved places.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from research_agent.text.pseudocode import has_algorithm
from research_agent.text.words import fold, query_words
from research_agent.types import Chunk, ChunkKind
from research_agent.types import question_words as words
from research_agent.types.question_words import phrases, spelled

QuestionKind = Literal["definition", "look-up", "comparison", "attribute", "overview", "general"]
TERM_WORDS = 4
"""A definition of something with a longer name is no definition but a description."""
MOST_THINGS = 4
"""Things of a comparison that are searched one by one."""
LISTED = 3
"""A question that lists this many things or more wants each of them, as a comparison does."""

MOST_FOUND = 10
"""Chunks of a ranking by headings at most."""
LABEL, WHOLE, BEGINS = 4, 2, 1
"""What a heading counts for the label, for a name as it is, for a longer word that begins so."""

_NAME = re.compile(
    r"\b(?:[A-Z][\w.]*(?:-[A-Z0-9][\w.]*)+|[A-Z]{2,}[\w-]*|[A-Z][a-z]+(?: [A-Z][a-z]+)+)\b"
)
_IDENTIFIER = re.compile(
    r"\b[A-Za-z0-9]+_[A-Za-z0-9_]+\b|\b\w[\w-]+\.[A-Za-z]\w{2,}\b"
    r"|\b[a-z]\w*[a-z0-9][A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+"
)
_NUMBERED = re.compile(
    rf"\b(?:{spelled(words.NUMBERED)})\s+(?:[A-Z]\.?)?\d+(?:\.\d+)*", re.IGNORECASE
)
_JOIN = rf"(?:{spelled(words.JOINS)})"
_LIST = re.compile(
    rf"{_NAME.pattern}"
    rf"(?:(?:\s*,\s*(?:{_JOIN}\s+)?|\s+{_JOIN}\s+){_NAME.pattern}){{{LISTED - 1},}}"
)
_ARTICLE = re.compile(rf"(?i)^(?:{spelled(words.ARTICLES)})\s+")
_MEANING = re.compile(rf"(?i)\s+(?:{spelled(words.MEANING)})$")
_TERM_ENDS = re.compile(rf"(?i)\s+(?:{spelled(words.CONNECTIVES)})\s|,")


@dataclass(frozen=True, slots=True)
class LookUp:
    """An algorithm or a table that a question asks for."""

    kinds: tuple[ChunkKind, ...]
    label: str = ""
    """Such as "Algorithm 7"; empty where the question has no number."""
    names: tuple[str, ...] = ()
    """What it may be called: the names and identifiers of the question."""

    @property
    def query(self) -> str:
        """The words that it is searched by."""
        return self.label or " ".join(self.names)


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """The kind of a question, and what its search adds to its own words."""

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


def plan_question(question: str) -> QuestionPlan:
    """Return the plan of a question.

    A look-up is recognised before an attribute, this before a comparison, a definition, an
    overview: a question for one property of a thing wants no pages about the thing.

    >>> plan_question("What is an ADRS in SLH-DSA?").term
    'ADRS'
    >>> plan_question("How do ABC and XYZ differ in use?").queries
    ('How do ABC and differ in use?', 'How do and XYZ differ in use?')
    >>> plan_question("What are the steps of Algorithm 2?").look_up.label
    'Algorithm 2'
    """
    look_up = _look_up(question)
    by_name = _NUMBERED.search(question) or _IDENTIFIER.search(question)
    if by_name or phrases(words.LOOK_UP).search(question):
        return QuestionPlan("look-up", look_up=look_up)
    if phrases(words.ATTRIBUTE).search(question):
        return QuestionPlan("attribute", look_up=look_up)
    if things := compared_things(question):
        queries = asked_apart(question, things)
        return QuestionPlan("comparison", look_up=look_up, queries=queries)
    if term := _term(question):
        meaning = bool(_MEANING.search(question.rstrip("?!. ")))
        return QuestionPlan("definition", term, meaning, look_up)
    survey = phrases(words.OVERVIEW).match(question.strip())
    return QuestionPlan("overview" if survey else "general", look_up=look_up)


def compared_things(question: str) -> tuple[str, ...]:
    """Return the names that a question compares or lists ("A, B, and C"); () for neither.

    >>> compared_things("How do ML-KEM and ML-DSA differ?")
    ('ML-KEM', 'ML-DSA')
    """
    named = question
    if not phrases(words.COMPARISON).search(question):
        run = _LIST.search(question)
        named = run[0] if run else ""
    things = tuple(dict.fromkeys(_NAME.findall(named)))
    return things if 1 < len(things) <= MOST_THINGS else ()


def asked_apart(question: str, things: Sequence[str]) -> tuple[str, ...]:
    """Return the question about each thing alone: without the names of the others.

    >>> asked_apart("How do ABC and XYZ differ?", ("ABC", "XYZ"))
    ('How do ABC and differ?', 'How do and XYZ differ?')
    """
    queries = []
    for thing in things:
        others = "|".join(re.escape(other) for other in things if other != thing)
        left = re.sub(rf"(?<![\w-])(?:{others})(?![\w-])", " ", question)
        queries.append(" ".join(left.split()))
    return tuple(queries)


def _look_up(question: str) -> LookUp | None:
    label = _NUMBERED.search(question)
    called = label[0] if label else question
    names = tuple(dict.fromkeys((*_IDENTIFIER.findall(question), *_NAME.findall(question))))
    kinds: tuple[ChunkKind, ...] = ()
    if phrases(words.ALGORITHMS).search(called):
        kinds = ("algorithm", "code")
    elif phrases(words.TABLES).search(called):
        kinds = ("table",)
    if not kinds or not (label or names):
        return None
    return LookUp(kinds, " ".join(label[0].split()) if label else "", names)


def _term(question: str) -> str:
    text = question.strip().rstrip("?!. ")
    start = phrases(words.DEFINITION).match(text)
    if not start:
        return ""
    rest = _MEANING.sub("", _ARTICLE.sub("", text[start.end() :].strip()))
    term = _TERM_ENDS.split(rest)[0].strip(" \"'“”")
    return term if len(term.split()) <= TERM_WORDS else ""


def by_heading(wanted: LookUp, chunks: Sequence[Chunk], question: str) -> tuple[Chunk, ...]:
    r"""Return those of `chunks` whose heading has the label or a name, the surest first.

    Where there is no label one name has to be in the heading as it is. Running text counts as
    an algorithm where it has the label at the beginning of a line and numbered steps below. Of
    several chunks that are as sure, those come first whose document and headings hold more words
    of the question; else they stay in their order.

    >>> found = [Chunk("a", "d", "Sum is fast."), Chunk("b", "d", "Algorithm 2 Sum(x)\n1: add",
    ...          kind="algorithm")]
    >>> wanted = LookUp(("algorithm",), names=("Sum",))
    >>> [chunk.chunk_id for chunk in by_heading(wanted, found, "Show me the Sum algorithm")]
    ['b']
    """
    words = frozenset(query_words(question))

    def sureness(chunk: Chunk) -> tuple[int, int]:
        sure = (_named if chunk.kind in wanted.kinds else _steps)(wanted, chunk)
        place = "\n".join((chunk.doc_id, chunk.title, *chunk.section, _heading(chunk)))
        return sure, len(words & frozenset(query_words(place))) if sure else 0

    order = sorted(((sureness(c), c) for c in chunks), key=lambda pair: pair[0], reverse=True)
    return tuple(chunk for (sure, _), chunk in order if sure)[:MOST_FOUND]


def _named(wanted: LookUp, chunk: Chunk) -> int:
    """Return how much of what is wanted is in the heading of a chunk; 0 for too little."""
    heading = fold(_heading(chunk))
    label = LABEL if wanted.label and _held(wanted.label, heading) == WHOLE else 0
    names = [_held(name, heading) for name in wanted.names]
    return label + sum(names) if label or WHOLE in names else 0


def _steps(wanted: LookUp, chunk: Chunk) -> int:
    word, _, number = wanted.label.rpartition(" ")
    listed = "algorithm" in wanted.kinds and word and has_algorithm(chunk.text, number, word=word)
    return LABEL if listed else 0


def _heading(chunk: Chunk) -> str:
    """Return the heading above a chunk, and its first line, which may be its caption."""
    return "\n".join((*chunk.section[-1:], chunk.text.partition("\n")[0]))


def _held(name: str, heading: str) -> int:
    """Return how a heading holds a name: as it is, as the beginning of a longer one, or not."""
    begins = rf"(?<!\w){re.escape(fold(name))}"
    if re.search(rf"{begins}(?![\w.-]*\w)", heading):
        return WHOLE
    return BEGINS if re.search(begins, heading) else 0
