"""What happens in a question, in words for people who do not know how the agent works."""

from collections.abc import Mapping
from functools import singledispatch

from research_agent.types.events import (
    Checked,
    ChunksPruned,
    Confidence,
    Decisions,
    Event,
    EvidenceChosen,
    Hits,
    Queries,
    SentenceChecked,
    StepStarted,
    Stopped,
)
from research_agent.types.result import Usage

BEGUN: Mapping[str, str] = {
    "retrieve": "searching the documents",
    "refine": "looking for better search terms",
    "search": "searching the documents",
    "select_evidence": "choosing passages",
    "answer": "reading the passages and writing",
    "verify": "checking each sentence",
}
"""What a node of the graph begins to do."""
AGAIN: Mapping[str, str] = {
    "refused": "no answer was found yet",
    "missing": "a part of the question has no answer yet",
    "unconfirmed": "a sentence could not be confirmed",
    "uncertain": "the model was unsure of a sentence",
    "pruned": "passages that were left out are needed after all",
}
ENDED: Mapping[str, str] = {
    "confident": "the answer stands",
    "unchecked": "the answer could not be checked",
    "refused": "the documents do not hold an answer",
    "max_rounds": "no further search is allowed (--rounds)",
    "no_new_evidence": "another search found nothing new",
    "nothing_to_search": "there is nothing more to search for",
    "worse_than_before": "the answer before was better",
    "low_value": "another search would hardly help",
    "cancelled": "stopped",
    "error": "a model or a search failed",
}
"""Why a question is not searched again."""
LONGEST = 70
"""Characters of a query in a line."""


def begun_text(event: Event) -> str:
    """Return what begins with an event, in words; empty where there is nothing to say."""
    return BEGUN.get(event.step, "") if isinstance(event, StepStarted) else ""


@singledispatch
def step_text(event: Event) -> str:  # noqa: ARG001 (most events say nothing)
    """Return one line about an event, empty where there is nothing to say.

    >>> step_text(Hits(step="retrieve", query="How hot?", total=1))
    'searched "How hot?": 1 passage'
    """
    return ""


@step_text.register
def _(event: Hits) -> str:
    said = f'searched "{_short(event.query)}"' if event.query else "looked up passages"
    return f"{said}: {event.problem or several(event.total, 'passage')}"


@step_text.register
def _(event: Confidence) -> str:
    clear = event.confidence.decision == "bypass"
    return "clear matches: the question is kept as it is" if clear else ""


@step_text.register
def _(event: Queries) -> str:
    new = "; ".join(f'"{_short(query)}"' for query in event.queries[1:])
    return f"also searching for {new}" if new else ""


@step_text.register
def _(event: Decisions) -> str:
    instead = f"; by rank, because {event.fallback}" if event.fallback else ""
    return f"kept {event.kept} of {several(event.original, 'passage')}{instead}"


@step_text.register
def _(event: ChunksPruned) -> str:
    gone = event.stats.original - event.stats.kept
    return f"left out {several(gone, 'passage')} that add nothing" if gone else ""


@step_text.register
def _(event: EvidenceChosen) -> str:
    names = ", ".join(dict.fromkeys(item.doc_id for item in event.evidence))
    return f"reading {several(len(event.evidence), 'passage')}{' of ' * bool(names)}{names}"


@step_text.register
def _(event: SentenceChecked) -> str:
    return f"{event.verdict}: {event.text}" if event.text else ""


@step_text.register
def _(event: Stopped) -> str:
    return f"stopped after {event.at:.1f} s: {usage_text(event.usage)}"


@step_text.register
def _(event: Checked) -> str:
    budget = f"{event.reason.removeprefix('budget_')} of the budget are spent"
    again = event.decision == "again"
    why = (AGAIN if again else ENDED).get(event.reason, budget)
    shown = f"{event.shown} of {several(event.sentences, 'sentence')} confirmed"
    return f"{shown}; searching again: {why}" if again else f"{shown}; {why}"


def several(number: int, what: str) -> str:
    """Return a number of things, in words.

    >>> several(1, "round"), several(2, "round")
    ('1 round', '2 rounds')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def usage_text(usage: Usage) -> str:
    """Return what was spent, in words.

    >>> from research_agent.types.result import usage_of
    >>> usage_text(usage_of(()))
    '0 model calls, 0 tokens read (0 cached), 0 written'
    """
    parts = (
        several(usage.llm_calls, "model call"),
        f"{usage.failed_calls} failed" if usage.failed_calls else "",
        f"{usage.retries} tried again" if usage.retries else "",
        f"{usage.reused_calls} replies reused" if usage.reused_calls else "",
        f"{usage.prompt_tokens} tokens read ({usage.cached_tokens} cached)",
        f"{usage.completion_tokens} written",
        f"cost {usage.cost:.4g}" if usage.cost else "",
    )
    return ", ".join(filter(None, parts))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"
