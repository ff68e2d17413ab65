"""Parts of a question that wait for the answer to an earlier part: "Where was #1 born?".

A gap `#n` is filled with words of what the n-th part found, and with nothing else: an answer
that does not stand there letter by letter is no answer.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from research_agent.text.words import fold
from research_agent.types import Hit
from research_agent.types.proposals import HOP, reply_object

MAX_ANSWER = 100
"""Characters; what is longer is no name, place, date or number."""
HITS = 3
"""Hits of a part in which its answer is looked for."""
HIT_CHARS = 1200
"""Characters of each that are read."""


def gaps(query: str, at: int) -> tuple[int, ...]:
    """Return the earlier parts whose answers the part number `at` needs.

    >>> gaps("Where was #1 born?", 2), gaps("What is issue #1?", 1), gaps("see #3", 2)
    ((1,), (), ())
    """
    return tuple(dict.fromkeys(n for n in map(int, HOP.findall(query)) if 0 < n < at))


def waiting(queries: Sequence[str], searched: Sequence[int]) -> tuple[int, ...]:
    """Return the parts that could be searched as soon as their gaps are filled.

    >>> waiting(["Where was its founder born?", "Who founded it?", "Where was #1 born?"], [0, 1])
    (2,)
    """
    return tuple(
        at
        for at, query in enumerate(queries)
        if at not in searched and gaps(query, at) and set(gaps(query, at)) <= set(searched)
    )


def awaited(queries: Sequence[str]) -> frozenset[int]:
    """Return the parts whose answers others need.

    >>> sorted(awaited(["Where was its founder born?", "Who founded it?", "Where was #1 born?"]))
    [1]
    """
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
    """Words of a hit; empty where nothing answers."""
    chunk_id: str = ""
    """The best hit in which they stand."""


def read_answer(reply: str, query: str, hits: Sequence[Hit]) -> PartAnswer:
    """Return the answer in a model's reply, empty where it does not stand in the hits.

    An answer that repeats the query answers nothing.

    >>> from research_agent.types import Chunk
    >>> hits = [Hit(Chunk("1", "d", "Acme was founded by Ada Li in 1990."))]
    >>> read_answer('{"answer": "Ada Li"}', "Who founded Acme?", hits)
    PartAnswer(text='Ada Li', chunk_id='1')
    >>> read_answer('{"answer": "Bo Chen"}', "Who founded Acme?", hits)
    PartAnswer(text='', chunk_id='')
    """
    answer = reply_object(reply).get("answer")
    text = " ".join(answer.split()) if isinstance(answer, str) else ""
    plain = fold(text)
    if not 1 < len(text) <= MAX_ANSWER or plain in fold(query):
        return PartAnswer()
    holding = (h.chunk.chunk_id for h in hits[:HITS] if _stands(plain, readable_text(h)))
    chunk_id = next(holding, "")
    return PartAnswer(text, chunk_id) if chunk_id else PartAnswer()


def readable_text(hit: Hit) -> str:
    """Return what of a hit is read for an answer: its title and the begin of its text."""
    return f"{hit.chunk.title}\n{hit.chunk.text[:HIT_CHARS]}".strip()


def _stands(answer: str, text: str) -> bool:
    """Return whether the answer stands in the text as whole words."""
    plain = " ".join(fold(text).split())
    found = re.escape(answer)
    before = r"(?<!\w)" if answer[0].isascii() else ""
    after = r"(?!\w)" if answer[-1].isascii() else ""
    return bool(re.search(f"{before}{found}{after}", plain))
