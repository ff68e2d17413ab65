"""References by number ("see Section 5.2"), the chunks with these numbers, and defined terms."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence

from research_agent.text.boilerplate_sections import BOILERPLATE
from research_agent.types import Chunk
from research_agent.types import question_words as words
from research_agent.types.references import ChunkLinks, Link, LinkedChunk

LONGEST_RANGE = 10  # of "Tables 3-20" only the ends are taken

_NUMBER = (
    r"(?:(?:[A-Z]\.?)?\d{1,4}(?:\.\d{1,3}){0,4}(?![\d%])"  # 5.2, A1, B.2
    r"|[A-Z](?:\.\d{1,3}){1,4}|[IVXL]{2,6}(?!\w)|[A-Z](?![\w'\u2019-]))"  # A.1, IV, B
)
_NAMES = "|".join(re.escape(word[:-1]) + r"\w{1,4}" for word in words.NUMBERED)
_SHORT = "|".join(sorted({word[:size] for word in words.NUMBERED for size in range(2, 6)}))
_JOIN = rf"(?:{words.spelled(words.JOINS)})"
_REFERENCE = re.compile(
    rf"(?<![\w-])((?i:{_NAMES})|(?i:{_SHORT})s?\.|\u00a7+)"
    rf"\s{{0,2}}({_NUMBER}(?:(?:\s*[,\u2013\u2014-]\s*|,?\s+{_JOIN}\s+){_NUMBER})*)"
)  # a word and one or several numbers
_ELSEWHERE = re.compile(rf"\s+(?!{_JOIN}\b)\w{{2,4}}\s+(?:\[|[A-Z]{{2,}}[ -]?\d)")
"""What follows a reference to another document: "of [12]"."""
_BEGIN = rf"[\s|*]*((?i:{'|'.join(words.NUMBERED)})|(?i:{_SHORT})\.)\s+({_NUMBER})"
_BEGINS = re.compile(_BEGIN)
_CAPTION_LINE = re.compile(rf"^{_BEGIN}(?:[.:)]|\s*$|\s+(?=[^a-z\s])).*", re.MULTILINE)
_HEADED = re.compile(rf"({_NUMBER})[.:)]?(?:\s|$)")
_CITED = re.compile(r"\[[^\[\]]*,\s*$")
_EQUATION = re.compile(r"\((\d{1,3}(?:\.\d{1,3})?)\)\s*$", re.MULTILINE)
_LEADS_ON = re.compile(r"(?:\u2026|\.\s?\.|\|)\s*[\divxl]+[\s|]*$|\s\d{1,3}$")
"""How an entry of a list of figures ends."""
_CAPTIONED, _CAPTION, _HEADING, _NUMBERED, _FORMULA, _LINE = range(6)
"""How little speaks for a chunk that has a number: a table below its caption speaks most."""
_ENTRY = re.compile(
    r"^[ \t*_|-]*([^\W\d_][^|:\u2013\u2014\n]{1,60}?)[*_]*(?:\s*[|:]\s|\s+[\u2013\u2014-]\s)",
    re.MULTILINE,
)  # a line that begins with a term, and what is said of it behind a mark


def linked(chunks: Sequence[LinkedChunk]) -> tuple[LinkedChunk, ...]:
    """Return the chunks of one document with what they name by number, and define line by line.

    A link "table 3" has its anchor in the chunk that begins a line with it, a table or an
    algorithm before running text; "section 5.2" in the first one below the heading of that number.
    Numbers of other documents ("Section 3 of [12]") are left alone. Only numbers that are both
    named and found get an anchor and links.

    >>> a = Chunk("a", "d", "As Section 5.2 and Tables 3 and 4 show.")
    >>> b = Chunk("b", "d", "Table 3. Sizes", section=("5 Keys", "5.2 Sizes"))
    >>> first, second = linked([(a, ChunkLinks()), (b, ChunkLinks())])
    >>> [link.target for link in first[1].links], second[1].anchors
    (['section 5.2', 'table 3'], ('section 5.2', 'table 3'))
    """
    named = [_named(chunk) for chunk, _ in chunks]
    defined = _defined([chunk for chunk, _ in chunks], {name for names in named for name in names})
    anchors, found = defaultdict[int, list[str]](list), []
    for name in sorted(defined):
        anchors[defined[name]].append(name)
    for i, (chunk, kept) in enumerate(chunks):
        terms, links = kept.terms, (Link(n, "see") for n in named[i] if defined.get(n, i) != i)
        if words.phrases(words.GLOSSARIES).search(" ".join(chunk.section)):
            terms = tuple(dict.fromkeys(m[1].strip() for m in _ENTRY.finditer(chunk.text)))
        written = ChunkLinks((*kept.anchors, *anchors[i]), (*kept.links, *links), terms)
        found.append((chunk, written))
    return tuple(found)


def _named(chunk: Chunk) -> tuple[str, ...]:
    if chunk.kind in BOILERPLATE:
        return ()
    names: dict[str, None] = {}
    for match in _REFERENCE.finditer(chunk.text):
        before = chunk.text[max(0, match.start() - 60) : match.start()]
        if _ELSEWHERE.match(chunk.text, match.end()) or _CITED.search(before):
            continue
        word = _word(match[1])
        names |= dict.fromkeys(f"{word} {number}" for number in _numbers(match[2]))
    return tuple(names)


def _numbers(text: str) -> Iterator[str]:
    last = ""
    for match in re.finditer(_NUMBER, text):
        gap = text[text.rfind(last) + len(last) : match.start()].strip() if last else ""
        if gap in {"-", "\u2013", "\u2014"} and last.isdigit() and match[0].isdigit():
            low, high = int(last), int(match[0])
            if low < high <= low + LONGEST_RANGE:
                yield from (str(number) for number in range(low + 1, high))
        last = match[0]
        yield last


def _word(written: str) -> str:
    plain = written.lower().rstrip(".")
    known = (word for word in words.NUMBERED if plain.startswith(word[:-1]))
    longer = (word for word in words.NUMBERED if word.startswith(plain.removesuffix("s")))
    return next(known, next(longer, words.HEADED[0]))


def _defined(chunks: Sequence[Chunk], wanted: Collection[str]) -> dict[str, int]:
    """Return which chunk has each of the wanted names, the surest, then the first one.

    Of two headings with one number, the one above more chunks has it.
    """
    above = Counter(heading for chunk in chunks for heading in chunk.section)
    found: dict[str, tuple[int, int, int]] = {}
    for i, chunk in enumerate(chunks):
        if chunk.kind in BOILERPLATE:
            continue
        for rank, heading, name in _names_of(chunk):
            if name in wanted:
                place = (rank, -above[heading], i)
                found[name] = min(found.get(name, place), place)
    return {name: i for name, (_, _, i) in found.items()}


def _names_of(chunk: Chunk) -> Iterator[tuple[int, str, str]]:
    for heading in chunk.section:
        if written := _BEGINS.match(heading):
            yield _HEADING, heading, f"{_word(written[1])} {written[2]}"
        elif number := _HEADED.match(heading):
            yield from ((_NUMBERED, heading, f"{word} {number[1]}") for word in words.HEADED)
    yield from ((rank, "", name) for rank, name in _captions(chunk))
    for found in _EQUATION.findall(chunk.text):
        yield from ((_FORMULA, "", f"{word} {found}") for word in words.FORMULAS)


def _captions(chunk: Chunk) -> Iterator[tuple[int, str]]:
    whole = chunk.kind in {"table", "algorithm"}
    found = list(_CAPTION_LINE.finditer(chunk.text))
    if whole and (first := _BEGINS.match(chunk.text)):
        found.append(first)
    for match in found:
        word = _word(match[1])
        if word in words.HEADED and not whole:
            yield _LINE, f"{word} {match[2]}"
        elif word not in words.HEADED and not _LEADS_ON.search(match[0]):
            yield (_CAPTIONED if whole else _CAPTION), f"{word} {match[2]}"
