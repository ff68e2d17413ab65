"""Sentences of a refused draft are removed from everything that is shown.

They are found word by word in their copies: in the queries of later rounds, which are made of a
draft's doubtful sentences, and in reasons and warnings about those queries.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from research_agent.types import Probe
from research_agent.types.calls import CallPlan, CallResult, ToolCall
from research_agent.types.refinement import Refinement
from research_agent.types.result import ResearchResult
from research_agent.types.verification import Check, Draft

HIDDEN = "…"


def unsaid_after(before: Sequence[str], check: Check, best: Draft) -> tuple[str, ...]:
    """Return the draft sentences that may not be shown, with those that were just checked."""
    refused = (claim.text for claim in best.claims) if check.refused else ()
    return tuple(dict.fromkeys((*before, *check.doubts, *refused)))


def without_draft(text: str, sentences: Sequence[str]) -> str:
    """Return `text` with each of `sentences` replaced, several in a row by one mark."""
    for sentence in sorted(filter(None, sentences), key=len, reverse=True):
        text = text.replace(sentence, HIDDEN)
    return re.sub(rf"{HIDDEN}(?:\s*{HIDDEN})+", HIDDEN, text)


def hidden_in(written: Mapping[str, Any], sentences: Sequence[str]) -> Mapping[str, Any]:
    """Return what a step wrote without `sentences`, wherever it holds queries or a result."""
    return {name: _hidden(value, sentences) for name, value in written.items()}


def public_result(result: ResearchResult) -> ResearchResult:
    """Return a result as it may be shown: without the words of drafts that were refused."""
    sentences = _said(result)
    if not sentences:
        return replace(result, unsaid=()) if result.unsaid else result
    refused = result.status == "refused"
    question = result.question if refused else ""
    left_out = tuple(text for text in result.unanswered if text not in sentences)
    return replace(
        result,
        claims=() if refused else result.claims,
        unanswered=left_out,
        queries=public_queries(result),
        refinement=_refinement(result.refinement, sentences, question),
        warnings=tuple(without_draft(warning, sentences) for warning in result.warnings),
        unsaid=(),
    )


def public_queries(result: ResearchResult) -> tuple[str, ...]:
    """Return the queries of a result without the sentences of its drafts in them."""
    question = result.question if result.status == "refused" else ""
    sentences = _said(result)
    return tuple(dict.fromkeys(_own(query, question, sentences) for query in result.queries))


def _said(result: ResearchResult) -> tuple[str, ...]:
    """Return the sentences of drafts that are no part of what is shown."""
    own = tuple(claim.text for claim in result.claims)
    if result.status == "refused":
        return (*own, *result.unsaid)
    return tuple(text for text in result.unsaid if text not in own)


def _hidden(value: Any, sentences: Sequence[str]) -> Any:  # noqa: ANN401 (what nodes write)
    match value:
        case ResearchResult():
            return public_result(value)
        case Probe():
            return replace(value, query=without_draft(value.query, sentences))
        case Refinement():
            return _refinement(value, sentences)
        case CallPlan():
            return replace(value, calls=tuple(_call(call, sentences) for call in value.calls))
        case [CallResult(), *_]:
            return [replace(item, call=_call(item.call, sentences)) for item in value]
    return value


def _call(call: ToolCall, sentences: Sequence[str]) -> ToolCall:
    shown = {
        name: without_draft(value, sentences) if isinstance(value, str) else value
        for name, value in call.arguments.items()
    }
    return replace(call, arguments=shown, problem=without_draft(call.problem, sentences))


def _refinement(refinement: Refinement, sentences: Sequence[str], question: str = "") -> Refinement:
    verdicts = (replace(v, query=without_draft(v.query, sentences)) for v in refinement.verdicts)
    return replace(
        refinement,
        queries=tuple(_own(query, question, sentences) for query in refinement.queries),
        reason=without_draft(refinement.reason, sentences),
        verdicts=tuple(verdicts),
    )


def _own(query: str, question: str, sentences: Sequence[str]) -> str:
    if question and query.startswith(f"{question} "):
        return f"{question} {HIDDEN}"
    return without_draft(query, sentences)
