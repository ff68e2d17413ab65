"""DRAGIN (Su et al., arXiv 2403.10081) for models behind an API, which gives no attention weights.

RIND, how much a word is in doubt: entropy · rarity · content word · (1 - support). Rarity and
support by the cited chunks take the place of attention. QFS, the query: the question and the
sentence's words; doubtful ones, and values and names of unknown origin, are masked.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean

from research_agent.text.content_words import (
    Word,
    content_words,
    is_made_up,
    share_held,
    wanted_words,
)
from research_agent.text.language import function_words
from research_agent.text.sentences import sentence_spans
from research_agent.text.words import fold, word_spans
from research_agent.types import Chunk, Token
from research_agent.types.claims import MARKER, Claim, bare, said_tokens
from research_agent.types.entropy import token_entropy
from research_agent.types.evidence import source_of
from research_agent.types.verification import SentenceDoubt
from research_agent.verification.claims import read_keys

MOST_WORDS = 25
"""Words that a query has beside the question: DRAGIN's own n."""


@dataclass(frozen=True, slots=True)
class AnswerWord:
    """A word of an answer, as written."""

    text: str
    start: int
    """First character in the answer."""
    entropy: float | None = None
    """Mean entropy of its tokens, in nats; None where nothing is known about them."""


@dataclass(frozen=True, slots=True)
class _Scored:
    text: str
    score: float | None
    content: bool
    held: bool


def answer_words(text: str, tokens: Sequence[Token]) -> tuple[AnswerWord, ...]:
    """Return the words of an answer, without markers, each with the mean entropy of its tokens."""
    scored = said_tokens(tokens) if "".join(token.text for token in tokens) == text else ()
    entropies = [token_entropy(token.alternatives) for _, token in scored]
    starts = [start for start, _ in scored]
    ends = [start + len(token.text) for start, token in scored]
    markers = [match.span() for match in MARKER.finditer(text)]
    found = []
    for start, end in word_spans(text):
        if any(left <= start < right for left, right in markers):
            continue
        own = entropies[bisect_right(ends, start) : bisect_left(starts, end)]
        found.append(AnswerWord(text[start:end], start, fmean(own) if own else None))
    return tuple(found)


def rarity(holding: int, chunks: int) -> float:
    """Return how rare a word is that `holding` of the chunks hold: 1 for none, about 0 for all.

    The inverse document frequency ln((n + 1) / (df + .5)), divided by that of a word that no
    chunk holds, so that it does not grow with the number of chunks.

    >>> [round(rarity(holding, 10), 3) for holding in (0, 1, 5, 10)]
    [1.0, 0.645, 0.224, 0.015]
    """
    return log((chunks + 1) / (holding + 0.5)) / log(2 * (chunks + 1))


def sentence_doubts(
    answer: tuple[str, Sequence[Token]],
    claims: Sequence[Claim],
    cited: Mapping[str, Chunk],
    seen: Sequence[Chunk],
    *,
    limit: float,
) -> tuple[SentenceDoubt, ...]:
    """Return how much each sentence of an answer (text and tokens) is in doubt: above `limit` nats.

    A sentence without a key in `claims` is compared with all `cited` chunks. Rarity is over `seen`.
    """
    text, tokens = answer
    keys = {claim.text: claim.keys for claim in claims}
    silent = function_words(text)
    words = answer_words(text, tokens)
    pool = [content_words(chunk.text) for chunk in dict.fromkeys(seen)]
    found = []
    for start, end in sentence_spans(text):
        plain = bare(text[start:end])
        named = keys.get(plain) or read_keys(text[start:end])
        chunks = [cited[key] for key in named if key in cited] or cited.values()
        offered = frozenset[str]().union(*(content_words(source_of(chunk)) for chunk in chunks))
        own = [word for word in words if start <= word.start < end]
        scored = [_scored(word, offered, pool, silent) for word in own]
        found.append(_sentence(plain, scored, limit))
    return tuple(found)


def _scored(
    word: AnswerWord,
    offered: frozenset[str],
    pool: Sequence[frozenset[str]],
    silent: frozenset[str],
) -> _Scored:
    content = bool(wanted_words(word.text)) and fold(word.text) not in silent
    support = share_held(word.text, offered)
    if word.entropy is None:
        return _Scored(word.text, None, content, support >= 1.0)
    holding = sum(share_held(word.text, said) >= 1.0 for said in pool) if content else 0
    score = word.entropy * rarity(holding, len(pool)) * content * (1.0 - support)
    return _Scored(word.text, score, content, support >= 1.0)


def _sentence(plain: str, words: Sequence[_Scored], limit: float) -> SentenceDoubt:
    """Return the doubt of a sentence, and its certain words: after a doubt only held ones."""
    known = [(word.score, word.text) for word in words if word.score is not None]
    if not known:
        return SentenceDoubt(plain, None, "", _texts(words))
    score, worst = max(known, key=lambda item: item[0])
    doubted = {fold(word.text) for word in words if (word.score or 0.0) > limit}
    first = next((i for i, w in enumerate(words) if fold(w.text) in doubted), len(words))
    certain = [
        word
        for place, word in enumerate(words)
        if fold(word.text) not in doubted and (place < first or word.held)
    ]
    return SentenceDoubt(plain, score, worst if score > limit else "", _texts(certain))


def _texts(words: Sequence[_Scored]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.text for word in words if word.content))


def doubt_query(question: str, words: Iterable[str], known: frozenset[str]) -> str:
    """Return the question with those of `words` that it lacks, in order, at most `MOST_WORDS`.

    Values and names have to be `known` content words of the evidence: the draft may invent them.
    """
    asked = wanted_words(question)
    added: dict[frozenset[Word], str] = {}
    for word in words:
        wanted = wanted_words(word)
        if not wanted <= asked and not is_made_up(word, known):
            added.setdefault(wanted, word)
    return " ".join((question, *list(added.values())[:MOST_WORDS]))


def certain_words(text: str, doubted: Collection[str] = ()) -> tuple[str, ...]:
    """Return the content words of a text in order, less the `doubted` ones."""
    silent = function_words(text) | {fold(word) for word in doubted}
    words = (text[start:end] for start, end in word_spans(text))
    return tuple(w for w in words if wanted_words(w) and fold(w) not in silent)
