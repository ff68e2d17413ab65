"""More for less before a word without figures: "less than half", "at most a third"."""

from collections.abc import Iterator

from research_agent.core.claim_checks.compared import Compared, behind
from research_agent.core.claim_checks.reading import Statement
from research_agent.core.claim_checks.strength import SIDES

REACH = 3
"""Words between a bound and what it bounds."""
SIZES = frozenset(["larger", "greater", "longer", "smaller", "shorter"])
"""Words that begin a comparison of two things, which `opposites` compares."""


def turned(both: Compared) -> str:
    """Return how the evidence bounds a word that the sentence bounds from the other side.

    >>> from research_agent.core.claim_checks.reading import read
    >>> said, quoted = read("Less than half agreed."), read("More than half agreed.")
    >>> turned(Compared(said, quoted))
    'the evidence says "more than" of "half"'
    """
    for side, _, aim in _bounded(both.said):
        form = both.said.words[aim].form
        theirs = [item for item in _bounded(both.quoted) if both.quoted.words[item[2]].form == form]
        if theirs and all(other != side for other, _, _ in theirs):
            return f'the evidence says "{theirs[0][1]}" of "{both.said.words[aim].text}"'
    return ""


def _bounded(statement: Statement) -> Iterator[tuple[str, str, int]]:
    """Yield the side and the text of each bound, and the place of the word that it bounds."""
    for place in statement.having("bound"):
        word = statement.words[place]
        side = SIDES.get(word.value_of("bound"), "")
        aim = next(iter(behind(statement, place, 1)), None)
        sized = word.text.split()[0] in SIZES
        if (
            side
            and not sized
            and aim is not None
            and aim - place <= REACH
            and not statement.words[aim].value
        ):
            yield side, word.text, aim
