"""Which adapter fills which role, what is refused before anything is asked, and the report."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.assembly.models import report
from research_agent.assembly.models.connecting import Models, connect_embedder, connect_models
from research_agent.assembly.models.report import describe_models
from research_agent.assembly.models.roles import bedrock_region, check_role, key_variable
from research_agent.errors import (
    ConfigError,
    ModelAccessError,
    ModelMissingError,
    ModelUnavailableError,
)
from research_agent.model_settings import (
    LocalModelSettings,
    ModelSettings,
    ReplyCacheSettings,
    RoleSettings,
)
from research_agent.models.adapters.minilm import MiniLM
from research_agent.models.adapters.openai import OpenAIChat
from research_agent.types import Message
from tests import converse
from tests.aws import made_up_credentials
from tests.loopback import Json, embedding_reply, server, text_reply, token
from tests.needed import needed_package

ASKED = [Message("user", "capital of France?")]
REMOTE = RoleSettings(
    provider="openai",
    model="gpt-4o",
    base_url="https://models.example/v1",
    api_key_env="OPENAI_API_KEY",
)
MODEL = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
BEDROCK = RoleSettings(provider="bedrock", model=MODEL)
REGION = {"AWS_REGION": "eu-west-1"}


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Sign with made-up keys, and know no region."""
    made_up_credentials(monkeypatch)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    for name in ("REGION", "DEFAULT_REGION"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)


def connect(settings: ModelSettings, environment: Mapping[str, str]) -> Models:
    return connect_models(settings, environment=environment, on_progress=lambda _, __: None)


def own(url: str, key_env: str = "") -> ModelSettings:
    """Settings for a server on this machine."""
    chat = RoleSettings(provider="openai", model="m", base_url=url, api_key_env=key_env)
    return ModelSettings(chat=chat)


@pytest.fixture
def no_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """An environment whose cache is empty, on a machine without packaged weights."""
    monkeypatch.setattr(
        "research_agent.models.adapters.weights.part_files", lambda w: [None] * len(w.packages)
    )
    return {"RESEARCH_AGENT_CACHE": str(tmp_path)}


def test_equal_roles_share_an_adapter() -> None:
    """By default one adapter, to one embedded server, fills every chat role."""
    models = connect(ModelSettings(), {})
    assert models.answerer is models.planner is models.filterer is models.verifier
    assert isinstance(models.embedder, MiniLM)
    models.close()
    models.close()


def test_second_answers_are_closed_with_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither at once nor never: their model has connections of its own."""
    closed = set[int]()
    monkeypatch.setattr(OpenAIChat, "close", lambda chat: closed.add(id(chat)))
    models = connect(own("http://127.0.0.1:9/v1"), {})
    assert not closed
    models.close()
    assert 2 == len(closed)


def test_roles_can_differ() -> None:
    """A role with settings of its own asks its own server; the others ask the common one."""
    seen: list[str] = []

    def script(given: Json) -> Json:
        seen.append(given["model"])
        return embedding_reply([[0, 5]]) if "input" in given else text_reply("Paris")

    with server(script) as url:
        embedding = RoleSettings(provider="openai", model="e5", base_url=url)
        settings = replace(own(url), answer=RoleSettings(model="large"), embedding=embedding)
        with closing(connect(settings, {})) as models:
            for model in (models.answerer, models.planner):
                assert "Paris" == model.complete("r", ASKED, max_tokens=7).text
            assert models.planner is models.verifier
            assert models.verifier.complete("r", ASKED, max_tokens=7).cost.reused
            assert ("e5", [[0.0, 1.0]]) == (models.embedder.name, models.embedder.embed(["a"]))
    assert ["large", "m", "e5"] == seen


@pytest.mark.parametrize(
    ("key", "named", "environment"),
    [("k1", "MY_KEY", {"MY_KEY": "k1\n"}), ("none", "", {"OPENAI_API_KEY": "sk-real"})],
)
def test_key_comes_from_the_named_variable(
    key: str, named: str, environment: Mapping[str, str]
) -> None:
    """Also for this machine's server, which gets no OPENAI_API_KEY that is not named for it."""
    with (
        server(lambda _: text_reply("Paris"), key=key) as url,
        closing(connect(own(url, named), environment)) as models,
    ):
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
    with (
        server(lambda _: text_reply("Paris"), key="k1") as url,
        closing(connect(own(url), {"OPENAI_API_KEY": "k1"})) as models,
        pytest.raises(ModelAccessError) as caught,
    ):
        models.answerer.complete("r", ASKED, max_tokens=7)
    assert "api_key_env" in caught.value.hint
    assert "OPENAI_API_KEY" not in caught.value.hint


