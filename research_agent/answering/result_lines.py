"""A result in words: its marks, what it lacks, its citations; and how two results differ."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import ndiff

from research_agent.text.quote_search import Quote
from research_agent.text.tables import head_of
from research_agent.types import Chunk
from research_agent.types.claims import Claim
from research_agent.types.evidence import place
from research_agent.types.result import Citation, ResearchResult, with_markers

KEY = re.compile(r"\[(c\d+)\]")
NUMBER = r"(?<![^\s\]])\[(?P<number>\d+)\]"
"""A citation's number as readers see it: behind a blank or another one. In `a[1]` there is none."""

COUNTED = (
    "llm_calls",
    "failed_calls",
    "retries",
    "reused_calls",
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "cost",
)
"""What of the usage is compared: seconds always differ."""


def marks_line(result: ResearchResult) -> str:
    """Return how many sentences of an answer have which mark; empty where none has one."""
    counts = {"unconfirmed": result.unconfirmed, "contradicted": result.contradicted}
    marks = ", ".join(f"{count} {mark}" for mark, count in counts.items() if count)
    whole = result.supported + result.unconfirmed + result.contradicted
    return f"{marks} of {whole} sentences" if marks else ""


def lacking_lines(result: ResearchResult) -> tuple[str, ...]:
    """Return what an answer lacks, a line each: what was not found, and what was left out of it."""
    verdicts = {claim.text: claim.verdict for claim in result.claims}
    return tuple(
        f"left out, {verdicts[part]}: {part}"
        if part in verdicts
        else f"not found: {part or 'a part of the question'}"
        for part in result.unanswered
    )


def quoted_line(citation: Citation) -> str:
    """Return where a citation leads, with its quote, in one line."""
    return f'[{citation.key}] {citation.place}: "{" ".join(citation.quote.split())}"'


@dataclass(frozen=True, slots=True)
class Reference:
    """A citation as readers see it: its number in the answer, and the words it is cited for."""

    number: str
    citation: Citation
    quotes: tuple[Quote, ...]
    """One for each sentence that cites it, in the order of the answer; each once."""
    texts: tuple[str, ...]
    """The quotes' words; those of a table are below its head."""


def numbers(answer: str, keys: Collection[str]) -> Mapping[str, str]:
    """Return the number of each cited key, from 1, in the order of the answer."""
    found = (match[1] for match in KEY.finditer(answer) if match[1] in keys)
    return {key: str(at) for at, key in enumerate(dict.fromkeys([*found, *keys]), start=1)}


def numbered(answer: str, given: Mapping[str, str]) -> str:
    """Return an answer with numbers in the place of its keys; other keys stay."""
    return KEY.sub(lambda match: f"[{given.get(match[1], match[1])}]", answer)


def references(result: ResearchResult) -> tuple[Reference, ...]:
    """Return the citations of an answer in the order of their numbers, with all their quotes."""
    by_key = {citation.key: citation for citation in result.citations}
    chunks = {item.key: item.hit.chunk for item in result.evidence}
    found = []
    for key, number in numbers(result.answer, by_key).items():
        citation, chunk = by_key[key], chunks.get(key)
        best = Quote(1.0, citation.quote, citation.quote_start, citation.quote_end)
        quotes = _quotes(key, shown_claims(result)) or (best,)
        head = _head(chunk) if chunk else ""
        texts = tuple(_below(head, quote) for quote in quotes)
        found.append(Reference(number, citation, quotes, texts))
    return tuple(found)


def renumbered(result: ResearchResult) -> ResearchResult:
    """Return a result for readers: numbers for its keys, in the order of the answer.

    Evidence that is not cited has no key.
    """
    given = numbers(result.answer, [citation.key for citation in result.citations])
    by_number = sorted(result.citations, key=lambda citation: int(given[citation.key]))
    return replace(
        result,
        answer=numbered(result.answer, given),
        citations=tuple(replace(one, key=given[one.key]) for one in by_number),
        evidence=tuple(replace(one, key=given.get(one.key, "")) for one in result.evidence),
        claims=tuple(
            replace(one, keys=tuple(given.get(key, "") for key in one.keys))
            for one in result.claims
        ),
        conflicts=tuple(
            replace(one, key=given.get(one.key, ""), other_key=given.get(one.other_key, ""))
            for one in result.conflicts
        ),
    )


