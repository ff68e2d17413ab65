"""Parts of a question that wait for the answer to an earlier part: "Where was #1 born?".

A gap `#n` is filled with words of what the n-th part found, and with nothing else: an answer
that is not there letter by letter is no answer.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from research_agent.context import StepContext
from research_agent.text.replies import reply_object
from research_agent.text.words import fold
from research_agent.types import Hit, Message
from research_agent.types.evidence import fenced

HOP = re.compile(r"(?<!\w)#(\d)(?!\w)")
"""A gap in a query for the answer to an earlier one."""
MAX_ANSWER = 100
"""Characters; what is longer is no name, place, date or number."""
MAX_TOKENS = 60
HITS, HIT_CHARS = 3, 1200
"""Hits of a part in which its answer is looked for, and characters of each."""
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"answer": {"type": "string", "maxLength": MAX_ANSWER}},
    "required": ["answer"],
    "additionalProperties": False,
}


def gaps(query: str, at: int) -> tuple[int, ...]:
    """Return the earlier parts whose answers the part number `at` needs.

    >>> gaps("Where was #1 born?", 2), gaps("What is issue #1?", 1), gaps("see #3", 2)
    ((1,), (), ())
    """
    return tuple(dict.fromkeys(n for n in map(int, HOP.findall(query)) if 0 < n < at))


def waiting(queries: Sequence[str], searched: Sequence[int]) -> tuple[int, ...]:
    """Return the parts that could be searched as soon as their gaps are filled."""
    return tuple(
        at
        for at, query in enumerate(queries)
        if at not in searched and gaps(query, at) and set(gaps(query, at)) <= set(searched)
    )


def awaited(queries: Sequence[str]) -> frozenset[int]:
    """Return the parts whose answers others need."""
    return frozenset(n for at, query in enumerate(queries) for n in gaps(query, at))


def filled(query: str, answers: Mapping[int, str]) -> str:
    """Return `query` with its gaps filled, empty where an answer is missing.

    >>> filled("Where was #1 born?", {1: "Ada Li"}), filled("Where was #1 born?", {1: ""})
    ('Where was Ada Li born?', '')
    """
    wanted = [n for n in map(int, HOP.findall(query)) if n in answers]
    if not all(answers[n] for n in wanted):
        return ""
    return HOP.sub(lambda gap: answers.get(int(gap[1]), gap[0]), query)


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """What one part's hits answer to its query."""

    text: str = ""
    chunk_id: str = ""


def answer_part(query: str, hits: Sequence[Hit], context: StepContext) -> PartAnswer:
    """Return the planner model's answer out of a part's hits; raises ModelError, BudgetError."""
    hits = hits[:HITS]
    if not hits:
        return PartAnswer()
    evidence = "\n\n".join(fenced(_readable(hit)) for hit in hits)
    text = context.prompts.hop.render(question=query, evidence=evidence)
    reply = context.meter.ask(
        context.ports.planner,
        "planner",
        [Message("user", text)],
        max_tokens=MAX_TOKENS,
        schema=SCHEMA,
    )
    return read_answer(reply.text, query, hits)


def read_answer(reply: str, query: str, hits: Sequence[Hit]) -> PartAnswer:
    """Return the answer in a model's reply, empty where no hit has it.

    An answer that repeats the query answers nothing.
    """
    answer = reply_object(reply).get("answer")
    text = " ".join(answer.split()) if isinstance(answer, str) else ""
    plain = fold(text)
    if not 1 < len(text) <= MAX_ANSWER or plain in fold(query):
        return PartAnswer()
    before = r"(?<!\w)" if plain[0].isascii() else ""
    after = r"(?!\w)" if plain[-1].isascii() else ""
    whole_words = re.compile(f"{before}{re.escape(plain)}{after}")
    for hit in hits:
        if whole_words.search(" ".join(fold(_readable(hit)).split())):
            return PartAnswer(text, hit.chunk.chunk_id)
    return PartAnswer()


def _readable(hit: Hit) -> str:
    return f"{hit.chunk.title}\n{hit.chunk.text[:HIT_CHARS]}".strip()
