"""Which adapter fills which role, and what is said about it."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.assembly.models import report
from research_agent.assembly.models.connecting import Models, connect_embedder, connect_models
from research_agent.assembly.models.report import describe_models
from research_agent.assembly.models.roles import key_variable
from research_agent.errors import (
    ConfigError,
    ModelAccessError,
    ModelMissingError,
    ModelUnavailableError,
)
from research_agent.model_settings import LocalModelSettings, ModelSettings, RoleSettings
from research_agent.models.adapters.minilm import MiniLM
from research_agent.models.adapters.rate_limited import RateLimitedEmbedder
from research_agent.types import Message
from tests.loopback import Json, embedding_reply, server, text_reply

ASKED = [Message("user", "capital of France?")]
REMOTE = RoleSettings(
    provider="openai",
    model="gpt-4o",
    base_url="https://models.example/v1",
    api_key_env="OPENAI_API_KEY",
)


def told(_done: int, _total: int) -> None:
    """Watch nothing."""


def connect(settings: ModelSettings, environment: Mapping[str, str]) -> Models:
    return connect_models(settings, environment=environment, on_progress=told)


@pytest.fixture
def no_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """An environment whose cache is empty, on a machine without packaged weights."""
    monkeypatch.setattr(
        "research_agent.models.adapters.weights.part_files", lambda w: [None] * len(w.packages)
    )
    return {"RESEARCH_AGENT_CACHE": str(tmp_path)}


def test_equal_roles_share_an_adapter() -> None:
    """By default one adapter, to one embedded server, fills every chat role."""
    with closing(connect(ModelSettings(), {})) as models:
        assert models.answerer is models.planner is models.filterer is models.verifier
        assert isinstance(models.embedder, MiniLM)


def test_roles_can_differ() -> None:
    """A role with settings of its own asks its own server; the others ask the common one."""
    seen: list[str] = []

    def script(given: Json) -> Json:
        seen.append(given["model"])
        return text_reply("Paris")

    with server(script) as url:
        chat = RoleSettings(provider="openai", model="small", base_url=url)
        settings = ModelSettings(chat=chat, answer=RoleSettings(model="large"))
        with closing(connect(settings, {})) as models:
            for model in (models.answerer, models.planner):
                assert "Paris" == model.complete("r", ASKED, max_tokens=7).text
            assert models.planner is models.verifier
            assert models.verifier.complete("r", ASKED, max_tokens=7).cost.reused
    assert ["large", "small"] == seen


def test_key_comes_from_the_named_variable() -> None:
    """The key of the variable that the role names is sent, also to this machine's own server."""
    with server(lambda _: text_reply("Paris"), key="k1") as url:
        chat = RoleSettings(provider="openai", model="m", base_url=url, api_key_env="MY_KEY")
        with closing(connect(ModelSettings(chat=chat), {"MY_KEY": "k1\n"})) as models:
            assert "Paris" == models.answerer.complete("r", ASKED, max_tokens=7).text


def test_own_server_is_not_sent_a_key_it_was_not_given() -> None:
    """A server on this machine gets no OPENAI_API_KEY unless the settings say so."""
    with server(lambda _: text_reply("Paris"), key="none") as url:
        chat = RoleSettings(provider="openai", model="m", base_url=url)
        environment = {"OPENAI_API_KEY": "sk-real"}
        with closing(connect(ModelSettings(chat=chat), environment)) as models:
            assert "Paris" == models.answerer.complete("r", ASKED, max_tokens=7).text


def test_openai_key_goes_to_openai_alone() -> None:
    """Another address gets the key that the settings name for it, or is not asked."""
    role = replace(REMOTE, api_key_env="")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY is sent to OpenAI alone") as caught:
        connect(ModelSettings(chat=role), {"OPENAI_API_KEY": "sk-real"})
    assert "models.answer.api_key_env" in caught.value.hint
    for theirs in ("", "https://api.openai.com/v1/", "https://API.OpenAI.com:443/v1"):
        assert "OPENAI_API_KEY" == key_variable(replace(role, base_url=theirs))
    for other in ("http://api.openai.com/v1", "https://api.openai.com.evil.example/v1"):
        assert not key_variable(replace(role, base_url=other))


def test_own_server_that_wants_a_key_is_told_of_as_such() -> None:
    """The hint names the setting: OPENAI_API_KEY, which is not sent there, would change nothing."""
    with server(lambda _: text_reply("Paris"), key="k1") as url:
        chat = RoleSettings(provider="openai", model="m", base_url=url)
        with (
            closing(connect(ModelSettings(chat=chat), {"OPENAI_API_KEY": "k1"})) as models,
            pytest.raises(ModelAccessError) as caught,
        ):
            models.answerer.complete("r", ASKED, max_tokens=7)
    assert "api_key_env" in caught.value.hint
    assert "OPENAI_API_KEY" not in caught.value.hint


def test_embeddings_from_a_server() -> None:
    """The embedding role can be a server's model too."""
    with server(lambda _: embedding_reply([[0, 5]])) as url:
        settings = ModelSettings(
            embedding=RoleSettings(provider="openai", model="e5", base_url=url)
        )
        with closing(connect(settings, {})) as models:
            assert isinstance(models.embedder, RateLimitedEmbedder)
            assert [[0.0, 1.0]] == models.embedder.embed(["a"])
            assert "e5" == models.embedder.name


