"""What Bedrock or its library reports, in our own errors.

A message never holds what the server wrote in prose: it may repeat the documents. Only the codes
beside that prose are passed on. A library's error that holds such prose is no cause of ours
(`from None`), because tracebacks and logs show causes.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from time import time
from typing import TYPE_CHECKING

from research_agent import errors
from research_agent.text.retry_after import retry_after

if TYPE_CHECKING:
    from botocore.exceptions import BotoCoreError, ClientError

SIGNATURE = ("InvalidSignatureException", "SignatureDoesNotMatch", "RequestExpired")
CODES: Mapping[type[errors.ModelError], tuple[str, ...]] = {
    errors.ModelBusyError: (
        "ThrottlingException",
        "Throttling",
        "TooManyRequestsException",
        "ServiceQuotaExceededException",
        "ModelNotReadyException",
    ),
    errors.ModelAccessError: (
        *SIGNATURE,
        "ExpiredToken",
        "ExpiredTokenException",
        "AccessDenied",
        "AccessDeniedException",
        "UnrecognizedClientException",
        "InvalidClientTokenId",
        "IncompleteSignature",
        "MissingAuthenticationToken",
        "MissingAuthenticationTokenException",
        "OptInRequired",
    ),
    errors.ModelUnavailableError: (
        "InternalServerException",
        "InternalFailure",
        "ServiceUnavailableException",
        "ModelTimeoutException",
        "ModelErrorException",
    ),
}
"""The error of each of Bedrock's codes; of others the status decides."""
BUSY, DENIED, LATE, LARGE, FAILED, DOWN = 429, (401, 403), 408, 413, 500, 503
OVERFLOW = re.compile(
    r"input is too long|prompt is too long|input tokens exceed|too many input tokens"
    r"|maximum context|context length|context_length_exceeded|context window|model maximum"
)
OPTIONS: Mapping[str, re.Pattern[str]] = {
    "temperature": re.compile(r"temperature"),
    "tool_choice": re.compile(r"tool[ _]?choice"),
    "tools": re.compile(r"support.{0,20}tool|tool.{0,20}(not|n't) support"),
    "system": re.compile(r"system (message|prompt|content|role)"),
}
"""What a request can do without, and how Bedrock names it when it refuses."""
CODE = re.compile(r"[\w.:-]{1,60}")
SIGN_IN = (
    "Sign in with `aws sso login`, or name a profile in AWS_PROFILE, or set AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN with temporary ones)."
)
NO_CREDENTIALS = (
    "NoCredentialsError",
    "PartialCredentialsError",
    "CredentialRetrievalError",
    "TokenRetrievalError",
    "NoAuthTokenError",
    "MetadataRetrievalError",
    "ProfileNotFound",
    "SSOError",
    "LoginError",
)
"""What botocore raises where it finds no credentials."""


@contextmanager
def translated_errors(model: str, where: str) -> Iterator[None]:
    """Turn every error of the libraries into one of ours; ours pass as they are."""
    import urllib3
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError

    try:
        yield
    except errors.ModelError:
        raise
    except ClientError as error:
        raise _reported(error, model, where) from None
    except BotoCoreError as error:
        raise _library_error(error, where) from error
    except urllib3.exceptions.ReadTimeoutError as error:
        raise _timeout() from error
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise errors.ModelUnavailableError(
            f"the connection to {where} broke ({type(error).__name__})", hint="Ask again."
        ) from error
    except (
        # What botocore and langchain-aws raise for a page of HTML, a reply without output:
        ResponseParserError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
    ):
        raise errors.ModelReplyError(
            "the model server sent something that is no reply",
            hint=f"Is {where} the right base_url, and {model!r} the right model?",
        ) from None


def refused_option(error: "ClientError", sent: Collection[str]) -> str:
    """Return which of the options in `sent` the model refuses; empty where it is none."""
    code, text = _said(error)
    if code != "ValidationException" or OVERFLOW.search(text):
        return ""
    named = (name for name, words in OPTIONS.items() if name in sent and words.search(text))
    return next(named, "")


