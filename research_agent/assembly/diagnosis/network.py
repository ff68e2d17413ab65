"""Facts about what may be contacted: from the settings and the environment, without a packet."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from research_agent.assembly.diagnosis.facts import NetworkFacts
from research_agent.assembly.models.roles import CHAT_ROLES, bedrock_region
from research_agent.errors import ConfigError
from research_agent.model_settings import ModelSettings, RoleSettings
from research_agent.models.adapters.openai import OPENAI_URL
from research_agent.settings import Settings
from research_agent.text.loopback import is_own

PROXIES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY")
TRACING = ("LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING", "LANGCHAIN_TRACING")
"""The variables that switch LangSmith's tracing on, the ones that win first."""


@dataclass(frozen=True, slots=True)
class Host:
    """Where a role's model is; the embedded model has an empty name, as has one that is nowhere."""

    name: str
    own: bool


def host_of(role: RoleSettings, environment: Mapping[str, str]) -> Host:
    """Return the host that a role's provider asks; none where its address cannot be one."""
    if role.provider in ("", "local"):
        return Host("", own=True)
    name = _hostname(role.base_url)
    if role.base_url and not name:  # (the role has that as its problem)
        return Host("", own=True)
    if not name and role.provider == "openai":
        name = _hostname(OPENAI_URL)
    if not name:
        name = f"bedrock-runtime.{_region(role, environment)}.amazonaws.com"
    return Host(name, own=is_own(name))


def network_facts(
    settings: ModelSettings, environment: Mapping[str, str], *, reranker: str = ""
) -> NetworkFacts:
    """Return which hosts each role asks, which proxies are named, and whether runs are traced.

    `reranker` is the address of the rerank server; empty where none is asked.
    """
    roles = {name: settings.role(name) for name in CHAT_ROLES} | {"embedding": settings.embedding}
    hosts = {name: host_of(role, environment) for name, role in roles.items()}
    if found := _hostname(reranker):
        hosts["rerank"] = Host(found, own=is_own(found))
    named = [(name, host) for name, host in hosts.items() if host.name]
    proxies = [key for key in PROXIES for form in (key, key.lower()) if environment.get(form)]
    return NetworkFacts(
        offline=settings.offline,
        own=tuple((name, host.name) for name, host in named if host.own),
        outside=tuple((name, host.name) for name, host in named if not host.own),
        proxies=tuple(dict.fromkeys(proxies)),
        tracing=next(filter(None, map(environment.get, TRACING)), "") == "true",
    )


def outside_hosts(settings: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the hosts on other machines that the settings let be asked, each with its roles.

    >>> models = ModelSettings(chat=RoleSettings(provider="openai", model="m"))
    >>> outside_hosts(Settings(models=models), {})
    ('api.openai.com (answer, planner, filter, verifier)',)
    """
    reranker = settings.rerank.base_url if settings.rerank.mode == "http" else ""
    roles: dict[str, list[str]] = {}
    for role, host in network_facts(settings.models, environment, reranker=reranker).outside:
        roles.setdefault(host, []).append(role)
    return tuple(f"{host} ({', '.join(names)})" for host, names in roles.items())


def _region(role: RoleSettings, environment: Mapping[str, str]) -> str:
    try:
        return bedrock_region("models", role, environment)
    except ConfigError:  # (the role has that as its problem)
        return "REGION"


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
