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
OVERLOADED = re.compile(r"rate_?limit|overload|too_many|unavailable|busy")
CODE = re.compile(r"[A-Za-z][A-Za-z_.]{1,60}|\d{3}")
"""Codes have no digits among their letters, keys do: a server may repeat the one it was sent."""
DENIED, UNPAID, MISSING, BUSY, FAILED = 401, 402, 404, 429, 500
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
    except openai.APIError as error:
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


def is_overflow(error: "openai.APIError") -> bool:
    """Return whether the server says that the prompt is too long."""
    status = getattr(error, "status_code", OVERFLOW_STATUSES[0])
    return status in OVERFLOW_STATUSES and bool(OVERFLOW.search(told(error)))


def told(error: "openai.APIError") -> str:
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
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return errors.ModelError(
            f"the certificate of {endpoint.where} cannot be trusted",
            hint="Is base_url right? A certificate of your own is trusted where the environment "
            "variable SSL_CERT_FILE names the file that holds it.",
        )
    reasons = [cause.reason or "" for cause in causes if isinstance(cause, ssl.SSLError)]
    if any("WRONG_VERSION" in reason or "RECORD_LAYER" in reason for reason in reasons):
        return errors.ModelError(
            f"{endpoint.where} does not speak TLS", hint="Is it http:// in place of https://?"
        )
    hint = _unavailable(endpoint)
    if any(isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout)) for cause in causes):
        return errors.ModelUnavailableError("the model server cannot be reached", hint=hint)
    if any(isinstance(cause, httpx2.TimeoutException) for cause in causes):
        return errors.ModelTimeoutError("the model server gave no reply in time", hint=hint)
    return errors.ModelUnavailableError("the model server broke the connection off", hint=hint)


def _reported(error: "openai.APIError", endpoint: Endpoint) -> errors.ModelError:
    """Return the error for a status, or for an error that a server wrote into its stream."""
    import openai

    if is_overflow(error):
        return errors.ContextOverflowError(
            "the prompt is longer than the model reads",
            hint="Lower evidence.max_tokens, or raise models.local.context where the model is "
            "the embedded one.",
        )
    given = [str(code) for code in (error.type, error.code, error.param) if code]
    codes = ", ".join(code for code in dict.fromkeys(given) if CODE.fullmatch(code))
    listed = f" ({codes})" if codes else ""
    headers: Mapping[str, str] = {}
    if isinstance(error, openai.APIStatusError):
        status, headers = error.status_code, error.response.headers
        said = f"the model server answered {status}{listed}"
    else:
        code = str(error.code)
        named = BUSY if OVERLOADED.search(" ".join(given[:2]).lower()) else FAILED
        status = int(code) if code.isdecimal() else named
        said = f"the model server broke its reply off with an error{listed}"
    if "insufficient_quota" in given:
        status = UNPAID
    kind = ERRORS.get(
        status, errors.ModelUnavailableError if status >= FAILED else errors.ModelError
    )
    if kind is errors.ModelBusyError:
        wait = retry_after(headers, now=time.time())
        hint = "Ask again later, or ask less at a time (models.concurrency)."
        return errors.ModelBusyError(said, hint=hint, retry_after=wait)
    return kind(said, hint=_hint(kind, status, endpoint))


def _hint(kind: type[errors.ModelError], status: int, endpoint: Endpoint) -> str:
    key = endpoint.key_env
    if kind is errors.ModelUnavailableError:
        return _unavailable(endpoint)
    if status == UNPAID:
        return f"The account of the key{f' in {key}' if key else ''} has nothing left to spend."
    if kind is errors.ModelAccessError:
        return (
            f"Check the key in the environment variable {key}."
            if key
            else "No key was sent: name the environment variable that holds the server's key in "
            "api_key_env."
        )
    if status == MISSING:
        return (
            f"Does {endpoint.where} have a model called {endpoint.model!r}? "
            "(An address mostly ends in /v1.)"
        )
    if status in REDIRECTS:
        return (
            f"{endpoint.where} points to another address, which is not followed: put that one "
            "into base_url, where it is right."
        )
    return _not_a_model(endpoint)


def _unavailable(endpoint: Endpoint) -> str:
    if endpoint.embedded:
        return "Ask again: the embedded model's server is started anew."
    return f"Is the server at {endpoint.where} up? (base_url)"


def _not_a_model(endpoint: Endpoint) -> str:
    return f"Is {endpoint.where} the right base_url, and {endpoint.model!r} the right model?"
