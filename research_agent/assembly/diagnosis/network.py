"""What may be contacted: from the settings and the environment, without a packet."""

from collections.abc import Iterator, Mapping, Sequence
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


def host_of(role: RoleSettings, environment: Mapping[str, str]) -> str:
    """Return the host that a role's provider asks; empty for none, or an address of no host."""
    if role.base_url and role.provider not in ("", "local"):
        return _hostname(role.base_url)
    match role.provider:
        case "" | "local":
            return ""
        case "openai":
            return _hostname(OPENAI_URL)
        case "langchain":
            return f"LangChain's {role.model.partition(':')[0]}"
        case "bedrock":
            return f"bedrock-runtime.{_region(role, environment)}.amazonaws.com"


def _region(role: RoleSettings, environment: Mapping[str, str]) -> str:
    try:
        return bedrock_region("models", role, environment)
    except ConfigError:  # (the role has that as its problem)
        return "REGION"


def hosts(settings: Settings, environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return the host that each role asks, also of a rerank server and a server for vectors."""
    models, rerank = settings.models, settings.rerank
    roles = {name: models.role(name) for name in CHAT_ROLES} | {"embedding": models.embedding}
    found = {name: host_of(role, environment) for name, role in roles.items()}
    found["rerank"] = _hostname(rerank.base_url) if rerank.mode == "http" else ""
    found["vectors"] = _hostname(settings.index.server)
    return {role: host for role, host in found.items() if host}


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
        role = next(role for role, host in found.items() if not is_own(host))
        key = role if role == "rerank" else f"models.{role}"
        cure = f"Leave out --offline, or set {key}.base_url to a server on this machine."
        yield Finding("fault", "network", f"offline, but {_asked(outside)}", cure)
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


def _roles_of(found: Mapping[str, str], *, own: bool) -> Mapping[str, Sequence[str]]:
    asked: dict[str, list[str]] = {}
    for role, host in found.items():
        if is_own(host) == own:
            asked.setdefault(host, []).append(role)
    return asked


def _asked(found: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{host} is asked by {', '.join(roles)}" for host, roles in found.items())


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
