"""Whether an answer is written in the script of its question."""

import re

from research_agent.core.claims import MARKER

LEAST_LETTERS = 12
"""A shorter answer in Latin letters may be a name alone."""
LEAST_SHARE = 0.6
"""Share of the letters by which a text is in a script."""
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")


def language_warning(question: str, answer: str) -> str:
    """Return a warning where one text is in Latin letters and the other is not, else "".

    Languages of one script are not told apart: in texts as short as these, full of names and
    numbers, that would take a word list for each language, or a model that is rarely sure.

    >>> language_warning("How long is the hose?", "Длина шланга — пять метров [c1].")
    'answer_language: the question and the answer are in different scripts'
    >>> language_warning("How long is the hose?", "The hose is 5 m long [c1].")
    ''
    """
    said = MARKER.sub("", answer)
    scripts = (_is_latin(question), _is_latin(said))
    short = sum(c.isalpha() for c in said) < LEAST_LETTERS
    if scripts == (True, False) or (scripts == (False, True) and not short):
        return "answer_language: the question and the answer are in different scripts"
    return ""


def _is_latin(text: str) -> bool | None:
    """Return whether a text is in Latin letters; None where it is mixed or has none."""
    letters = [c for c in text if c.isalpha()]
    latin = sum(bool(_LATIN.match(c)) for c in letters)
    if latin > LEAST_SHARE * len(letters):
        return True
    return False if letters and latin < (1 - LEAST_SHARE) * len(letters) else None
