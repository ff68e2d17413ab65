"""QFS without attention: the query for what is in doubt, or missing.

DRAGIN (arXiv 2403.10081, section 3.2) searches with the words in front of the doubtful one that
it attended to most, in the order of the text. Here they are the question's and those of the
sentence; what may be wrong is masked: the doubtful words themselves, and every number, identifier
or name that stands neither in the question nor in what was read.
"""

from collections.abc import Collection, Iterable

from research_agent.text.content_words import Word, is_made_up, wanted_words
from research_agent.text.function_words import function_words
from research_agent.text.words import fold, word_spans

MOST_WORDS = 25
"""Words that a query has beside the question: DRAGIN's own n."""


def doubt_query(question: str, words: Iterable[str], known: frozenset[str]) -> str:
    """Return the question with those of `words` that it lacks, in order and within the limit.

    A word with a digit or a capital is a value or a name: it is only taken where what was read
    has it (`known`, as `content_words` gives them), for a draft may have made it up.

    >>> words = ("Shannon", "encoded", "1088", "bytes", "keys")
    >>> doubt_query("How large are the keys?", words, frozenset({"bytes"}))
    'How large are the keys? encoded bytes'
    """
    asked = wanted_words(question)
    added: dict[frozenset[Word], str] = {}
    for word in words:
        wanted = wanted_words(word)
        if not wanted <= asked and not is_made_up(word, known):
            added.setdefault(wanted, word)
    return " ".join((question, *list(added.values())[:MOST_WORDS]))


def certain_words(text: str, doubted: Collection[str] = ()) -> tuple[str, ...]:
    """Return the content words of a text in order, less the `doubted` ones.

    >>> certain_words("The key has 1088 bytes.", ["1088"])
    ('key', 'bytes')
    """
    silent = function_words(text) | {fold(word) for word in doubted}
    words = (text[start:end] for start, end in word_spans(text))
    return tuple(w for w in words if wanted_words(w) and fold(w) not in silent)
