"""Bedrock in a role, and servers that are not on this machine with models.offline."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.assembly.models.connecting import connect_embedder, connect_models
from research_agent.assembly.models.report import describe_models
from research_agent.assembly.models.roles import bedrock_region, check_role
from research_agent.errors import ConfigError
from research_agent.model_settings import ModelSettings, ReplyCacheSettings, RoleSettings
from research_agent.models.adapters.rate_limited import RateLimitedEmbedder
from research_agent.ports import TextWindows
from research_agent.types import Message
from tests.aws import made_up_credentials
from tests.converse import Asked, Json, bedrock, text_reply, titan_reply

MODEL = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
ROLE = RoleSettings(provider="bedrock", model=MODEL)
REGION = {"AWS_REGION": "eu-west-1"}


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Sign with made-up keys, and know no region."""
    made_up_credentials(monkeypatch)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    for name in ("REGION", "DEFAULT_REGION"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)


def test_bedrock_fills_the_roles() -> None:
    """Chat and embedding models of Bedrock are asked in the environment's region."""

    def script(asked: Asked) -> Json:
        return titan_reply([0, 2]) if asked.operation == "invoke" else text_reply("Paris")

    with bedrock(script) as server:
        chat = replace(ROLE, base_url=server.url)
        settings = ModelSettings(
            chat=chat, planner=RoleSettings(model="mini"), embedding=replace(chat, model="titan")
        )
        with closing(
            connect_models(settings, environment=REGION, on_progress=lambda _, __: None)
        ) as models:
            assert models.answerer is models.verifier
            for model in (models.answerer, models.planner):
                assert "Paris" == model.complete("r", [Message("user", "?")], max_tokens=7).text
            assert [[0.0, 1.0]] == models.embedder.embed(["a"])
    assert [MODEL, "mini", "titan"] == [asked.model for asked in server.log]
    assert all("/eu-west-1/" in asked.headers["authorization"] for asked in server.log)


def test_embedder_alone() -> None:
    """Indexing connects Bedrock's embedding model without a look at the chat models."""
    with connect_embedder(ModelSettings(embedding=ROLE), environment=REGION) as found:
        assert isinstance(found, RateLimitedEmbedder)
        assert isinstance(found, TextWindows)
        assert MODEL == found.name


def test_where_the_region_comes_from(tmp_path: Path) -> None:
    """The role's own region counts before the environment's, and that before the profile's."""
    key, default = "models.chat", {"AWS_DEFAULT_REGION": "us-west-2"}
    assert "sa-east-1" == bedrock_region(key, replace(ROLE, region="sa-east-1"), REGION)
    assert "eu-west-1" == bedrock_region(key, ROLE, {**REGION, **default})
    assert "us-west-2" == bedrock_region(key, ROLE, default)
    (tmp_path / "config").write_text("[default]\nregion = ap-southeast-2\n")
    assert "ap-southeast-2" == bedrock_region(key, ROLE, {"AWS_REGION": " "})


@pytest.mark.parametrize(
    ("role", "said"),
    [
        (RoleSettings(provider="bedrock"), r"models\.answer\.model is empty"),
        (ROLE, r"models\.answer\.region is empty, and neither AWS_REGION"),
        (replace(ROLE, region="the moon"), "no region of AWS"),
        (replace(ROLE, api_key_env="K"), r"api_key_env has no meaning with provider bedrock"),
        (replace(ROLE, base_url="localhost:80"), "base_url is no http"),
        (RoleSettings(provider="openai", model="m", region="us-east-1"), "region has no meaning"),
        (RoleSettings(provider="local", region="us-east-1"), "region has no meaning"),
    ],
)
def test_settings_that_cannot_work(role: RoleSettings, said: str) -> None:
    """What is missing is named before anything is asked; the report says the same."""
    settings = ModelSettings(chat=role)
    with pytest.raises(ConfigError, match=said) as caught:
        connect_models(settings, environment={}, on_progress=lambda _, __: None)
    assert caught.value.hint
    answer = describe_models(settings, {})[0]
    assert ("missing", str(caught.value)) == (answer.state, answer.problem)


def test_report() -> None:
    """The report names the region that is asked, or the address."""
    found = describe_models(ModelSettings(chat=ROLE, embedding=ROLE), REGION)
    assert {("ready", MODEL, "Amazon Bedrock in eu-west-1")} == {
        (item.state, item.model, item.where) for item in found
    }
    inside = replace(ROLE, base_url="https://vpce-1.bedrock-runtime.eu-west-1.vpce.amazonaws.com")
    assert inside.base_url == describe_models(ModelSettings(chat=inside), REGION)[0].where


@pytest.mark.parametrize(
    ("role", "asked"),
    [
        (RoleSettings(provider="openai", model="m"), "https://api.openai.com/v1"),
        (RoleSettings(provider="openai", model="m", base_url="http://10.0.0.7/v1"), "10.0.0.7"),
        (RoleSettings(provider="openai", model="m", base_url="http://127.0.0.1.nip.io/v1"), "nip"),
        (ROLE, "Amazon Bedrock"),
        (replace(ROLE, base_url="https://vpce-1.example"), "https://vpce-1.example"),
    ],
)
def test_offline_refuses_other_machines(role: RoleSettings, asked: str) -> None:
    """Offline, a server elsewhere is an error that names the role, the address and both cures."""
    settings = ModelSettings(chat=role, offline=True)
    for environment in ({}, {"OPENAI_API_KEY": "k", **REGION}):
        with pytest.raises(
            ConfigError, match=r"models\.offline is set, and models\.answer"
        ) as caught:
            connect_models(settings, environment=environment, on_progress=lambda _, __: None)
        assert asked in str(caught.value)
        assert "models.answer.provider to local" in caught.value.hint
        assert "without models.offline" in caught.value.hint
    assert "missing" == describe_models(settings, REGION)[0].state
    alone = connect_embedder(ModelSettings(embedding=role, offline=True), environment=REGION)
    with pytest.raises(ConfigError, match=r"models\.embedding asks"), alone:
        pass


def test_offline_allows_this_machine() -> None:
    """Offline, the embedded models and servers on this machine are used."""
    for url in ("http://127.0.0.1:8080/v1", "http://localhost:1/v1", "http://[::1]:1/v1"):
        openai = RoleSettings(provider="openai", model="m", base_url=url)
        for role in (openai, replace(ROLE, base_url=url), RoleSettings(provider="local")):
            check_role("models.answer", role, offline=True)


def test_a_second_answer_is_sampled() -> None:
    """By a model of its own with its own temperature; a question's preset may want one later."""
    messages = [Message("user", "Where?")]
    with bedrock(lambda _: text_reply("Paris")) as server:
        role = replace(ROLE, base_url=server.url)
        settings = ModelSettings(chat=role, reply_cache=ReplyCacheSettings(mode="off"))
        models = connect_models(settings, environment=REGION, on_progress=lambda _done, _of: None)
        with closing(models):
            chats = [models.answerer, models.sampler, models.sampler]
            for chat in filter(None, chats):
                chat.complete("answer", messages, max_tokens=7)
    assert [0.0, 0.7, 0.7] == [one.body["inferenceConfig"]["temperature"] for one in server.log]
