"""Where the sentences of a text begin and end."""

import re
from collections.abc import Iterator
from functools import cache

_MARKER = re.compile(
    r"[ \t]*(?:[\u2022\u2023\u25aa\u25ab\u25cf\u25cb\u25e6\u2219\uf0b7][ \t]*"
    r"|[-*+\u2013\u2014][ \t]+"
    r"|\(?\d{1,3}(?:\.\d{1,3})*[.):]?[ \t]+(?=\S)|\(?[A-Za-z][.)][ \t]+)"
)
_ITEM = re.compile(
    r"[ \t]*(?:[\u2022\u2023\u25aa\u25ab\u25cf\u25cb\u25e6\u2219\uf0b7]|[-*+\u2013\u2014][ \t]"
    r"|\(?\d{1,3}(?:\.\d{1,3})*[.):][ \t]|\([a-z]\)[ \t]|[a-z]\)[ \t])"
)
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")
_ROW = re.compile(r"[ \t]*\|(?=[ \t:-]).*\|[ \t]*$")
_FENCE = re.compile(r"[ \t]{0,3}(?:`{3,}|~{3,})")
_UNDERLINE = re.compile(r"[ \t]*[=~^*\"+-]{3,}[ \t]*$")
_CLOSING = "\"'\u201d\u2019\u00bb)\\]"
# The full stops of India, Armenia, Ethiopia, Burma, Cambodia and of Urdu; Arabic's question mark.
_STOPS = "\u0964\u0965\u0589\u1362\u104b\u17d4\u06d4\u061f"
SENTENCE_ENDS = f".!?\u2026\u3002\uff01\uff1f{_STOPS}"
_KEY = r"[A-Za-z]{0,8}\d{1,4}[a-z]?"
_KEYS = rf"\^?{_KEY}(?:[ \t]*[,;\u2013-][ \t]*{_KEY}){{0,9}}"
_CITATION = rf"(?:\[[ \t]*{_KEYS}[ \t]*\]|\u3010{_KEYS}(?:\u2020[^\n\u3011]*)?\u3011)"
_END = re.compile(
    rf"[.!?\u2026{_STOPS}]+[{_CLOSING}]*(?:[ \t]{{0,2}}{_CITATION})*(?=\s|$)"
    rf"|[\u3002\uff01\uff1f]+[\u201d\u2019\u300d\u300f\uff09]*(?:[ \t]?{_CITATION})*"
)
_CITED = re.compile(rf"{_CITATION}$")
_LAST_WORD = re.compile(r"[^\s(\[{\"'\u201c\u2018]*$")
_NEXT = re.compile(r"\s*[\"'\u201c\u2018(\[]*")
_NUMBERED = re.compile(r"\s*(?:[(\[\u00a7]?\d|\([A-Za-z0-9]|[A-Z](?![a-z]))")
_DAY, _MONTH = re.compile(r"\d{1,2}"), re.compile(r"[^\W\d_]+")
_INITIAL = re.compile(r"(?:[A-Z]\.-?)*[A-Z]")

_ABBREVIATIONS = (
    "e.g i.e cf vs al dr mr mrs ms prof st viz approx ca resp incl excl esp z.b d.h bzw vgl "
    "sog ph.d gen col sgt rev hon a.n u.p d.a bpk drs jl tgl"
)
_NEVER = frozenset(_ABBREVIATIONS.split())
"""Abbreviations after which a sentence goes on."""
_NUMBERED_THINGS = (
    "fig figs sec secs no nos nr eq eqs tab alg ch chap vol p pp art ref refs app appx def "
    "thm lem prop cor par para abs bd s ver v pt hlm hal psl gbr lamp"
)
_BEFORE_NUMBER = frozenset(_NUMBERED_THINGS.split())
"""Abbreviations only where a number, or a letter that is one, follows."""


def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    r"""Return the start and end of each sentence; together they cover all text but white space.

    A blank line, a list item, a heading and a table row end a sentence; a line's end within a
    paragraph does not. A citation after the full stop belongs to the sentence before it. Code
    between fences is one sentence, and so is a row that begins and ends with a bar.

    >>> text = "See Fig. 2, e.g. p. 3. It is 0.5 [c1]. maxAge is 5. Yes! [c2] And\nso on."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['See Fig. 2, e.g. p. 3.', 'It is 0.5 [c1].', 'maxAge is 5.', 'Yes! [c2]', 'And\nso on.']
    """
    spans = []
    for start, end, whole in _paragraphs(text):
        for left, right in [(start, end)] if whole else _pieces(text, start, end):
            piece = text[left:right]
            if stripped := piece.strip():
                first = left + len(piece) - len(piece.lstrip())
                spans.append((first, first + len(stripped)))
    return tuple(spans)


