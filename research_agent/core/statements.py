"""A sentence or a cell of a table as a statement: what it is about, and the values it gives."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from research_agent.core.support import content_words, names
from research_agent.core.tables import cells, head_of
from research_agent.core.types import Chunk
from research_agent.core.words import STOP_WORDS, fold

MOST_VALUES = 3
"""A sentence with more values is a list or a formula, which says what it is about elsewhere."""
LONGEST = 600
"""Characters of a sentence that is read."""
_MONTHS = (
    r"jan(?:uar[iy]?)?|feb(?:ruar[iy]?)?|mar(?:ch|et)?|m\u00e4rz|apr(?:il)?|may|mei|mai|jun[ei]?|"
    r"jul[iy]?|aug(?:ust)?|agustus|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[csz](?:ember)?"
)
_MONTH_NUMBERS = {
    "jan": 1, "feb": 2, "mar": 3, "m\u00e4r": 3, "apr": 4, "may": 5, "mei": 5, "mai": 5, "jun": 6,
    "jul": 7, "aug": 8, "agu": 8, "sep": 9, "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
    "des": 12,
}  # fmt: skip
_DATE = re.compile(
    r"(?<![\w.-])(?:(?P<year>\d{4})-(?P<month>\d\d)(?:-(?P<day>\d\d))?(?![\w-])"
    rf"|(?:(?P<day2>\d{{1,2}})\.?\s+)?\b(?P<name>{_MONTHS})\.?\s+"
    r"(?:(?P<day3>\d{1,2})(?:st|nd|rd|th)?,?\s+)?(?P<year2>(?:19|20)\d\d)"
    r"|(?P<year3>(?:19|20)\d\d)\s*\u5e74(?:\s*(?P<month3>\d{1,2})\s*\u6708)?"
    r"(?:\s*(?P<day4>\d{1,2})\s*\u65e5)?"
    r"|(?<=\bin )(?P<year4>(?:19|20)\d\d)(?![\w-])|(?<=\bby )(?P<year5>(?:19|20)\d\d)(?![\w-])"
    r"|(?<=\bsince )(?P<year6>(?:19|20)\d\d)(?![\w-])"
    r"|(?<=\bafter )(?P<year7>(?:19|20)\d\d)(?![\w-])"
    r"|(?<=\buntil )(?P<year8>(?:19|20)\d\d)(?![\w-]))",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?P<before>[\w'-]+|[=:<>\u2264\u2265\u2248~^*/+(\[,-]|^)\s*"
    r"(?P<said>(?P<sign>[$\u20ac\u00a3\u00a5]|rp\.? ?)?"
    r"(?<![\w.,/^*-])(?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\w.,]*\d|[\w/^*])"
    r"(?:[ -]?(?P<unit>%|\u00b0\s?[cf]|[^\W\d_]+(?:-[^\W\d_]+)*))?)",
    re.IGNORECASE,
)
_MATHS = frozenset("<>\u2264\u2265\u2248~^*/+([-")
_BOUNDS = re.compile(
    r"\b(?:at least|at most|up to|more|less|fewer|than|over|under|above|below|exceed\w*|minimum|"
    r"maximum|min|max|about|approximately|roughly|nearly|almost|around|except|unless|only|"
    r"minimal|maksimal|mindestens|h\u00f6chstens|moins|plus|menos|m\u00e1s|not|no|never|cannot|without|"
    r"before|after|until|since|by|first|last|each|every|per|additional|total)\b"
)
_BRACKETED = re.compile(r"\[[^\]]*\]")
_OUTLINE = re.compile(r"^\s*(?:\d{1,3}\s+)?\d+(?:\.\d+)+\s+(?=[A-Z])")
_AMOUNT = re.compile(r"\d[\d.,]*-[^\W\d_]+")
"""An amount that is spelled as a compound: 32-byte."""
_LISTED = re.compile(r"^\s*(?:[-*\u2022]|\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z])[.):])\s+")


@dataclass(frozen=True, slots=True)
class Value:
    """A number with its unit, or a date."""

    text: str
    """The number without commas between thousands; a date as year, month and day."""
    unit: str
    """Folded stem; "date" for dates, empty where none is known."""
    spelled: str = field(default="", compare=False)
    """As it is written, folded."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What is said, and of what."""

    quote: str
    values: tuple[Value, ...]
    words: frozenset[str]
    """Stems of the content words, without values and units."""
    names: frozenset[str]
    """Names and numbered things, folded, such as "ml-kem-768" and "table 3"."""
    bounds: frozenset[str]
    """Words that make of a value a bound, a share or its opposite."""
    label: str = ""
    """The first cell of a table's row, folded; empty for sentences."""


