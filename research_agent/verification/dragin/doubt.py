"""RIND without attention: how much every word, and every sentence, of an answer is in doubt.

DRAGIN (arXiv 2403.10081, section 3.1) scores a token by its entropy, by the attention that later
tokens pay to it, and by whether it is a content word. An API gives no attention. In its place
stand how rare the word is, and whether the chunks that the sentence cites say it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from research_agent.text.content_words import content_words, share_held, wanted_words
from research_agent.text.function_words import function_words
from research_agent.text.sentences import sentence_spans
from research_agent.text.words import fold
from research_agent.types import Chunk, Token
from research_agent.types.claims import bare, read_keys
from research_agent.types.evidence import source_of
from research_agent.verification.dragin.answer_words import AnswerWord, answer_words


@dataclass(frozen=True, slots=True)
class SentenceDoubt:
    """How much a sentence of an answer is in doubt."""

    text: str
    """The sentence without its markers, as its claim has it."""
    score: float | None = None
    """Of its most doubtful word, in nats; None where nothing is known about its words."""
    word: str = ""
    """That word, as it is written; empty where no word is in doubt."""
    certain: tuple[str, ...] = ()
    """Its content words without those in doubt, in order: what a search may build on."""


@dataclass(frozen=True, slots=True)
class _Scored:
    word: AnswerWord
    score: float | None
    content: bool
    held: bool


def rarity(holding: int, chunks: int) -> float:
    """Return how rare a word is that so many of the chunks hold: 1 for none, about 0 for all.

    The inverse document frequency ln((n + 1) / (df + .5)), divided by that of a word that no
    chunk holds, so that it does not grow with the number of chunks.

    >>> [round(rarity(holding, 10), 3) for holding in (0, 1, 5, 10)]
    [1.0, 0.645, 0.224, 0.015]
    """
    return log((chunks + 1) / (holding + 0.5)) / log(2 * (chunks + 1))


def rind(entropy: float, rarity: float, support: float, *, content: bool) -> float:
    """Return the doubt of a word in nats: H · rarity · content word · (1 - support).

    >>> rind(1.25, 0.5, 0.0, content=True), rind(1.25, 0.5, 1.0, content=True)
    (0.625, 0.0)
    """
    return entropy * rarity * content * (1.0 - support)


def sentence_doubts(
    text: str,
    tokens: Sequence[Token],
    keys: Mapping[str, Sequence[str]],
    cited: Mapping[str, Chunk],
    seen: Sequence[Chunk],
    *,
    limit: float,
) -> tuple[SentenceDoubt, ...]:
    """Return how much each sentence of an answer is in doubt, in order.

    `keys` has the citations of sentences by their words, where those that were written are not
    the right ones; `cited` are the chunks by their keys. A sentence without a key is compared with
    all of them. Rare is what few of the chunks `seen` hold. A word is in doubt where its score is
    above `limit`.

    >>> from math import log
    >>> from research_agent.types import Alternative
    >>> even = (Alternative("1088", log(0.5)), Alternative("1184", log(0.5)))
    >>> tokens = [Token("The key has ", 0.0), Token("1088", -0.7, even), Token(" bytes.", 0.0)]
    >>> chunk = Chunk("x", "d", "The key has 1184 bytes.")
    >>> said = "The key has 1088 bytes."
    >>> found = sentence_doubts(said, tokens, {}, {"c1": chunk}, [chunk], limit=0.5)
    >>> [(one.word, round(one.score, 3), one.certain) for one in found]
    [('1088', 0.693, ('key', 'bytes'))]
    """
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
        return _Scored(word, None, content, support >= 1.0)
    holding = sum(share_held(word.text, said) >= 1.0 for said in pool) if content else 0
    score = rind(word.entropy, rarity(holding, len(pool)), support, content=content)
    return _Scored(word, score, content, support >= 1.0)


def _sentence(plain: str, words: Sequence[_Scored], limit: float) -> SentenceDoubt:
    """Return the doubt of a sentence, and its words that are none.

    Behind the first word in doubt only those count that the cited chunks hold: the others were
    written to go with it.
    """
    known = [(word.score, word.word.text) for word in words if word.score is not None]
    if not known:
        return SentenceDoubt(plain, None, "", _texts(words))
    score, worst = max(known, key=lambda item: item[0])
    doubted = {fold(word.word.text) for word in words if (word.score or 0.0) > limit}
    first = next((i for i, w in enumerate(words) if fold(w.word.text) in doubted), len(words))
    certain = [
        word
        for place, word in enumerate(words)
        if fold(word.word.text) not in doubted and (place < first or word.held)
    ]
    return SentenceDoubt(plain, score, worst if score > limit else "", _texts(certain))


def _texts(words: Sequence[_Scored]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.word.text for word in words if word.content))
