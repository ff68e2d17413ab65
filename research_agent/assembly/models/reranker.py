"""The rerank server, as the settings name it."""

from collections.abc import Mapping

from research_agent.assembly.models.roles import check_address, checked_key
from research_agent.errors import ConfigError
from research_agent.retrieval.adapters.rerank_http import HttpReranker, RerankEndpoint
from research_agent.settings import RerankSettings
from research_agent.text.loopback import is_loopback


def connect_reranker(
    settings: RerankSettings, environment: Mapping[str, str], *, offline: bool
) -> HttpReranker | None:
    """Return the rerank server, None where the settings want none; nothing is sent before a call.

    Raises ConfigError where it cannot be asked. Nothing of it has to be closed.
    """
    if settings.mode != "http":
        return None
    url, own = settings.base_url, is_loopback(settings.base_url)
    check_address("rerank", url)
    if offline and not own:
        raise ConfigError(
            f"models.offline is set, and rerank asks {url}, which is not on this machine",
            hint="Set rerank.base_url to a server on this machine, or rerank.mode to something "
            "else than http; or do without models.offline.",
        )
    key = checked_key(settings.api_key_env, environment)
    if settings.api_key_env and not key:
        raise ConfigError(
            f"the environment variable {settings.api_key_env} is not set",
            hint=f"Put the key for {url} into it, or leave rerank.api_key_env empty.",
        )
    return HttpReranker(
        RerankEndpoint(
            base_url=url,
            form=settings.form,
            model=settings.model,
            api_key=key,
            key_env=settings.api_key_env,
            seconds=settings.timeout,
            trust_env=not own,
        )
    )
