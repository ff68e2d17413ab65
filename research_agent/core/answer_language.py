"""Whether an answer is written in the language of its question."""

import re

from research_agent.core.claims import MARKER
from research_agent.core.validators.languages import with_languages
from research_agent.core.validators.reading import language_of
from research_agent.core.validators.rewrite_words import RewriteWords

_GERMAN = (
    "der die das den dem des ein eine einen einem einer und oder aber ist sind war wird werden "
    "hat haben kann nicht mit von zu zum zur für auf aus bei wie was wer wann wo warum welche "
    "welcher welches wieviel im in an als auch nach über unter durch es sie er man"
)
_FRENCH = (
    "le la les un une des du de et ou mais est sont était a ont peut ne pas avec pour dans sur par "
    "que qui quoi quel quelle quels quelles comment quand où pourquoi combien ce cette ces il elle "
    "on au aux en se sa son ses leur"
)
_SPANISH = (
    "el la los las un una unos unas y o pero es son fue era ha han puede no con para por en sobre "
    "que quién qué cuál cuáles cómo cuándo dónde cuánto cuántos del de al se su sus este esta esto"
)
LANGUAGES = with_languages(
    [
        RewriteWords(language=language, function=tuple(words.split()))
        for language, words in (("german", _GERMAN), ("french", _FRENCH), ("spanish", _SPANISH))
    ]
)
LEAST_LETTERS = 12
"""A shorter answer may be a name or a number alone."""
LEAST_SHARE = 0.6
"""Share of the letters by which a text is in a script."""
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")


def language_warning(question: str, answer: str) -> str:
    """Return a warning where an answer is in another language than its question, else "".

    Nothing is said where the language of one of them cannot be told.

    >>> language_warning("How long is the hose?", "Panjang selang itu adalah 5 m dan merah [c1].")
    'answer_language: the question is in english, the answer in indonesian'
    >>> language_warning("How long is the hose?", "The hose is 5 m long [c1].")
    ''
    """
    said = MARKER.sub("", answer)
    if sum(c.isalpha() for c in said) < LEAST_LETTERS and _is_latin(said) is not False:
        return ""
    asked, told = language_of(question, LANGUAGES), language_of(said, LANGUAGES)
    if asked and told:
        if asked.language == told.language:
            return ""
        names = f"{asked.language}, the answer in {told.language}"
        return f"answer_language: the question is in {names}"
    scripts = (_is_latin(question), _is_latin(said))
    if scripts in {(True, False), (False, True)}:
        return "answer_language: the question and the answer are in different scripts"
    return ""


def _is_latin(text: str) -> bool | None:
    """Return whether a text is in Latin letters; None where it is mixed or has none."""
    letters = [c for c in text if c.isalpha()]
    latin = sum(bool(_LATIN.match(c)) for c in letters)
    if latin > LEAST_SHARE * len(letters):
        return True
    return False if letters and latin < (1 - LEAST_SHARE) * len(letters) else None