def _reported(error: "ClientError", model: str, where: str) -> errors.ModelError:
    code, text = _said(error)
    metadata = error.response.get("ResponseMetadata", {})
    status, headers = int(metadata.get("HTTPStatusCode", 0)), metadata.get("HTTPHeaders", {})
    waiting = retry_after(headers, now=time())
    shown = f" ({code})" if code != str(status) and CODE.fullmatch(code) else ""
    answered = f"{where} answered {status}{shown}"
    kind = next((kind for kind, codes in CODES.items() if code in codes), None)
    if kind is errors.ModelBusyError or status == BUSY or (status == DOWN and waiting is not None):
        return errors.ModelBusyError(answered, retry_after=waiting, hint="Ask again later.")
    if kind is errors.ModelAccessError or status in DENIED:
        return errors.ModelAccessError(answered, hint=_access_hint(code, model, where))
    if kind is errors.ModelUnavailableError or status >= FAILED or status == LATE:
        return errors.ModelUnavailableError(answered, hint="Ask again.")
    if OVERFLOW.search(text) or status == LARGE:
        return errors.ContextOverflowError(
            "the prompt is longer than the model reads", hint="Lower evidence.max_tokens."
        )
    return errors.ModelError(answered, hint=_request_hint(text, model, where))


def _access_hint(code: str, model: str, where: str) -> str:
    if code in SIGNATURE:
        return f"Is this machine's clock right, and the secret key whole? {SIGN_IN}"
    if code.startswith("AccessDenied"):
        return (
            f"The credentials need bedrock:InvokeModel for {model!r} at {where}, and the account "
            "access to that model (Bedrock's console: Model access)."
        )
    return SIGN_IN


def _request_hint(text: str, model: str, where: str) -> str:
    if "on-demand throughput" in text or "inference profile" in text:
        return (
            f"{model!r} is asked through an inference profile: put the profile's id into model, "
            "which is mostly the model's with the region's group in front (us., eu., apac.)."
        )
    if "maximum tokens" in text:
        return "The model writes less at a time: lower answer.max_tokens."
    return (
        f"Does {where} have a model called {model!r}? `aws bedrock list-foundation-models` and "
        "`aws bedrock list-inference-profiles` say what there is."
    )


def _library_error(error: "BotoCoreError", where: str) -> errors.ModelError:
    from botocore import exceptions as boto

    name = type(error).__name__
    if isinstance(error, boto.ReadTimeoutError | boto.ConnectTimeoutError):
        return _timeout()
    if isinstance(error, boto.SSLError):
        return errors.ModelError(
            f"the certificate of {where} cannot be checked, or is not the right one",
            hint="Behind a proxy with a certificate of its own, name its file in AWS_CA_BUNDLE.",
        )
    if isinstance(error, boto.ConnectionError | boto.HTTPClientError):
        return errors.ModelUnavailableError(
            f"{where} cannot be reached ({name})",
            hint="Is the network up, the region one with Bedrock, and base_url right? A proxy "
            "is named in HTTPS_PROXY.",
        )
    if any(kind.__name__ in NO_CREDENTIALS for kind in type(error).__mro__):
        return errors.ModelAccessError(
            f"there are no usable AWS credentials ({name})", hint=SIGN_IN
        )
    return errors.ModelError(
        f"{where} cannot be asked ({name})",
        hint="Check region, base_url and model, and AWS's files ~/.aws/config and "
        "~/.aws/credentials.",
    )


def _timeout() -> errors.ModelTimeoutError:
    return errors.ModelTimeoutError(
        "the model server gave no reply in time", hint="Ask again, or raise models.timeout."
    )


def _said(error: "ClientError") -> tuple[str, str]:
    """Return the code, and the prose in lower case, to look for words in and for nothing else."""
    said = error.response.get("Error", {})
    return str(said.get("Code", "")), str(said.get("Message", "")).lower()
