"""Whether the documents can answer a question at all, told before a model is asked."""

from collections.abc import Sequence

from research_agent.core.absent_items import absent_item
from research_agent.core.evidence import Evidence
from research_agent.core.named_things import is_out_of_scope
from research_agent.core.question_words import QuestionWords
from research_agent.ports import Ports


def out_of_scope(
    question: str, evidence: Sequence[Evidence], ports: Ports, words: Sequence[QuestionWords]
) -> str:
    """Return why the documents cannot answer the question; empty where they may."""
    if is_out_of_scope(question, evidence, ports.documents):
        return "the evidence names nothing that the question names"
    absent = absent_item(question, ports.documents, ports.contents, words)
    return f"the document that is named has no {absent}" if absent else ""
