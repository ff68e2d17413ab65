"""Whether the words of a chunk carry a sentence, and what they say otherwise."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.core.claim_checks.checking import contradiction
from research_agent.core.claim_checks.pairing import clause_share
from research_agent.core.claim_checks.reading import read
from research_agent.core.quoting import above, offered_words, quotes_of, source_of
from research_agent.core.sentence_parts import parts_of
from research_agent.core.sentences import sentence_spans
from research_agent.core.support import (
    Support,
    claimed_words,
    held_share,
    is_named,
    names,
)
from research_agent.core.types import Chunk

TRIED = 4
"""Quotes of a chunk that are compared with a sentence."""
LEAST_OF_A_PART = 0.25
"""Share of the words of each part of a sentence that its quote has to hold."""
NAMED_PART = 0.5
"""The same of a part whose names the quote does not have."""
NEARLY = 0.1
"""A quote whose support is that much less than the best one's is not tried."""


def judged(sentence: str, chunk: Chunk, *, min_support: float, asked: str = "") -> Support:
    """Return the best quote of `chunk` that says what `sentence` says.

    Where none does, the best quote with its problem. What the best quote contradicts is not
    carried by one that holds clearly fewer of the sentence's words.

    >>> chunk = Chunk("x", "guide", "Keys may be reused, but seeds must not be reused.")
    >>> judged("Seeds may be reused.", chunk, min_support=0.5).problem
    'the evidence negates "reused"'
    """
    found = quotes_of(sentence, chunk, most=TRIED, min_support=min_support, asked=asked)
    whole = [quote for quote in found if not quote.missing and quote.score >= min_support]
    if len(whole) < 2:  # noqa: PLR2004 (nothing to choose from)
        return _checked(sentence, whole[0] if whole else found[0], chunk, min_support)
    said = read(sentence)
    dense = {quote: clause_share(said, read(quote.quote))[0] for quote in whole}
    whole.sort(key=lambda quote: -quote.score - dense[quote] + 0.1 * _length(quote))
    best = _checked(sentence, whole[0], chunk, min_support)
    if not best.problem:
        return best
    for other in whole[1:]:
        if dense[other] >= dense[whole[0]] - NEARLY and other.score >= best.score - NEARLY:
            second = _checked(sentence, other, chunk, min_support)
            if not second.problem:
                return second
    return best


def _length(quote: Support) -> int:
    return len(sentence_spans(quote.quote)) - 1


def _checked(sentence: str, found: Support, chunk: Chunk, min_support: float) -> Support:
    if found.missing or found.score < min_support:
        return found
    lacking = _lacking(sentence, found.quote, chunk)
    if lacking:
        return replace(found, missing=(f'"{lacking}"',))
    table = chunk.text if chunk.kind == "table" else ""
    problem = contradiction(sentence, found.quote, context=source_of(chunk), table=table)
    return replace(found, problem=problem) if problem else found


def _lacking(sentence: str, quote: str, chunk: Chunk) -> str:
    """Return the part of a sentence of which a quote says nothing; empty where it says all."""
    offered = offered_words(quote, chunk)
    about = above(chunk)
    given = about - offered
    for way in parts_of(sentence):
        for part in way:
            told = {word for word in claimed_words(part) if not _is_given(word, given)}
            if told and held_share(frozenset(told), offered) < LEAST_OF_A_PART:
                return part
        if len(way) > 1 and (strange := _unnamed(way, quote, offered | about)):
            return strange
    return ""


def _unnamed(way: Sequence[str], quote: str, offered: frozenset[str]) -> str:
    """Return the part of whose names a quote says none, where it has those of another part."""
    named = {
        part: [is_named(name, quote) for name in names(part) if not name[0].isdigit()]
        for part in way
    }
    if not any(found and all(found) for found in named.values()):
        return ""
    strange = (part for part, found in named.items() if found and not any(found))
    return next((p for p in strange if held_share(claimed_words(p), offered) < NAMED_PART), "")


def _is_given(word: tuple[str, ...], above: frozenset[str]) -> bool:
    """Return whether a word is a number, which is compared apart, or what the chunk is about."""
    return word[0][:1].isdigit() or word[0] in above
