"""An answer, sentence by sentence: its keys, the words that carry it, and the verdict.

Keys that name no chunk are dropped. A sentence whose keys do not carry it gets the key of the
chunk that does, if one does; the verdict says so.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from research_agent.core.entropy import scored, token_entropy
from research_agent.core.evidence import Evidence
from research_agent.core.sentences import sentence_spans
from research_agent.core.support import Support, best_of, best_support, supports
from research_agent.core.types import Token

MARKER = re.compile(
    r"\s*[\[(]\s*(?:chunks?\s+)?[cC]\d+(?:\s*(?:,|;|&|-|\u2013|and)\s*(?:chunk\s+)?[cC]\d+)*\s*[\])]"
)
KEY = re.compile(r"[cC]\d+")
FOREIGN = re.compile(r"\s*\[[A-Za-z]{0,8}\d+[a-z]?(?:,\s*[A-Za-z]{0,8}\d+[a-z]?)*\]")
"""Reference numbers copied from a page, such as [4] or [RS10]: they are no keys of ours."""
Verdict = Literal["supported", "misattributed", "unsupported"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer, without its markers."""

    text: str
    keys: tuple[str, ...] = ()
    """Keys of the chunks that carry it, in the order of their numbers."""
    quotes: tuple[Support, ...] = ()
    """The words that carry it, one quote a key."""
    verdict: Verdict = "unsupported"
    """"misattributed": the model's keys did not carry it, the keys here do."""
    problem: str = ""
    """What is wrong with an unsupported claim; empty for others."""
    mean_entropy: float | None = None
    """Of its tokens, in nats; None where nothing is known about them."""


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
    text = FOREIGN.sub("", MARKER.sub("", sentence))
    return re.sub(r"^(?:[-*•]|\d+[.)])\s+", "", text.strip()).strip()


def read_claims(
    text: str,
    tokens: Sequence[Token],
    evidence: Sequence[Evidence],
    *,
    min_support: float,
) -> tuple[Claim, ...]:
    """Split an answer into claims and judge each one against `evidence`.

    Sentences without a letter or digit are passed over. Where the tokens do not spell `text`, no
    sentence has an entropy of its own.
    """
    chunks = {item.key: item for item in evidence}
    aligned = "".join(token.text for token in tokens) == text
    said = said_tokens(tokens if aligned else ())
    claims = []
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        if any(c.isalnum() for c in bare(sentence)):
            entropy = _mean_entropy(start, end, said)
            claims.append(_judge(sentence, entropy, chunks, min_support))
    return tuple(claims)


def _judge(
    sentence: str,
    entropy: float | None,
    chunks: Mapping[str, Evidence],
    min_support: float,
) -> Claim:
    """Give a sentence its keys, its quote and its verdict."""
    words = bare(sentence)
    found = {key: best_support(words, item.hit.chunk) for key, item in chunks.items()}
    carrying = [key for key in found if supports(found[key], min_support=min_support)]
    written = [key for key in read_keys(sentence) if key in chunks]
    right = sorted((key for key in written if key in carrying), key=_number)
    if right:
        quotes = tuple(found[key] for key in right)
        return Claim(words, tuple(right), quotes, "supported", "", entropy)
    key, support = best_of([(key, found[key]) for key in carrying])
    if key:
        verdict: Verdict = "misattributed" if written else "supported"
        return Claim(words, (key,), (support,), verdict, "", entropy)
    _, nearest = best_of([(key, found[key]) for key in found])
    return Claim(words, problem=_problem(nearest), mean_entropy=entropy)


def _problem(nearest: Support) -> str:
    """Say what the nearest quote lacks."""
    if nearest.missing:
        return f"the evidence does not hold {', '.join(nearest.missing)} in such a sentence"
    return f"the nearest words hold {nearest.score:.0%} of it"


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


def _mean_entropy(start: int, end: int, said: Sequence[tuple[int, Token]]) -> float | None:
    """Return the mean entropy of the tokens that begin in a sentence; None without any."""
    inside = [token_entropy(token.alternatives) for at, token in said if start <= at < end]
    return fmean(inside) if inside else None
