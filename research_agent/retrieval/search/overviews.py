"""Pages that say what a document is about, where a question is about several documents."""

from collections.abc import Iterable, Sequence

from research_agent.text.words import query_words
from research_agent.types import Chunk
from research_agent.types.question_words import SECTIONS, phrases

LETTERS = 4
"""A word of fewer letters names no family of documents."""


def is_overview(chunk: Chunk) -> bool:
    """Return whether a chunk is in a section that says what its document is about."""
    return bool(phrases(SECTIONS).search(" > ".join(chunk.section)))


def family(question: str, chunks: Sequence[Chunk]) -> frozenset[str]:
    """Return the documents of `chunks` whose titles hold what the question names in the plural.

    There are two of them at least, or none: one document is no family.

    >>> pages = [Chunk("a", "ham", "…", title="Ham Standard"), Chunk("b", "pea", "…",
    ...          title="Pea Standard"), Chunk("c", "tea", "…", title="All about Tea")]
    >>> sorted(family("Why do we need the food standards?", pages))
    ['ham', 'pea']
    >>> family("What is the standard for ham?", pages)
    frozenset()
    """
    titles = {chunk.doc_id: frozenset(query_words(chunk.title)) for chunk in chunks}
    found: set[str] = set()
    for word in query_words(question):
        singular = word.removesuffix("s")
        if singular != word and len(singular) >= LETTERS and singular.isalpha():
            held = {doc_id for doc_id, words in titles.items() if {word, singular} & words}
            found |= held if len(held) > 1 else set()
    return frozenset(found)


def one_a_document(
    pages: Sequence[Chunk], shown: Iterable[Chunk], preferred: frozenset[str]
) -> tuple[Chunk, ...]:
    """Return `pages`, the first of each document that is not `shown` before all others.

    Among those first pages those of `preferred` documents lead.

    >>> a, b, c = (Chunk(name, doc, name) for name, doc in [("a", "x"), ("b", "x"), ("c", "y")])
    >>> [page.text for page in one_a_document([a, b, c], [], frozenset("y"))]
    ['c', 'a', 'b']
    """
    seen = {chunk.doc_id for chunk in shown}
    ordered = sorted(pages, key=lambda page: page.doc_id not in preferred)
    best = {page.doc_id: page for page in reversed(ordered) if page.doc_id not in seen}
    first = {page.chunk_id for page in best.values()}
    return tuple(sorted(ordered, key=lambda page: page.chunk_id not in first))
