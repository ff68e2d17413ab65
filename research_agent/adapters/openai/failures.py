"""What a server or its library reports, in our own errors.

A message never holds what the server wrote in prose: it may repeat the key or the documents.
Only the short codes beside that prose are passed on.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from research_agent.adapters.openai.connection import Endpoint
from research_agent.errors import (
    ContextOverflowError,
    ModelError,
    ModelReplyError,
    ModelUnavailableError,
)

if TYPE_CHECKING:
    import openai

OVERFLOW = re.compile(
    r"exceed_context_size|context_length_exceeded|context (length|size|window)"
    r"|maximum context|prompt is too long|input is too long"
)
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "logprobs": ("logprobs",),
    "response_format": ("response_format", "json_schema", "json schema"),
    "max_tokens": ("max_tokens",),
    "temperature": ("temperature",),
}
"""What a request can do without, and the words a server names it by when it refuses."""
REFUSING = (400, 403, 422, 501)
TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500
CODE = re.compile(r"[\w.:-]{1,60}")


@contextmanager
def translated_errors(endpoint: Endpoint) -> Iterator[None]:
    """Turn every error of the library into one of ours."""
    import openai

    try:
        yield
    except openai.APITimeoutError as error:
        raise ModelUnavailableError(
            f"the model server gave no reply in time ({endpoint.timeout:g} s)",
            hint="Raise models.timeout, or ask for less (evidence.max_tokens, answer.max_tokens).",
        ) from error
    except openai.APIConnectionError as error:
        raise ModelUnavailableError(
            "the model server cannot be reached", hint=endpoint.unavailable_hint
        ) from error
    except openai.APIStatusError as error:
        raise _status_error(error, endpoint) from error
    except openai.OpenAIError as error:
        raise ModelReplyError(
            f"the model server's reply cannot be used ({type(error).__name__})"
        ) from error
    except IndexError as error:
        raise ModelReplyError(
            "the model server sent a reply without choices", hint=_not_a_model(endpoint)
        ) from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        # What langchain-openai raises for a page of HTML, an error with status 200, broken JSON.
        raise ModelReplyError(
            "the model server sent something that is no reply", hint=_not_a_model(endpoint)
        ) from error


def refused_option(error: "openai.APIStatusError", sent: set[str]) -> str:
    """Return which of the options in `sent` the server refuses; empty where it is none."""
    text = str(error).lower()
    if error.status_code not in REFUSING or OVERFLOW.search(text):
        return ""
    named = (
        name
        for name, words in OPTIONS.items()
        if name in sent and any(word in text for word in words)
    )
    return next(named, "")


def _status_error(error: "openai.APIStatusError", endpoint: Endpoint) -> ModelError:
    status = error.status_code
    if status in (400, 413) and OVERFLOW.search(str(error).lower()):
        return ContextOverflowError(
            "the prompt is longer than the model reads",
            hint="Lower evidence.max_tokens, or raise models.local.context where the model is "
            "the embedded one.",
        )
    if status == TOO_MANY_REQUESTS or status >= SERVER_ERROR:
        return ModelUnavailableError(
            f"the model server answered {_reason(error)}", hint=endpoint.unavailable_hint
        )
    return ModelError(f"the model server answered {_reason(error)}", hint=_hint(status, endpoint))


def _hint(status: int, endpoint: Endpoint) -> str:
    if status in (401, 403):
        key = endpoint.key_env or "OPENAI_API_KEY"
        return f"Check the key in the environment variable {key}."
    if status == 404:  # noqa: PLR2004 (HTTP's own number)
        return (
            f"Does {endpoint.where} have a model called {endpoint.model!r}? "
            "(An address mostly ends in /v1.)"
        )
    return _not_a_model(endpoint)


def _not_a_model(endpoint: Endpoint) -> str:
    """Return what to check where something else than a model server seems to answer."""
    return f"Is {endpoint.where} the right base_url, and {endpoint.model!r} the right model?"


def _reason(error: "openai.APIStatusError") -> str:
    """Return the status and the codes that came with it, without any prose."""
    given = [str(code) for code in (error.type, error.code, error.param) if code]
    codes = [code for code in dict.fromkeys(given) if CODE.fullmatch(code)]
    return f"{error.status_code}" + (f" ({', '.join(codes)})" if codes else "")