def test_bedrock_fills_the_roles() -> None:
    """In the environment's region; a second answer is sampled at a temperature of its own."""

    def script(asked: converse.Asked) -> Json:
        is_embedding = asked.operation == "invoke"
        return converse.titan_reply([0, 2]) if is_embedding else converse.text_reply("Paris")

    with converse.bedrock(script) as running:
        chat = replace(BEDROCK, base_url=running.url)
        settings = ModelSettings(
            chat=chat,
            planner=RoleSettings(model="mini"),
            embedding=replace(chat, model="titan"),
            reply_cache=ReplyCacheSettings(mode="off"),
        )
        with closing(connect(settings, REGION)) as models:
            assert models.answerer is models.verifier
            for model in filter(None, (models.answerer, models.planner, models.sampler)):
                assert "Paris" == model.complete("r", ASKED, max_tokens=7).text
            assert [[0.0, 1.0]] == models.embedder.embed(["a"])
    asked = running.log
    assert [MODEL, "mini", MODEL, "titan"] == [one.model for one in asked]
    assert all("/eu-west-1/" in one.headers["authorization"] for one in asked)
    temperatures = [one.body["inferenceConfig"]["temperature"] for one in asked[:3]]
    assert [0.0, 0.0, 0.7] == temperatures


def test_where_the_region_comes_from(tmp_path: Path) -> None:
    """The role's own region counts before the environment's, and that before the profile's."""
    key, default = "models.chat", {"AWS_DEFAULT_REGION": "us-west-2"}
    assert "sa-east-1" == bedrock_region(key, replace(BEDROCK, region="sa-east-1"), REGION)
    assert "eu-west-1" == bedrock_region(key, BEDROCK, {**REGION, **default})
    assert "us-west-2" == bedrock_region(key, BEDROCK, default)
    (tmp_path / "config").write_text("[default]\nregion = ap-southeast-2\n")
    assert "ap-southeast-2" == bedrock_region(key, BEDROCK, {"AWS_REGION": " "})


@pytest.mark.parametrize(
    ("role", "said"),
    [
        (REMOTE, "variable OPENAI_API_KEY is not set"),
        (RoleSettings(provider="openai", model="m", api_key_env="K"), "variable K is not set"),
        (RoleSettings(provider="openai", model="m", api_key_env="BAD"), "BAD holds no key"),
        (RoleSettings(provider="openai"), r"models\.answer\.model is empty"),
        (RoleSettings(provider="openai", model="m", base_url="localhost:80"), "base_url"),
        (RoleSettings(provider="openai", model="m", base_url="http://["), "base_url"),
        (RoleSettings(provider="openai", model="m", base_url="https://u:p@h/v1"), "base_url"),
        (RoleSettings(provider="openai", model="m", region="us-east-1"), "region has no meaning"),
        (RoleSettings(provider=""), r"models\.answer\.provider is empty"),
        (RoleSettings(provider="local", model="gpt"), r"answer\.model has no meaning"),
        (RoleSettings(provider="local", base_url="http://h/v1"), r"base_url has no meaning"),
        (RoleSettings(provider="bedrock"), r"models\.answer\.model is empty"),
        (BEDROCK, r"models\.answer\.region is empty, and neither AWS_REGION"),
        (replace(BEDROCK, region="the moon"), "no region of AWS"),
        (replace(BEDROCK, api_key_env="K"), r"api_key_env has no meaning with provider bedrock"),
        (replace(BEDROCK, base_url="localhost:80"), "base_url is no http"),
    ],
)
def test_settings_that_cannot_work(role: RoleSettings, said: str) -> None:
    """What is missing is named before anything is asked; the report says the same."""
    settings, environment = ModelSettings(chat=role), {"BAD": "two words"}
    with pytest.raises(ConfigError, match=said) as caught:
        connect(settings, environment)
    assert caught.value.hint
    assert "two words" not in f"{caught.value}{caught.value.hint}"
    about = describe_models(settings, environment)[0]
    told = (about.state, about.problem, about.hint)
    assert ("missing", str(caught.value), caught.value.hint) == told


@pytest.mark.parametrize(
    ("role", "asked"),
    [
        (RoleSettings(provider="openai", model="m"), "https://api.openai.com/v1"),
        (RoleSettings(provider="openai", model="m", base_url="http://10.0.0.7/v1"), "10.0.0.7"),
        (RoleSettings(provider="openai", model="m", base_url="http://127.0.0.1.nip.io/v1"), "nip"),
        (BEDROCK, "Amazon Bedrock"),
        (replace(BEDROCK, base_url="https://vpce-1.example"), "https://vpce-1.example"),
    ],
)
def test_offline_refuses_other_machines(role: RoleSettings, asked: str) -> None:
    """Offline, a server elsewhere is an error that names the role, the address and both cures."""
    settings = ModelSettings(chat=role, offline=True)
    with pytest.raises(ConfigError, match=r"models\.offline is set, and models\.answer") as caught:
        connect(settings, {"OPENAI_API_KEY": "k", **REGION})
    assert asked in str(caught.value)
    assert "models.answer.provider to local" in caught.value.hint
    assert "without models.offline" in caught.value.hint
    assert "missing" == describe_models(settings, REGION)[0].state
    alone = connect_embedder(ModelSettings(embedding=role, offline=True), environment=REGION)
    with pytest.raises(ConfigError, match=r"models\.embedding asks"), alone:
        pass