def quoted_words(claim: Claim, result: ResearchResult) -> tuple[str, ...]:
    """Return the words that a sentence is cited for; those of a table below its head."""
    heads = {item.key: _head(item.hit.chunk) for item in result.evidence}
    pairs = zip(claim.keys, claim.quotes, strict=False)
    return tuple(dict.fromkeys(_below(heads.get(key, ""), one) for key, one in pairs if one.quote))


def shown_claims(result: ResearchResult) -> tuple[Claim, ...]:
    """Return the sentences that an answer shows."""
    if result.status == "refused":
        return ()
    return tuple(claim for claim in result.claims if with_markers(claim) in result.answer)


def _quotes(key: str, claims: Iterable[Claim]) -> tuple[Quote, ...]:
    pairs = (pair for claim in claims for pair in zip(claim.keys, claim.quotes, strict=False))
    found = {(one.start, one.end): one for of, one in pairs if of == key and one.quote}
    return tuple(
        one
        for (start, end), one in found.items()
        if not any(
            left <= start and end <= right and (left, right) != (start, end)
            for left, right in found
        )
    )


def _head(chunk: Chunk) -> str:
    return head_of(chunk.text) if chunk.kind == "table" else ""


def _below(head: str, quote: Quote) -> str:
    """Return a quote below the head of its table, unless it has the head itself."""
    return f"{head}\n{quote.quote}" if head and quote.start >= len(head) else quote.quote


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Items of the earlier result alone, and of the later one alone, each in its order."""

    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two results of one question: the one before, the one after."""

    status: tuple[str, str]
    stop_reason: tuple[str, str]
    answer: tuple[str, ...]
    """The sentences of both: "  " in front of one that stays, "- " and "+ " of others."""
    citations: Changes
    evidence: Changes
    queries: Changes
    warnings: Changes
    usage: Mapping[str, tuple[float | None, float | None]]

    @property
    def same_answer(self) -> bool:
        """Whether status, sentences and citations are the same."""
        same = all(line.startswith("  ") for line in self.answer)
        return same and self.status[0] == self.status[1] and self.citations == Changes()

    @property
    def same(self) -> bool:
        """Whether there is no difference at all."""
        changes = (self.evidence, self.queries, self.warnings)
        ended = self.stop_reason[0] == self.stop_reason[1]
        return self.same_answer and ended and not self.usage and set(changes) == {Changes()}


def difference(before: ResearchResult, after: ResearchResult) -> Difference:
    """Return what is different in `after`."""
    counts = {name: (getattr(before.usage, name), getattr(after.usage, name)) for name in COUNTED}
    lines = ndiff(_sentences(before), _sentences(after))
    return Difference(
        status=(before.status, after.status),
        stop_reason=(before.stop_reason, after.stop_reason),
        answer=tuple(line for line in lines if not line.startswith("? ")),
        citations=_changes(map(quoted_line, before.citations), map(quoted_line, after.citations)),
        evidence=_changes(_read(before), _read(after)),
        queries=_changes(before.queries, after.queries),
        warnings=_changes(before.warnings, after.warnings),
        usage={name: pair for name, pair in counts.items() if pair[0] != pair[1]},
    )


def _sentences(result: ResearchResult) -> list[str]:
    if result.status == "refused":
        return [result.answer]
    return list(map(with_markers, shown_claims(result)))


def _read(result: ResearchResult) -> list[str]:
    chunks = (item.hit.chunk for item in result.evidence)
    return [f"{place(chunk)} ({chunk.chunk_id})" for chunk in chunks]


def _changes(before: Iterable[str], after: Iterable[str]) -> Changes:
    old, new = dict.fromkeys(before), dict.fromkeys(after)
    return Changes(
        removed=tuple(text for text in old if text not in new),
        added=tuple(text for text in new if text not in old),
    )
