"""What may be contacted: from the settings and the environment, without a packet."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from research_agent.assembly.diagnosis.findings import Finding
from research_agent.assembly.models.roles import CHAT_ROLES, bedrock_region
from research_agent.errors import ConfigError
from research_agent.model_settings import RoleSettings
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
    if not name and role.provider == "langchain":
        return Host(f"LangChain's {role.model.partition(':')[0]}", own=False)
    if not name:
        try:
            region = bedrock_region("models", role, environment)
        except ConfigError:  # (the role has that as its problem)
            region = "REGION"
        name = f"bedrock-runtime.{region}.amazonaws.com"
    return Host(name, own=is_own(name))


def hosts(settings: Settings, environment: Mapping[str, str]) -> Mapping[str, Host]:
    """Return the host that each role asks, and `rerank` where a rerank server is asked."""
    models, rerank = settings.models, settings.rerank
    roles = {name: models.role(name) for name in CHAT_ROLES} | {"embedding": models.embedding}
    found = {name: host_of(role, environment) for name, role in roles.items()}
    if rerank.mode == "http" and (name := _hostname(rerank.base_url)):
        found["rerank"] = Host(name, own=is_own(name))
    if name := _hostname(settings.index.server):
        found["vectors"] = Host(name, own=is_own(name))
    return {role: host for role, host in found.items() if host.name}


def outside_hosts(settings: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the hosts on other machines that the settings let be asked, each with its roles.

    >>> from research_agent.model_settings import ModelSettings
    >>> models = ModelSettings(chat=RoleSettings(provider="openai", model="m"))
    >>> outside_hosts(Settings(models=models), {})
    ('api.openai.com (answer, planner, filter, verifier)',)
    """
    asked = _roles_of(hosts(settings, environment), own=False)
    return tuple(f"{host} ({', '.join(roles)})" for host, roles in asked.items())


def network_findings(settings: Settings, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield which hosts the roles ask, which proxies are named, and whether runs are traced."""
    found, offline = hosts(settings, environment), settings.models.offline
    outside, own = _roles_of(found, own=False), _roles_of(found, own=True)
    if offline and outside:
        role = next(role for role, host in found.items() if not host.own)
        key = role if role == "rerank" else f"models.{role}"
        cure = f"set {key}.base_url to a server on this machine."
        yield Finding(
            "fault",
            "network",
            f"offline, but {_asked(outside)}",
            f"Leave out --offline (models.offline), or {cure}",
        )
    elif outside:
        yield Finding("note", "network", f"leaves this machine: {_asked(outside)}")
    else:
        policy = "offline: only this machine is asked" if offline else "online"
        yield Finding("ok", "network", f"{policy}; nothing leaves this machine")
    if own:
        yield Finding("ok", "network", f"on this machine: {_asked(own)}")
    named = [key for key in PROXIES if environment.get(key) or environment.get(key.lower())]
    if named:
        used = "used" if outside else "not used, because no server is elsewhere"
        what = f"the environment names a proxy ({', '.join(named)}); {used}"
        yield Finding("note", "network", what)
    if next(filter(None, map(environment.get, TRACING)), "") == "true":
        what = "LangSmith's tracing is on: questions, chunks and answers are sent to LangSmith"
        yield Finding("warning", "telemetry", what, "unset RESEARCH_AGENT_TRACING")
    else:
        yield Finding("ok", "telemetry", "LangSmith's tracing is off, Chroma's telemetry is off")


def _roles_of(found: Mapping[str, Host], *, own: bool) -> Mapping[str, Sequence[str]]:
    """Return the roles that ask each host, on this machine or elsewhere."""
    asked: dict[str, list[str]] = {}
    for role, host in found.items():
        if host.own == own:
            asked.setdefault(host.name, []).append(role)
    return asked


def _asked(found: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{host} is asked by {', '.join(roles)}" for host, roles in found.items())


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
