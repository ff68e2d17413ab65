"""Where the filter's verdicts are kept: with the replies of its own model, or nowhere."""

from contextlib import closing
from pathlib import Path

from research_agent.assembly.models.connecting import connect_models
from research_agent.model_settings import ModelSettings, ReplyCacheSettings, RoleSettings

CHAT = RoleSettings(provider="openai", model="small", base_url="http://127.0.0.1:9/v1")


def told(_done: int, _total: int) -> None:
    """Watch nothing."""


def test_verdicts_belong_to_the_filters_model(tmp_path: Path) -> None:
    """Another model for the filter knows none of them; another for answers knows all."""
    environment = {"RESEARCH_AGENT_CACHE": str(tmp_path)}
    first = ModelSettings(chat=CHAT)
    with closing(connect_models(first, environment=environment, on_progress=told)) as models:
        assert models.decisions is not None
        models.decisions.put({"a": "keep"})
    for settings, known in (
        (ModelSettings(chat=CHAT, filter=RoleSettings(model="large")), {}),
        (ModelSettings(chat=CHAT, answer=RoleSettings(model="large")), {"a": "keep"}),
    ):
        with closing(connect_models(settings, environment=environment, on_progress=told)) as models:
            assert models.decisions is not None
            assert known == models.decisions.get(["a", "b"])


def test_nothing_is_kept_where_the_reply_cache_is_off(tmp_path: Path) -> None:
    """Not even a file is made."""
    settings = ModelSettings(chat=CHAT, reply_cache=ReplyCacheSettings(mode="off"))
    environment = {"RESEARCH_AGENT_CACHE": str(tmp_path)}
    with closing(connect_models(settings, environment=environment, on_progress=told)) as models:
        assert models.decisions is None
    assert [] == list(tmp_path.iterdir())
