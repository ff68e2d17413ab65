"""The rerank server as the settings name it, and the ports that are made of the settings."""

from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.assembly.connection import connect
from research_agent.assembly.models.connecting import connect_reranker
from research_agent.errors import ConfigError
from research_agent.retrieval.adapters.blend_lines import BlendLines
from research_agent.settings import BlendSettings, RerankSettings, Settings
from tests.interfaces.commands import GUIDE, run
from tests.loopback import Json, rerank_server

OWN = RerankSettings(mode="http", base_url="http://127.0.0.1:1")


def scored(request: Json) -> Json:
    """The last text is the best."""
    given = enumerate(request["documents"])
    return {"results": [{"index": at, "relevance_score": 0.5 * at} for at, _ in given]}


def test_every_setting_arrives(caplog: pytest.LogCaptureFixture) -> None:
    """Form, model, key and address; no logger hears the key or a text."""
    caplog.set_level(1)
    with rerank_server(scored) as (url, log):
        settings = RerankSettings(
            mode="http", base_url=url, form="vllm", model="m", api_key_env="RANK_KEY"
        )
        made = connect_reranker(settings, {"RANK_KEY": " secret "}, offline=True)
        assert made is not None
        found = made.scores("q", ["a", "Zanzibarquux"])

    assert (0.0, 0.5) == found
    assert ["Bearer secret"] == [one.key for one in log]
    assert caplog.text
    assert not [word for word in ("secret", "Zanzibarquux") if word in caplog.text]
    assert [("m", -1)] == [(r.body["model"], r.body["truncate_prompt_tokens"]) for r in log]


def test_no_key_and_no_proxy_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenAI's key is not for this server, and a proxy not for this machine."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with rerank_server(scored) as (url, log):
        made = connect_reranker(replace(OWN, base_url=url), {"OPENAI_API_KEY": "sk"}, offline=False)
        assert made is not None
        made.scores("q", ["a"])

    assert [None] == [one.key for one in log]


@pytest.mark.parametrize(
    ("settings", "message", "hint"),
    [
        (replace(OWN, base_url=""), "rerank.base_url is no http", "rerank.api_key_env"),
        (replace(OWN, base_url="http://a:b@127.0.0.1"), "user name", "variable"),
        (replace(OWN, base_url="http://192.0.2.1"), "models.offline is set", "rerank.base_url"),
        (replace(OWN, api_key_env="NO_KEY"), "NO_KEY is not set", "http://127.0.0.1:1"),
        (replace(OWN, api_key_env="BAD_KEY"), "BAD_KEY holds no key", "key alone"),
    ],
)
def test_what_cannot_be_asked_is_refused(settings: RerankSettings, message: str, hint: str) -> None:
    """Before anything is sent, with the setting's name and what to do."""
    with pytest.raises(ConfigError) as error:
        connect_reranker(settings, {"BAD_KEY": "a b"}, offline=True)

    assert message in str(error.value)
    assert hint in error.value.hint


def test_ports_as_the_settings_want_them(tmp_path: Path, data_home: Path) -> None:
    """By default there is no server and no file; both are there where they are named."""
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "guide.md")).exit_code
    assert data_home.exists()
    file = tmp_path / "blend.jsonl"
    blend = BlendSettings(mode="words", diagnostics=str(file))
    with connect("default", Settings(), {}) as connection:
        ports = connection.ports
        assert (None, None, ()) == (ports.reranker, ports.blend_log, ports.warnings())
    unused = replace(Settings(), blend=replace(blend, mode="off"))
    with connect("default", unused, {}) as connection:
        assert connection.ports.blend_log is None
    assert not file.exists()
    with connect("default", replace(Settings(), rerank=OWN, blend=blend), {}) as connection:
        assert connection.ports.reranker is not None
        assert isinstance(connection.ports.blend_log, BlendLines)
    assert file.exists()
