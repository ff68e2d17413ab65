"""One line below a refusal or a partial answer: what was searched, and what would help."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from research_agent.answering.draft_redaction import public_queries
from research_agent.answering.events import short
from research_agent.text.content_words import content_words, is_held, wanted_words
from research_agent.text.words import word_spans
from research_agent.types import Refused
from research_agent.types.evidence import Evidence, place, source_of
from research_agent.types.records import DocumentOutline
from research_agent.types.result import ResearchResult
from research_agent.types.scope import EVERYTHING, Scope

MOST_QUERIES = 3
MOST_WORDS = 4


def advice_of(
    result: ResearchResult, documents: Sequence[DocumentOutline], scope: Scope = EVERYTHING
) -> str:
    """Return one line for a result that is no whole answer; empty for an answer.

    `documents` are those of the index; what is within `scope` could be searched.
    """
    helps = {
        "answered": "",
        "partial": _missing(result),
        "unconfirmed": "Read the nearest passage, or ask for one thing only.",
        "refused": _refused(result, documents),
    }[result.status]
    if not helps:
        return ""
    nearest = f"; nearest: {short(place(result.evidence[0].hit.chunk))}" if result.evidence else ""
    searched = _within(documents, scope)
    asked = _searched(public_queries(result), searched, documents)
    wider = " The rest is outside the scope: ask without it." if searched != list(documents) else ""
    return f"{asked}{nearest}. {helps}{wider}"


def _within(documents: Sequence[DocumentOutline], scope: Scope) -> Sequence[DocumentOutline]:
    """Return the documents of a scope, with their chunks of its kinds alone."""
    found = [one for one in documents if scope.admits_document(one.doc_id, one.source, one.date)]
    if scope.kinds:
        kinds = [{k: n for k, n in one.kinds.items() if k in scope.kinds} for one in found]
        pairs = zip(found, kinds, strict=True)
        found = [replace(one, kinds=own) for one, own in pairs if own]
    return found


def words_not_held(question: str, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Return the words of a question that no chunk of the evidence holds, as they are written.

    Scripts without spaces between words give none.
    """
    held = content_words(" ".join(source_of(item.hit.chunk) for item in evidence))
    spans = word_spans(question)
    pairs = {span for one, two in pairwise(spans) if two[0] < one[1] for span in (one, two)}
    words = (question[start:end] for start, end in spans if (start, end) not in pairs)
    lacking = (w for w in words if not all(is_held(one, held) for one in wanted_words(w)))
    return tuple(dict.fromkeys(lacking))


def _missing(result: ResearchResult) -> str:
    sentences = {claim.text for claim in result.claims}
    missing = [part for part in result.unanswered if part not in sentences]
    if not missing:
        return "What could not be confirmed is left out: ask for it alone."
    named = _listed([part for part in missing if part])
    return f"Not found: {named or 'a part of the question'}; ask for it alone."


def _searched(
    queries: Sequence[str], searched: Sequence[DocumentOutline], known: Sequence[DocumentOutline]
) -> str:
    shown = list(dict.fromkeys(f"'{short(query)}'" for query in queries))[:MOST_QUERIES]
    more = len(queries) - len(shown)
    asked = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
    documents = _part(len(searched), len(known), "document")
    read, there = (sum(one.chunks for one in some) for some in (searched, known))
    chunks = _part(read, there, "chunk")
    where = f" in {documents} ({chunks})" if known else ""
    return f"Searched {asked}{where}" if asked else "Nothing was searched"


def _part(number: int, whole: int, what: str) -> str:
    return f"{number} of {_several(whole, what)}" if number < whole else _several(number, what)


def _refused(result: ResearchResult, documents: Sequence[DocumentOutline]) -> str:
    named = [part for part in result.unanswered if part]
    missing = _listed(named or words_not_held(result.question, result.evidence))
    which = result.stop_reason.removeprefix("budget_")
    near = "The passages read do not say it: name the document or the section, or ask for less."
    why = "the passages contradict what the model wrote"
    if any(claim.verdict != "contradicted" for claim in result.claims):
        why = "set answer.unconfirmed to mark to see it, or ask for less"
    helps: dict[Refused, str] = {
        "no_evidence": f"Nothing came near: add documents on {missing or 'it'}, or ask otherwise.",
        "insufficient_evidence": f"The passages read say nothing of {missing}: add documents that "
        "do, or ask without it."
        if missing
        else near,
        "unsupported_draft": f"No answer could be confirmed: {why}.",
        "model_failed": "A model failed: ask again, or see what research-agent doctor says.",
        "budget": f"budget.{which} was spent before an answer: raise it, or ask for less.",
    }
    if result.refusal_reason == "no_evidence" and not documents:
        return "The index is empty: research-agent index PATH adds documents."
    return helps.get(result.refusal_reason, near)


def _several(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"'{short(word)}'" for word in words[:MOST_WORDS])
