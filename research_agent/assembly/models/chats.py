"""The chat models of all roles: kept replies, then retries, then the server."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from research_agent.assembly.models import endpoints
from research_agent.assembly.models.given import NOTHING_GIVEN, Given
from research_agent.assembly.models.roles import ChatRole, check_role, price_of
from research_agent.model_settings import ModelSettings, RoleSettings
from research_agent.models.adapters.bedrock import BedrockChat, BedrockEndpoint
from research_agent.models.adapters.cached_chat import CachedChat
from research_agent.models.adapters.capabilities_file import CapabilitiesFile, endpoint_key
from research_agent.models.adapters.langchain.chat import LangChainChat
from research_agent.models.adapters.llama import START_SECONDS, LlamaServer
from research_agent.models.adapters.openai import OPENAI_URL, Endpoint, OpenAIChat
from research_agent.models.adapters.rate_limited import TRY_SECONDS, RateLimitedChat, Server
from research_agent.models.adapters.reply_files import SqliteReplies
from research_agent.models.adapters.tokens import Cl100k
from research_agent.models.replies import identity_of
from research_agent.planning.adapters.cached_verdicts import KeptDecisions
from research_agent.ports import ChatModel

SAMPLE_TEMPERATURE = 0.7
"""Of second answers (`verify.samples: 2`)."""


class Chats:
    """Makes the chat model of each role once; roles with equal settings share it.

    Roles at one server share its limits, whichever models they name there.
    """

    def __init__(
        self,
        settings: ModelSettings,
        environment: Mapping[str, str],
        embedded: LlamaServer,
        *,
        opened: ExitStack,
        on_note: Callable[[str], None],
        given: Given = NOTHING_GIVEN,
    ) -> None:
        """Adapters that have to be closed go on `opened`; `on_note` gets warnings.

        `given` objects fill roles whose provider is LangChain.
        """
        self._given = given
        self._settings, self._environment, self._embedded = settings, environment, embedded
        self._opened, self._on_note = opened, on_note
        self._learned = CapabilitiesFile(endpoints.learned_file(environment))
        self._servers: dict[tuple[str, str], Server] = {}
        self._made: dict[tuple[RoleSettings, int, float], ChatModel] = {}
        cache, self._replies = settings.reply_cache, None
        if cache.mode != "off":
            file = endpoints.reply_file(environment)
            kept = SqliteReplies(file, max_mb=cache.max_mb, max_days=cache.max_days)
            self._replies = opened.enter_context(kept)

    def chat(self, name: ChatRole, *, temperature: float = 0.0) -> ChatModel:
        """Return the model of a role; raises ConfigError where its settings cannot be used."""
        role = self._settings.role(name)
        check_role(f"models.{name}", role, offline=self._settings.offline)
        made = (role, id(self._given.of(name)), temperature)
        if made not in self._made:
            model = self._rate_limited(name, role, temperature)
            identity = "" if self._given.of(name) else self._identity(role, temperature)
            if self._replies is not None and identity:
                counted = self._settings.reply_cache.mode == "counted"
                model = CachedChat(
                    model, self._replies, identity, counted=counted, on_problem=self._on_note
                )
            self._made[made] = model
        return self._made[made]

    def decisions(self, name: ChatRole) -> KeptDecisions | None:
        """Return the kept verdicts of a role's model; None where nothing is kept."""
        identity = self._identity(self._settings.role(name), 0.0)
        if self._given.of(name):  # (nothing tells two objects of one name apart)
            return None
        if self._replies is None or not identity or self._settings.reply_cache.mode == "counted":
            return None
        return KeptDecisions(self._replies, identity, on_problem=self._on_note)

    def server(self, role: RoleSettings) -> Server:
        """Return the limits of a checked role's server, the same for all roles that ask it."""
        settings, place = self._settings, (role.provider, _address(role))
        if place not in self._servers:
            own = role.provider == "local"
            self._servers[place] = Server(
                requests=1 if own else settings.concurrency,
                retries=settings.retries,
                timeout=(settings.timeout or TRY_SECONDS) + (START_SECONDS if own else 0.0),
                restart=self._embedded.close if own else None,
            )
        return self._servers[place]

    def _identity(self, role: RoleSettings, temperature: float) -> str:
        """Return what tells a model's replies from others; empty where nothing does."""
        shown, local = self._settings.top_logprobs, self._settings.local
        if role.provider != "local":
            url = _address(role).rstrip("/")
            return identity_of(role.provider, url, role.model, shown, temperature=temperature)
        digest = endpoints.embedded_digest(local, self._environment)
        named = identity_of("local", digest, local.context, shown, temperature=temperature)
        return named if digest else ""

    def _rate_limited(self, name: ChatRole, role: RoleSettings, temperature: float) -> ChatModel:
        """Return the model behind its server's limits, and keep what is learned of both."""
        settings, environment, server = self._settings, self._environment, self.server(role)
        key, price = f"models.{name}", price_of(settings, role)
        called = span_attributes(role)
        endpoint: Endpoint | BedrockEndpoint | None = None
        if role.provider == "local":
            endpoint = endpoints.embedded_endpoint(self._embedded)
        elif role.provider != "langchain":
            endpoint = endpoints.endpoint_of(key, role, settings, environment)
        chat: LangChainChat | OpenAIChat | BedrockChat
        if endpoint is None:
            found = self._given.of(name) or endpoints.langchain_object(key, role, environment)
            chat = LangChainChat(found, temperature=temperature)
        elif isinstance(endpoint, BedrockEndpoint):
            chat = BedrockChat(replace(endpoint, temperature=temperature))
        else:
            refused = self._learned.refused(self._place(role))
            chat = OpenAIChat(replace(endpoint, temperature=temperature), refused=refused)
            self._opened.callback(partial(self._remember, role, chat))
        self._opened.callback(chat.close)
        self._opened.callback(server.close)  # (it is called before the other one)
        return RateLimitedChat(chat, server, Cl100k(), price=price, called=called)

    def _remember(self, role: RoleSettings, chat: OpenAIChat) -> None:
        if chat.refused:
            self._learned.put(self._place(role), chat.refused)

    def _place(self, role: RoleSettings) -> str:
        model = role.model or endpoints.embedded_digest(self._settings.local, self._environment)
        return endpoint_key(role.provider, _address(role), model)


def span_attributes(role: RoleSettings) -> dict[str, str]:
    """Return how spans name a role's model, in OpenTelemetry's words.

    >>> span_attributes(RoleSettings(provider="langchain", model="anthropic:claude-haiku-4-5"))
    {'gen_ai.provider.name': 'anthropic', 'gen_ai.request.model': 'claude-haiku-4-5'}
    """
    provider = {"bedrock": "aws.bedrock", "local": "llama.cpp"}.get(role.provider, role.provider)
    model = role.model or "local"
    if role.provider == "langchain" and ":" in model:
        provider, _, model = model.partition(":")
    return {"gen_ai.provider.name": provider, "gen_ai.request.model": model}


def _address(role: RoleSettings) -> str:
    """Return where a role's server is, also where the settings leave it to the provider."""
    match role.provider:
        case "openai":
            return role.base_url or OPENAI_URL
        case "langchain":
            return role.base_url or role.model.partition(":")[0]
        case "bedrock":
            return role.base_url or role.region
        case "" | "local":
            return role.base_url
