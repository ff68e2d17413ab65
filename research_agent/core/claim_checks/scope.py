"""Statements about all of which the evidence says something of some kinds alone."""

from collections.abc import Iterator

from research_agent.core.claim_checks.compared import Compared, behind
from research_agent.core.claim_checks.reading import Statement

REACH = 3
"""Words between "all" and what it rules."""
BEFORE = 4
"""Words before a thing that may say which of its kind is meant."""
WHOLE = 100.0
"""Percent."""
SHARES = {"all": (WHOLE, WHOLE), "most": (50.0, WHOLE), "majority": (50.0, WHOLE),
          "few": (0.0, 50.0), "minority": (0.0, 50.0)}  # fmt: skip
"""Percentages for which a word may stand."""


def narrowed(both: Compared) -> str:
    """Return of which kind alone the evidence says what a sentence says of all.

    >>> from research_agent.core.claim_checks.reading import read
    >>> said = read("It wins under all conditions.")
    >>> narrowed(Compared(said, read("It wins under ideal conditions.")))
    'the evidence says it of "ideal" conditions, not of all'
    """
    return _kind(both) or _share(both)


def _kind(both: Compared) -> str:
    theirs = [i for i in both.quoted.having("quantity") if not _is_distributed(both.quoted, i)]
    if any(both.quoted.words[i].value_of("quantity") == "all" for i in theirs):
        return ""
    for i in both.said.having("quantity"):
        if both.said.words[i].value_of("quantity") != "all":
            continue
        aims = [aim for aim in behind(both.said, i, REACH) if aim - i <= REACH]
        head = next((aim for aim in reversed(_run(aims)) if both.pairs[aim] is not None), None)
        other = both.pairs[head] if head is not None else None
        if other is None or head is None:
            continue
        kind = next(_kinds(both, other), "") or _told_apart(both, other)
        if kind:
            return f'the evidence says it of "{kind}" {both.quoted.words[other].text}, not of all'
    return ""


def _is_distributed(statement: Statement, place: int) -> bool:
    """Return whether a word behind an amount shares it out: "90 euros each"."""
    before = statement.words[max(place - 2, 0) : place]
    return bool(before) and (bool(before[-1].value) or before[-1].has("unit"))


def _run(aims: list[int]) -> list[int]:
    """Return the words of a thing: those that follow one another."""
    found: list[int] = []
    for aim in aims:
        if found and aim != found[-1] + 1:
            break
        found.append(aim)
    return found


def _kinds(both: Compared, other: int) -> Iterator[str]:
    """Yield the words that stand right before a thing of the quote, and not in the sentence."""
    words = both.quoted.words
    for i in range(other - 1, max(other - 1 - BEFORE, -1), -1):
        word = words[i]
        if word.clause != words[other].clause or not (
            word.content or word.value or word.has("unit") or word.text in INSIDE
        ):
            return
        if both.said.like(word) or word.text in INSIDE or word.has("unit"):
            continue
        if word.value and not (i + 1 < len(words) and words[i + 1].has("unit")):
            return
        if word.value or _is_adjective(word.text):
            yield word.text
        else:
            return


def _told_apart(both: Compared, other: int) -> str:
    """Return the first word of a clause that says which things are meant: "those who ..."."""
    words = both.quoted.words
    if other + 1 >= len(words) or words[other + 1].text not in RELATIVE:
        return ""
    own = words[other + 1]
    within = [
        word
        for word in words[other + 2 : other + 2 + WITHIN]
        if word.sentence == own.sentence and word.clause == own.clause and word.content
    ]
    if not within or any(both.said.like(word) for word in within):
        return ""
    return within[0].text


RELATIVE = frozenset(["who", "that", "whose", "which", "yang"])
"""Words that begin such a clause, where no comma stands before them."""
WITHIN = 8
"""Words of such a clause that are looked at."""
INSIDE = frozenset(["of"])
"""Words that may stand within a thing: "112 bits of strength"."""
_ENDINGS = ("al", "ic", "ive", "ous", "ary", "ful", "less", "ant", "ent", "ble", "ed", "ar", "y")
_SHORT = frozenset(
    ["default", "standard", "new", "old", "large", "small", "main", "first", "last", "young",
     "adult", "male", "female", "certain", "simple", "short", "long", "high", "low", "federal",
     "public", "private", "minor", "major", "main", "early", "late", "rich", "poor", "open",
     "static", "local"]
)  # fmt: skip


def _is_adjective(word: str) -> bool:
    return word in _SHORT or (len(word) > 4 and word.endswith(_ENDINGS))  # noqa: PLR2004 (letters of a word)


def _share(both: Compared) -> str:
    """Return the percentage of the evidence that a word such as "most" does not stand for."""
    percents = [
        i
        for i, word in enumerate(both.quoted.words)
        if word.value
        and i + 1 < len(both.quoted.words)
        and any(mark.value == "%" and not mark.side for mark in both.quoted.words[i + 1].marks)
    ]
    if len(percents) != 1 or any(both.said.at(both.quoted.words[i].value) for i in percents):
        return ""
    share = float(both.quoted.words[percents[0]].value)
    for i in both.said.having("quantity"):
        word = both.said.words[i]
        low, high = SHARES.get(
            word.text, SHARES["all"] if word.value_of("quantity") == "all" else (0, WHOLE)
        )
        aim = next(iter(behind(both.said, i, 1)), None)
        paired = both.pairs[aim] if aim is not None else None
        if paired is not None and not low <= share <= high and abs(paired - percents[0]) <= BEFORE:
            return f'the evidence says {share:g} %, not "{word.text}"'
    return ""
