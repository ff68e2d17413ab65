"""What a replay comes to, as short digests: the same answer has the same ones on any machine."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path

from benchmarks.recording import MissingRecordingError, Recordings
from research_agent.interfaces.agent import ResearchAgent
from research_agent.ports import KeptReply
from research_agent.types.result import ResearchResult

Line = dict[str, str]
"""Set, id, and a digest for each of answer, verdicts, hits, events and prompts, or "missing"."""
CHARS = 12
UNSTEADY = re.compile(r"at|started|source|step|preset|(.*_)?(seconds|ms)")
"""Fields that differ from run to run, paths, and names of nodes."""
UNORDERED = ("step_started", "usage")
"""Events that tell nothing, or whose figures depend on which of two calls is faster."""


def digest(value: object) -> str:
    """Return twelve hexadecimal characters that differ for other values; floats by 3 decimals.

    >>> digest((1.0, "a")) == digest([1.00001, "a"]), digest(1.0) == digest(1.1)
    (True, False)
    """
    text = json.dumps(plain(value), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:CHARS]


LATER = ("authors", "doi")
"""Fields that came after the lines that are compared were kept."""


def plain(value: object) -> object:
    """Return a value as JSON: of a dataclass only what its fields hold, not what they are called.

    What differs from run to run is left out.
    """
    if is_dataclass(value):
        named = ((f.name, getattr(value, f.name)) for f in fields(value) if f.name not in LATER)
        return [plain(of) for name, of in named if not UNSTEADY.fullmatch(name)]
    if isinstance(value, Mapping):
        return {
            str(name): plain(of) for name, of in value.items() if not UNSTEADY.fullmatch(str(name))
        }
    if isinstance(value, list | tuple):
        return [plain(of) for of in value]
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, float):
        return round(value, 3) + 0.0
    return value if isinstance(value, str | int | None) else str(value)


class Replies(Recordings):
    """Recorded replies that remember which prompts were asked for, by their keys."""

    def __init__(self, path: Path, weights: str, known: Sequence[Path] = ()) -> None:
        """Read what is there."""
        super().__init__(path, weights, known)
        self.asked: list[str] = []

    def get(self, key: str) -> KeptReply | None:
        """Return what was recorded under `key`, and remember that it was asked for."""
        self.asked.append(key)
        return super().get(key)


def replayed(name: str, qid: str, replies: Replies, ask: Callable[[], Mapping[str, str]]) -> Line:
    """Return the line of one question; where a reply is not recorded, its role.

    Calls run beside each other, so prompts are compared without their order.
    """
    replies.asked.clear()
    try:
        found = dict(ask())
    except MissingRecordingError as error:
        found = {"missing": str(error)}
    return {"set": name, "id": qid, **found, "prompts": digest(sorted(replies.asked))}


def of_events(agent: ResearchAgent, question: str) -> dict[str, str]:
    """Ask, and return the digests of the result and of the events; calls run beside each other."""
    events = list(agent.stream(question))
    result: ResearchResult = events[-1].result  # type: ignore[union-attr]  # (the last one has it)
    digests = [digest(event) for event in events[:-1] if event.event not in UNORDERED]
    return of_result(result) | {"events": digest((sorted(digests), result.usage))}


def of_result(result: ResearchResult) -> dict[str, str]:
    """Return the digests of an answer, of its sentences' verdicts, and of its evidence."""
    claims = [
        (claim.text, claim.verdict, claim.keys, [quote.quote for quote in claim.quotes])
        for claim in result.claims
    ]
    ended = (result.stop_reason, result.refusal_reason, result.rounds, result.queries)
    cited = [(one.key, one.chunk_id, one.quote, one.start_page) for one in result.citations]
    return {
        "answer": digest((result.status, result.answer, cited, ended, result.warnings)),
        "verdicts": digest(claims),
        "hits": digest([(item.key, item.hit.chunk.chunk_id) for item in result.evidence]),
    }


def changes(before: Sequence[Line], after: Sequence[Line]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each line's set, id, and what differs; "gone" or "new" where it is in one alone."""
    old, new = ({(line["set"], line["id"]): line for line in of} for of in (before, after))
    for place in dict.fromkeys((*old, *new)):
        if place not in new or place not in old:
            yield *place, ["gone" if place in old else "new"]
            continue
        both = old[place] | new[place]
        yield *place, [name for name in both if old[place].get(name) != new[place].get(name)]
