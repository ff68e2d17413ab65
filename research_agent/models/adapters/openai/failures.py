"""What a server or its library reports, in our own errors.

A message never holds what the server wrote in prose: it may repeat the key or the documents.
Only the short codes beside that prose are passed on. A library's error that holds such prose is
no cause of ours (`from None`), because tracebacks and logs show causes.
"""

import re
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from research_agent import errors
from research_agent.models.adapters.openai.connection import Endpoint
from research_agent.text.retry_after import retry_after

if TYPE_CHECKING:
    import openai

OVERFLOW = re.compile(
    r"exceed_context_size|context_length_exceeded|context (length|size|window)"
    r"|maximum context|maximum model length|maximum input length"
    r"|(prompt|input)s? (is|are) too (long|large)|exceeds the maximum number of tokens"
    r"|too large for model with|input is too large to process"
)
"""What OpenAI, llama.cpp, vLLM, Gemini and others call a prompt that is too long."""
OVERFLOW_STATUSES = (400, 413, 422, 500)
CODE = re.compile(r"[A-Za-z][A-Za-z_.]{1,60}|\d{3}")
"""Codes have no digits among their letters, keys do: a server may repeat the one it was sent."""
DENIED, UNPAID, BUSY, FAILED = 401, 402, 429, 500
ERRORS: Mapping[int, type[errors.ModelError]] = {
    DENIED: errors.ModelAccessError,
    UNPAID: errors.ModelAccessError,
    403: errors.ModelAccessError,
    408: errors.ModelUnavailableError,
    425: errors.ModelUnavailableError,
    BUSY: errors.ModelBusyError,
    503: errors.ModelBusyError,
    529: errors.ModelBusyError,
}
"""The error of a status; of others that of 500 from there on, and below it ModelError."""
REDIRECTS = range(300, 400)


@contextmanager
def translated_errors(endpoint: Endpoint) -> Iterator[None]:
    """Turn every error of the library into one of ours."""
    import openai

    try:
        yield
    except openai.APIConnectionError as error:  # (a timeout is one)
        raise _connection_error(error, endpoint) from error
    except openai.APIStatusError as error:
        raise _reported(error, endpoint) from None
    except (
        openai.OpenAIError,
        # What the library raises for an error with status 200, broken JSON, a list, no choices:
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ):
        raise errors.ModelReplyError(
            "the model server sent something that is no reply", hint=_not_a_model(endpoint)
        ) from None


def is_overflow(error: "openai.APIStatusError") -> bool:
    """Return whether the server says that the prompt is too long."""
    return error.status_code in OVERFLOW_STATUSES and bool(OVERFLOW.search(text_of(error)))


def text_of(error: "openai.APIStatusError") -> str:
    """Return all that the server said, in lower case: to be searched, never to be shown."""
    return f"{error} {error.type} {error.code} {error.param}".lower()


def _connection_error(error: "openai.APIConnectionError", endpoint: Endpoint) -> errors.ModelError:
    """Tell apart a server that is not there, one that went away, and one that is not trusted."""
    import httpx2

    causes: list[BaseException] = []
    at: BaseException | None = error
    while at is not None:
        causes.append(at)
        at = at.__cause__ or at.__context__
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return errors.ModelError(
            f"{endpoint.where} does not speak TLS, or has a certificate that cannot be trusted",
            hint="Is base_url right, and not http:// in place of https://? A certificate of your "
            "own is trusted where the environment variable SSL_CERT_FILE names its file.",
        )
    connecting = (httpx2.ConnectError, httpx2.ConnectTimeout)
    absent = any(isinstance(cause, connecting) for cause in causes)
    problem = "cannot be reached" if absent else "broke the connection off"
    return errors.ModelUnavailableError(f"the model server {problem}", hint=_unavailable(endpoint))


def _reported(error: "openai.APIStatusError", endpoint: Endpoint) -> errors.ModelError:
    if is_overflow(error):
        return errors.ContextOverflowError(
            "the prompt is longer than the model reads",
            hint="Lower evidence.max_tokens, or raise models.local.context where the model is "
            "the embedded one.",
        )
    status, headers = error.status_code, error.response.headers
    named = [str(code) for code in (error.type, error.code, error.param) if code]
    codes = ", ".join(code for code in dict.fromkeys(named) if CODE.fullmatch(code))
    message = f"the model server answered {status}{f' ({codes})' if codes else ''}"
    if "insufficient_quota" in named:
        status = UNPAID
    kind = ERRORS.get(
        status, errors.ModelUnavailableError if status >= FAILED else errors.ModelError
    )
    if kind is errors.ModelBusyError:
        wait = retry_after(headers, now=time.time())
        hint = "Ask again later, or ask less at a time (models.concurrency)."
        return errors.ModelBusyError(message, hint=hint, retry_after=wait)
    return kind(message, hint=_hint(kind, status, endpoint))


def _hint(kind: type[errors.ModelError], status: int, endpoint: Endpoint) -> str:
    key = endpoint.key_env
    if kind is errors.ModelUnavailableError:
        return _unavailable(endpoint)
    if status == UNPAID:
        return f"The account of the key{f' in {key}' if key else ''} has nothing left to spend."
    if kind is errors.ModelAccessError:
        return f"Check the key that api_key_env names{f' ({key})' if key else ': none was sent'}."
    if status in REDIRECTS:
        return f"{endpoint.where} points to another address: put that into base_url if it is right."
    return _not_a_model(endpoint)


def _unavailable(endpoint: Endpoint) -> str:
    if endpoint.embedded:
        return "Ask again: the embedded model's server is started anew."
    return f"Is the server at {endpoint.where} up? (base_url)"


def _not_a_model(endpoint: Endpoint) -> str:
    return (
        f"Is {endpoint.where} the right base_url, and {endpoint.model!r} the right model? "
        "(An address mostly ends in /v1.)"
    )
