"""An embedding model behind any server that speaks OpenAI's protocol."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from research_agent.models.adapters.openai import connection
from research_agent.models.adapters.openai.failures import is_overflow, told, translated_errors
from research_agent.models.replies import check_vectors
from research_agent.text.unit_vectors import unit_vector

if TYPE_CHECKING:
    import openai
    from httpx2 import AsyncClient
    from langchain_openai import OpenAIEmbeddings

MOST_TEXTS = 128
"""Texts of one request at most; a server may take fewer."""
TOO_LARGE = 413
TOO_MANY = re.compile(
    r"too many (inputs|texts|items|requests in)|batch.?size|in one batch|per batch"
    r"|array too long|maximum (number of|length).{0,40}(input|array|item)|at most \d+ (input|item)"
)
"""What servers answer to more texts than they take, besides status 413."""
REPLY_BYTES = 65_536
TEXT_BYTES = 262_144
"""What one vector takes at most: 8,192 numbers of 32 characters."""


class OpenAIEmbedder:
    """An embedding model; safe to share between threads.

    The endpoint's timeout is the deadline of a whole call. Where a server takes fewer texts at
    a time than it is sent, it is sent half as many from then on.
    """

    def __init__(self, endpoint: connection.Endpoint) -> None:
        """Ask the model at `endpoint`; nothing is sent before the first call."""
        self._endpoint, self.name = endpoint, endpoint.model
        """Which model: an index refuses vectors of another one."""
        self._connection = connection.Connection(endpoint, self._build)
        self._most = MOST_TEXTS

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
        """Send the texts, as many at a time as the server takes."""
        import openai

        vectors: list[list[float]] = []
        done = 0
        while done < len(texts):
            batch = list(texts[done : done + self._most])
            connection.expect(max_bytes=REPLY_BYTES + len(batch) * TEXT_BYTES)
            with translated_errors(self._endpoint):
                try:
                    found = await client.aembed_documents(batch, chunk_size=len(batch))
                except openai.APIStatusError as error:
                    if len(batch) == 1 or not _is_too_many(error):
                        raise
                    self._most = len(batch) // 2
                    continue
                vectors += [unit_vector(vector) for vector in found]
            done += len(batch)
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


def _is_too_many(error: "openai.APIStatusError") -> bool:
    if error.status_code == TOO_LARGE:
        return True
    refused = error.status_code in (400, 422) and not is_overflow(error)
    return refused and TOO_MANY.search(told(error)) is not None
