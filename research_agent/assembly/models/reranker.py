"""The rerank server, as the settings name it."""

from collections.abc import Mapping

from research_agent.assembly.models.roles import check_key, is_address
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
    _check_address(settings, offline=offline)
    return HttpReranker(
        RerankEndpoint(
            base_url=settings.base_url,
            form=settings.form,
            model=settings.model,
            api_key=_key(settings, environment),
            key_env=settings.api_key_env,
            seconds=settings.timeout,
            scale=settings.scale,
            trust_env=not is_loopback(settings.base_url),
        )
    )


def _check_address(settings: RerankSettings, *, offline: bool) -> None:
    if not is_address(settings.base_url):
        raise ConfigError(
            "rerank.base_url is no http:// or https:// address, or has a user name in it",
            hint="For example http://127.0.0.1:8080/v1; a key belongs into an environment "
            "variable, named in rerank.api_key_env.",
        )
    if offline and not is_loopback(settings.base_url):
        raise ConfigError(
            f"models.offline is set, and rerank asks {settings.base_url}, which is not on this "
            "machine",
            hint="Set rerank.base_url to a server on this machine, or rerank.mode to something "
            "else than http; or do without models.offline.",
        )


def _key(settings: RerankSettings, environment: Mapping[str, str]) -> str:
    """Return the key, empty where the settings name none; raises ConfigError."""
    if not settings.api_key_env:
        return ""
    found = environment.get(settings.api_key_env, "").strip()
    check_key(settings.api_key_env, found)
    if not found:
        raise ConfigError(
            f"the environment variable {settings.api_key_env} is not set",
            hint=f"Put the key for {settings.base_url} into it, or leave rerank.api_key_env empty.",
        )
    return found
