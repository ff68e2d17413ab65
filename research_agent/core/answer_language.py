"""Whether an answer is written in the language of its question."""

import re

from research_agent.core.claims import MARKER
from research_agent.core.language import language_name, languages_apart

LEAST_LETTERS = 12
"""A shorter answer may be a name or a number alone."""
LEAST_SHARE = 0.6
"""Share of the letters by which a text is in a script."""
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")


def language_warning(question: str, answer: str) -> str:
    """Return a warning where an answer is in another language than its question, else "".

    Nothing is said where the language of one of them cannot be told.

    >>> language_warning("How long is the hose?", "Panjang selang itu adalah 5 m dan merah [c1].")
    'answer_language: the question is in English, the answer in Indonesian'
    >>> language_warning("How long is the hose?", "The hose is 5 m long [c1].")
    ''
    """
    said = MARKER.sub("", answer)
    if sum(c.isalpha() for c in said) < LEAST_LETTERS and _is_latin(said) is not False:
        return ""
    asked, told = languages_apart(question, [said])
    if asked:
        names = f"{language_name(asked)}, the answer in {language_name(told)}"
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
