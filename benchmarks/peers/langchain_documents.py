"""What LangChain reads and embeds here, for all that is asked of it."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from benchmarks.peers.embedding import KeptVectors


class OurEmbeddings(Embeddings):
    """Our embedding model behind LangChain's interface."""

    def __init__(self, vectors: KeptVectors) -> None:
        """Embed with `vectors`."""
        self._vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector a text."""
        return self._vectors.texts(texts)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return self._vectors.query(text)


def lower_words(text: str) -> list[str]:
    """Return the words of a text in lower case.

    >>> lower_words("ML-KEM, twice")
    ['ml', 'kem', 'twice']
    """
    return re.findall(r"\w+", text.lower())


def pages(documents: Sequence[tuple[str, str]]) -> Iterator[Document]:
    """Yield each page as LangChain's loaders do; a text file is one page."""
    import pypdfium2

    for doc_id, path in documents:
        if not path.endswith(".pdf"):
            yield Document(Path(path).read_text(encoding="utf-8"), metadata=_place(doc_id, 1))
            continue
        pdf = pypdfium2.PdfDocument(path)
        for number, page in enumerate(pdf, start=1):
            text = page.get_textpage().get_text_range()
            yield Document(text, metadata=_place(doc_id, number))
        pdf.close()


def _place(doc_id: str, page: int) -> dict[str, object]:
    return {"doc_id": doc_id, "page": page}
