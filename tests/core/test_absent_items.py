"""Algorithms and tables that the document which a question names does not have."""

import pytest

from research_agent.core.absent_items import absent_item
from research_agent.core.corpus import DocumentOutline
from research_agent.core.question_words import ENGLISH
from research_agent.core.types import Chunk

DOCUMENTS = {
    "NIST.FIPS.203": "Algorithm 1 loops. See Algorithm 21 and Table 3. Algorithm 2.1 is another.",
    "NIST.FIPS.204": "Algorithm 22 packs a key.",
    "notes": "Nothing here has a number.",
}


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("What are the steps of Algorithm 22 in FIPS 203?", "Algorithm 22"),
        ("What are the steps of Algorithm 2 in FIPS 203?", "Algorithm 2"),
        ("What are the steps of algorithm 21 in FIPS 203?", ""),
        ("What are the steps of Algorithm 22 in FIPS 204?", ""),
        ("What is in Table 9 of FIPS 203?", "Table 9"),
        ("What is in Table 9 of FIPS 204?", ""),  # (it numbers no tables)
        ("What are the steps of Algorithm 22?", ""),
        ("What are the steps of Algorithm 22 in RFC 8446?", ""),
        ("What are the steps of Algorithm 22 in FIPS 203 and in FIPS 204?", ""),
        ("What does FIPS 203 say of keys?", ""),
    ],
)
def test_absent_item(question: str, absent: str) -> None:
    """Only where every document that is named lacks the number, and uses the word at all."""

    def contents(doc_id: str) -> list[Chunk]:
        return [Chunk(doc_id, doc_id, DOCUMENTS[doc_id])]

    outlines = [DocumentOutline(name) for name in DOCUMENTS]

    assert absent == absent_item(question, lambda: outlines, contents, [ENGLISH])
