"""An answer, sentence by sentence: its keys, the words that carry it, and the verdict.

Keys that name no chunk are dropped. A sentence whose keys do not carry it gets the key of the
chunk that does, if one does; the verdict says so.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from research_agent.core.claim_checks.listing import Checked, listed
from research_agent.core.entropy import mean_entropy, scored
from research_agent.core.evidence import Evidence
from research_agent.core.judging import judged
from research_agent.core.quoting import source_of
from research_agent.core.reference_marks import without_reference_marks
from research_agent.core.sentences import sentence_spans
from research_agent.core.stitching import stitched
from research_agent.core.support import Support, best_of, supports
from research_agent.core.types import Chunk, Token

MARKER = re.compile(
    r"\s*[\[(]\s*(?:chunks?\s+)?[cC]\d+(?:\s*(?:,|;|&|-|\u2013|and)\s*(?:chunk\s+)?[cC]\d+)*\s*[\])]"
)
KEY = re.compile(r"[cC]\d+")
Verdict = Literal["supported", "misattributed", "stitched", "unsupported"]
Repaired = Literal["", "rekeyed", "reasked"]
CONTRADICTED = 0.25
"""A quote that says otherwise and holds that much more of a sentence outweighs one that carries."""
CLEAR = 0.75
"""Support from which on a quote is not outweighed, and from which on a problem is one."""
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$|[^\d]*:\s*$|[|:\s-]+$)")


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer, without its markers."""

    text: str
    keys: tuple[str, ...] = ()
    """Keys of the chunks that carry it, in the order of their numbers."""
    quotes: tuple[Support, ...] = ()
    """The words that carry it, one quote a key; a key stands twice where two quotes of it do."""
    verdict: Verdict = "unsupported"
    """"misattributed": the model's keys did not carry it, the keys here do. "stitched": no quote
    carries the whole, but these quotes of several chunks carry its parts."""
    problem: str = ""
    """What is wrong with an unsupported claim; empty for others."""
    mean_entropy: float | None = None
    """Of its tokens, in nats; None where nothing is known about them."""
    support: float = 0.0
    """Share of its content words that its best quote holds, of stitched parts the least; 0 to 1."""
    similarity: float | None = None
    """Cosine of its embedding and that of its quotes; None where it has no quote, or where it was
    not measured."""
    checked: tuple[Checked, ...] = ()
    """Its numbers, units, identifiers and negations, and whether the quotes say them."""
    repaired: Repaired = ""
    """"rekeyed": it has a key that the model did not write. "reasked": nothing supported its first
    wording, or the model was unsure of it, and wrote it again."""
    first: str = ""
    """The first wording of a sentence that was written again; it is not part of the answer. Empty
    where a further round wrote the answer, for words of drafts of earlier rounds are not told."""


def is_shown(claim: Claim) -> bool:
    """Return whether a claim may be part of an answer.

    >>> is_shown(Claim("The moon is cheese."))
    False
    """
    return claim.verdict != "unsupported"


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


def read_claims(
    text: str,
    tokens: Sequence[Token],
    evidence: Sequence[Evidence],
    *,
    min_support: float,
    asked: str = "",
) -> tuple[Claim, ...]:
    """Split an answer into claims and judge each one against `evidence`.

    Headings, and sentences without a letter or digit, are passed over; a repeated sentence counts
    once. A sentence may have proper names of the question that was `asked`. Where the tokens do not
    spell `text`, no sentence has an entropy of its own.
    """
    chunks = {item.key: item.hit.chunk for item in evidence}
    aligned = "".join(token.text for token in tokens) == text
    said = said_tokens(tokens if aligned else ())
    claims: dict[str, Claim] = {}
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        words = bare(sentence)
        plain = " ".join(words.casefold().split())
        again = plain in claims
        if again or not any(c.isalnum() for c in words) or _HEADING.match(MARKER.sub("", sentence)):
            continue
        named = read_keys(sentence)
        claim = _judge(words, named, chunks, min_support, asked)
        if _is_cut(sentence, words) and end == len(text.rstrip()):
            claim = Claim(words, problem="it stops in the middle")
        entropy = mean_entropy(token for at, token in said if start <= at < end)
        repaired: Repaired = "" if {*claim.keys} <= {*named} else "rekeyed"
        claims[plain] = replace(claim, mean_entropy=entropy, repaired=repaired)
    return tuple(claims.values())


def _is_cut(sentence: str, words: str) -> bool:
    """Return whether a text without a full stop ends with a word that wants another one."""
    open_end = sentence.rstrip()[-1:] in ",(-"
    return open_end or words.rsplit(maxsplit=1)[-1].casefold() in OPEN_WORDS


