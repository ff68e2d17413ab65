"""What is different between two results of one question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import ndiff

from research_agent.answering.result_lines import quoted_line
from research_agent.types.evidence import place
from research_agent.types.result import ResearchResult, Usage, with_markers


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What is only in the one, and only in the other, in their own order."""

    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two results side by side: the one before, the one after."""

    status: tuple[str, str]
    stop_reason: tuple[str, str]
    answer: tuple[str, ...]
    """The sentences of both: "  " in front of one that stays, "- " and "+ " of others."""
    citations: Changes
    evidence: Changes
    queries: Changes
    warnings: Changes
    usage: Mapping[str, tuple[float | None, float | None]]
    """Each number that is different; seconds are left out, for they always are."""

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


def difference(before: ResearchResult, after: ResearchResult) -> Difference:
    """Return what is different in `after`."""
    return Difference(
        status=(before.status, after.status),
        stop_reason=(before.stop_reason, after.stop_reason),
        answer=_sentences(before, after),
        citations=_changes(map(quoted_line, before.citations), map(quoted_line, after.citations)),
        evidence=_changes(_read(before), _read(after)),
        queries=_changes(before.queries, after.queries),
        warnings=_changes(before.warnings, after.warnings),
        usage=_counts(before.usage, after.usage),
    )


def _sentences(before: ResearchResult, after: ResearchResult) -> tuple[str, ...]:
    lines = ndiff(_shown(before), _shown(after))
    return tuple(line for line in lines if not line.startswith("? "))


def _shown(result: ResearchResult) -> list[str]:
    """Return the sentences of an answer, with their marks; a refusal is one."""
    if result.status == "refused":
        return [result.answer]
    return [said for said in map(with_markers, result.claims) if said in result.answer]


def _read(result: ResearchResult) -> list[str]:
    """Return the chunks that the model has read; two of one place have different ids."""
    chunks = (item.hit.chunk for item in result.evidence)
    return [f"{place(chunk)} ({chunk.chunk_id})" for chunk in chunks]


def _changes(before: "Sequence[str] | map[str]", after: "Sequence[str] | map[str]") -> Changes:
    """Return what is only in one of two lists.

    >>> _changes(["a", "b"], ["b", "c"])
    Changes(removed=('a',), added=('c',))
    """
    old, new = dict.fromkeys(before), dict.fromkeys(after)
    return Changes(
        removed=tuple(text for text in old if text not in new),
        added=tuple(text for text in new if text not in old),
    )


def _counts(before: Usage, after: Usage) -> Mapping[str, tuple[float | None, float | None]]:
    pairs = {name: (getattr(before, name), getattr(after, name)) for name in COUNTED}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
