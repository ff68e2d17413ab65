"""An embedding model of Amazon Bedrock."""

import logging
import math
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from research_agent.errors import ContextOverflowError
from research_agent.models.adapters.bedrock.connection import BedrockEndpoint, Connection
from research_agent.models.replies import check_vectors
from research_agent.models.windows import window_spans
from research_agent.text.unit_vectors import unit_vector

if TYPE_CHECKING:
    from botocore.client import BaseClient
    from langchain_aws import BedrockEmbeddings

MAX_REPLY_BYTES = 16 * 2**20
COHERE_TEXTS = 96
PARALLEL = 4
"""Requests at a time. Most models take one text a request."""
COHERE_CHARACTERS = 2048
CHARACTERS = 20_000
OVERLAP = 200


class BedrockEmbedder:
    """An embedding model; safe to share between threads.

    Cohere's models get every text, also a question, as a document.
    """

    def __init__(self, endpoint: BedrockEndpoint) -> None:
        """Ask the model at `endpoint`; nothing is sent before the first call."""
        self.name = endpoint.model
        """Which model: an index refuses vectors of another one."""
        self._connection = Connection(endpoint, self._build, max_bytes=MAX_REPLY_BYTES)
        self._cohere = "cohere." in endpoint.model
        long = self._cohere and "embed-v4" not in endpoint.model
        self._characters = COHERE_CHARACTERS if long else CHARACTERS

    def windows(self, text: str, *, header: str = "") -> list[str]:
        """Return the texts to embed for `text`, each short enough, with `header` in front."""
        top = f"{header[: self._characters // 2]}\n" if header else ""
        spans = window_spans(len(text), size=self._characters - len(top), overlap=OVERLAP)
        return [top + text[start:end] for start, end in spans]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector of length one a text; raises ModelError."""
        if any(len(text) > self._characters for text in texts):
            raise ContextOverflowError(
                f"a text to embed is longer than {self._characters} characters",
                hint="Ask a shorter question, or use another embedding model.",
            )
        size = COHERE_TEXTS if self._cohere else 1
        rest = iter(texts)
        batches = iter(lambda: list(islice(rest, size)), [])
        vectors: list[list[float]] = []
        while some := list(islice(batches, PARALLEL)):
            begun = [self._connection.begin(partial(_embedded, batch), math.inf) for batch in some]
            vectors += [vector for pending in begun for vector in pending.result()]
        check_vectors(vectors, len(texts), self.name)
        return vectors

    def close(self) -> None:
        """Close the connections to the server."""
        self._connection.close()

    def _build(self, client: "BaseClient") -> "BedrockEmbeddings":
        from langchain_aws import BedrockEmbeddings

        # For every error it raises, the library also logs a traceback with the server's words.
        logging.getLogger("langchain_aws.embeddings.bedrock").addFilter(_below_error)
        return BedrockEmbeddings(
            client=client,
            model_id=self.name,
            provider="cohere" if self._cohere else "amazon",
        )


def _embedded(texts: list[str], client: "BedrockEmbeddings") -> list[list[float]]:
    return [unit_vector(vector) for vector in client.embed_documents(texts)]


def _below_error(record: logging.LogRecord) -> bool:
    return record.levelno < logging.ERROR
