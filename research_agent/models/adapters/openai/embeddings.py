"""An embedding model behind any server that speaks OpenAI's protocol."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from research_agent.models.adapters.openai import connection
from research_agent.models.adapters.openai.failures import translated_errors
from research_agent.models.replies import check_vectors
from research_agent.text.unit_vectors import unit_vector

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from langchain_openai import OpenAIEmbeddings

MOST_TEXTS = 32
"""Texts of one request at most: what servers take that are not told otherwise."""
REPLY_BYTES = 65_536
TEXT_BYTES = 262_144
"""What one vector takes at most: 8,192 numbers of 32 characters."""


class OpenAIEmbedder:
    """An embedding model; safe to share between threads.

    The endpoint's timeout is the deadline of a whole call.
    """

    def __init__(self, endpoint: connection.Endpoint) -> None:
        """Ask the model at `endpoint`; nothing is sent before the first call."""
        self._endpoint, self.name = endpoint, endpoint.model
        """Which model: an index refuses vectors of another one."""
        self._connection = connection.Connection(endpoint, self._build)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector of length one a text; raises ModelError."""
        if not texts:
            return []
        vectors = self._connection.run(lambda client: self._ask(client, texts))
        check_vectors(vectors, len(texts), self.name)
        return vectors

    def close(self) -> None:
        """Close the connections to the server, and end what is asked over them."""
        self._connection.close()

    async def _ask(self, client: "OpenAIEmbeddings", texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), MOST_TEXTS):
            batch = list(texts[start : start + MOST_TEXTS])
            connection.expect(max_bytes=REPLY_BYTES + len(batch) * TEXT_BYTES)
            with translated_errors(self._endpoint):
                found = await client.aembed_documents(batch, chunk_size=len(batch))
                vectors += [unit_vector(vector) for vector in found]
        return vectors

    def _build(self, url: str, http: "AsyncClient") -> "OpenAIEmbeddings":
        from langchain_openai import OpenAIEmbeddings
        from pydantic import SecretStr

        # With its check of lengths on, the library would fetch a tokenizer and send token ids.
        return OpenAIEmbeddings(
            model=self._endpoint.model,
            openai_api_base=url,
            openai_api_key=SecretStr(self._endpoint.api_key),
            max_retries=0,
            request_timeout=http.timeout,
            check_embedding_ctx_length=False,
            model_kwargs={"encoding_format": "float"},
            openai_proxy=None,
            http_client=connection.unused_client(),
            http_async_client=http,
        )
