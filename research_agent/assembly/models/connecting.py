"""The adapters of all roles, as the settings name them.

A role never falls through to another provider. Nothing is joined, started or sent before the
first call, so commands that ask no model never wait for one.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from research_agent.adapters.llama import LlamaServer
from research_agent.adapters.openai import OPENAI_URL, Endpoint, OpenAIChat, OpenAIEmbedder
from research_agent.adapters.weights import (
    Progress,
    cache_directory,
    choose,
    ensure_weights,
    gguf_file,
)
from research_agent.assembly.models.roles import DEFAULT_KEY, ChatRole, api_key, check_role
from research_agent.ports import ChatModel, Embedder
from research_agent.settings import LocalModelSettings, ModelSettings, RoleSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The adapters of every role; roles with equal settings share one."""

    answerer: ChatModel
    planner: ChatModel
    filterer: ChatModel
    verifier: ChatModel
    embedder: Embedder
    close: Callable[[], None]
    """End the embedded server and close every connection; calling it again does nothing."""


def connect_models(
    settings: ModelSettings, *, environment: Mapping[str, str], on_progress: Progress
) -> Models:
    """Return the adapters that `settings` name; raises ConfigError where they cannot be used.

    `on_progress` is told the bytes done and the bytes in all while weights are joined.
    """
    opened = ExitStack()
    server = LlamaServer(
        partial(_local_weights, settings.local, environment, on_progress),
        context=settings.local.context,
        threads=settings.local.threads,
    )
    opened.callback(server.close)
    made: dict[RoleSettings, OpenAIChat] = {}

    def chat(name: ChatRole) -> OpenAIChat:
        role, key = settings.role(name), f"models.{name}"
        check_role(key, role)
        if role not in made:
            made[role] = OpenAIChat(
                _embedded_endpoint(server, settings.timeout)
                if role.provider == "local"
                else _remote_endpoint(key, role, environment, settings.timeout)
            )
            opened.callback(made[role].close)
        return made[role]

    embedder = connect_embedder(settings, environment=environment)
    if isinstance(embedder, OpenAIEmbedder):
        opened.callback(embedder.close)
    return Models(
        answerer=chat("answer"),
        planner=chat("planner"),
        filterer=chat("filter"),
        verifier=chat("verifier"),
        embedder=embedder,
        close=opened.close,
    )


def connect_embedder(settings: ModelSettings, *, environment: Mapping[str, str]) -> Embedder:
    """Return the embedding model alone, for what asks no other; raises ConfigError."""
    role, key = settings.embedding, "models.embedding"
    check_role(key, role)
    if role.provider == "local":
        from research_agent.adapters.minilm import MiniLM

        return MiniLM()
    return OpenAIEmbedder(_remote_endpoint(key, role, environment, settings.timeout))


def _embedded_endpoint(server: LlamaServer, timeout: float) -> Endpoint:
    return Endpoint(
        model="local",
        url=server.base_url,
        where="the embedded model",
        api_key=server.api_key,
        timeout=timeout,
        embedded=True,
    )


def _remote_endpoint(
    key: str, role: RoleSettings, environment: Mapping[str, str], timeout: float
) -> Endpoint:
    url = role.base_url or OPENAI_URL
    return Endpoint(
        model=role.model,
        url=lambda: url,
        where=url,
        api_key=api_key(key, role, environment),
        key_env=role.api_key_env or DEFAULT_KEY,
        timeout=timeout,
    )


def _local_weights(
    local: LocalModelSettings, environment: Mapping[str, str], on_progress: Progress
) -> Path:
    """Return the file that the embedded server reads, joined first where it has to be."""
    if local.path:
        return gguf_file(local.path)
    cache = cache_directory(environment)
    return ensure_weights(choose(local.weights, cache).weights, cache, on_progress)
