"""Questions with what a right answer needs, read from JSON Lines (docs/eval.md)."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from hashlib import sha256

from research_agent.errors import QuestionSetError
from research_agent.evaluation.ranking import Gold, Span, holds
from research_agent.types import Chunk
from research_agent.types.records import DocumentOutline

MOST_TOLD = 10
"""Lines with mistakes that an error names."""
FORMAT = "docs/eval.md has the format; each line is one JSON object with a question."
KEYS = (
    "question", "qid", "answerable", "gold", "accepted_pages", "required_facts", "gold_answer",
    "kind", "left_out",
)  # fmt: skip
LIKE = 0.8
"""Similarity of a key to one of these, by difflib, from which it is a slip of the pen."""
Row = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and what is known of its answer."""

    qid: str
    text: str
    answerable: bool = True
    """Whether the documents have an answer; else a refusal is right."""
    golds: tuple[Gold, ...] = ()
    """What has to be found, each a place or several of which one will do."""
    accepted: tuple[Span, ...] = ()
    """Further places that may be cited."""
    required_facts: tuple[tuple[str, ...], ...] = ()
    """For each fact its wordings, of which one has to stand in a right answer."""
    gold_answer: str = ""
    kind: str = ""
    left_out: tuple[str, ...] = ()
    """Ids of chunks that are out of its scope, so that it has no answer."""
    line: int = 0
    """Its line in the file; 0 where it comes from none."""


def read_questions(text: str, name: str) -> tuple[Question, ...]:
    """Return the questions of a JSON Lines text; `name` is the file's, for errors.

    Raises QuestionSetError, which names the lines that are wrong and why.
    """
    found, problems = list[Question](), list[str]()
    seen: dict[str, int] = {}
    for line, written in enumerate(text.split("\n"), start=1):
        if not written.strip():
            continue
        try:
            one = _question(_object(written), line)
        except ValueError as error:
            problems.append(f"line {line}: {error}")
            continue
        for what in (f"qid {one.qid}", f"question {_same(one.text)!r}"):
            if what in seen:
                problems.append(f"line {line}: the {what} is also on line {seen[what]}")
            seen.setdefault(what, line)
        found.append(one)
    if problems:
        raise _mistakes(name, problems)
    if not found:
        raise QuestionSetError(f"{name} holds no question", hint=FORMAT)
    return tuple(found)


def check_against(
    questions: Sequence[Question],
    documents: Sequence[DocumentOutline],
    contents: Callable[[str], Sequence[Chunk]],
    name: str,
) -> None:
    """Raise QuestionSetError for golds in unknown documents, past their ends, or not in them.

    `contents` gives the chunks of a document by its name.
    """
    pages = {one.doc_id: one.pages for one in documents}
    text_of = cache(lambda doc_id: " ".join(chunk.text for chunk in contents(doc_id)))
    problems = [
        f"line {one.line}: gold {span.doc_id} {problem}"
        for one in questions
        for span in dict.fromkeys((*(s for gold in one.golds for s in gold.spans), *one.accepted))
        if (problem := _misfit(span, pages, text_of))
    ]
    if problems:
        raise _mistakes(name, problems, "research-agent documents lists what the index has.")


def _misfit(span: Span, pages: Mapping[str, int], text_of: Callable[[str], str]) -> str:
    """Return why a span cannot be found in the index; empty where it can."""
    if span.doc_id not in pages:
        return "is no document of the index"
    last = max(1, pages[span.doc_id])
    if span.end > last:
        return f"has no text on page {span.end}: its last page with text is {last}"
    if span.text and not span.start and not holds(text_of(span.doc_id), span.text):
        return f"does not hold the quote {span.text[:60]!r}"
    return ""


def _mistakes(name: str, problems: Sequence[str], hint: str = FORMAT) -> QuestionSetError:
    more = [f"and {len(problems) - MOST_TOLD} more"] if len(problems) > MOST_TOLD else []
    message = "\n  ".join([f"{name} has mistakes:", *problems[:MOST_TOLD], *more])
    return QuestionSetError(message, hint=hint)


