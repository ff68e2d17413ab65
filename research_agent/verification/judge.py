"""A language model's judgement of an answer's sentences: asked in one call, and checked.

A vote counts only where it can be looked up: "supported" and "contradicted" need the key of a
chunk and words that are in it. Evidence that addresses the judge can change no other sentence.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError
from research_agent.text.content_words import content_words, share_held
from research_agent.text.figures import figures_in, plain
from research_agent.text.quote_search import Quote, headings
from research_agent.text.replies import object_schema, reply_object
from research_agent.text.tables import head_of, spelled_out
from research_agent.types import Chunk, Message
from research_agent.types.claims import Claim
from research_agent.types.evidence import Evidence, fenced, render_evidence
from research_agent.verification.claims import is_verbatim

Vote = Literal["supported", "unsupported", "contradicted"]
MOST = 24
"""Sentences of an answer that are asked about: the least supported ones."""
TOKENS = 90
"""Length of the reply for each sentence, at most: its quote may be a row of a table."""
LEAST_QUOTE = 4
"""Least letters and digits of a quote; fewer are found in any text."""
LEAST_SHARED = 0.5
"""The judge's quote has to score at least this share of the claim's best quote."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judge's vote on one sentence."""

    vote: Vote
    key: str = ""
    start: int = 0
    """Where the quote begins in the chunk's text, in characters."""
    end: int = 0


def judge(
    question: str,
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    context: StepContext,
    written: Mapping[str, Sequence[str]],
) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
    """Return the claims with the model's votes on them, and notes for the trace; never raises.

    `written` has the keys that the answer's model wrote for a sentence.
    `verify.judge` says which claims are asked about; none that a chunk has word for word. The
    `system` prompt is the answer's, so that a server reads the evidence once. Without a vote that
    counts the score's verdict stays, and a note says so.
    """
    settings, prompts = context.settings, context.prompts
    low, high = context.ports.grounding.unsure if settings.judges == "unsure" else (0.0, 1.0)
    chunks = {item.key: item.hit.chunk for item in evidence}
    asked = [
        at
        for at, claim in enumerate(claims)
        if low <= claim.support <= high and not is_verbatim(claim, chunks)
    ]
    asked = sorted(sorted(asked, key=lambda at: claims[at].support)[:MOST])
    if not asked:
        return tuple(claims), ()
    content = prompts.judge.render(
        evidence=render_evidence(evidence),
        question=question,
        sentences=fenced(listed([claims[at].text for at in asked])),
    )
    system = Message("system", prompts.answering(settings.refuses_by).render())
    try:
        reply = context.meter.ask(
            context.ports.verifier,
            "verifier",
            [system, Message("user", content)],
            max_tokens=TOKENS * len(asked),
            schema=judge_schema(len(asked)),
        )
    except (ModelError, BudgetError) as error:
        return tuple(claims), (f"verify: sentences were not judged: {error}",)
    judgements = read_judgements(reply.text, len(asked), chunks)
    found = list(claims)
    for number, at in enumerate(asked, 1):
        if number in judgements:
            own = written.get(found[at].text, ())
            found[at] = with_judgement(found[at], judgements[number], chunks, own)
    silent = len(asked) - len(judgements)
    note = (
        f"verify: the judge's reply says nothing that counts of {silent} of {len(asked)} sentences"
    )
    return tuple(found), (note,) if silent else ()


def listed(sentences: Sequence[str]) -> str:
    """Return sentences as the judge reads them, each under its number."""
    return "\n".join(f"{n}. {' '.join(text.split())}" for n, text in enumerate(sentences, 1))


def judge_schema(sentences: int) -> dict[str, object]:
    """Return the JSON schema of a reply on this many sentences."""
    one = object_schema(
        {
            "sentence": {"type": "integer"},
            "verdict": {"enum": ["supported", "unsupported", "contradicted"]},
            "key": {"type": "string"},
            "quote": {"type": "string"},
        }
    )
    verdicts = {"type": "array", "items": one, "minItems": sentences, "maxItems": sentences}
    return object_schema({"verdicts": verdicts})


def read_judgements(reply: str, count: int, chunks: Mapping[str, Chunk]) -> dict[int, Judgement]:
    """Return what a reply says of each of `count` sentences, by their number from 1.

    Left out are sentences named twice with different verdicts, or supported with unknown words.
    """
    found: dict[int, Judgement | None] = {}
    rows = reply_object(reply).get("verdicts")
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, dict):
            continue
        number, vote = row.get("sentence"), row.get("verdict")
        if type(number) is not int or not 0 < number <= count:
            continue
        judgement = _judgement(vote, row, chunks)
        twice = number in found and found[number] != judgement
        found[number] = None if twice else judgement
    return {number: judgement for number, judgement in found.items() if judgement}


