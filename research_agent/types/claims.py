"""An answer, sentence by sentence: its keys, its quotes, and whether the evidence bears it out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from research_agent.text.hard_facts import Fact
from research_agent.text.quote_search import Quote
from research_agent.text.reference_marks import without_reference_marks
from research_agent.text.sentences import sentence_spans
from research_agent.types import Chunk, Token
from research_agent.types.entropy import mean_entropy, scored
from research_agent.types.grounding import Grounded

MARKER = re.compile(
    r"\s*[\[(]\s*(?:chunks?\s+)?[cC]\d+(?:\s*(?:,|;|&|-|\u2013|and)\s*(?:chunk\s+)?[cC]\d+)*\s*[\])]"
)
KEY = re.compile(r"[cC]\d+")
Verdict = Literal["supported", "unconfirmed", "contradicted"]
MISCITED = 0.5
"""A written key whose quote holds less than this share of what the best quote holds is dropped."""
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$|[^\d]*:\s*$|[|:\s-]+$)")


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer, without its markers."""

    text: str
    keys: tuple[str, ...] = ()
    """Keys of the chunks that it cites, in the order of their numbers."""
    quotes: tuple[Quote, ...] = ()
    """For each key the words of its chunk that are nearest to the sentence."""
    verdict: Verdict = "unconfirmed"
    """"supported": the evidence bears it out. "unconfirmed": it may be true, but that could not be
    confirmed. "contradicted": the evidence says otherwise, in the words of `problem`."""
    problem: str = ""
    """Why it is not supported; empty for a supported one."""
    mean_entropy: float | None = None
    """Of its tokens, in nats; None where nothing is known about them."""
    support: float = 0.0
    """Probability that the evidence supports it (`core.grounding`), 0 to 1."""
    facts: tuple[Fact, ...] = ()
    """Its numbers, dates, identifiers and quotations, and whether the evidence has them."""
    judged: Literal["", "yes", "no"] = ""
    """What the judging model said; empty where it was not asked, or its reply did not count."""
    rekeyed: bool = False
    """Whether it has a key that the model did not write."""
    rewritten: bool = False
    """Whether the model was unsure of its first wording, and wrote it again."""


def is_supported(claim: Claim) -> bool:
    """Return whether the evidence bears a claim out.

    >>> is_supported(Claim("The moon is cheese."))
    False
    """
    return claim.verdict == "supported"


def read_keys(sentence: str) -> tuple[str, ...]:
    """Return the citation keys in a sentence, lower-cased, each once.

    >>> read_keys("It is so [c2, C10][c2], and so (chunk c3).")
    ('c2', 'c10', 'c3')
    """
    groups = (match.group() for match in MARKER.finditer(sentence))
    written = [key.lower() for group in groups for key in KEY.findall(group)]
    return tuple(dict.fromkeys(written))


def bare(sentence: str) -> str:
    """Return a sentence without markers, reference numbers and list signs.

    >>> bare("- The key has 1184 bytes [4] [c2].")
    'The key has 1184 bytes.'
    """
    text = without_reference_marks(MARKER.sub("", sentence))
    return re.sub(r"^(?:[-*•]|\d+[.)])\s+", "", text.strip()).strip()


def plain(words: str) -> str:
    """Return words as they are compared: without the size of letters, and on one line.

    >>> plain("The  Hose")
    'the hose'
    """
    return " ".join(words.casefold().split())


def read_claims(text: str, tokens: Sequence[Token] = ()) -> tuple[Claim, ...]:
    """Split an answer into its sentences, each with the keys that were written behind it.

    Headings, and sentences without a letter or digit, are passed over; a repeated sentence counts
    once. Where the tokens do not spell `text`, no sentence has an entropy of its own. Nothing is
    judged yet.

    >>> [(claim.text, claim.keys) for claim in read_claims("It rains [c1]. It is wet [c1][c2].")]
    [('It rains.', ('c1',)), ('It is wet.', ('c1', 'c2'))]
    """
    aligned = "".join(token.text for token in tokens) == text
    said = said_tokens(tokens if aligned else ())
    claims: dict[str, Claim] = {}
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        words = bare(sentence)
        again = plain(words) in claims
        if again or not any(c.isalnum() for c in words) or _HEADING.match(MARKER.sub("", sentence)):
            continue
        entropy = mean_entropy(token for at, token in said if start <= at < end)
        claims[plain(words)] = Claim(words, read_keys(sentence), mean_entropy=entropy)
    return tuple(claims.values())


def grounded_claim(claim: Claim, found: Grounded, *, limit: float) -> Claim:
    """Return a claim with its quotes and the verdict that its score and its facts give.

    With a probability below `limit` it is unconfirmed. Keys that were written stay where their
    chunks are near to the sentence; where none is, it gets the key of the chunk that is.

    >>> found = Grounded(probability=0.9, quotes={"c2": Quote(0.8, "Rain falls.", 0, 11)})
    >>> claim = grounded_claim(Claim("It rains.", ("c1",)), found, limit=0.5)
    >>> claim.keys, claim.verdict, claim.rekeyed
    (('c2',), 'supported', True)
    """
    best = max((quote.score for quote in found.quotes.values()), default=0.0)
    near = [key for key, quote in found.quotes.items() if quote.score > 0]
    kept = [key for key in claim.keys if key in near]
    kept = [key for key in kept if found.quotes[key].score >= MISCITED * best]
    keys = kept or sorted(near, key=lambda key: -found.quotes[key].score)[:1]
    keys = sorted(keys, key=lambda key: int(key[1:]))
    verdict, problem = _scored(found, limit)
    return replace(
        claim,
        keys=tuple(keys),
        quotes=tuple(found.quotes[key] for key in keys),
        verdict=verdict,
        problem=problem,
        support=found.probability,
        facts=found.facts,
        rekeyed=not {*keys} <= {*claim.keys},
    )


def _scored(found: Grounded, limit: float) -> tuple[Verdict, str]:
    if found.contradiction:
        quote = " ".join(found.contradiction.quote.quote.split())
        said, other = found.contradiction.said, found.contradiction.found
        return "contradicted", f"the evidence has {other}, not {said}: {quote}"
    if found.probability >= limit:
        return "supported", ""
    missing = ", ".join(fact.text for fact in found.facts if fact.status == "missing")
    nowhere = f"; the evidence has no {missing}" if missing else ""
    return "unconfirmed", f"support {found.probability:.0%}, below {limit:.0%}{nowhere}"


def is_verbatim(claim: Claim, chunks: Mapping[str, Chunk]) -> bool:
    """Return whether a chunk has a claim word for word; a part of a word or number is none.

    >>> is_verbatim(Claim("It  rains."), {"c1": Chunk("x", "d", "Today it rains. Alas.")})
    True
    """
    words = plain(claim.text).rstrip(".!?\u3002\uff01\uff1f")
    whole = re.compile(rf"(?<!\w)(?<!\d[.,]){re.escape(words)}(?![.,]?\w)")
    return any(whole.search(plain(chunk.text)) for chunk in chunks.values())


def said_tokens(tokens: Sequence[Token]) -> tuple[tuple[int, Token], ...]:
    """Return the tokens that say something, each with its place in the text that all spell.

    Citation markers, punctuation and tokens without alternatives are left out.
    """
    text = "".join(token.text for token in tokens)
    markers = [match.span() for match in MARKER.finditer(text)]
    said, at = [], 0
    for token in tokens:
        left, at = at, at + len(token.text)
        if scored(token) and not any(left < end and at > start for start, end in markers):
            said.append((left, token))
    return tuple(said)
