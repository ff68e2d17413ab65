"""The languages that validators know, and how settings change them."""

from collections.abc import Sequence

from research_agent.core.validators.chinese import CHINESE
from research_agent.core.validators.english import ENGLISH
from research_agent.core.validators.indonesian import INDONESIAN
from research_agent.core.validators.rewrite_words import RewriteWords

LANGUAGES = (ENGLISH, INDONESIAN, CHINESE)


def with_languages(more: Sequence[RewriteWords]) -> tuple[RewriteWords, ...]:
    """Return the built-in languages with `more`; one of the same name takes the other's place.

    >>> [words.language for words in with_languages([RewriteWords(language="french")])]
    ['english', 'indonesian', 'chinese', 'french']
    """
    return tuple({words.language: words for words in (*LANGUAGES, *more)}.values())