def _judge(
    words: str, named: Sequence[str], chunks: Mapping[str, Chunk], min_support: float, asked: str
) -> Claim:
    """Give a sentence its keys, its quotes and its verdict."""
    judge = partial(judged, words, min_support=min_support, asked=asked)
    found = {key: judge(chunk) for key, chunk in chunks.items()}
    carrying = [key for key in found if supports(found[key], min_support=min_support)]
    written = [key for key in named if key in chunks]
    wrong = max(
        (quote for quote in found.values() if quote.problem),
        key=lambda quote: quote.score,
        default=None,
    )
    best = max((found[key].score for key in carrying), default=0.0)
    tables = (chunks[key].kind == "table" for key in written if key in carrying)
    clear = best >= CLEAR or any(tables)  # (a row holds its values and few of the words)
    if carrying and wrong and not clear and wrong.score >= best + CONTRADICTED:
        return _claim(words, [("", wrong)], "unsupported", chunks, wrong.problem)
    denying = _denying(found, written, carrying, best)
    if denying:
        return _claim(words, [("", denying)], "unsupported", chunks, denying.problem)
    right = sorted((key for key in written if key in carrying), key=_number)
    if right:
        return _claim(words, [(key, found[key]) for key in right], "supported", chunks)
    if carrying:
        key, quote = best_of([(key, found[key]) for key in carrying])
        verdict: Verdict = "misattributed" if written else "supported"
        return _claim(words, [(key, quote)], verdict, chunks)
    if wrong is None or wrong.score < CLEAR:
        parts = stitched(words, chunks, written, min_support=min_support, asked=asked)
        if parts:
            parts = tuple(sorted(parts, key=lambda part: _number(part[0])))
            return _claim(words, parts, _joined(parts, written), chunks)
    _, nearest = best_of(list(found.items()))
    problem = wrong.problem if wrong else _problem(nearest)
    return _claim(words, [("", wrong or nearest)], "unsupported", chunks, problem)


def _joined(parts: Sequence[tuple[str, Support]], written: Sequence[str]) -> Verdict:
    """Return the verdict on a sentence of which several quotes carry the parts.

    Where all stand in one chunk, that chunk carries it.
    """
    keys = {key for key, _ in parts}
    if len(keys) > 1:
        return "stitched"
    return "supported" if not written or keys <= {*written} else "misattributed"


def _denying(
    found: Mapping[str, Support], written: Sequence[str], carrying: Sequence[str], best: float
) -> Support | None:
    """Return the written chunk's quote that says otherwise, and as much as any that carries."""
    if not carrying or any(key in carrying for key in written):
        return None
    against = [found[key] for key in written if found[key].problem]
    return next((quote for quote in against if quote.score >= best), None)


def _claim(
    words: str,
    parts: Sequence[tuple[str, Support]],
    verdict: Verdict,
    chunks: Mapping[str, Chunk],
    problem: str = "",
) -> Claim:
    """Return a claim with all that was checked; an unsupported one has neither keys nor quotes."""
    quotes = tuple(quote for _, quote in parts)
    around = " ".join(source_of(chunks[key]) for key, _ in parts if key in chunks)
    checked = listed(words, [quote.quote for quote in quotes], around)
    support = min((quote.score for quote in quotes), default=0.0)
    if verdict == "supported":
        support = max(quote.score for quote in quotes)
    if len({key for key, _ in parts}) < len(parts):
        support = min(quote.score for quote in quotes)
    if verdict == "unsupported":
        return Claim(words, problem=problem, support=support, checked=checked)
    keys = tuple(key for key, _ in parts)
    return Claim(words, keys, quotes, verdict, support=support, checked=checked)


def _problem(nearest: Support) -> str:
    """Say what the nearest quote lacks."""
    if nearest.missing:
        return f"the evidence does not hold {', '.join(nearest.missing)} in such a sentence"
    return f"the nearest words hold {nearest.score:.0%} of it"


OPEN_WORDS = frozenset(
    ["a", "an", "the", "of", "to", "and", "or", "with", "by", "for", "from", "in", "on", "at", "is",
     "are", "was", "were", "has", "have", "which", "that", "as", "than", "if", "its", "yang", "dan",
     "atau", "dengan", "dari", "untuk", "adalah", "memiliki", "pada", "di", "ke", "oleh"]
)  # fmt: skip
"""Words that a sentence does not end with, unless it was cut."""


def _number(key: str) -> int:
    return int(key[1:])


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
