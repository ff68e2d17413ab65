"""What happens in a question, in words for people who do not know how the agent works."""

from collections.abc import Mapping

from research_agent.types import events
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


def begun_text(event: events.Event) -> str:
    """Return what begins with an event, in words; empty where there is nothing to say."""
    return BEGUN.get(event.step, "") if isinstance(event, events.StepStarted) else ""


def step_text(event: events.Event) -> str:  # noqa: C901, PLR0911 (a case for each event)
    """Return one line about an event, empty where there is nothing to say.

    >>> step_text(events.Hits(step="retrieve", query="How hot?", total=1))
    'searched "How hot?": 1 passage'
    """
    match event:
        case events.Hits(query=query):
            said = f'searched "{_short(query)}"' if query else "looked up passages"
            return f"{said}: {event.problem or several(event.total, 'passage')}"
        case events.Confidence() if event.confidence.decision == "bypass":
            return "clear matches: the question is kept as it is"
        case events.Queries(queries=[_, *new]) if new:
            return "also searching for " + "; ".join(f'"{_short(query)}"' for query in new)
        case events.Decisions(fallback=reason):
            instead = f"; by rank, because {reason}" if reason else ""
            return f"kept {event.kept} of {several(event.original, 'passage')}{instead}"
        case events.ChunksPruned(stats=stats) if stats.original > stats.kept:
            return f"left out {several(stats.original - stats.kept, 'passage')} that add nothing"
        case events.EvidenceChosen(evidence=evidence):
            names = ", ".join(dict.fromkeys(item.doc_id for item in evidence))
            return f"reading {several(len(evidence), 'passage')}{' of ' * bool(names)}{names}"
        case events.SentenceChecked(text=text) if text:
            return f"{event.verdict}: {text}"
        case events.Warned(text=text):
            return f"warning: {text}"
        case events.Stopped():
            return f"stopped after {event.at:.1f} s: {usage_text(event.usage)}"
        case events.Checked(decision=decision, reason=reason):
            budget = f"{reason.removeprefix('budget_')} of the budget are spent"
            again = decision == "again"
            why = (AGAIN if again else ENDED).get(reason, budget)
            shown = f"{event.shown} of {several(event.sentences, 'sentence')} confirmed"
            return f"{shown}; {'searching again: ' * again}{why}"
    return ""


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
