"""Where the model of a role is, as its adapter wants to know it."""

from collections.abc import Mapping
from pathlib import Path

from research_agent.assembly.models.roles import api_key, bedrock_region, key_variable
from research_agent.errors import ModelMissingError
from research_agent.model_settings import LocalModelSettings, ModelSettings, RoleSettings
from research_agent.models.adapters.bedrock import BedrockEndpoint
from research_agent.models.adapters.langchain.calling import object_named
from research_agent.models.adapters.llama import LlamaServer
from research_agent.models.adapters.openai import OPENAI_URL, Endpoint
from research_agent.models.adapters.weights import (
    Progress,
    cache_directory,
    choose,
    ensure_weights,
    gguf_file,
    prune_joined,
)

EMBEDDING_SECONDS = 600.0
"""Time one request to an embedding model may take, where the settings say nothing else."""
UNHURRIED = 86_400.0
"""Chat models get their deadline with each call."""


def endpoint_of(
    key: str,
    role: RoleSettings,
    settings: ModelSettings,
    environment: Mapping[str, str],
    *,
    timeout: float = UNHURRIED,
) -> Endpoint | BedrockEndpoint:
    """Return the endpoint of a checked role whose model is at a server; raises ConfigError."""
    if role.provider == "bedrock":
        return BedrockEndpoint(
            model=role.model,
            region=bedrock_region(key, role, environment),
            url=role.base_url,
            offline=settings.offline,
            timeout=timeout,
        )
    url = role.base_url or OPENAI_URL
    return Endpoint(
        model=role.model,
        url=lambda: url,
        where=url,
        api_key=api_key(key, role, environment),
        key_env=key_variable(role),
        timeout=timeout,
    )


def langchain_object(key: str, role: RoleSettings, environment: Mapping[str, str]) -> object:
    """Return what LangChain makes of a checked role; raises ModelMissingError, ConfigError."""
    embeds = key == "models.embedding"
    maker = "embeddings.init_embeddings" if embeds else "chat_models.init_chat_model"
    options = {"base_url": role.base_url} if role.base_url else {}
    options |= {"api_key": api_key(key, role, environment)} if role.api_key_env else {}
    return object_named(maker, role.model, **options)


def embedded_endpoint(server: LlamaServer) -> Endpoint:
    """Return the endpoint of the embedded model."""
    return Endpoint(
        model="local",
        url=server.base_url,
        where="the embedded model",
        api_key=server.api_key,
        timeout=UNHURRIED,
        embedded=True,
    )


def embedded_weights(
    local: LocalModelSettings, environment: Mapping[str, str], on_progress: Progress
) -> Path:
    """Return the file that the embedded server reads, joined first where it has to be."""
    if local.path:
        return gguf_file(local.path)
    cache = cache_directory(environment)
    chosen = choose(local.weights, cache)
    joined = ensure_weights(chosen.weights, cache, on_progress)
    if not chosen.joined:
        prune_joined(chosen.weights, cache, environment)
    return joined


def embedded_digest(local: LocalModelSettings, environment: Mapping[str, str]) -> str:
    """Return the identity of the embedded model's weights; empty where there are none.

    A user's own file is identified by path, size and date, because reading it takes seconds.
    """
    if local.path:
        path = Path(local.path).expanduser().absolute()
        found = path.stat() if path.is_file() else None
        return f"{path} {found.st_size} {found.st_mtime_ns}" if found else ""
    try:
        return choose(local.weights, cache_directory(environment)).weights.sha256
    except ModelMissingError:
        return ""


def reply_file(environment: Mapping[str, str]) -> Path:
    """Return the SQLite file of the reply cache: replies as they were, prompts as hashes."""
    return cache_directory(environment) / "replies.sqlite3"


def learned_file(environment: Mapping[str, str]) -> Path:
    """Return the JSON file of what servers can and how fast they are; it holds no text."""
    return cache_directory(environment) / "learned.json"
