"""Whether a question asks for a numbered algorithm or table that the document it names lacks."""

import re
from collections.abc import Callable, Sequence

from research_agent.core.corpus import DocumentOutline
from research_agent.core.named_things import named_documents, names_document
from research_agent.core.question_plan import plan_question
from research_agent.core.question_words import QuestionWords
from research_agent.core.types import Chunk


def absent_item(
    question: str,
    documents: Callable[[], Sequence[DocumentOutline]],
    contents: Callable[[str], Sequence[Chunk]],
    words: Sequence[QuestionWords],
) -> str:
    """Return what is asked for, such as "Algorithm 22", where the documents named have none.

    Empty where they have it, or number nothing by the same word, or where none of the documents
    is named. An Algorithm 22 of another document is no answer to such a question.

    >>> from research_agent.core.question_words import ENGLISH
    >>> known = {"FIPS.203": [Chunk("a", "FIPS.203", "Algorithm 2 adds, Algorithm 3 subtracts.")]}
    >>> outlines = lambda: [DocumentOutline(name) for name in known]
    >>> asked = ("What does Algorithm 22 of FIPS 203 do?", "What does Algorithm 3 of FIPS 203 do?")
    >>> [absent_item(question, outlines, known.__getitem__, [ENGLISH]) for question in asked]
    ['Algorithm 22', '']
    """
    look_up = plan_question(question, words).look_up
    named = named_documents(question)
    if look_up is None or not look_up.label or not named:
        return ""
    meant = [document.doc_id for document in documents() if names_document(named, document)]
    texts = [chunk.text for doc_id in dict.fromkeys(meant) for chunk in contents(doc_id)]
    word, _, number = look_up.label.rpartition(" ")
    numbered = re.compile(rf"\b{re.escape(word)}\s+([A-Z]?[\d.]*\d)", re.IGNORECASE)
    found = {match[1].lower() for text in texts for match in numbered.finditer(text)}
    return look_up.label if found and number.lower() not in found else ""
