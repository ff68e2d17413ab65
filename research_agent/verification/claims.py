"""An answer's text to claims, and the verdict of each from its grounding."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from research_agent.text.content_words import content_words, share_held, wanted_words
from research_agent.text.hard_facts import hard_facts, own_readings
from research_agent.text.quote_search import unit_spans
from research_agent.text.sentences import SENTENCE_ENDS, sentence_spans
from research_agent.types import Chunk, Token
from research_agent.types.claims import MARKER, Claim, Verdict, bare, list_sign, plain, said_tokens
from research_agent.types.entropy import mean_entropy
from research_agent.verification.grounding import LEAST_NEAR, Grounded

LEAST_KNOWN = 0.5
"""A heading is shown if the question and the evidence have this share of its words."""
MOST_JOINED = 9
"""Keys that one range names, at most: [c2-c5] names four."""
_KEY = re.compile(r"([-\u2013]\s*)?[cC]?(\d+)")
_HEADING = re.compile(
    r"\s*(?:#{1,6}\s|\*\*[^*]*[^*.!?\u3002\uff01\uff1f]\*\*:?\s*$|[^\d]*:[\s.]*$|[|:\s.-]+$)"
)
"""What only heads other lines; markers are read as full stops, and bold sentences are no heads."""
_HYPHENS, _HEAD_ENDS = frozenset("|-"), frozenset("|-: \t")
"""Characters that the line between a table's head and its rows has at least, and at most."""


def read_keys(sentence: str) -> tuple[str, ...]:
    """Return the citation keys in a sentence, lower-cased, each once.

    >>> read_keys("It has 5 bytes [c2, 4]. It is red [C7-c9].")
    ('c2', 'c4', 'c7', 'c8', 'c9')
    """
    keys: list[int] = []
    for marker in MARKER.finditer(sentence):
        for found in _KEY.finditer(marker[0].partition("\u2020")[0]):
            number = int(found[2])
            joined = found[1] and keys and number - keys[-1] <= MOST_JOINED
            keys += range(keys[-1] + 1, number) if joined else ()
            keys.append(number)
    return tuple(f"c{key}" for key in dict.fromkeys(keys))


def read_claims(text: str, tokens: Sequence[Token] = ()) -> tuple[Claim, ...]:
    """Split an answer into its sentences, each with the keys written after it, not yet judged.

    Skipped are sentences without words, or said before below the same heading; headings go with the
    sentences below them.
    """
    aligned = "".join(token.text for token in tokens) == text
    scored = said_tokens(tokens if aligned else ())
    claims: dict[tuple[str, str], Claim] = {}
    spans = [(a, b) for a, b in sentence_spans(text) if any(map(str.isalnum, bare(text[a:b])))]
    heads = {span for span in spans if _is_heading(text[slice(*span)])}
    if heads.issuperset(spans):
        heads = set()
    heading, above, last = "", list[tuple[int, int]](), 0
    for start, end in spans:
        if (start, end) in heads:
            above.append((start, end))
            continue
        sentence = text[start:end]
        words = bare(sentence)
        if above:
            heading = "\n".join(MARKER.sub("", text[slice(*span)]).strip() for span in above)
        if (heading, plain(words)) in claims:
            continue
        entropy = mean_entropy(token for at, token in scored if start <= at < end)
        lead = _line_ends(text, above[0][0] if above else start) + _sign(text, start)
        between = text[last:start].strip()
        if _HYPHENS <= {*between} <= _HEAD_ENDS:
            lead = f"\n{between}\n"
        claim = Claim(words, read_keys(sentence), mean_entropy=entropy, lead=lead, heading=heading)
        claims[heading, plain(words)] = claim
        above, last = [], end
    return tuple(claims.values())


def _is_heading(sentence: str) -> bool:
    words = sentence[len(list_sign(sentence)) :]
    return bool(_HEADING.match(MARKER.sub(".", words)))


def _line_ends(text: str, start: int) -> str:
    before = text[:start]
    return "\n" * min(before[len(before.rstrip()) :].count("\n"), 2)