def _paragraphs(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the parts between blank lines, list items, headings and table rows.

    With each goes whether it is one sentence whatever it holds: code, or a row between bars.
    """
    start = place = 0
    fenced = False
    for line in text.splitlines(keepends=True):
        fence = bool(_FENCE.match(line))
        alone = not fenced and (fence or _stands_alone(line))
        ends = alone or not line.strip() or bool(_ITEM.match(line))
        if place > start and ends and not fenced:
            yield start, place, False
            start = place
        place += len(line)
        if (fenced and fence) or (alone and not fence):
            yield start, place, fenced or bool(_ROW.match(line))
            start = place
        fenced ^= fence
    yield start, place, fenced


def _stands_alone(line: str) -> bool:
    return bool(_HEADING.match(line) or " | " in line or _ROW.match(line) or _UNDERLINE.match(line))


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    marker = _MARKER.match(text, start, end)
    place = marker.end() if marker else start
    for match in _END.finditer(text, place, end):
        if _is_end(text, match, end):
            yield start, match.end()
            start = match.end()
    yield start, end


def _is_end(text: str, match: re.Match[str], end: int) -> bool:
    following = _NEXT.match(text, match.end(), end)
    after = following.end() if following else match.end()
    if after >= end or text[match.start()] in "\u3002\uff01\uff1f":
        return True
    before = text[max(0, match.start() - 24) : match.start()]
    if text[after].islower():
        return bool(_CITED.search(before))
    if match[0][0] != "." or match[0].startswith(".."):
        return True
    found = _LAST_WORD.search(before)
    word = found[0] if found else ""
    if word.lower() in _BEFORE_NUMBER:
        return not _NUMBERED.match(text, match.end(), end)
    if _DAY.fullmatch(word) and (name := _MONTH.match(text, after)) and name[0] in _months():
        return False
    return word.lower() not in _NEVER and not _INITIAL.fullmatch(word)


@cache
def _months() -> frozenset[str]:
    """Return the months of German, which writes them with a capital after the day and a stop."""
    from babel import Locale

    forms = Locale("de").months["format"]
    return frozenset(
        name.rstrip(".") for length in ("wide", "abbreviated") for name in forms[length].values()
    )


_LABEL = r"[A-Za-z]{1,8}\d+[a-z]?"
_PAGE = rf"{_LABEL}(?:,\s*(?:{_LABEL}|\d+))*"
_NUMBERS = r"[1-9]\d{0,3}[a-z]?(?:\s*[,;\u2013-]\s*[1-9]\d{0,3}[a-z]?)*"
_MARK = re.compile(
    rf"(?:\s+|^|(?<=[a-z\u00e0-\u024f]{{2}})|(?<=[.,;:!?)\]\"'\u201d\u2019]))"
    rf"(?:\[(?:{_PAGE}|{_NUMBERS})\])+(?![\w\[(])(?!\s*[=^*/+<>\u2190])"
)
_BEFORE_INTERVAL = re.compile(
    r"(?:\b(?:in|interval|intervals|range|ranges|between|from|over|within|to|vector|list|array|tuple"
    r"|selang|rentang|antara|dalam|larik)|[=\u2208({,:<>])\s*$",
    re.IGNORECASE,
)
_PAIR = re.compile(r"\[\d+\s*[,;]\s*\d+\]")
FAR = 20
"""Characters before two numbers in brackets, of which a word says that they are an interval."""


def without_reference_marks(text: str) -> str:
    """Return a text without reference marks such as [4], [4, 7] or [RS10].

    Elements of arrays and intervals stay.

    >>> without_reference_marks("It has 32 bytes [4], and more.[5][6-8]")
    'It has 32 bytes, and more.'
    """
    return _MARK.sub(_blanked, text)


def _blanked(match: re.Match[str]) -> str:
    before = match.string[max(match.start() - FAR, 0) : match.start()]
    is_interval = _PAIR.search(match.group()) and _BEFORE_INTERVAL.search(before)
    return match.group() if is_interval else ""
