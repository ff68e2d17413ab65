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

from research_agent.errors import (
    ContextOverflowError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelReplyError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from research_agent.text.retry_after import retry_after

if TYPE_CHECKING:
    from botocore.exceptions import BotoCoreError, ClientError

BUSY = (
    "ThrottlingException",
    "Throttling",
    "TooManyRequestsException",
    "ServiceQuotaExceededException",
    "ModelNotReadyException",
)
FAILED = (
    "InternalServerException",
    "InternalFailure",
    "ServiceUnavailableException",
    "ModelTimeoutException",
    "ModelErrorException",
)
EXPIRED = ("ExpiredToken", "ExpiredTokenException", "RequestExpired")
SIGNATURE = ("InvalidSignatureException", "SignatureDoesNotMatch", *EXPIRED[2:])
ACCESS = (
    *EXPIRED,
    *SIGNATURE,
    "AccessDenied",
    "AccessDeniedException",
    "UnrecognizedClientException",
    "InvalidClientTokenId",
    "IncompleteSignature",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
    "OptInRequired",
)
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


@contextmanager
def translated_errors(model: str, where: str) -> Iterator[None]:
    """Turn every error of the libraries into one of ours; ours pass as they are."""
    import urllib3
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError

    try:
        yield
    except ModelError:
        raise
    except ClientError as error:
        raise _status_error(error, model, where) from None
    except BotoCoreError as error:
        raise _library_error(error, where) from error
    except urllib3.exceptions.ReadTimeoutError as error:
        raise _timeout() from error
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise ModelUnavailableError(
            f"the connection to {where} broke ({type(error).__name__})", hint="Ask again."
        ) from error
    except (
        ResponseParserError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        IndexError,
    ):
        # What botocore and langchain-aws raise for a page of HTML, a reply without output.
        raise ModelReplyError(
            "the model server sent something that is no reply",
            hint=f"Is {where} the right base_url, and {model!r} the right model?",
        ) from None


def refused_option(error: "ClientError", sent: Collection[str]) -> str:
    """Return which of the options in `sent` the model refuses; empty where it is none."""
    text = _prose(error)
    if _code(error) != "ValidationException" or OVERFLOW.search(text):
        return ""
    named = (name for name, words in OPTIONS.items() if name in sent and words.search(text))
    return next(named, "")


def _status_error(error: "ClientError", model: str, where: str) -> ModelError:
    """Return our error for an answer of Bedrock's that is no reply."""
    code, status, said = _code(error), _status(error), _said(error)
    headers = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    waiting = retry_after(headers, now=time())
    busy = f"{where} has too much to do: it answered {said}"
    if code in BUSY or status == 429 or (status == 503 and waiting is not None):  # noqa: PLR2004 (HTTP's own numbers)
        return ModelBusyError(busy, retry_after=waiting, hint="Ask again later.")
    if code in ACCESS or status in (401, 403):
        return ModelAccessError(f"{where} answered {said}", hint=_access_hint(code, model, where))
    if code in FAILED or status >= 500 or status == 408:  # noqa: PLR2004 (HTTP's own numbers)
        return ModelUnavailableError(f"{where} answered {said}", hint="Ask again.")
    if OVERFLOW.search(_prose(error)) or status == 413:  # noqa: PLR2004 (HTTP's own number)
        return ContextOverflowError(
            "the prompt is longer than the model reads", hint="Lower evidence.max_tokens."
        )
    return ModelError(f"{where} answered {said}", hint=_request_hint(error, model, where))


def _access_hint(code: str, model: str, where: str) -> str:
    if code in SIGNATURE:
        return f"Is this machine's clock right, and the secret key whole? {SIGN_IN}"
    if code.startswith("AccessDenied"):
        return (
            f"The credentials need bedrock:InvokeModel for {model!r} at {where}, and the account "
            "access to that model (Bedrock's console: Model access)."
        )
    return SIGN_IN


def _request_hint(error: "ClientError", model: str, where: str) -> str:
    text = _prose(error)
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


def _library_error(error: "BotoCoreError", where: str) -> ModelError:
    """Return our error for what botocore could not do."""
    from botocore import exceptions as boto

    name = type(error).__name__
    if isinstance(error, boto.ReadTimeoutError | boto.ConnectTimeoutError):
        return _timeout()
    if isinstance(error, boto.SSLError):
        return ModelError(
            f"the certificate of {where} cannot be checked, or is not the right one",
            hint="Behind a proxy with a certificate of its own, name its file in AWS_CA_BUNDLE.",
        )
    if isinstance(error, boto.ConnectionError | boto.HTTPClientError):
        return ModelUnavailableError(
            f"{where} cannot be reached ({name})",
            hint="Is the network up, the region one with Bedrock, and base_url right? A proxy "
            "is named in HTTPS_PROXY.",
        )
    if isinstance(error, _without_credentials()):
        return ModelAccessError(f"there are no usable AWS credentials ({name})", hint=SIGN_IN)
    return ModelError(
        f"{where} cannot be asked ({name})",
        hint="Check region, base_url and model, and AWS's files ~/.aws/config and "
        "~/.aws/credentials.",
    )


def _without_credentials() -> "tuple[type[BotoCoreError], ...]":
    from botocore import exceptions as boto

    return (
        boto.NoCredentialsError,
        boto.PartialCredentialsError,
        boto.CredentialRetrievalError,
        boto.TokenRetrievalError,
        boto.NoAuthTokenError,
        boto.MetadataRetrievalError,
        boto.ProfileNotFound,
        boto.SSOError,
        boto.LoginError,
    )


def _timeout() -> ModelTimeoutError:
    return ModelTimeoutError(
        "the model server gave no reply in time", hint="Ask again, or raise models.timeout."
    )


def _code(error: "ClientError") -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _prose(error: "ClientError") -> str:
    """Return what the server wrote, to look for words in it and for nothing else."""
    return str(error.response.get("Error", {}).get("Message", "")).lower()


def _status(error: "ClientError") -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _said(error: "ClientError") -> str:
    """Return the status and the code, without any prose."""
    code, status = _code(error), str(_status(error))
    return f"{status} ({code})" if code != status and CODE.fullmatch(code) else status
