"""Words that say nothing of what a text is about: articles, pronouns, question words."""

from functools import cache

from research_agent.text.language import languages_of
from research_agent.text.words import STOP_WORDS


def function_words(text: str) -> frozenset[str]:
    """Return the function words, in lower case, of the language that `text` is likeliest in.

    The lists are those of stopwordsiso, of 57 languages; for English it is the word index's own,
    because theirs has 1,298 words, with "keys" and "system" among them.

    >>> {"what", "is"} <= function_words("What is the size?"), function_words("1184")
    (True, frozenset())
    """
    return _listed(languages_of(text)[:1])


@cache
def _listed(codes: tuple[str, ...]) -> frozenset[str]:
    from stopwordsiso import stopwords

    if codes == ("en",):
        return STOP_WORDS
    return frozenset(stopwords(codes)) if codes else frozenset()