def test_missing_weights_are_an_error_when_asked(
    no_weights: dict[str, str], tmp_path: Path
) -> None:
    """Connecting needs no weights; asking does, and says what is missing or wrong."""
    (tmp_path / "x.gguf").write_bytes(b"text")
    local = LocalModelSettings(path=str(tmp_path / "x.gguf"))
    for settings, said in (
        (ModelSettings(), "0 of 22 parts"),
        (ModelSettings(local=local), "not a GGUF"),
    ):
        with (
            closing(connect(settings, no_weights)) as models,
            pytest.raises(ModelMissingError, match=said) as caught,
        ):
            models.answerer.complete("answer", ASKED, max_tokens=7)
        assert caught.value.hint
        assert said in describe_models(settings, no_weights)[0].problem


def test_down_server_is_not_replaced(no_weights: dict[str, str]) -> None:
    """A server that is down is an error; no other provider takes its place."""
    with (
        closing(connect(replace(own("http://127.0.0.1:9/v1"), retries=0), no_weights)) as models,
        pytest.raises(ModelUnavailableError),
    ):
        models.answerer.complete("answer", ASKED, max_tokens=7)


def test_report_of_servers() -> None:
    """The report names each role's model and address, and is ready once the key is there."""
    settings = ModelSettings(chat=REMOTE, planner=RoleSettings(model="mini"))
    found = describe_models(settings, {"OPENAI_API_KEY": "k"})
    assert ["answer", "planner", "filter", "verifier", "embedding"] == [d.role for d in found]
    assert ["gpt-4o", "mini", "gpt-4o", "gpt-4o", "all-MiniLM-L6-v2"] == [d.model for d in found]
    assert {REMOTE.base_url} == {d.where for d in found[:4]}
    assert {"ready"} == {d.state for d in found}
    secret = replace(REMOTE, base_url="http://ann:secret@127.0.0.1/v1")
    about = describe_models(ModelSettings(chat=secret), {"OPENAI_API_KEY": "k"})[0]
    assert ("missing", "") == (about.state, about.where)
    assert "secret" not in about.problem
    inside = replace(BEDROCK, base_url="https://vpce-1.vpce.amazonaws.com")
    for role, where in ((BEDROCK, "Amazon Bedrock in eu-west-1"), (inside, inside.base_url)):
        about = describe_models(ModelSettings(chat=role), REGION)[0]
        assert ("ready", MODEL, where) == (about.state, about.model, about.where)


def test_report_of_the_embedded_model(
    no_weights: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The embedded model is missing, installed or ready; a named set that is missing is counted."""
    with monkeypatch.context() as patched:
        patched.setattr("importlib.util.find_spec", lambda *_: None)
        found = describe_models(ModelSettings(answer=REMOTE), {"OPENAI_API_KEY": "k"})
    assert ["ready", "missing", "missing", "missing", "ready"] == [d.state for d in found]
    assert "xllamacpp" in found[1].problem
    monkeypatch.setattr(report, "require_runtime", lambda: None)
    named = ModelSettings(local=LocalModelSettings(weights="0.5b"))
    assert "0 of 6 parts" in describe_models(named, no_weights)[0].problem
    joined = tmp_path / "models" / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
    joined.parent.mkdir()
    with joined.open("wb") as sparse:
        sparse.truncate(491_400_064)
    about = describe_models(ModelSettings(), no_weights)[0]
    assert ("installed", str(joined)) == (about.state, about.where)
    assert "Qwen2.5-Coder-0.5B" in about.model


def test_provider_of_langchain() -> None:
    """Settings name it; the server gets the key that they name, and log-probabilities come back."""
    needed_package("langchain", "langchain")
    asked: list[Json] = []

    def script(given: Json) -> Json:
        asked.append(given)
        return text_reply("Paris", tokens=[token("Paris", -0.1)])

    with server(script, key="k1") as url:
        chat = RoleSettings(
            provider="langchain", model="openai:m", base_url=url, api_key_env="MY_KEY"
        )
        with closing(connect(ModelSettings(chat=chat), {"MY_KEY": "k1"})) as models:
            reply = models.answerer.complete("r", ASKED, max_tokens=7)
            assert models.answerer is models.planner

    assert ("Paris", [-0.1]) == (reply.text, [one.logprob for one in reply.tokens])
    assert ("m", True) == (asked[0]["model"], asked[0]["logprobs"])
    assert 7 in (asked[0].get("max_tokens"), asked[0].get("max_completion_tokens"))
    described = report.describe_models(ModelSettings(chat=chat), {})[0]
    assert ("langchain", "openai:m") == (described.provider, described.model)


def test_offline_refuses_other_providers() -> None:
    """Whom a provider of LangChain's asks is not known, unless the address is this machine's."""
    far = RoleSettings(provider="langchain", model="anthropic:claude-haiku-4-5")
    near = replace(far, base_url="http://127.0.0.1:9/v1")

    check_role("models.chat", near, offline=True)
    with pytest.raises(ConfigError, match="asks a provider of LangChain's"):
        check_role("models.chat", far, offline=True)
    with pytest.raises(ConfigError, match="region has no meaning with provider langchain"):
        check_role("models.chat", replace(far, region="eu-west-1"))
