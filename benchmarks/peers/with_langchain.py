"""LangChain: page texts of pypdfium2, chunks of 1000/200, similarity search and EnsembleRetriever.

Run as `python -m benchmarks.peers.with_langchain TASK ANSWERS` in an environment that has it.
"""

import sys
from pathlib import Path

from langchain_classic.retrievers import (  # type: ignore[import-not-found]  # (in its own environment)
    EnsembleRetriever,
)
from langchain_community.retrievers import (  # type: ignore[import-not-found]  # (in its own environment)
    BM25Retriever,
)
from langchain_community.vectorstores import (  # type: ignore[import-not-found]  # (in its own environment)
    FAISS,
)
from langchain_core.documents import Document
from langchain_text_splitters import (  # type: ignore[import-not-found]  # (in its own environment)
    RecursiveCharacterTextSplitter,
)

from benchmarks.peers.embedding import KeptVectors
from benchmarks.peers.exchange import Answers, Hit, Retriever, Task, asked, read_task, write_answers
from benchmarks.peers.langchain_documents import OurEmbeddings, lower_words, pages

WIDE = 30
"""Candidates of each retriever in the wide variant, as many as the product takes."""


def run(task: Task) -> dict[str, tuple[int, Answers]]:
    """Return the answers of each way of searching."""
    splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200)
    chunks = splitter.split_documents(list(pages(task.documents)))
    store = FAISS.from_documents(chunks, OurEmbeddings(KeptVectors(task.vectors)))

    def ensemble(wide: int, **words: object) -> Retriever:
        by_words = BM25Retriever.from_documents(chunks, k=wide, **words)
        by_vector = store.as_retriever(search_kwargs={"k": wide})
        both = EnsembleRetriever(retrievers=[by_words, by_vector], weights=[0.5, 0.5])
        return lambda question: [_hit(found) for found in both.invoke(question)]

    lower: dict[str, object] = {"preprocess_func": lower_words}
    ways: dict[str, Retriever] = {
        "LangChain similarity": lambda question: [
            _hit(found) for found in store.similarity_search(question, k=WIDE)
        ],
        "LangChain ensemble": ensemble(task.first),
        "LangChain ensemble, word tokens": ensemble(task.first, **lower),
        f"LangChain ensemble, word tokens, {WIDE} candidates": ensemble(WIDE, **lower),
    }
    return {name: (len(chunks), asked(way, task)) for name, way in ways.items()}


def _hit(found: Document) -> Hit:
    page = found.metadata["page"]
    return Hit(found.metadata["doc_id"], page, page, len(found.page_content))


if __name__ == "__main__":
    write_answers(run(read_task(Path(sys.argv[1]))), Path(sys.argv[2]))
