"""What a model's reply says about each chunk it was shown, however it was written."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from research_agent.core.filtering import DEPTHS, Verdict

_VERB = r"(?P<verb>keep|discard|expand(?:[ _-]*(?P<depth>\d+))?)(?![a-z0-9])"
_CAPITALS = r"\b(?P<verb>KEEP|DISCARD|EXPAND(?:[ _-]*(?P<depth>\d+))?)(?![A-Za-z0-9])"

_ARROW = re.compile(r"->|=>|[⇒:=\u2013\u2014]|(?<=\s)-(?=\s)")
_MARKS = re.compile(r"[`*\"'\[\]{}<>\u2022]")
_LINE = r"(?:[-(|→] ?|\d+[.)] ?)*"
"""What a line may begin with: bullets, numbers, the border of a table."""
_FIRST = re.compile(rf"(?i){_LINE}k(?P<number>\d{{1,9}})(?![a-z0-9])")
_INSIDE = re.compile(rf"(?i)(?<![\w-])k(?P<number>\d{{1,9}})\)? (?=[→|]|{_VERB})")
_NUMBERED = re.compile(rf"(?i)(?:- ?)?(?P<number>\d{{1,9}})[.)]? (?=(?:[→|] )?{_VERB})")
_DIRECT = re.compile(rf"(?i)[ )→|.]*{_VERB}")
_LATER = re.compile(rf"(?i)→ {_VERB}")
_SHOUTED = re.compile(_CAPITALS)
_CHOICE = re.compile(rf"(?i) ?[|/] ?{_VERB}")
"""A further verdict: the list of all of them, copied from the question."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a reply says."""

    by_alias: Mapping[str, Verdict]
    """The first verdict on each chunk that has one."""
    unknown: int = 0
    """Verdicts on chunks that were not shown."""
    repeated: int = 0
    """Further verdicts on a chunk."""


def decision_schema(expandable: Mapping[str, bool]) -> dict[str, object]:
    """Return the JSON schema of a reply: a verdict for each alias, in this order.

    Only a chunk that refers to others can be expanded.

    >>> schema = decision_schema({"k1": False})
    >>> schema["properties"], schema["required"]
    ({'k1': {'enum': ['KEEP', 'DISCARD']}}, ['k1'])
    """
    more = [verdict.upper() for verdict in DEPTHS]
    return {
        "type": "object",
        "properties": {
            alias: {"enum": ["KEEP", *(more if can else ()), "DISCARD"]}
            for alias, can in expandable.items()
        },
        "required": list(expandable),
        "additionalProperties": False,
    }


def read_verdicts(text: str, aliases: Collection[str]) -> Verdicts:
    r"""Return what `text` says about each of `aliases`: lines, a table, or a JSON object.

    A line may be a list item, have quotes, back-ticks or a title around the alias, any of the
    usual arrows and a reason behind the verdict. "EXPAND" with an unusual depth keeps. A chunk
    that a sentence merely talks about has no verdict.

    >>> reply = "1. `k2` -> discard (off topic)\n- k1: EXPAND_3\nk9 -> KEEP"
    >>> dict(read_verdicts(reply, ["k1", "k2"]).by_alias)
    {'k2': 'discard', 'k1': 'expand_3'}
    >>> read_verdicts(reply, ["k1", "k2"]).unknown
    1
    >>> dict(read_verdicts('{"k1": "KEEP", "k2": "EXPAND 1"}', ["k1", "k2"]).by_alias)
    {'k1': 'keep', 'k2': 'expand_1'}
    >>> dict(read_verdicts("I would keep k1, since k2 says nothing.", ["k1", "k2"]).by_alias)
    {}
    """
    lines = [_plain(line) for line in text.splitlines()]
    said = [pair for line in lines for pair in _statements(line)]
    if not any(_FIRST.match(line) or _INSIDE.search(line) for line in lines):
        said = [pair for line in lines for pair in _numbered(line)]
    found: dict[str, Verdict] = {}
    unknown = repeated = 0
    for alias, verdict in said:
        if alias not in aliases:
            unknown += 1
        elif alias in found:
            repeated += 1
        else:
            found[alias] = verdict
    return Verdicts(found, unknown, repeated)


def _plain(line: str) -> str:
    """Return a line with one kind of arrow, without marks, with single spaces."""
    arrows = _ARROW.sub(" → ", line).replace("→", " → ").replace("|", " | ")
    return " ".join(_MARKS.sub(" ", arrows).split())


def _statements(line: str) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdicts of a line; one on something that is no alias has the alias ""."""
    first = _FIRST.match(line)
    starts = [first] if first else []
    starts += [match for match in _INSIDE.finditer(line) if not first or match.end() > first.end()]
    if not starts and (foreign := _LATER.search(line)):
        yield "", _named(foreign)
    ends = [*(match.start() for match in starts[1:]), len(line)]
    for start, end in zip(starts, ends, strict=bool(starts)):
        if verdict := _verdict(line[start.end() : end]):
            yield f"k{int(start['number'])}", verdict


def _numbered(line: str) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdict of a line that begins with the number of an alias alone."""
    start = _NUMBERED.match(line)
    verdict = _verdict(line[start.end() :]) if start else None
    if start and verdict:
        yield f"k{int(start['number'])}", verdict


def _verdict(rest: str) -> Verdict | None:
    """Return the verdict that follows an alias; None where none does, or several.

    It stands right behind the alias, or behind a title and an arrow, or alone in capitals.
    """
    named = _DIRECT.match(rest) or _LATER.search(rest)
    if named:
        return None if _CHOICE.match(rest, named.end()) else _named(named)
    shouted = {_named(match) for match in _SHOUTED.finditer(rest)}
    return shouted.pop() if len(shouted) == 1 else None


def _named(match: re.Match[str]) -> Verdict:
    if match["verb"].lower() == "discard":
        return "discard"
    wanted = f"expand_{match['depth']}"
    return next((verdict for verdict in DEPTHS if verdict == wanted), "keep")
