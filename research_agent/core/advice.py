"""A result that is no whole answer -> one line: what was searched, and what would help."""

import re
from collections.abc import Sequence

from research_agent.core.corpus import DocumentOutline
from research_agent.core.draft_hiding import public_queries
from research_agent.core.evidence import Evidence, place
from research_agent.core.function_words import function_words
from research_agent.core.named_things import named_documents, named_in
from research_agent.core.quoting import source_of
from research_agent.core.refusals import Refused
from research_agent.core.result import ResearchResult
from research_agent.core.stems import stem
from research_agent.core.support import content_words
from research_agent.core.words import STOP_WORDS, fold

MOST_QUERIES = 3
MOST_WORDS = 4
LONGEST = 70
"""Characters of a query, a place or a sentence in the line."""
_WORD = re.compile(r"[^\W_][\w'-]*(?:[./]\w+)*")


def advice_of(result: ResearchResult, documents: Sequence[DocumentOutline]) -> str:
    """Return one line for a refused or a partial result; empty for an answer.

    `documents` are those that could be searched.
    """
    if result.status == "answered":
        return ""
    helps = _partly(result) if result.status == "partial" else _helps(result, documents)
    nearest = f"; nearest: {_short(place(result.evidence[0].hit.chunk))}" if result.evidence else ""
    return f"{_searched(public_queries(result), documents)}{nearest}. {helps}"


def words_not_held(question: str, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Return the words of a question that no chunk of the evidence holds, as they are written.

    >>> from research_agent.core.types import Chunk, Hit
    >>> evidence = [Evidence("c1", Hit(Chunk("x", "d", "A hose.")))]
    >>> words_not_held("What colour has the hose?", evidence)
    ('colour',)
    """
    held = content_words("\n".join(source_of(item.hit.chunk) for item in evidence))
    silent = STOP_WORDS | function_words(question)
    asked = dict.fromkeys(_WORD.findall(question))
    return tuple(word for word in asked if _is_told(word, silent) and not _is_held(word, held))


def _is_told(word: str, silent: frozenset[str]) -> bool:
    """Return whether a word is worth naming: scripts without spaces have none to name."""
    return len(word) > 1 and ord(max(word)) < 0x2E80 and fold(word) not in silent  # noqa: PLR2004 (where the scripts without spaces between words begin)


def _is_held(word: str, held: frozenset[str]) -> bool:
    parts = content_words(word) or {stem(fold(word))}
    return bool(parts & held)


def _searched(queries: Sequence[str], documents: Sequence[DocumentOutline]) -> str:
    """Return what was searched, and in how much."""
    shown = [f"'{_short(query)}'" for query in queries[:MOST_QUERIES]]
    more = len(queries) - len(shown)
    asked = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
    chunks = sum(document.chunks for document in documents)
    where = f" in {_several(len(documents), 'document')} ({_several(chunks, 'chunk')})"
    return f"Searched {asked}{where if documents else ''}" if asked else "Nothing was searched"


def _helps(result: ResearchResult, documents: Sequence[DocumentOutline]) -> str:
    """Return what helps against a refusal."""
    missing = _listed(words_not_held(result.question, result.evidence))
    named = _listed(sorted(named_documents(result.question) or named_in(result.question)))
    which = result.stop_reason.removeprefix("budget_")
    near = "The passages read do not say it: name the document or the section, or ask for less."
    helps: dict[Refused, str] = {
        "no_evidence": f"Nothing came near: add documents on {missing or 'it'}, or ask otherwise.",
        "insufficient_evidence": f"No passage read holds {missing}: add documents that do, or ask "
        "without it."
        if missing
        else near,
        "unsupported_draft": "What the model wrote stands in none of them: ask for one thing only.",
        "wrong_scope": f"Nothing there names {named}: add documents that do, or ask without it.",
        "model_failed": "A model failed: ask again, or see what research-agent doctor says.",
        "budget": f"budget.{which} was spent before an answer: raise it, or ask for less.",
    }
    if result.refusal_reason == "no_evidence" and not documents:
        return "The index is empty: research-agent index PATH adds documents."
    return helps.get(result.refusal_reason, near)


def _partly(result: ResearchResult) -> str:
    """Return what helps to the part that is missing."""
    left = _several(len(result.unanswered), "sentence")
    return f"{left} left out: ask for that part alone, or add documents on it."


def _several(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"'{_short(word)}'" for word in words[:MOST_WORDS])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"
