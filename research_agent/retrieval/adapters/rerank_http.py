"""A reranker behind an HTTP `/rerank` endpoint: llama.cpp, vLLM, Text Embeddings Inference.

| form | request | reply |
|---|---|---|
| llama.cpp | `query`, `documents` | `results` of `index`, `relevance_score` |
| vllm | `query`, `documents`, `truncate_prompt_tokens` | the same |
| tei | `query`, `texts`, `raw_scores`, `truncate` | a list of `index`, `score` |
"""

import asyncio
import json
import math
import ssl
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Literal

from research_agent import errors
from research_agent.settings import RerankSettings
from research_agent.text.loopback import is_loopback
from research_agent.text.retry_after import retry_after

if TYPE_CHECKING:
    import httpx

Form = Literal["llama.cpp", "vllm", "tei"]
MAX_REPLY = 16_000_000
"""Bytes of a reply that are read; a score takes about a hundred."""
CONNECT_SECONDS = 10.0
TOO_MANY_REQUESTS, UNAVAILABLE, SERVER_ERROR, NOT_IMPLEMENTED = 429, 503, 500, 501
OVERFLOW = ("too large", "too long", "context length", "context size", "maximum context")
TEI_BATCH = 32  # texts of one request: what the server takes by default


class HttpReranker:
    """Implements Reranker; threads may share it.

    Nothing is tried twice, and no message holds what the server wrote: it may repeat documents.
    """

    def __init__(self, settings: RerankSettings, api_key: str = "") -> None:
        """Ask the server that `settings` name; this machine's own without a proxy."""
        self._settings, self._key = settings, api_key
        base = settings.base_url.rstrip("/")
        self._url = base if base.endswith("/rerank") else f"{base}/rerank"
        self._tls: ssl.SSLContext | None = None

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> tuple[float, ...]:
        """Return how relevant each text is to `query`, as the server counts; raises ModelError.

        The reply has to be whole within `seconds` and `rerank.timeout`.
        """
        if not texts:
            return ()
        limit = min(seconds, self._settings.timeout)
        with ThreadPoolExecutor(1) as thread:  # (the caller's thread may run an event loop)
            return tuple(thread.submit(asyncio.run, self._all(query, texts, limit)).result())

    async def _all(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        import httpx

        size = TEI_BATCH if self._settings.form == "tei" else len(texts)
        try:
            async with asyncio.timeout(seconds), self._client() as client:
                found: list[float] = []
                for start in range(0, len(texts), size):
                    found += await self._batch(client, query, texts[start : start + size])
                return found
        except (TimeoutError, httpx.TimeoutException) as error:
            raise errors.ModelTimeoutError(
                f"the reranker gave no whole reply within {seconds:g} s",
                hint="Lower rerank.candidates.",
            ) from error
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise errors.ModelUnavailableError(
                "the reranker's server cannot be reached, or broke its reply off",
                hint=f"Is the server at {self._settings.base_url} up? (rerank.base_url)",
            ) from error
        except httpx.HTTPError as error:  # (a reply that cannot be decoded)
            raise self._no_reply() from error

    async def _batch(
        self, client: "httpx.AsyncClient", query: str, texts: Sequence[str]
    ) -> list[float]:
        sent = body(self._settings.form, query, texts, self._settings.model)
        async with client.stream("POST", self._url, json=sent) as reply:
            content = bytearray()
            async for part in reply.aiter_bytes():
                content += part
                if len(content) > MAX_REPLY:
                    raise self._no_reply()
            if not reply.is_success:
                raise self._refused(reply, bytes(content[:2000]))
        try:
            return read_scores(self._settings.form, bytes(content), len(texts))
        except ValueError as error:
            raise self._no_reply(str(error)) from error

    def _client(self) -> "httpx.AsyncClient":
        """Return a client that follows no redirects: documents go where the settings say."""
        import httpx

        key, trust = self._key, not is_loopback(self._settings.base_url)
        if self._tls is None:  # (reading certificates takes longer than a small request)
            plain = self._url.startswith("http://")
            trusting_none = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            self._tls = trusting_none if plain else httpx.create_ssl_context(trust_env=trust)
        return httpx.AsyncClient(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
            follow_redirects=False,
            trust_env=trust,
            verify=self._tls,
        )

    def _refused(self, reply: "httpx.Response", content: bytes) -> errors.ModelError:
        status, text = reply.status_code, content.decode("utf-8", "replace").lower()
        message = f"the reranker answered {status}"
        if any(words in text for words in OVERFLOW):
            return errors.ContextOverflowError(
                f"{message}: a text is longer than it reads",
                hint="Lower documents.chunk_chars, or start the server with a larger batch.",
            )
        if status in (401, 403):
            where = self._settings.api_key_env or "the one that rerank.api_key_env names"
            return errors.ModelAccessError(message, hint=f"Check the key in the variable {where}.")
        wait = retry_after(reply.headers, now=time.time())
        if status == TOO_MANY_REQUESTS or (status == UNAVAILABLE and wait is not None):
            return errors.ModelBusyError(message, hint="Ask again later.", retry_after=wait)
        if status >= SERVER_ERROR and status != NOT_IMPLEMENTED:
            return errors.ModelUnavailableError(message, hint="Look at the server's own log.")
        return errors.ModelReplyError(message, hint=self._check)

    def _no_reply(self, why: str = "") -> errors.ModelReplyError:
        detail = f" ({why})" if why else ""
        return errors.ModelReplyError(
            f"the reranker sent something that is no reply{detail}", hint=self._check
        )

    @property
    def _check(self) -> str:
        return (
            f"Is {self._settings.base_url} a reranker of the form {self._settings.form}? "
            "(rerank.base_url, rerank.form; llama.cpp's server needs --reranking)"
        )


def body(form: Form, query: str, texts: Sequence[str], model: str) -> dict[str, object]:
    """Return the request; every text is to be scored, and cut where the server can cut."""
    if form == "tei":
        return {"query": query, "texts": list(texts), "raw_scores": False, "truncate": True}
    named: dict[str, object] = {"model": model} if model else {}
    sent = {**named, "query": query, "documents": list(texts), "top_n": len(texts)}
    return {**sent, "truncate_prompt_tokens": -1} if form == "vllm" else sent


def read_scores(form: Form, content: bytes, count: int) -> list[float]:
    """Return the score of each of `count` texts, in the order in which they were sent.

    Raises ValueError, with a reason that repeats nothing of the reply, where it is not exactly
    one finite score for every text.
    """
    try:
        reply = json.loads(content)
        rows = reply if form == "tei" else reply["results"]
        key = "score" if form == "tei" else "relevance_score"
        given = {row["index"]: row[key] for row in rows}
        found = [given[at] for at in range(count)]
        finite = all(type(score) in (int, float) and math.isfinite(score) for score in found)
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
        raise ValueError("no list with a score for every text") from None
    if not finite or len(rows) != count:
        raise ValueError("not one number for every text")
    return [float(score) for score in found]
