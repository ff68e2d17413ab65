"""Proper names in the middle of a sentence that its source does not have: Rockville, Maryland."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from research_agent.core.claim_checks.inflection import root
from research_agent.core.claim_checks.synonyms import groups_of
from research_agent.core.claim_checks.words import marks_of
from research_agent.core.words import STOP_WORDS, fold

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_CAPITAL = re.compile(r"[A-Z\u00c0-\u00de][a-z\u00df-\u00ff\u0100-\u017f]{2,}")
_PART = re.compile(r"[A-Z\u00c0-\u00de][a-z\u00df-\u00ff\u0100-\u017f]+")
"""A further word of a name may be shorter than the first: De Niro."""
_GAP = re.compile(r"[ \u00a0-]")
"""What stands between two words of one name."""
_OPENING = re.compile(r"(?:[.!?:;\u2022|]|^)[\s\"'(\u201c\u2018*_`#\[-]*$")
"""What stands before a word that is written with a capital letter because of its place."""
_QUOTED = re.compile(r"[\"\u201c\u2018(`*]\s*$")
"""What a title may begin behind, whose words have capital letters too."""
_NUMBERED = re.compile(r"[ \u00a0]\(?[\dIVX]+\b|[ \u00a0][A-Z]\b")
"""What stands behind a word that begins a numbered name: "Table 3"."""
TITLED = 0.9
"""Share of long words with capital letters from which on a sentence is set like a heading."""
LONG = 4
"""Letters of such words."""
ALIKE = 5
"""Letters by which a name begins like a word of the source: Indonesian, Indonesia."""
_JOINING = frozenset(["of", "and", "for", "the", "de", "dan", "untuk"])
"""Words within a name that its abbreviation leaves out."""


def strange_names(sentence: str, source: str, *, asked: str = "") -> frozenset[str]:
    r"""Return the proper names of a sentence that neither its source nor the question has.

    A word counts as one where it has a capital letter that its place does not give it. Of a name
    of several words the last has to be there: a source may leave out first names and offices.

    >>> source = "The office is in Gaithersburg. Indonesia has many islands. NIST is there too."
    >>> sorted(strange_names("The office is in Rockville, Maryland.", source))
    ['Maryland', 'Rockville']
    >>> sorted(strange_names("The Indonesian Islands are many.", source))
    []
    >>> strange_names("It is the National Institute of Standards and Technology.", source)
    frozenset()
    """
    if _is_titled(sentence):
        return frozenset()
    words, known = _words_of(source), _words_of(asked)
    found = set[str]()
    for name in _names(sentence):
        last = name[-1]
        if _is_known(last, words) or fold(last) in known or _is_abbreviated(name, source):
            continue
        found.add(last)
    return frozenset(found)


def _is_titled(sentence: str) -> bool:
    """Return whether most long words have capital letters, as in a heading."""
    long = [word for word in _WORD.findall(sentence) if len(word) >= LONG]
    words = [word for word in long if fold(word) not in STOP_WORDS]
    capital = sum(word[0].isupper() for word in words)
    return not words or (len(words) > 1 and capital / len(words) > TITLED)


def _names(sentence: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each name; joining words stand within one."""
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(sentence):
        joined = bool(run) and bool(_GAP.fullmatch(sentence[run[-1].end() : match.start()]))
        if joined and match.group() in _JOINING:
            run.append(match)
            continue
        part = joined and bool(_PART.fullmatch(match.group()))
        if run and not part:
            yield from _named(sentence, run)
            run = []
        if part or _CAPITAL.fullmatch(match.group()):
            run.append(match)
    yield from _named(sentence, run)


def _named(sentence: str, run: Sequence[re.Match[str]]) -> Iterator[tuple[str, ...]]:
    """Yield the name that a run of words is; none where its capital letters say nothing."""
    while run and run[-1].group() in _JOINING:
        run = run[:-1]
    if not run:
        return
    before, behind = sentence[: run[0].start()], sentence[run[-1].end() :]
    if len(run) == 1 and (_OPENING.search(before) or _QUOTED.search(before)):
        return
    last = fold(run[-1].group())
    is_common = last in STOP_WORDS or any(mark.kind in _COUNTED for mark in marks_of(last))
    if not is_common and not _NUMBERED.match(behind):
        yield tuple(match.group() for match in run)


_COUNTED = frozenset(["month", "day", "unit", "modal", "neg", "quantity", "condition"])
"""What words do that are no names, and that other checks compare."""


@lru_cache(maxsize=256)
def _words_of(text: str) -> frozenset[str]:
    folded = [fold(word) for word in _WORD.findall(text)]
    return frozenset(folded).union(map(root, folded))


def _is_known(name: str, words: frozenset[str]) -> bool:
    """Return whether a source has a word, one that begins like it, or one of its synonyms."""
    plain = re.sub(r"['\u2019]s?$", "", fold(name))
    if plain in words or root(plain) in words:
        return True
    groups = groups_of(root(plain))
    if groups and any(not set(groups).isdisjoint(groups_of(word)) for word in words):
        return True
    least = min(ALIKE, len(plain))
    return any(
        word[:least] == plain[:least] and (least == ALIKE or len(word) == least) for word in words
    )


def _is_abbreviated(name: Sequence[str], source: str) -> bool:
    """Return whether a source has the first letters of a name as a word, or of a part of it."""
    letters = "".join(word[0] for word in name if word not in _JOINING)
    return len(letters) > 1 and bool(re.search(rf"\b[A-Z]*{letters}[A-Za-z]*\b", source))