@pytest.mark.parametrize(
    ("role", "said"),
    [
        (REMOTE, "variable OPENAI_API_KEY is not set"),
        (RoleSettings(provider="openai", model="m", api_key_env="K"), "variable K is not set"),
        (RoleSettings(provider="openai"), r"models\.answer\.model is empty"),
        (RoleSettings(provider="openai", model="m", base_url="localhost:80"), "base_url"),
        (RoleSettings(provider="openai", model="m", base_url="http://["), "base_url"),
        (RoleSettings(provider="openai", model="m", base_url="https://u:p@h/v1"), "base_url"),
        (RoleSettings(provider=""), r"models\.answer\.provider is empty"),
        (RoleSettings(provider="local", model="gpt"), r"answer\.model has no meaning"),
        (RoleSettings(provider="local", base_url="http://h/v1"), r"base_url has no meaning"),
    ],
)
def test_settings_that_cannot_work(role: RoleSettings, said: str) -> None:
    """What is missing is named before anything is asked; the report says the same."""
    settings = ModelSettings(chat=role)
    with pytest.raises(ConfigError, match=said) as caught:
        connect(settings, {})
    assert caught.value.hint
    answer = describe_models(settings, {})[0]
    assert ("missing", str(caught.value), caught.value.hint) == (
        answer.state,
        answer.problem,
        answer.hint,
    )


def test_key_that_is_none() -> None:
    """A variable that holds something else than a key is refused without repeating it."""
    with pytest.raises(ConfigError, match="OPENAI_API_KEY holds no key") as caught:
        connect(ModelSettings(chat=REMOTE), {"OPENAI_API_KEY": "two words"})
    assert "two words" not in f"{caught.value}{caught.value.hint}"


def test_missing_weights_are_an_error_when_asked(no_weights: dict[str, str]) -> None:
    """Connecting needs no weights; asking does, and says what to install."""
    with (
        closing(connect(ModelSettings(), no_weights)) as models,
        pytest.raises(ModelMissingError, match="0 of 22 parts") as caught,
    ):
        models.answerer.complete("answer", ASKED, max_tokens=7)
    assert "research-agent[local]" in caught.value.hint


def test_down_server_is_not_replaced(no_weights: dict[str, str]) -> None:
    """A server that is down is an error; no other provider takes its place."""
    chat = RoleSettings(provider="openai", model="m", base_url="http://127.0.0.1:9/v1")
    with (
        closing(connect(ModelSettings(chat=chat), no_weights)) as models,
        pytest.raises(ModelUnavailableError),
    ):
        models.answerer.complete("answer", ASKED, max_tokens=7)


def test_own_file_that_is_no_model(tmp_path: Path) -> None:
    """models.local.path is checked when it is asked, and in the report."""
    (tmp_path / "x.gguf").write_bytes(b"text")
    settings = ModelSettings(local=LocalModelSettings(path=str(tmp_path / "x.gguf")))
    with (
        closing(connect(settings, {})) as models,
        pytest.raises(ModelMissingError, match="not a GGUF"),
    ):
        models.answerer.complete("answer", ASKED, max_tokens=7)
    assert "not a GGUF" in describe_models(settings, {})[0].problem


def test_closing_twice_is_no_error() -> None:
    """The same models can be closed again."""
    models = connect(ModelSettings(), {})
    models.close()
    models.close()


def test_embedder_alone() -> None:
    """Indexing connects the embedding model without a look at the chat models."""
    with connect_embedder(ModelSettings(chat=REMOTE), environment={}) as embedder:
        assert isinstance(embedder, MiniLM)


def test_report_of_servers() -> None:
    """The report names each role's model and address, and is ready once the key is there."""
    settings = ModelSettings(chat=REMOTE, planner=RoleSettings(model="mini"))
    found = describe_models(settings, {"OPENAI_API_KEY": "k"})
    assert ["answer", "planner", "filter", "verifier", "embedding"] == [d.role for d in found]
    assert ["gpt-4o", "mini", "gpt-4o", "gpt-4o", "all-MiniLM-L6-v2"] == [d.model for d in found]
    assert {REMOTE.base_url} == {d.where for d in found[:4]}
    assert {"ready"} == {d.state for d in found}


def test_report_of_the_embedded_model(
    no_weights: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The embedded model is missing, installed or ready; a named set that is missing is counted."""
    monkeypatch.setattr(report, "require_runtime", lambda: None)
    named = ModelSettings(local=LocalModelSettings(weights="0.5b"))
    assert "0 of 6 parts" in describe_models(named, no_weights)[0].problem
    assert "missing" == describe_models(ModelSettings(), no_weights)[0].state
    joined = tmp_path / "models" / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
    joined.parent.mkdir()
    with joined.open("wb") as sparse:
        sparse.truncate(491_400_064)
    found = describe_models(ModelSettings(), no_weights)[0]
    assert ("installed", str(joined)) == (found.state, found.where)
    assert "Qwen2.5-Coder-0.5B" in found.model


def test_report_without_the_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where xllamacpp is missing, the report says so for every role that needs it."""
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
    found = describe_models(ModelSettings(answer=REMOTE), {"OPENAI_API_KEY": "k"})
    assert ["ready", "missing", "missing", "missing", "ready"] == [d.state for d in found]
    assert "xllamacpp" in found[1].problem
