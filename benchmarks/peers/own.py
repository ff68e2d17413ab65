"""What every peer gets from us: our embedding models, and our prompt for its "best"."""

from research_agent.models.adapters.minilm import MiniLM
from research_agent.models.adapters.multilingual import MultilingualE5

REFUSED = "not found in provided docs"
STRICT = (
    "{context}\n\nQuestion: {question}\n\n"
    "Answer the question from the text above, in at most three sentences, with the exact numbers "
    f"and names that it gives. If it does not state exactly what is asked, say: {REFUSED}"
)
"""What we would write for a peer: evidence first, and words to refuse with."""
WIDE = 30
"""Candidates, as many as the product takes."""


class Embedding:
    """One of our embedding models, under the names that LangChain has for it."""

    def __init__(self, *, multilingual: bool = False) -> None:
        """Load the English model, or the one for many languages."""
        self._documents = MultilingualE5() if multilingual else MiniLM()
        self._queries = MultilingualE5(queries=True) if multilingual else self._documents

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector a text."""
        return self._documents.embed(texts)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return self._queries.embed([text])[0]
