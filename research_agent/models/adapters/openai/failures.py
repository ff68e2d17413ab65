"""What a server or its library reports, in our own errors.

A message never holds what the server wrote in prose: it may repeat the key or the documents.
Only the short codes beside that prose are passed on. A library's error that holds such prose is
no cause of ours (`from None`), because tracebacks and logs show causes.
"""

import re
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from research_agent.errors import (
    ContextOverflowError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelReplyError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from research_agent.models.adapters.openai.endpoint import Endpoint
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
DENIED = (401, 402, 403)
QUOTA = "insufficient_quota"
BUSY = (429, 503, 529)
PASSING = (408, 425)
SERVER_ERROR = 500
REDIRECTS = range(300, 400)
OVERLOADED = re.compile(r"rate_?limit|overload|too_many|unavailable|busy")
CODE = re.compile(r"[A-Za-z][A-Za-z_.]{1,60}|\d{3}")
"""Codes have no digits among their letters, keys do: a server may repeat the one it was sent."""


@contextmanager
def translated_errors(endpoint: Endpoint) -> Iterator[None]:
    """Turn every error of the library into one of ours."""
    import openai

    try:
        yield
    except openai.APIConnectionError as error:  # (a timeout is one)
        raise _connection_error(error, endpoint) from error
    except openai.APIStatusError as error:
        raise _status_error(error, endpoint) from None
    except openai.APIError as error:
        raise _reported_error(error, endpoint) from None
    except openai.OpenAIError as error:
        raise ModelReplyError(
            f"the model server's reply cannot be used ({type(error).__name__})",
            hint=_not_a_model(endpoint),
        ) from None
    except IndexError as error:
        raise ModelReplyError(
            "the model server sent a reply without choices", hint=_not_a_model(endpoint)
        ) from error
    except (ArithmeticError, AttributeError, LookupError, RecursionError) as error:
        raise _no_reply(endpoint) from error
    except (AssertionError, TypeError, ValueError):
        # What langchain-openai raises for an error with status 200, broken JSON, a list.
        raise _no_reply(endpoint) from None


def is_overflow(error: "openai.APIError") -> bool:
    """Return whether the server says that the prompt is too long."""
    status = getattr(error, "status_code", OVERFLOW_STATUSES[0])
    return status in OVERFLOW_STATUSES and bool(OVERFLOW.search(told(error)))


def told(error: "openai.APIError") -> str:
    """Return all that the server said, in lower case: to be searched, never to be shown."""
    return f"{error} {error.type} {error.code} {error.param}".lower()


def _connection_error(error: "openai.APIConnectionError", endpoint: Endpoint) -> ModelError:
    """Tell apart a server that is not there, one that went away, and one that is not trusted."""
    import httpx2

    causes = tuple(_causes(error))
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return ModelError(
            f"the certificate of {endpoint.where} cannot be trusted",
            hint="Is base_url right? A certificate of your own is trusted where the environment "
            "variable SSL_CERT_FILE names the file that holds it.",
        )
    reasons = [cause.reason or "" for cause in causes if isinstance(cause, ssl.SSLError)]
    if any("WRONG_VERSION" in reason or "RECORD_LAYER" in reason for reason in reasons):
        return ModelError(
            f"{endpoint.where} does not speak TLS", hint="Is it http:// in place of https://?"
        )
    if any(isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout)) for cause in causes):
        return ModelUnavailableError(
            "the model server cannot be reached", hint=endpoint.unavailable_hint
        )
    if any(isinstance(cause, httpx2.TimeoutException) for cause in causes):
        return ModelTimeoutError(
            "the model server gave no reply in time", hint=endpoint.unavailable_hint
        )
    return ModelUnavailableError(
        "the model server broke the connection off", hint=endpoint.unavailable_hint
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    at: BaseException | None = error
    while at is not None:
        yield at
        at = at.__cause__ or at.__context__


def _status_error(error: "openai.APIStatusError", endpoint: Endpoint) -> ModelError:
    status = error.status_code
    answered = f"the model server answered {_reason(error)}"
    if is_overflow(error):
        return _overflow()
    if status in DENIED or QUOTA in (error.code, error.type):
        return ModelAccessError(answered, hint=_access_hint(status, endpoint))
    if status in BUSY:
        return ModelBusyError(
            answered,
            hint="Ask again later, or ask less at a time (models.max_requests).",
            retry_after=retry_after(error.response.headers, now=time.time()),
        )
    if status >= SERVER_ERROR or status in PASSING:
        return ModelUnavailableError(answered, hint=endpoint.unavailable_hint)
    return ModelError(answered, hint=_hint(status, endpoint))


def _reported_error(error: "openai.APIError", endpoint: Endpoint) -> ModelError:
    """Return the error for one that a server wrote into its stream: it has no status."""
    if is_overflow(error):
        return _overflow()
    said = f"the model server broke its reply off with an error{_codes(error)}"
    words = f"{error.type} {error.code}".lower()
    if OVERLOADED.search(words) or str(error.code) in map(str, BUSY):
        return ModelBusyError(said, hint="Ask again later.")
    if str(error.code).startswith("4"):
        return ModelError(said, hint=_not_a_model(endpoint))
    return ModelUnavailableError(said, hint=endpoint.unavailable_hint)


def _overflow() -> ContextOverflowError:
    return ContextOverflowError(
        "the prompt is longer than the model reads",
        hint="Lower evidence.max_tokens, or raise models.local.context where the model is "
        "the embedded one.",
    )


def _no_reply(endpoint: Endpoint) -> ModelReplyError:
    return ModelReplyError(
        "the model server sent something that is no reply", hint=_not_a_model(endpoint)
    )


def _access_hint(status: int, endpoint: Endpoint) -> str:
    key = endpoint.key_env
    if status in (401, 403) and not key:
        return (
            "No key was sent: name the environment variable that holds the server's key in "
            "api_key_env."
        )
    if status in (401, 403):
        return f"Check the key in the environment variable {key}."
    return f"The account of the key{f' in {key}' if key else ''} has nothing left to spend."


def _hint(status: int, endpoint: Endpoint) -> str:
    if status == 404:  # noqa: PLR2004 (HTTP's own number)
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


def _not_a_model(endpoint: Endpoint) -> str:
    """Return what to check where something else than a model server seems to answer."""
    return f"Is {endpoint.where} the right base_url, and {endpoint.model!r} the right model?"


def _reason(error: "openai.APIStatusError") -> str:
    """Return the status and the codes that came with it, without any prose."""
    return f"{error.status_code}{_codes(error)}"


def _codes(error: "openai.APIError") -> str:
    given = [str(code) for code in (error.type, error.code, error.param) if code]
    codes = [code for code in dict.fromkeys(given) if CODE.fullmatch(code)]
    return f" ({', '.join(codes)})" if codes else ""
