"""What goes wrong with Bedrock, each through botocore's own HTTP, and the error it becomes."""

import json
import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from research_agent import errors
from research_agent.models.adapters.bedrock import BedrockChat, BedrockEndpoint, profile_region
from research_agent.types import Message
from tests.converse import bedrock, error_reply, text_reply
from tests.loopback import CERTIFICATE, CLOSED, Json, Raw, Reply
from tests.loopback_faults import dripping, hanging, sized, writing

MODEL = "amazon.nova-lite-v1:0"
Failure = Callable[[Reply], errors.ModelError]
PRIVATE = "the secret text of a document"
ASKED = [Message("user", "capital of France?")]
ENDPOINT = BedrockEndpoint(model=MODEL, region="us-east-1")
WHOLE = json.dumps(text_reply("Paris")).encode()
CUT = writing(sized(WHOLE), WHOLE[:30])


@contextmanager
def no_credentials(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.delenv("AWS_ACCESS_KEY_ID")
        patched.delenv("AWS_SECRET_ACCESS_KEY")
        yield


def ask(endpoint: BedrockEndpoint) -> str:
    with closing(BedrockChat(endpoint)) as chat:
        return chat.complete("answer", ASKED, max_tokens=7, seconds=60).text


@pytest.fixture(scope="module")
def failure() -> Iterator[Failure]:
    """Gives the error that a reply becomes; it was asked for once, and repeats nothing."""
    replies: list[Reply] = []

    def failed(reply: Reply) -> errors.ModelError:
        replies.append(reply)
        before = len(server.log)
        with pytest.raises(errors.ModelError) as caught:
            chat.complete("answer", ASKED, max_tokens=7, seconds=60)
        assert 1 == len(server.log) - before
        shown = "".join(traceback.format_exception(caught.value))
        assert PRIVATE not in shown
        assert "secret-key" not in shown
        return caught.value

    with (
        bedrock(lambda _: replies[-1]) as server,
        closing(BedrockChat(replace(ENDPOINT, url=server.url))) as chat,
    ):
        yield failed


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("ThrottlingException", 429, errors.ModelBusyError),
        ("ServiceQuotaExceededException", 400, errors.ModelBusyError),
        ("ModelNotReadyException", 429, errors.ModelBusyError),
        ("InternalServerException", 500, errors.ModelUnavailableError),
        ("ServiceUnavailableException", 503, errors.ModelUnavailableError),
        ("ModelTimeoutException", 408, errors.ModelUnavailableError),
        ("ModelErrorException", 424, errors.ModelUnavailableError),
        ("AccessDeniedException", 403, errors.ModelAccessError),
        ("UnrecognizedClientException", 403, errors.ModelAccessError),
        ("ExpiredTokenException", 403, errors.ModelAccessError),
        ("ExpiredToken", 400, errors.ModelAccessError),
        ("InvalidSignatureException", 403, errors.ModelAccessError),
        ("ResourceNotFoundException", 404, errors.ModelError),
        ("ValidationException", 400, errors.ModelError),
    ],
)
def test_codes(failure: Failure, code: str, status: int, error: type[errors.ModelError]) -> None:
    """Each of Bedrock's codes becomes its error, which names the code and says what to do."""
    found = failure(error_reply(code, status, PRIVATE))
    assert error is type(found)
    assert f"{status} ({code})" in str(found)
    assert found.hint


@pytest.mark.parametrize("code", ["ThrottlingException", "ServiceUnavailableException"])
def test_retry_after(failure: Failure, code: str) -> None:
    """What a busy server asks for is passed on; one that asks for nothing may be unavailable."""
    found = failure(error_reply(code, 503, headers={"Retry-After": "7"}))
    assert isinstance(found, errors.ModelBusyError)
    assert 7.0 == found.retry_after


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("Input is too long for requested model.", "evidence.max_tokens"),
        ("The model returned: Too many input tokens. Max input tokens: 9", "evidence.max_tokens"),
        ("prompt is too long: 200001 tokens > 200000 maximum", "evidence.max_tokens"),
        ("Invocation of model ID x with on-demand throughput is not supported.", "profile"),
        ("The maximum tokens you requested exceeds the model limit of 4096.", "answer.max_tokens"),
        ("The provided model identifier is invalid.", "list-foundation-models"),
    ],
)
def test_what_bedrock_refuses(failure: Failure, said: str, hint: str) -> None:
    """The words of a refusal choose the error and its hint, and are not repeated."""
    found = failure(error_reply("ValidationException", 400, f"{said} {PRIVATE}"))
    assert ("evidence" in hint) is isinstance(found, errors.ContextOverflowError)
    assert hint in found.hint


@pytest.mark.parametrize(
    "reply",
    [
        Raw(body=b"<html>the secret text of a document</html>"),
        Raw(body=b"null"),
        Raw(body=b"[1]"),
        Raw(body=WHOLE[:40]),
        Raw(),
        {},
        {"output": None, "stopReason": "end_turn"},
        {"output": {"message": {"content": None}}, "stopReason": "end_turn", "usage": {}},
        {**text_reply("x"), "stopReason": None},
        text_reply("Sorry", stop="guardrail_intervened"),
        text_reply("Sorry", stop="content_filtered"),
        text_reply("Sorry", stop="malformed_tool_use"),
        Raw(body=b" " * 2_000_000),
    ],
)
def test_what_is_no_reply(failure: Failure, reply: Reply) -> None:
    """HTML, broken JSON, a reply without output, a huge one, and what a filter withheld."""
    assert errors.ModelReplyError is type(failure(reply))


