"""An embedding model behind any server that speaks OpenAI's protocol."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from research_agent.adapters.openai.connection import Connection, Endpoint, HttpClients
from research_agent.adapters.openai.failures import translated_errors
from research_agent.errors import ModelReplyError

if TYPE_CHECKING:
    from langchain_openai import OpenAIEmbeddings


class OpenAIEmbedder:
    """An embedding model; safe to share between threads."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Ask the model at `endpoint`; nothing is sent before the first call."""
        self._endpoint = endpoint
        self._connection = Connection(endpoint, self._build)

    @property
    def name(self) -> str:
        """Which model: an index refuses vectors of another one."""
        return self._endpoint.model

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector of length one a text; raises ModelError."""
        if not texts:
            return []
        client = self._connection.client()
        with translated_errors(self._endpoint):
            vectors = [_unit(vector) for vector in client.embed_documents(list(texts))]
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1:
            raise ModelReplyError(
                f"the embedding server sent {len(vectors)} vectors for {len(texts)} texts, "
                "or vectors of different lengths",
                hint=f"Is {self._endpoint.model!r} an embedding model?",
            )
        return vectors

    def close(self) -> None:
        """Close the connections to the server."""
        self._connection.close()

    def _build(self, url: str, http: HttpClients) -> "OpenAIEmbeddings":
        from langchain_openai import OpenAIEmbeddings
        from pydantic import SecretStr

        # With its check of lengths on, the library would fetch a tokenizer and send token ids.
        return OpenAIEmbeddings(
            model=self._endpoint.model,
            openai_api_base=url,
            openai_api_key=SecretStr(self._endpoint.api_key),
            request_timeout=http.blocking.timeout,
            max_retries=0,
            check_embedding_ctx_length=False,
            model_kwargs={"encoding_format": "float"},
            openai_proxy=None,
            http_client=http.blocking,
            http_async_client=http.awaiting,
        )


def _unit(vector: Sequence[float]) -> list[float]:
    """Return `vector` with length one; raises ValueError where it has no direction.

    >>> _unit([3.0, 4.0])
    [0.6, 0.8]
    """
    length = math.sqrt(math.fsum(value * value for value in vector))
    if not math.isfinite(length) or length == 0:
        raise ValueError("a vector without a direction")
    return [float(value) / length for value in vector]
