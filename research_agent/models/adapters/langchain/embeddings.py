"""An embedding model that is a LangChain object."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from research_agent.errors import ConfigError, ModelReplyError
from research_agent.models.adapters.langchain.chat import made_by_langchain
from research_agent.models.adapters.langchain.failures import object_name, translated, within
from research_agent.text.unit_vectors import unit_vector

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings


class LangChainEmbedder:
    """An embedding model; safe to share between threads where the object is.

    Every text, also a question, is embedded as a document.
    """

    def __init__(self, given: object, *, seconds: float) -> None:
        """Ask the object `given`, each time within `seconds`.

        Raises ConfigError where it is no Embeddings.
        """
        from langchain_core.embeddings import Embeddings

        if not isinstance(given, Embeddings):
            raise ConfigError(
                f"{type(given).__name__} is no embedding model",
                hint="Give an object of a subclass of LangChain's Embeddings.",
            )
        self._model, self._seconds = given, seconds
        self.name = object_name(given)
        """Which model: an index refuses vectors of another one."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector of length one a text; raises ModelError."""
        if not texts:
            return []
        what = f"the embedding model {self.name}"
        with translated(what):
            asked = list(texts)
            found = within(self._seconds, lambda: self._model.embed_documents(asked), what)
            vectors = [unit_vector(vector) for vector in found]
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1:
            raise ModelReplyError(
                f"{what} gave {len(vectors)} vectors for {len(texts)} texts, or vectors of "
                "different lengths",
                hint="Is it an embedding model?",
            )
        return vectors

    def close(self) -> None:
        """Do nothing: whoever made the object closes it."""


def embeddings_object(name: str, **options: object) -> "Embeddings":
    """Return the embedding model that LangChain makes of a name such as "openai:NAME".

    Raises ModelMissingError, ConfigError.
    """
    made: Embeddings = made_by_langchain("embeddings", "init_embeddings", name, options)
    return made
