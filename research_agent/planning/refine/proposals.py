"""What may be searched beside a question: read from the planner's reply, or cut by rules."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from research_agent.planning.refine.names import is_identifier, read
from research_agent.planning.tool_calls.ranking import HOP, filled
from research_agent.text.language import function_words
from research_agent.text.replies import object_schema, plain_query, reply_object
from research_agent.text.words import index_words
from research_agent.types.question_plan import plan_question
from research_agent.types.refinement import Kind

MAX_QUERY_CHARS = 300
TOO_MANY = 10
"""A reply with more queries than this was not planned but poured out; none of them is taken."""
TRANSLATION_SCHEMA = object_schema({"query": {"type": "string", "maxLength": MAX_QUERY_CHARS}})
REPEATS = "the reply repeats what was asked before"
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
_END = re.compile("(?<=[?\u061f])\\s+|(?<=\uff1f)\\s*")


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the planner model wrote, read but not yet judged."""

    kind: Kind = "keep"
    queries: tuple[str, ...] = ()
    problem: str = ""
    """Why the reply is of no use; empty where it is, or where it keeps the question."""


UNREADABLE = Proposal(problem="the reply is not the JSON that was asked for")


def proposal_schema(most: int) -> Mapping[str, object]:
    """Return the JSON schema of the planner's reply, with at most `most` queries."""
    query = {"type": "string", "maxLength": 160}
    return object_schema(
        {
            "kind": {"type": "string", "enum": ["keep", "rewrite", "decompose"]},
            "queries": {"type": "array", "items": query, "maxItems": most},
        }
    )


def read_proposal(
    question: str, reply: str, *, most: int = 3, tried: tuple[str, ...] = ()
) -> Proposal:
    """Read the planner model's JSON; a reply that cannot be read proposes nothing.

    Queries that repeat the question or one that was `tried`, are empty or too long are left out.
    """
    value = reply_object(reply)
    kind, written = value.get("kind"), value.get("queries")
    if kind == "keep":
        return Proposal()
    if kind not in ("rewrite", "decompose", "disambiguate"):
        return UNREADABLE
    texts = [q.strip() for q in written if isinstance(q, str)] if isinstance(written, list) else []
    if len(texts) > TOO_MANY:
        return Proposal(problem=f"the reply has {len(texts)} queries")
    known = {"", *(plain_query(query) for query in (question, *tried))}
    fitting = [text for text in texts if len(text) <= MAX_QUERY_CHARS]
    new = _renumbered(texts, [text for text in fitting if plain_query(text) not in known])
    if not new:
        repeated = any(map(plain_query, texts))
        return Proposal(problem=REPEATS if repeated else "the reply has no query")
    return Proposal(kind, new[:most])


def _renumbered(written: Sequence[str], chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the different queries of `chosen`, their gaps (#1) numbered anew.

    One that waits for a query which was left out is left out too.
    """
    kept: list[str] = []
    places: dict[str, int] = {}
    for text in chosen:
        gaps = [int(n) for n in HOP.findall(text)]
        asked = [plain_query(written[n - 1]) for n in gaps if 0 < n <= len(written)]
        numbered = len(asked) == len(gaps)
        plain = plain_query(text)
        if plain in places or (numbered and not {*asked} <= places.keys()):
            continue
        if numbered:
            text = filled(text, {n: f"#{places[q]}" for n, q in zip(gaps, asked, strict=True)})  # noqa: PLW2901
        kept.append(text)
        places[plain] = len(kept)
    return tuple(kept)


def read_translation(question: str, reply: str) -> Proposal:
    """Read a translated query."""
    query = reply_object(reply).get("query")
    text = query.strip() if isinstance(query, str) else ""
    if not plain_query(text) or len(text) > MAX_QUERY_CHARS:
        return UNREADABLE
    if plain_query(text) == plain_query(question):
        return Proposal(problem=REPEATS)
    return Proposal("translate", (text,))


def question_parts(question: str, *, comparisons: bool = False, most: int = 3) -> tuple[str, ...]:
    """Return the questions that are asked in one; () where the question is simple.

    One without a name gets those of the first one, because it mostly speaks of them as "it". With
    `comparisons`, a single question that compares gives one part for each thing.
    """
    pieces = (piece for piece in _END.split(question) if piece.endswith(("?", "\uff1f", "\u061f")))
    asked = [piece for piece in pieces if _says_something(piece)]
    if len(asked) < 2:  # noqa: PLR2004 (one question is no list of them)
        return plan_question(question).queries[:most] if comparisons else ()
    first = asked[0]
    names = ", ".join(read(first).names)
    return tuple(
        part if part is first or read(part).names or not names else f"{names}: {part}"
        for part in asked
    )[:most]


def is_nested(question: str) -> bool:
    """Return whether a question names a thing by way of another: "the wife of the man who ...".

    Relative pronouns and owners tell; English, Indonesian and Chinese.
    """
    rest = _ASKING.sub("", question.strip())
    relative = _RELATIVE.search(rest) or _OWNER.search(rest)
    return bool(relative) or rest.count(_CHINESE_LINK) > 1


def why_simple(question: str) -> str:
    """Return why no other words can find more, empty where some may."""
    if not _says_something(question):
        return "the question has no word to search for"
    one_word = len(question.split()) == 1 and any(map(str.isalpha, question))
    alone = one_word and is_identifier(question.strip(" ?"))
    return "the question is a name alone" if alone else ""


def _says_something(text: str) -> bool:
    found = read(text)
    return bool(found.names or found.numbers or {*index_words(text)} - function_words(text))