def test_a_full_context_breaks_a_reply_off(failure: Failure) -> None:
    reply = text_reply("Sorry", stop="model_context_window_exceeded")
    assert errors.ContextOverflowError is type(failure(reply))


@pytest.mark.parametrize(
    "reply",
    [CLOSED, CUT, Raw(502, b"<html>bad gateway</html>"), Raw(500)],
    ids=["closed", "cut", "html", "empty"],
)
def test_what_may_pass(failure: Failure, reply: Raw) -> None:
    """A broken connection and a server that fails are worth another try."""
    assert errors.ModelUnavailableError is type(failure(reply))


@pytest.mark.parametrize(
    ("change", "without", "error", "said"),
    [
        (
            {"url": "http://127.0.0.1:9"},
            "",
            errors.ModelUnavailableError,
            r"127\.0\.0\.1:9 cannot be",
        ),
        ({"region": "not a region"}, "", errors.ModelError, "InvalidRegionError"),
        ({}, "AWS_SECRET_ACCESS_KEY", errors.ModelAccessError, "PartialCredentialsError"),
    ],
)
def test_what_botocore_cannot_do(
    change: Json,
    without: str,
    error: type[errors.ModelError],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody listens, no such region, half of a key: errors of ours, before anything is sent."""
    monkeypatch.delenv(without, raising=False)
    with pytest.raises(error, match=said):
        ask(replace(ENDPOINT, **change))


def test_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without credentials nothing is sent; they are looked for anew at the next call."""
    with (
        bedrock(lambda _: text_reply("Paris")) as server,
        closing(BedrockChat(replace(ENDPOINT, url=server.url))) as chat,
    ):
        with no_credentials(monkeypatch), pytest.raises(errors.ModelAccessError) as caught:
            chat.complete("answer", ASKED, max_tokens=7)
        assert "aws sso login" in caught.value.hint
        assert [] == server.log
        assert "Paris" == chat.complete("answer", ASKED, max_tokens=7).text


def test_an_expired_sign_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A profile whose sign-in is over is an error that names `aws sso login`."""
    config = tmp_path / "config"
    config.write_text(
        "[profile work]\nregion = eu-west-1\nsso_session = s\nsso_account_id = 1\n"
        "sso_role_name = r\n[sso-session s]\nsso_region = eu-west-1\n"
        "sso_start_url = https://example.org/start\n"
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_PROFILE", "work")
    monkeypatch.setenv("HOME", str(tmp_path))
    with no_credentials(monkeypatch), pytest.raises(errors.ModelAccessError) as caught:
        ask(ENDPOINT)
    assert "aws sso login" in caught.value.hint
    assert "eu-west-1" == profile_region()


def test_a_profile_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile that AWS's files do not have is named as the cause, in both places."""
    monkeypatch.setenv("AWS_PROFILE", "gone")
    with pytest.raises(errors.ModelAccessError, match="ProfileNotFound"):
        ask(ENDPOINT)
    with pytest.raises(errors.ConfigError, match="ProfileNotFound"):
        profile_region()


def test_offline_asks_no_server_for_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offline, the address that machines in Amazon's cloud get credentials from is not asked."""
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")
    monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1/")
    asked: list[str] = []
    monkeypatch.setattr(
        "botocore.utils.IMDSFetcher._get_request", lambda *_, **__: asked.append("role")
    )
    with no_credentials(monkeypatch), pytest.raises(errors.ModelAccessError):
        ask(replace(ENDPOINT, offline=True))
    assert [] == asked


def test_no_proxy_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server on this machine is asked directly, whatever proxy and address AWS's tools use."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "5")
    with bedrock(lambda _: text_reply("Paris")) as server:
        assert "Paris" == ask(replace(ENDPOINT, url=server.url))
    with pytest.raises(errors.ModelUnavailableError, match="ProxyConnectionError"):
        ask(replace(ENDPOINT, url="http://192.0.2.1"))


def test_a_certificate_that_nobody_signed() -> None:
    """A certificate that cannot be checked is an error of its own, and nothing is sent."""
    with bedrock(lambda _: text_reply("Paris"), CERTIFICATE) as server:
        with pytest.raises(errors.ModelError, match="certificate") as caught:
            ask(replace(ENDPOINT, url=server.url))
        assert [] == server.log
    assert errors.ModelError is type(caught.value)
    assert "AWS_CA_BUNDLE" in caught.value.hint


def test_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate that AWS_CA_BUNDLE vouches for is good, and deadlines hold over TLS too."""
    monkeypatch.setenv("AWS_CA_BUNDLE", CERTIFICATE)
    late = (hanging(sized(WHOLE), WHOLE[:20]), dripping(sized(WHOLE), WHOLE))
    replies: Iterator[Reply] = iter([text_reply("Paris"), *late])
    with (
        bedrock(lambda _: next(replies), CERTIFICATE) as server,
        closing(BedrockChat(replace(ENDPOINT, url=server.url))) as chat,
    ):
        assert "Paris" == chat.complete("answer", ASKED, max_tokens=7).text
        for _ in range(2):
            with pytest.raises(errors.ModelTimeoutError):
                chat.complete("answer", ASKED, max_tokens=7, seconds=0.4)
            assert server.gone.wait(2)
            server.gone.clear()


def test_no_log_of_what_was_said(failure: Failure, caplog: pytest.LogCaptureFixture) -> None:
    """Neither documents nor keys nor the server's words are logged, short of debugging."""
    with caplog.at_level(logging.INFO):
        failure(error_reply("ValidationException", 400, PRIVATE))
    assert PRIVATE not in caplog.text
    assert "France" not in caplog.text
    assert "secret-key" not in caplog.text