def _judgement(
    vote: object, row: Mapping[str, object], chunks: Mapping[str, Chunk]
) -> Judgement | None:
    if vote == "unsupported":
        return Judgement("unsupported")
    if vote not in ("supported", "contradicted"):
        return None
    key = str(row.get("key")).strip("[] ").lower()
    place = _place(str(row.get("quote")), chunks[key]) if key in chunks else None
    if place is None:
        return None
    return Judgement("supported" if vote == "supported" else "contradicted", key, *place)


def _place(quote: str, chunk: Chunk) -> tuple[int, int] | None:
    """Return the place of a quote in a chunk; of rows that models read spelled out, the rows."""
    place = quoted_in(quote, chunk.text)
    head = head_of(chunk.text) if chunk.kind == "table" else ""
    if place or not head:
        return place
    rows = re.compile("[^\\n]+").finditer(chunk.text, len(head))
    spelled = [(row, spelled_out(f"{head}\n{row[0]}")) for row in rows]
    places = [
        next((row.span() for row, text in spelled if quoted_in(line, text)), None)
        for line in quote.strip().split("\n")
    ]
    found = [place for place in places if place]
    return (min(found)[0], max(found)[1]) if len(found) == len(places) else None


def quoted_in(quote: str, text: str) -> tuple[int, int] | None:
    r"""Return the place of a quote in a text, whatever its white space and case.

    Models read tables and fences in another form than chunks have: a bar between two cells, or the
    stroke before one within a cell, counts as white space, and an escaped sign as itself.

    >>> quoted_in("a  KEY of 5", "It has a key\nof 5 bytes.")
    (7, 17)
    """
    wanted = _solid(quote.replace("&lt;", "<"))
    if sum(map(str.isalnum, wanted)) < LEAST_QUOTE:
        return None
    places = [
        at for at, char in enumerate(text) for _ in _solid(char)
    ]  # (a letter may fold to two)
    at = _solid(text).find(wanted)
    return (places[at], places[at + len(wanted) - 1] + 1) if at >= 0 else None


def _solid(text: str) -> str:
    return "".join(char for char in text.casefold() if not char.isspace() and char not in "|\\")


def with_judgement(
    claim: Claim, judgement: Judgement, chunks: Mapping[str, Chunk], written: Sequence[str]
) -> Claim:
    """Return a claim with the judge's vote on it, if its quote holds enough of its words.

    A yes on few of them counts if its chunk's key was `written`, and the evidence holds few or a
    number is computed of several places. A yes supports it unless a hard fact is missing that is no
    sum or difference of numbers in the quote; a no makes it unconfirmed unless contradicted.
    """
    if judgement.vote == "unsupported":
        if claim.verdict == "contradicted":
            return replace(claim, judged="no")
        problem = "the judging model finds it in no passage"
        return replace(claim, verdict="unconfirmed", problem=problem, judged="no")
    chunk = chunks[judgement.key]
    text = chunk.text[judgement.start : judgement.end]
    score = share_held(claim.text, content_words(text) | content_words(headings(chunk)))
    quote = Quote(score, text, judgement.start, judgement.end)
    best = max((one.score for one in claim.quotes), default=0.0)
    shares_words = score > 0 and score >= LEAST_SHARED * best
    numbers = figures_in(plain(text))
    facts = tuple(fact.added(numbers, numbers) for fact in claim.facts)
    parted = score > 0 and any(fact.operands for fact in facts)
    vouched = judgement.vote == "supported" and judgement.key in written
    agreed = vouched and (parted or best < LEAST_SHARED)
    if not (shares_words or agreed):
        return claim
    if judgement.vote == "contradicted":
        problem = f"the evidence says: {' '.join(text.split())}"
        return replace(claim, verdict="contradicted", problem=problem, judged="no")
    if any(fact.status == "missing" for fact in facts):
        return claim
    pairs = zip(claim.keys, claim.quotes, strict=True)
    keys = {key: one for key, one in pairs if shares_words or key in written}
    own = keys.get(judgement.key, quote)
    stays = any(fact.operands for fact in claim.facts) and own.score >= score
    keys[judgement.key] = own if stays else quote
    order = sorted(keys, key=lambda key: int(key[1:]))
    return replace(
        claim,
        keys=tuple(order),
        quotes=tuple(keys[key] for key in order),
        facts=facts,
        verdict="supported",
        problem="",
        judged="yes",
        rekeyed=not {*order} <= {*written},
    )
