"""What a model's reply says about each chunk it was shown, however it was written."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from research_agent.text.replies import object_schema
from research_agent.types.filtering import DEPTHS, ChunkDecision, Verdict

MAX_REASON = 80
MOST_MEMBERS = 2000
_VERB = r"(?P<verb>keep|discard|expand(?:[ _-]*(?P<depth>\d+))?)(?![a-z0-9])"
_LINE = re.compile(
    rf"(?i)(?<![\w-])k(?P<number>\d{{1,9}})(?![a-z0-9])[^\w\n]{{0,12}}{_VERB}(?P<reason>[^\n]*)"
)
"""An alias, an arrow or a colon, a verdict, and the rest of the line."""
_CHOICE = re.compile(rf"(?i) ?[|/] ?{_VERB}")
"""A further verdict: the list of all of them, copied from the question."""
_MEMBER = re.compile(r'"(?P<key>[^"\\]{1,200})"\s*:\s*(?=[{"])')
"""A key of a JSON object, in front of an object or a text."""
_ALIAS = re.compile(r"(?i)k(\d{1,9})")
_BARE = re.compile(rf"(?i)\s*{_VERB}")

Said = tuple[str, Verdict, str]
"""An alias (empty for none that was shown), the verdict on it, and the reason."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a reply says."""

    by_alias: Mapping[str, Verdict]
    """The first verdict on each chunk that has one."""
    unknown: int = 0
    repeated: int = 0
    reasons: Mapping[str, str] = field(default_factory=dict)
    """What the reply gives as the reason of a verdict, where it gives one."""


def decision_schema(expandable: Mapping[str, Sequence[int]]) -> dict[str, object]:
    """Return the JSON schema of a reply: a verdict and a reason in one text for each alias.

    `expandable` has the steps that would bring something new, for each alias.
    """

    def pattern(steps: Sequence[int]) -> str:
        choices = "|".join(["KEEP", *(f"EXPAND_{number}" for number in steps), "DISCARD"])
        return rf'^({choices}): [^"\\]{{2,60}}$'

    return object_schema(
        {
            alias: {"type": "string", "pattern": pattern(steps)}
            for alias, steps in expandable.items()
        }
    )


def read_verdicts(text: str, aliases: Collection[str]) -> Verdicts:
    r"""Return what `text` says about each of `aliases`: a JSON object, lines, or a table.

    An object may be cut off: what is whole counts. "EXPAND" with an unusual depth keeps. A chunk
    that a sentence merely talks about has no verdict.

    >>> reply = "- `k2` -> discard (off topic)\n- k1: EXPAND_3\nk9 -> KEEP"
    >>> read_verdicts(reply, ["k1", "k2"]).by_alias, read_verdicts(reply, ["k1", "k2"]).unknown
    ({'k2': 'discard', 'k1': 'expand_3'}, 1)
    """
    found: dict[str, Verdict] = {}
    reasons: dict[str, str] = {}
    unknown = repeated = 0
    for alias, verdict, reason in list(_members(text)) or list(_in_lines(text)):
        if alias not in aliases:
            unknown += 1
        elif alias in found:
            repeated += 1
        else:
            found[alias] = verdict
            if short := " ".join(reason.split()).strip(" ()|.,;:\u2192")[:MAX_REASON]:
                reasons[alias] = short
    return Verdicts(found, unknown, repeated, reasons)


def kept_verdict(decision: ChunkDecision) -> str:
    """Return a verdict with its reason as text for the cache; `read_kept` reads it."""
    return f"{decision.verdict} {decision.reason}".strip()


def read_kept(text: str) -> ChunkDecision | None:
    """Return a verdict that was kept, without the id of its chunk; None for anything else."""
    name, _, reason = text.partition(" ")
    verdicts = (verdict for verdict in get_args(Verdict) if verdict != "undecided")
    found: Verdict | None = next((verdict for verdict in verdicts if verdict == name), None)
    return ChunkDecision("", found, "reused", reason=reason) if found else None


def _members(text: str) -> Iterator[Said]:
    decoder, position = json.JSONDecoder(strict=False), 0
    for _ in range(MOST_MEMBERS):
        member = _MEMBER.search(text, position)
        if not member:
            return
        position = member.end()
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            continue
        alias = _ALIAS.fullmatch(member["key"].strip())
        pair = _of_object(value) if isinstance(value, dict) else _of_text(value) if alias else None
        if pair:
            yield f"k{int(alias[1])}" if alias else "", *pair
            position = end


def _of_object(value: Mapping[str, object]) -> tuple[Verdict, str] | None:
    """Return verdict and reason of an object that has both, whatever their keys are called."""
    texts = {key: text for key, text in value.items() if isinstance(text, str)}
    for key, text in texts.items():
        if verb := _BARE.fullmatch(text.strip()):
            others = (other for name, other in texts.items() if name != key)
            return _named(verb), max(others, key=len, default="")
    return None


def _of_text(value: str) -> tuple[Verdict, str] | None:
    verb = _BARE.match(value)
    if not verb or _CHOICE.match(value, verb.end()):
        return None
    return _named(verb), value[verb.end() :]


def _in_lines(text: str) -> Iterator[Said]:
    """Yield what the lines of a reply say: list items, arrows, or the rows of a table."""
    for line in _LINE.finditer(text):
        if not _CHOICE.match(line["reason"]):
            yield f"k{int(line['number'])}", _named(line), line["reason"]


def _named(match: re.Match[str]) -> Verdict:
    if match["verb"].lower() == "discard":
        return "discard"
    wanted = f"expand_{match['depth']}"
    return next((verdict for verdict in DEPTHS if verdict == wanted), "keep")