def _object(written: str) -> Row:
    try:
        row = json.loads(written)
        json.dumps(row, ensure_ascii=False).encode()  # (half of a surrogate pair is no text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from error
    if isinstance(row, dict):
        return row
    raise ValueError("no JSON object")


def _same(text: str) -> str:
    return " ".join(text.casefold().split())


def _check_keys(row: Row) -> None:
    """Raise ValueError for a key that is nearly one of ours; others may be there."""
    for key in row:
        free = [known for known in KEYS if known not in row]
        if key not in KEYS and (meant := get_close_matches(key, free, n=1, cutoff=LIKE)):
            raise ValueError(f"the key {key} is not known; {meant[0]} is")


def _question(row: Row, line: int) -> Question:
    _check_keys(row)
    text = _text(row, "question")
    if not text.strip():
        raise ValueError("question is missing or empty")
    answerable = row.get("answerable", True)
    if not isinstance(answerable, bool):
        raise ValueError("answerable has to be true or false")  # noqa: TRY004 (told by line)
    golds = tuple(dict.fromkeys(map(_gold, _list(row, "gold"))))  # (one place is one gold)
    accepted = tuple(map(_span, _list(row, "accepted_pages")))
    made = Question(
        qid=_text(row, "qid") or sha256(_same(text).encode()).hexdigest()[:8],
        text=text,
        answerable=answerable,
        golds=golds or ((Gold(accepted),) if accepted else ()),
        accepted=accepted,
        required_facts=tuple(map(_fact, _list(row, "required_facts"))),
        gold_answer=_text(row, "gold_answer"),
        kind=_text(row, "kind"),
        left_out=tuple(map(str, _list(row, "left_out"))),
        line=line,
    )
    if not answerable and (made.golds or made.required_facts):
        raise ValueError("an unanswerable question has neither gold nor required_facts")
    return made


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} has to be text")
    return value or ""


def _list(row: Row, name: str) -> Sequence[object]:
    value = row.get(name)
    if value is not None and not isinstance(value, list):
        raise ValueError(f"{name} has to be a list")
    return value or []


def _gold(value: object) -> Gold:
    """Read one gold: a place, or a list of places of which one will do."""
    spans = tuple(map(_span, value if isinstance(value, list) else [value]))
    if not spans:
        raise ValueError("a gold is an empty list")
    return Gold(spans)


def _span(value: object) -> Span:
    if not isinstance(value, dict):
        raise ValueError("a gold has to be an object with a doc_id")  # noqa: TRY004 (as above)
    doc_id = _text(value, "doc_id")
    if not doc_id:
        raise ValueError("a gold has no doc_id")
    start = _page(value, "start_page") or _page(value, "page")
    end = _page(value, "end_page") or start
    if not start <= end or (end and not start):
        raise ValueError(f"gold {doc_id}: start_page {start} and end_page {end}")
    return Span(doc_id, start, end, _text(value, "quote"))


def _page(row: Row, name: str) -> int:
    value = row.get(name)
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} has to be a whole number from 1")
    return value


def _fact(value: object) -> tuple[str, ...]:
    wordings = value if isinstance(value, list) else [value]
    if not wordings or not all(isinstance(one, str) and one.strip() for one in wordings):
        raise ValueError("each of required_facts has to be a list of its wordings, none empty")
    return tuple(wordings)


def sampled(questions: Sequence[Question], limit: int, seed: int) -> tuple[Question, ...]:
    """Return `limit` questions, drawn by the hash of seed and id, in their order; 0: all.

    A smaller sample of the same seed is part of a larger one.
    """
    by_hash = sorted(questions, key=lambda q: sha256(f"{seed} {q.qid}".encode()).hexdigest())
    chosen = {one.qid for one in by_hash[: limit or None]}
    return tuple(one for one in questions if one.qid in chosen)
