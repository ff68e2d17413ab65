"""QFS without attention: the query for what is in doubt.

DRAGIN (arXiv 2403.10081, section 3.2) searches with the words in front of the doubtful one that
it attended to most, in the order of the text. Here they are the question's and those of the
sentence; the doubtful word itself is never among them, for it may be wrong.
"""

from collections.abc import Sequence

from research_agent.core.content_words import Word, wanted_words
from research_agent.core.dragin.doubt import SentenceDoubt

MOST_WORDS = 25
"""Words that a query has beside the question: DRAGIN's own n."""


def doubt_query(question: str, sentences: Sequence[SentenceDoubt]) -> str:
    """Return the question with the certain content words of the sentences in doubt.

    Words that the question has are not said twice.

    >>> found = SentenceDoubt("The key of the oven has 1088 bytes.", 0.7, "1088", ("key", "bytes"))
    >>> doubt_query("How large is the key?", [found])
    'How large is the key? bytes'
    """
    asked = wanted_words(question)
    added: dict[frozenset[Word], str] = {}
    for word in (word for sentence in sentences for word in sentence.certain):
        wanted = wanted_words(word)
        if not wanted <= asked:
            added.setdefault(wanted, word)
    return " ".join((question, *list(added.values())[:MOST_WORDS]))
