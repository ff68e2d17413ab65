"""Questions written by a model from passages, and what a question has to pass to be kept."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import mul
from typing import Any

from research_agent.context import RunContext, StepContext
from research_agent.errors import ModelReplyError
from research_agent.evaluation.passages import UNANSWERABLE, Kind, Task
from research_agent.text.replies import object_schema, reply_object
from research_agent.text.words import length_in_words
from research_agent.types import Chunk, Hit, Message, chunk_header
from research_agent.types.budget import Allowance
from research_agent.types.evidence import attribute, fenced, pages, place
from research_agent.types.scope import Scope

Row = dict[str, Any]
"""One line of a question set, without its id."""
Attempt = Row | str
"""A question, or why it was dropped."""
LEAST_WORDS, MOST_WORDS, MOST_CHARS = 4, 60, 500
"""Of a question; a quote has at least `LEAST_QUOTE` words and `MOST_QUOTE` characters at most."""
LEAST_QUOTE, MOST_QUOTE = 2, 400
SHOWN_CHARS = 3000
"""Of a passage, to the model."""
MAX_TOKENS, CALLS = 500, 5
"""Tokens of a reply, and calls for one question, at most."""
FOUND_AMONG, READ = 100, 5
"""A passage has to be among so many hits of the vectors or of the words alone (fewer would favour
questions that the search is good at); hits that must not answer what is to have no answer."""
SAME_QUESTION = 0.92
"""Cosine from which two questions are one."""
TRIES, NONSENSE = 4, 20
"""Tasks that are tried for each question of a kind; questions dropped, without one that is kept,
after which the model is given up."""


class _DroppedError(Exception):
    """A question is not kept, for the reason in the message."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes questions, each from its task alone, so that several can be made at a time."""

    run: RunContext
    search: Callable[[str, Scope], Sequence[Hit]]
    """What a question finds within a scope, best first."""

    def attempt(self, task: Task) -> Attempt:
        """Return a question that has passed every check, or why there is none.

        Raises ModelError, BudgetError.
        """
        budget = self.run.settings.budget
        context = self.run.within(Allowance(CALLS, 0, budget.tokens, budget.seconds))
        try:
            row = read_reply(task, _written(task, context))
            self._check(row, task, context)
        except _DroppedError as error:
            return str(error)
        return row

    def _check(self, row: Row, task: Task, context: StepContext) -> None:
        question, ports = str(row["question"]), self.run.ports
        if task.kind != "near-miss":
            near = ports.vectors.search(ports.embedder.embed([question])[0], k=FOUND_AMONG)
            named = ports.lexical.search(question, k=FOUND_AMONG)
            if {x.chunk_id for x in task.chunks}.isdisjoint(x.chunk_id for x in (*near, *named)):
                raise _DroppedError(f"its passage is not among {FOUND_AMONG} hits")
            if not _answers(question, task.chunks, context):
                raise _DroppedError("the model says that its passage does not answer it")
        if task.kind == "hops" and any(_answers(question, [x], context) for x in task.chunks):
            raise _DroppedError("the model says that one of two passages is enough")
        if task.kind in UNANSWERABLE:
            hits = self.search(question, Scope(exclude=frozenset(row["left_out"])))[:READ]
            if hits and _answers(question, [hit.chunk for hit in hits], context):
                raise _DroppedError("the model says that other passages answer it")


def _written(task: Task, context: StepContext) -> str:
    name = "single" if task.kind == "left-out" else task.kind.replace("-", "_")
    values = {"text": _shown(task.chunks[0]), "about": _about(task.chunks[0])}
    for other in task.chunks[1:]:
        values |= {"other": _shown(other), "other_about": _about(other)}
    message = Message("user", getattr(context.prompts, f"make_{name}").render(**values))
    model, schema = context.ports.answerer, _schema(task)
    return context.meter.ask(model, "answer", [message], max_tokens=MAX_TOKENS, schema=schema).text


def read_reply(task: Task, reply: str) -> Row:
    """Return the question in a model's reply, or raise an error with the reason why it is none."""
    given = reply_object(reply)
    question, answer, why = (_text(given.get(name)) for name in ("question", "answer", "why"))
    answerable = task.kind not in UNANSWERABLE
    row: Row = {"question": question, "answerable": answerable, "kind": task.kind, "gold": []}
    if not LEAST_WORDS <= length_in_words(question) <= MOST_WORDS or len(question) > MOST_CHARS:
        raise _DroppedError("it is no question, or too long")
    if task.kind == "near-miss":
        return row | {"why": why, "left_out": []}
    quotes = _quotes(task, given.get("quotes"))
    facts = _facts(task.kind, given.get("facts"), question, quotes)
    if task.kind == "left-out":
        why = f"left out: {place(task.chunks[0])}, which says: {quotes[0]}"
        return row | {"why": why, "left_out": [*task.beside]}
    if not answer:
        raise _DroppedError("it has no answer")
    gold = list(map(_gold, task.chunks, quotes))
    return row | {"gold": gold, "required_facts": [[x] for x in facts], "gold_answer": answer}


def _quotes(task: Task, written: object) -> list[str]:
    pairs = zip(_texts(written), task.chunks, strict=False)
    quotes = [literal(one, chunk.text) for one, chunk in pairs]
    if len(quotes) < len(task.chunks) or not all(quotes):
        raise _DroppedError("a quote is not in its passage letter by letter")
    return quotes


