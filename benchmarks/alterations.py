"""False sentences made from true ones, by nine rules that know nothing of the checks they test.

A rule looks at one sentence and at the raw texts of its evidence, and proposes sentences in which
one thing is changed. What it proposes may still be true, or read badly: a person chooses
(`questions/claims_altered.jsonl` holds what was kept). Nothing here is random.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

Kind = Literal[
    "value",
    "date",
    "identifier",
    "unit",
    "negation",
    "quantifier",
    "relation",
    "condition",
    "swap",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
EACH = 2
"""Values, dates and identifiers that are tried in the place of one."""

NUMBER = re.compile(r"(?<![\w^.,/-])\d{1,3}(?:,\d{3})+(?!\w)|(?<![\w^.,/-])\d+(?:\.\d+)?(?![\w-])")
YEAR = re.compile(r"(?<![\w-])(?:1[5-9]|20)\d\d(?![\w-])")
MONTH = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r" (?:\d\d?, )?\d{4}\b"
)
NAME = re.compile(
    r"(?<![\w-])(?:[A-Z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+(?:\.[A-Z]\w+)?|[a-z]+-?\d{2,}f?)(?![\w-])"
)
UNITS = {
    "bytes": ("bits", "kilobytes"),
    "byte": ("bit",),
    "bits": ("bytes",),
    "m": ("km",),
    "metres": ("feet",),
    "kg": ("g",),
    "inches": ("feet",),
    "pounds": ("ounces",),
    "years": ("months",),
    "seconds": ("minutes",),
    "cycles": ("seconds",),
    "percent": ("permille",),
}
QUANTIFIERS = {
    "some": ("all",),
    "may": ("must",),
    "can": ("must",),
    "only": ("mainly",),
    "at least one": ("each",),
    "at least": ("exactly",),
    "In general": ("Always",),
    "certain": ("all",),
    "approximately": ("exactly",),
    "Approximately": ("More than",),
    "More than": ("Fewer than",),
    "roughly": ("at least",),
}
OPPOSITES = (
    ("larger", "smaller"),
    ("smallest", "largest"),
    ("longer", "shorter"),
    ("more than", "fewer than"),
    ("at least", "at most"),
    ("slower", "faster"),
    ("up to", "at least"),
    ("increased", "decreased"),
    ("highest", "lowest"),
    ("true", "false"),
    ("accepts", "rejects"),
    ("after", "before"),
    ("below", "above"),
    ("minimum", "maximum"),
    ("preferred over", "replaced by"),
    ("strongest", "weakest"),
    ("over", "under"),
    ("first", "last"),
    ("private", "public"),
    ("insecure", "secure"),
    ("eliminated from", "selected in"),
)
AUXILIARY = re.compile(r"\b(is|are|was|were|has been|must|shall|should|may|can|does|did)( not)?\b")
CONDITIONS = (
    re.compile(r",? (?:if|when|unless|where|until|under|with|for use with|in which) [^,]*(?=\.$)"),
    re.compile(r"^(?:If|When|For|With|In|Under|Unlike) [^,:]*, "),
    re.compile(r",? (?:but|although|whereas|provided that|as) [^,]*(?=\.$)"),
)


@dataclass(frozen=True, slots=True)
class Alteration:
    """A sentence in which one thing is changed."""

    kind: Kind
    text: str


def alterations(sentence: str, evidence: Sequence[str]) -> tuple[Alteration, ...]:
    """Return everything that the rules propose for `sentence`, each text once, kind by kind.

    >>> for made in alterations("The A-1 is larger than 20 m.", ["A-1 | 20", "A-2 | 30"]):
    ...     print(made.kind, made.text)
    value The A-1 is larger than 30 m.
    identifier The A-2 is larger than 20 m.
    unit The A-1 is larger than 20 km.
    negation The A-1 is not larger than 20 m.
    relation The A-1 is smaller than 20 m.
    """
    made: dict[str, Kind] = {}
    for kind, rule in _RULES.items():
        for text in rule(sentence, evidence):
            if text != sentence:
                made.setdefault(text, kind)
    return tuple(Alteration(kind, text) for text, kind in made.items())


def _others(pattern: re.Pattern[str], sentence: str, evidence: Sequence[str]) -> Iterator[str]:
    """Yield the sentence with each match replaced by the nearest other ones of the evidence."""
    for found in pattern.finditer(sentence):
        old = found.group()
        for new in _near(old, pattern, sentence, evidence)[:EACH]:
            yield sentence[: found.start()] + new + sentence[found.end() :]


def _near(
    old: str, pattern: re.Pattern[str], sentence: str, evidence: Sequence[str]
) -> Sequence[str]:
    """Return matches that look like `old`, those that stand nearest to it in a text first."""
    distances: dict[str, int] = {}
    for text in evidence:
        plain = _joined(text)
        places = [i.start() for i in re.finditer(re.escape(old.replace(",", "")), plain)]
        for found in pattern.finditer(plain):
            new = found.group()
            if new in sentence or not _alike(old, new):
                continue
            far = min((abs(found.start() - place) for place in places), default=1 << 20)
            distances[new] = min(far, distances.get(new, far))
    return sorted(distances, key=lambda new: (distances[new], new))


def _joined(text: str) -> str:
    """Return a text whose numbers have no gaps between thousands.

    >>> _joined("7 856 | 17 088")
    '7856 | 17088'
    """
    return re.sub(r"(?<![\d.])(\d{1,3}) (\d{3})(?:(?= ?\|)|$)", r"\1\2", text, flags=re.MULTILINE)


def _alike(old: str, new: str) -> bool:
    """Return whether a reader could take one for the other.

    >>> _alike("1184", "800"), _alike("1184", "2"), _alike("ML-KEM-512", "ML-KEM-768")
    (True, False, True)
    """
    if old[0].isdigit():
        same = new[0].isdigit() and ("." in old) == ("." in new)
        return same and abs(len(old.replace(",", "")) - len(new)) <= 1
    return old[:2] == new[:2] or old[-3:] == new[-3:]


def _values(sentence: str, evidence: Sequence[str]) -> Iterator[str]:
    years = set(YEAR.findall(sentence)) if "bytes" not in sentence else set()
    for text in _others(NUMBER, sentence, evidence):
        if years <= set(YEAR.findall(text)):
            yield text


def _dates(sentence: str, evidence: Sequence[str]) -> Iterator[str]:
    months = [month for text in evidence for month in MONTH.findall(text)]
    for old in MONTH.findall(sentence):
        for new in [month for month in dict.fromkeys(months) if month != old][:EACH]:
            yield sentence.replace(old, new)
    if "bytes" not in sentence and not MONTH.search(sentence):
        yield from _others(YEAR, sentence, evidence)


def _identifiers(sentence: str, evidence: Sequence[str]) -> Iterator[str]:
    yield from _others(NAME, sentence, evidence)


def _units(sentence: str, _: Sequence[str]) -> Iterator[str]:
    for old, news in UNITS.items():
        for new in news:
            yield re.sub(rf"(?<=\d[ -]){old}\b", new, sentence)


def _negations(sentence: str, _: Sequence[str]) -> Iterator[str]:
    for found in AUXILIARY.finditer(sentence):
        verb, negated = found.groups()
        turned = verb if negated else f"{verb} not"
        if not (verb in ("does", "did") and negated):
            yield sentence[: found.start()] + turned + sentence[found.end() :]


def _quantifiers(sentence: str, _: Sequence[str]) -> Iterator[str]:
    yield from _worded(sentence, QUANTIFIERS)


def _relations(sentence: str, _: Sequence[str]) -> Iterator[str]:
    for one, other in OPPOSITES:
        yield from _worded(sentence, {one: (other,)})
        yield from _worded(sentence, {other: (one,)})


def _conditions(sentence: str, _: Sequence[str]) -> Iterator[str]:
    for pattern in CONDITIONS:
        rest = pattern.sub("", sentence)
        yield rest[:1].upper() + rest[1:]


def _swaps(sentence: str, _: Sequence[str]) -> Iterator[str]:
    for pattern in (NAME, NUMBER):
        found = list(pattern.finditer(sentence))
        for one, other in pairwise(found):
            yield "".join(
                (
                    sentence[: one.start()],
                    other.group(),
                    sentence[one.end() : other.start()],
                    one.group(),
                    sentence[other.end() :],
                )
            )


def _worded(sentence: str, words: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the sentence with the first occurrence of each word replaced."""
    for old, news in words.items():
        for new in news:
            yield re.sub(rf"\b{old}\b", new, sentence, count=1)


_RULES: Mapping[Kind, Callable[[str, Sequence[str]], Iterator[str]]] = {
    "value": _values,
    "date": _dates,
    "identifier": _identifiers,
    "unit": _units,
    "negation": _negations,
    "quantifier": _quantifiers,
    "relation": _relations,
    "condition": _conditions,
    "swap": _swaps,
}
