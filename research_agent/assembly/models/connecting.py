"""The adapters of all roles, as the settings name them.

A role never falls through to another provider. Nothing is joined, started or sent before the
first call, so commands that ask no model never wait for one.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

from research_agent.assembly.models import endpoints
from research_agent.assembly.models.chats import SAMPLE_TEMPERATURE, Chats
from research_agent.assembly.models.given import NOTHING_GIVEN, Given
from research_agent.assembly.models.roles import check_address, check_role, checked_key
from research_agent.errors import ConfigError
from research_agent.model_settings import MULTILINGUAL, ModelSettings, RoleSettings
from research_agent.models.adapters.bedrock import BedrockEmbedder, BedrockEndpoint
from research_agent.models.adapters.langchain.retrieval import LangChainEmbedder
from research_agent.models.adapters.llama import LlamaServer
from research_agent.models.adapters.log_redaction import withhold_requests
from research_agent.models.adapters.multilingual import MultilingualE5
from research_agent.models.adapters.openai import OpenAIEmbedder
from research_agent.models.adapters.rate_limited import RateLimitedEmbedder, Server
from research_agent.models.adapters.weights import Progress
from research_agent.ports import ChatModel, DecisionCache, Embedder
from research_agent.retrieval.adapters.rerank_http import HttpReranker
from research_agent.settings import RerankSettings
from research_agent.text.loopback import is_loopback

OnNote = Callable[[str], None]
"""Told what a person may want to know and no result can name, such as a damaged reply cache."""


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
    sampler: ChatModel | None = None
    """The answer model for a second answer, sampled at a temperature."""
    decisions: DecisionCache | None = None
    """What the filter model said of single chunks; None where replies are not kept."""


def connect_models(
    settings: ModelSettings,
    *,
    environment: Mapping[str, str],
    on_progress: Progress,
    on_note: OnNote = lambda _note: None,
    seconds: float = endpoints.EMBEDDING_SECONDS,
    given: Given = NOTHING_GIVEN,
) -> Models:
    """Return the adapters that `settings` name; raises ConfigError where they cannot be used.

    `on_progress` gets the bytes done and the bytes in all while weights are joined. A request
    for embeddings may take `seconds`, and after that no further one is tried. `given` are objects
    that fill roles whose provider is LangChain.
    """
    with ExitStack() as opened:
        withhold_requests()
        embedded = LlamaServer(
            partial(endpoints.embedded_weights, settings.local, environment, on_progress),
            context=settings.local.context,
            threads=settings.local.threads or 0,
        )
        opened.callback(embedded.close)
        chats = Chats(settings, environment, embedded, opened=opened, on_note=on_note, given=given)
        return Models(
            answerer=chats.chat("answer"),
            planner=chats.chat("planner"),
            filterer=chats.chat("filter"),
            verifier=chats.chat("verifier"),
            embedder=_embedder(
                settings,
                environment,
                opened,
                server_of=chats.server,
                seconds=seconds,
                given=given.embeddings,
            ),
            sampler=chats.chat("answer", temperature=SAMPLE_TEMPERATURE),
            decisions=chats.decisions("filter"),
            close=opened.pop_all().close,  # (the last, so that it closes all of them)
        )


def for_queries(embedder: Embedder) -> Embedder:
    """Return what embeds queries for the documents that `embedder` embeds, mostly itself."""
    return MultilingualE5(queries=True) if isinstance(embedder, MultilingualE5) else embedder


def connect_reranker(
    settings: RerankSettings, environment: Mapping[str, str], *, offline: bool
) -> HttpReranker | None:
    """Return the rerank server, None where the settings want none; nothing is sent before a call.

    Raises ConfigError where it cannot be asked. Nothing of it has to be closed.
    """
    if settings.mode != "http":
        return None
    url = settings.base_url
    check_address("rerank", url)
    if offline and not is_loopback(url):
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
    return HttpReranker(settings, key)


@contextmanager
def connect_embedder(
    settings: ModelSettings, *, environment: Mapping[str, str]
) -> Iterator[Embedder]:
    """Give the embedding model alone, for what asks no other; raises ConfigError."""
    server = Server(requests=settings.concurrency, retries=settings.retries)
    with ExitStack() as opened:
        yield _embedder(
            settings,
            environment,
            opened,
            server_of=lambda _role: server,
            seconds=endpoints.EMBEDDING_SECONDS,
        )


def _embedder(
    settings: ModelSettings,
    environment: Mapping[str, str],
    opened: ExitStack,
    *,
    server_of: Callable[[RoleSettings], Server],
    seconds: float,
    given: object = None,
) -> Embedder:
    role, key = settings.embedding, "models.embedding"
    check_role(key, role, offline=settings.offline)
    if role.provider == "local":
        from research_agent.models.adapters.minilm import MiniLM

        return MultilingualE5() if role.model == MULTILINGUAL else MiniLM()
    server = server_of(role)
    if role.provider == "langchain":
        found = given or endpoints.langchain_object(key, role, environment)
        asked = LangChainEmbedder(found, seconds=seconds)
        return RateLimitedEmbedder(asked, server, seconds=min(seconds, endpoints.EMBEDDING_SECONDS))
    withhold_requests()
    limit = settings.timeout or endpoints.EMBEDDING_SECONDS
    timeout = min(limit, seconds) if seconds < endpoints.EMBEDDING_SECONDS else limit
    endpoint = endpoints.endpoint_of(key, role, settings, environment, timeout=timeout)
    remote = (
        BedrockEmbedder(endpoint)
        if isinstance(endpoint, BedrockEndpoint)
        else OpenAIEmbedder(endpoint)
    )
    opened.callback(remote.close)
    opened.callback(server.close)  # (it is called before the other one)
    return RateLimitedEmbedder(remote, server, seconds=min(seconds, endpoints.EMBEDDING_SECONDS))
