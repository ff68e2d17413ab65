"""Pages that say what a document is about, where a question is about several documents."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from research_agent.text.words import query_words
from research_agent.types import Chunk
from research_agent.types.question_words import QuestionWords

LETTERS = 4
"""A word of fewer letters names no family of documents."""


def family(
    question: str, chunks: Sequence[Chunk], languages: Sequence[QuestionWords]
) -> frozenset[str]:
    """Return the documents of `chunks` whose titles hold what the question names in the plural.

    There are two of them at least, or none: one document is no family.

    >>> from research_agent.types.question_words import ENGLISH
    >>> pages = [Chunk("a", "ham", "…", title="Ham Standard"), Chunk("b", "pea", "…",
    ...          title="Pea Standard"), Chunk("c", "tea", "…", title="All about Tea")]
    >>> sorted(family("Why do we need the food standards?", pages, [ENGLISH]))
    ['ham', 'pea']
    >>> family("What is the standard for ham?", pages, [ENGLISH])
    frozenset()
    """
    titles = {chunk.doc_id: frozenset(query_words(chunk.title)) for chunk in chunks}
    found: set[str] = set()
    for one in _singulars(question, languages):
        held = {doc_id for doc_id, words in titles.items() if one & words}
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
    first: list[Chunk] = []
    for page in ordered:
        if page.doc_id not in seen:
            first.append(page)
            seen.add(page.doc_id)
    ids = {page.chunk_id for page in first}
    return (*first, *(page for page in ordered if page.chunk_id not in ids))


def in_turn(rankings: Iterable[Sequence[Chunk]]) -> tuple[Chunk, ...]:
    """Return the first of each ranking, then the second of each, and so on; each chunk once.

    >>> a, b, c = (Chunk(name, "d", name) for name in "abc")
    >>> "".join(chunk.text for chunk in in_turn([[a, b], [a, c]]))
    'abc'
    """
    rows = zip_longest(*rankings)
    found = {chunk.chunk_id: chunk for row in rows for chunk in row if chunk}
    return tuple(found.values())


def _singulars(question: str, languages: Sequence[QuestionWords]) -> Iterable[frozenset[str]]:
    """Yield each word of the question that may be a plural, with what it is without its ending."""
    endings = {ending for words in languages for ending in words.plurals}
    for word in query_words(question):
        shorter = {word.removesuffix(end) for end in endings if end and word.endswith(end)}
        forms = {form for form in shorter if len(form) >= LETTERS and form.isalpha()}
        if forms:
            yield frozenset({word, *forms})
