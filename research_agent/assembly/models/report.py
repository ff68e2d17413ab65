"""What fills each role, and whether it can be used, without using it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from research_agent.assembly.models import roles
from research_agent.errors import ModelMissingError, ResearchAgentError
from research_agent.model_settings import ENGLISH, LocalModelSettings, ModelSettings
from research_agent.models.adapters.llama import require_runtime
from research_agent.models.adapters.openai import OPENAI_URL
from research_agent.models.adapters.weights import (
    WEIGHT_SETS,
    WeightStatus,
    cache_directory,
    choose,
    gguf_file,
    prune_parts,
    status,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDescription:
    """What fills a role."""

    role: str
    provider: str
    model: str
    where: str
    """The server's address, or the path of the file; empty for an address that is none, or that
    has a password in it.
    """
    state: Literal["ready", "installed", "missing"] = "ready"
    """Ready to be asked; installed, to be joined or verified at the first call; or not usable.

    Servers are not asked: "ready" means that the settings are whole and the key is there. Whether
    there are AWS credentials is seen only when Bedrock is asked.
    """
    problem: str = ""
    """What is missing."""
    hint: str = ""
    """What to do about it."""


def describe_models(
    settings: ModelSettings, environment: Mapping[str, str]
) -> tuple[ModelDescription, ...]:
    """Return what fills each role; starts nothing, reads no weights, and raises nothing."""
    names = (*roles.CHAT_ROLES, "embedding")
    return tuple(_describe(name, settings, environment) for name in names)


def _describe(
    name: str, settings: ModelSettings, environment: Mapping[str, str]
) -> ModelDescription:
    key = f"models.{name}"
    role = next((settings.role(one) for one in roles.CHAT_ROLES if one == name), settings.embedding)
    where = role.base_url or (OPENAI_URL if role.provider == "openai" else "")
    where = where if roles.is_address(where) else ""
    about = ModelDescription(role=name, provider=role.provider, model=role.model, where=where)
    try:
        roles.check_role(key, role, offline=settings.offline)
        if role.provider == "openai":
            roles.api_key(key, role, environment)
            return about
        if role.provider == "langchain":
            return replace(about, where=role.base_url or "through LangChain")
        if role.provider == "bedrock":
            region = roles.bedrock_region(key, role, environment)
            return replace(about, where=role.base_url or f"Amazon Bedrock in {region}")
        if name == "embedding":
            return replace(about, model=role.model or ENGLISH, where="installed with this program")
        return _describe_local(about, settings.local, environment)
    except ResearchAgentError as error:
        return replace(about, state="missing", problem=str(error), hint=error.hint)


def _describe_local(
    about: ModelDescription, local: LocalModelSettings, environment: Mapping[str, str]
) -> ModelDescription:
    require_runtime()
    if local.path:
        file = gguf_file(local.path)
        return replace(about, model=file.stem, where=str(file))
    found = choose(local.weights, cache_directory(environment))
    about = replace(about, model=found.weights.title, where=str(found.path))
    if found.verified:
        return about
    if found.joined or found.installed:
        return replace(about, state="installed")
    raise ModelMissingError(
        f"{found.installed_parts} of {len(found.weights.packages)} parts of "
        f"{found.weights.title} are installed",
        hint=found.weights.install,
    )


def weight_statuses(environment: Mapping[str, str]) -> tuple[WeightStatus, ...]:
    """Return what is here of each packaged set of weights."""
    cache = cache_directory(environment)
    return tuple(status(weights, cache) for weights in WEIGHT_SETS.values())


def prune_all(environment: Mapping[str, str]) -> int:
    """Delete the installed parts of every set that is joined and verified; return the bytes."""
    cache = cache_directory(environment)
    return sum(
        prune_parts(item.weights, cache) for item in weight_statuses(environment) if item.verified
    )