def _sign(text: str, start: int) -> str:
    """Return the sign of a list's item that begins at `start`, with what it is indented by."""
    sign = list_sign(text[start:])
    line = text[:start].rpartition("\n")[2]
    return f"{line if line.isspace() else ''}{sign.strip()} " if sign else ""


def is_known_heading(heading: str, known: Sequence[str]) -> bool:
    """Return whether `known` texts have half of a heading's words.

    All of its numbers and identifiers have to be there, too: nobody else checks a heading.
    """
    facts = hard_facts(heading, known)
    share = share_held(heading, content_words("\n".join(known)))
    return share >= LEAST_KNOWN and all(fact.status != "missing" for fact in facts)


def is_copied(claim: Claim, chunks: Mapping[str, Chunk]) -> bool:
    """Return whether a chunk has a claim's words in this order, in whole words and numbers.

    It may be a part of a sentence that says something else, so this alone supports nothing.
    """
    words = plain(claim.text).rstrip(SENTENCE_ENDS)
    whole = re.compile(rf"(?<!\w)(?<!\d[.,]){re.escape(words)}(?![.,]?\w)")
    return any(whole.search(plain(chunk.text)) for chunk in chunks.values())


def is_verbatim(claim: Claim, chunks: Mapping[str, Chunk]) -> bool:
    """Return whether a claim is a whole sentence or line of a chunk, of at least two words."""
    words = _words(claim.text)
    return len(wanted_words(words)) > 1 and any(words in _units(c) for c in chunks.values())


@lru_cache(maxsize=256)
def _units(chunk: Chunk) -> frozenset[str]:
    return frozenset(_words(chunk.text[start:end]) for start, end in unit_spans(chunk))


def _words(sentence: str) -> str:
    return plain(sentence[len(list_sign(sentence)) :]).rstrip(SENTENCE_ENDS)


def grounded_claim(claim: Claim, grounded: Grounded, *, limit: float) -> Claim:
    """Return a claim with quotes and the verdict.

    It is unconfirmed below the probability `limit`, or with a number that is nowhere. Written keys
    stay if their chunks are near to the sentence, or have what a number is computed of; else it
    gets the nearest chunk's. The fewer of its numbers a quote has, the less near it is.
    """
    readings = [own_readings(fact.text) for fact in grounded.facts if fact.kind == "number"]
    near = dict[str, float]()
    for key, quote in grounded.quotes.items():
        has = own_readings(quote.quote)
        near[key] = quote.score * (1 + sum(not has.isdisjoint(one) for one in readings))
    best = max(near.values(), default=0.0)
    quotes, sources = {**grounded.quotes, **grounded.sources}, grounded.sources
    kept = [k for k in claim.keys if k in sources or near.get(k, 0.0) >= LEAST_NEAR * best > 0]
    keys = kept or sorted(near, key=lambda key: -near[key])[:1]
    keys = sorted(keys, key=lambda key: int(key[1:]))
    verdict, problem = _verdict(grounded, limit)
    return replace(
        claim,
        keys=tuple(keys),
        quotes=tuple(quotes[key] for key in keys),
        verdict=verdict,
        problem=problem,
        support=grounded.probability,
        facts=grounded.facts,
        rekeyed=not {*keys} <= {*claim.keys},
    )


def _verdict(grounded: Grounded, limit: float) -> tuple[Verdict, str]:
    if grounded.contradiction:
        quote = " ".join(grounded.contradiction.quote.quote.split())
        stated, other = grounded.contradiction.said, grounded.contradiction.found
        return "contradicted", f"the evidence has {other}, not {stated}: {quote}"
    missing = [fact for fact in grounded.facts if fact.status == "missing"]
    likely = grounded.probability >= limit
    if likely and all(fact.kind != "number" for fact in missing):
        return "supported", ""
    support = [] if likely else [f"support {grounded.probability:.0%}, below {limit:.0%}"]
    nowhere = ", ".join(fact.text for fact in missing)
    return "unconfirmed", "; ".join(
        support + ([f"the evidence has no {nowhere}"] if nowhere else [])
    )