def read_statement(sentence: str) -> Statement | None:
    """Return a sentence with its values; None where it has none, or too many.

    >>> said = read_statement("In Table 3 the ML-KEM-768 key has 1,184 bytes.")
    >>> said.values[0].spelled, sorted(said.names), sorted(said.words)
    ('1,184 bytes', ['ml-kem-768', 'table 3'], ['key'])
    >>> [value.text for value in read_statement("It was issued on August 13, 2024.").values]
    ['2024-08-13']
    """
    if len(sentence) > LONGEST:
        return None
    plain = _BRACKETED.sub(" ", " ".join(sentence.split()))
    plain = _OUTLINE.sub("", _LISTED.sub("", plain))
    dates = [Value(_iso(match), "date", match[0]) for match in _DATE.finditer(plain)]
    rest = _DATE.sub(" ", plain)
    values, numbered = dates, set[str]()
    for match in _VALUE.finditer(rest):
        before = match["before"]
        if before in _MATHS:
            return None
        if _is_numbered(match):
            numbered.add(fold(f"{before} {match['number']}"))
        else:
            number = match["number"].replace(",", "")
            said = match["said"] if _unit(match) else match["number"]
            values.append(Value(number, _unit(match), said.strip()))
    if not 1 <= len(values) <= MOST_VALUES:
        return None
    named = {fold(name) for name in names(rest) if not _AMOUNT.fullmatch(name)}
    units = {value.unit for value in values}
    parts = {part for name in named for part in content_words(name)}
    words = {word for word in content_words(rest) if not word[0].isdigit()} - units - parts
    words -= {word for thing in numbered for word in content_words(thing)}
    bounds = frozenset(_BOUNDS.findall(fold(plain)))
    return Statement(sentence, tuple(values), frozenset(words), frozenset(named | numbered), bounds)


def read_cells(chunk: Chunk) -> Iterator[Statement]:
    r"""Yield every number of a table, with the words of its row's and its column's name.

    >>> text = "Sizes (in bytes)\n | key | seed\nML-KEM-768 | 1184 | 1088"
    >>> [(cell.label, sorted(cell.words), cell.values[0].text)
    ...     for cell in read_cells(Chunk("x", "d", text, kind="table"))]
    [('ml-kem-768', ['key'], '1184'), ('ml-kem-768', ['seed'], '1088')]
    """
    head = head_of(chunk.text) if chunk.kind == "table" else ""
    columns = cells(head.split("\n")[-1])
    for line in chunk.text[len(head) :].split("\n") if columns else ():
        row = cells(line)
        if len(row) != len(columns) or not any(c.isalpha() for c in row[0]):
            continue
        for column, cell in zip(columns[1:], row[1:], strict=True):
            number = re.fullmatch(r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s*(%|[^\W\d_]*)", cell)
            words = content_words(column)
            if number and words:
                value = Value(number[1].replace(",", ""), _stem(fold(number[2])), cell)
                yield Statement(line, (value,), words, frozenset(), frozenset(), fold(row[0]))


def units_of(chunk: Chunk) -> frozenset[str]:
    """Return the words of a table's caption and head, among which its units are."""
    return content_words(head_of(chunk.text))


def differ(one: Value, other: Value) -> bool:
    """Return whether two values of one unit exclude each other; a month holds its days.

    >>> differ(Value("2024-08", "date"), Value("2024-08-13", "date"))
    False
    >>> differ(Value("5.0", "bit"), Value("5", "bit")), differ(Value("5", "bit"), Value("6", "bit"))
    (False, True)
    """
    if one.unit != other.unit:
        return False
    if one.unit == "date":
        size = min(len(one.text), len(other.text))
        return one.text[:size] != other.text[:size]
    return float(one.text) != float(other.text)


def _is_numbered(match: re.Match[str]) -> bool:
    """Return whether a number belongs to the word before it, as in "table 3"."""
    before = match["before"]
    word = fold(before)
    if not before[:1].isalpha() or word in STOP_WORDS | _VERBS:
        return False
    named = word in _NUMBERED or (before[0].isupper() and match.start() > 0)
    return named or not _unit(match)


_NUMBERED_TEXT = (
    "table figure fig section sec algorithm step level category page pages chapter appendix "
    "version part line item type class phase round no number note equation eq article clause "
    "option release grade stage tier group row column volume issue chunk question rule "
    "requirement tabel gambar bagian langkah halaman bab tabelle abbildung abschnitt schritt "
    "seite kapitel tableau etape tabla figura paso capitulo"
)
_NUMBERED = frozenset(_NUMBERED_TEXT.split())
"""Words that count things of one kind: the number behind them is a name."""
_VERB_TEXT = (
    "is are was were has have had costs cost takes take lasts last weighs weigh holds "
    "contains contain equals equal get gets least most exactly within approximately roughly "
    "nearly around adalah sebesar selama mencapai berisi hat haben ist sind kostet dauert "
    "enthält est sont coûte dure contient es son cuesta dura contiene used requires require "
    "uses measures needs"
)
_VERBS = frozenset(_VERB_TEXT.split())
"""Words after which a number is a value."""


def _unit(match: re.Match[str]) -> str:
    unit = fold(match["unit"] or "")
    unit = "" if unit in STOP_WORDS else _stem(unit)
    return fold(match["sign"] or "").strip() + unit


def _stem(word: str) -> str:
    stems = content_words(word)
    return min(stems, key=len) if len(stems) == 1 else word


def _iso(match: re.Match[str]) -> str:
    found = match.groupdict()
    first = {
        kind: next((v for k, v in found.items() if k.rstrip("0123456789") == kind and v), "")
        for kind in ("year", "month", "day", "name")
    }
    month = first["month"] or str(_MONTH_NUMBERS.get(first["name"].lower()[:3], ""))
    parts = [first["year"], month.zfill(2) if month else "", first["day"].zfill(2)]
    return "-".join(parts[: 3 if month and first["day"] else 2 if month else 1])