def _facts(kind: Kind, written: object, question: str, quotes: Sequence[str]) -> list[str]:
    """Return the facts that are in a quote, of two hops in the last one, and not in the question.

    What is compared is named in the question, and one of it may be the answer.
    """
    within = _folded(" ".join(quotes[-1:] if kind == "hops" else quotes))
    known = "" if kind == "comparison" else _folded(question)
    facts = [x for x in _texts(written) if x and "|" not in x]  # (cells of a row are no one fact)
    kept = [x for x in facts if _folded(x) in within and _folded(x) not in known]
    if not kept:
        raise _DroppedError("no fact of it is in the quote and not in the question")
    return list(dict.fromkeys(kept))


def _gold(chunk: Chunk, quote: str) -> Row:
    numbers = {"start_page": chunk.start_page, "end_page": chunk.end_page} if pages(chunk) else {}
    return {"doc_id": chunk.doc_id, **numbers, "quote": quote}


def literal(quote: str, text: str) -> str:
    r"""Return the words of `text` that a quote repeats letter by letter; empty where it does not.

    Only white space may differ, and `<`, which models read escaped.

    >>> literal("is 768  bytes", "It is 768\nbytes long."), literal("was 768 bytes", "It is 768")
    ('is 768 bytes', '')
    """
    words = [re.escape(word) for word in quote.replace("&lt;", "<").split()]
    found = re.search(r"\s+".join(words), text) if words else None
    if not found or len(found[0]) > MOST_QUOTE or length_in_words(found[0]) < LEAST_QUOTE:
        return ""
    return " ".join(found[0].split())


@dataclass(slots=True)
class Kept:
    """The questions that are kept, none like another one, and why others were dropped."""

    embed: Callable[[Sequence[str]], Sequence[Sequence[float]]]
    rows: list[Row] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    vectors: list[Sequence[float]] = field(default_factory=list)

    def add(self, attempt: Attempt) -> bool:
        """Keep an attempt's question, unless it was dropped or asks what another one asks."""
        if isinstance(attempt, str):
            self.dropped[attempt] += 1
            return False
        vector = self.embed([attempt["question"]])[0]
        if any(sum(map(mul, vector, other)) >= SAME_QUESTION for other in self.vectors):
            self.dropped["another question asks the same"] += 1
            return False
        self.rows.append(attempt)
        self.vectors.append(vector)
        return True

    def told(self) -> str:
        """Return how many questions were dropped for which reason; empty for none."""
        return "; ".join(f"{count}: {why}" for why, count in self.dropped.most_common())


def make(
    streams: Mapping[Kind, Iterator[Task]],
    counts: Mapping[Kind, int],
    each: Callable[[Sequence[Task]], Iterable[Attempt]],
    kept: Kept,
) -> Iterator[Attempt]:
    """Yield attempts until as many questions are kept as wanted, or nothing is left to try.

    What a kind lacks is made of single facts. `each` attempts tasks in their order. Raises
    ModelReplyError where no question can be used.
    """
    missing = Counter(counts)
    tries = {kind: TRIES * count for kind, count in counts.items()}
    while missing.total():
        batch: list[Task] = []
        for kind in sorted(missing, key="single".__eq__):
            found = list(islice(streams[kind], max(0, min(missing[kind], tries[kind]))))
            batch += found
            tries[kind] -= len(found)
            if lacking := (missing[kind] - len(found)) * (kind != "single"):
                missing.subtract({kind: lacking, "single": -lacking})
                tries["single"] += TRIES * lacking
        if not batch or (not kept.rows and kept.dropped.total() >= NONSENSE):
            break
        for task, attempt in zip(batch, each(batch), strict=True):
            missing[task.kind] -= kept.add(attempt)
            yield attempt
    if not kept.rows:
        raise ModelReplyError(
            f"none of {kept.dropped.total()} questions can be used. {kept.told()}",
            hint="Use a stronger model: -m NAME",
        )


def _answers(question: str, chunks: Sequence[Chunk], context: StepContext) -> bool:
    texts = "\n".join(f'<text about="{_about(x)}">\n{_shown(x)}\n</text>' for x in chunks)
    prompt = context.prompts.make_check.render(question=question, texts=texts)
    ports = context.ports
    verdict = context.meter.ask_yes_no(ports.verifier, "verifier", [Message("user", prompt)])
    if verdict.probability is None:
        raise _DroppedError("the model said neither yes nor no")
    return verdict.probability >= 1 / 2


def _schema(task: Task) -> Mapping[str, object]:
    text = {"type": "string", "maxLength": MOST_CHARS}
    fields: Row = {"question": text, "why": text}
    if task.kind != "near-miss":
        many = {"type": "array", "items": text}
        count = len(task.chunks)
        fields = {"question": text, "answer": text}
        fields["quotes"] = many | {"minItems": count, "maxItems": count}
        fields["facts"] = many | {"minItems": 1, "maxItems": 3}
    return object_schema(fields)


def _shown(chunk: Chunk) -> str:
    return fenced(chunk.text[:SHOWN_CHARS])


def _about(chunk: Chunk) -> str:
    return attribute(chunk_header(chunk) or chunk.doc_id)


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [_text(one) for one in value] if isinstance(value, list) else []


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
