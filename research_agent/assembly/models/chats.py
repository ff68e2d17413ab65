"""The chat models of all roles: kept replies, then retries, then the server."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial

from research_agent.assembly.model_files import learned_file, reply_file
from research_agent.assembly.models.endpoints import (
    bedrock_endpoint,
    embedded_digest,
    embedded_endpoint,
    served_endpoint,
)
from research_agent.assembly.models.pricing import price_of
from research_agent.assembly.models.roles import ChatRole, check_role
from research_agent.model_settings import ModelSettings, RoleSettings
from research_agent.models.adapters.bedrock import BedrockChat
from research_agent.models.adapters.cached_chat import KeptChat
from research_agent.models.adapters.llama import START_SECONDS, LlamaServer
from research_agent.models.adapters.openai import OPENAI_URL, OpenAIChat
from research_agent.models.adapters.rate_limited import ManagedChat, Server
from research_agent.models.adapters.reply_files import SqliteReplies
from research_agent.models.adapters.server_capabilities import LearnedFile
from research_agent.models.adapters.tokens import Cl100k
from research_agent.models.replies import embedded_identity, sampled_identity, served_identity
from research_agent.models.server_capabilities import Learned, endpoint_key
from research_agent.planning.adapters.cached_verdicts import KeptDecisions
from research_agent.ports import ChatModel

SAMPLE_TEMPERATURE = 0.7
"""Of second answers (`verify.samples: 2`)."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """What is asked for of each token."""

    top_logprobs: int
    temperature: float = 0.0


class Chats:
    """Makes the chat model of each role once; roles with equal settings share it.

    Roles at one server share its limits and what is known of its speed, whichever models they
    name there.
    """

    def __init__(
        self,
        settings: ModelSettings,
        environment: Mapping[str, str],
        embedded: LlamaServer,
        *,
        opened: ExitStack,
        on_note: Callable[[str], None],
    ) -> None:
        """Put on `opened` what has to be closed; `on_note` is told of troubles."""
        self._settings, self._environment, self._embedded = settings, environment, embedded
        self._opened, self._on_note = opened, on_note
        self._tokenizer = Cl100k()
        self._learned = LearnedFile(learned_file(environment))
        self._servers: dict[tuple[str, str], Server] = {}
        self._made: dict[RoleSettings, ChatModel] = {}
        self._replies = (
            opened.enter_context(
                SqliteReplies(
                    reply_file(environment),
                    max_mb=settings.reply_cache.max_mb,
                    max_days=settings.reply_cache.max_days,
                )
            )
            if settings.reply_cache.mode == "on"
            else None
        )

    def chat(self, name: ChatRole) -> ChatModel:
        """Return the model of a role; raises ConfigError where its settings cannot be used."""
        role, key = self._settings.role(name), f"models.{name}"
        check_role(key, role, offline=self._settings.offline)
        if role not in self._made:
            self._made[role] = self._kept(role, self._managed(key, role))
        return self._made[role]

    def sampler(self, name: ChatRole) -> ChatModel:
        """Return the model of a role as a second answer is asked for, where one is wanted."""
        role, key = self._settings.role(name), f"models.{name}"
        sampling = Sampling(self._settings.top_logprobs, SAMPLE_TEMPERATURE)
        check_role(key, role, offline=self._settings.offline)
        return self._kept(role, self._managed(key, role, sampling), sampling)

    def decisions(self, name: ChatRole) -> KeptDecisions | None:
        """Return the kept verdicts of a role's model; None where nothing is kept."""
        identity = self._identity(self._settings.role(name))
        if self._replies is None or not identity:
            return None
        return KeptDecisions(self._replies, identity, on_problem=self._on_note)

    def tool_use(self, name: ChatRole) -> "KnownToolUse":
        """Return what is known of how the model of a role calls tools."""
        return KnownToolUse(self._learned, self._place(self._settings.role(name)))

    def server(self, role: RoleSettings) -> Server:
        """Return the limits of a checked role's server, the same for all roles that ask it."""
        settings, place = self._settings, (role.provider, _address(role))
        if place not in self._servers:
            own = role.provider == "local"
            self._servers[place] = Server(
                requests=1 if own else settings.requests,
                retries=settings.retries,
                timeout=settings.timeout,
                rates=self._known(role).rates,
                restart=self._embedded.close if own else None,
                start_seconds=START_SECONDS if own else 0.0,
            )
        return self._servers[place]

    def _kept(
        self, role: RoleSettings, model: ChatModel, sampling: "Sampling | None" = None
    ) -> ChatModel:
        """Return `model` behind the reply cache, where there is one that can tell it apart."""
        identity = self._identity(role, sampling)
        if self._replies is None or not identity:
            return model
        return KeptChat(model, self._replies, identity, on_problem=self._on_note)

    def _identity(self, role: RoleSettings, sampling: "Sampling | None" = None) -> str:
        given = sampling or Sampling(self._settings.top_logprobs)
        shown, temperature = given.top_logprobs, given.temperature
        if role.provider != "local":
            identity = served_identity(role.provider, _address(role), role.model, shown)
            return sampled_identity(identity, temperature)
        digest = embedded_digest(self._settings.local, self._environment)
        if not digest:
            return ""
        identity = embedded_identity(digest, self._settings.local.context, shown)
        return sampled_identity(identity, temperature)

    def _managed(
        self, key: str, role: RoleSettings, sampling: "Sampling | None" = None
    ) -> ChatModel:
        """Return the model behind its server's limits, and keep what is learned of both."""
        settings, environment = self._settings, self._environment
        known, server = self._known(role), self.server(role)
        price = price_of(settings, role)
        chat: OpenAIChat | BedrockChat
        if role.provider == "bedrock":
            place = bedrock_endpoint(key, role, settings, environment)
            chat = BedrockChat(
                replace(place, temperature=sampling.temperature if sampling else 0.0)
            )
        else:
            endpoint = (
                served_endpoint(key, role, settings, environment)
                if role.provider == "openai"
                else embedded_endpoint(self._embedded, settings)
            )
            if sampling:
                endpoint = replace(
                    endpoint,
                    top_logprobs=sampling.top_logprobs,
                    temperature=sampling.temperature,
                )
            chat = OpenAIChat(endpoint, learned=known)
        if isinstance(chat, OpenAIChat):
            self._opened.callback(partial(self._remember, role, chat, server))
        self._opened.callback(chat.close)
        self._opened.callback(server.close)  # (it is called before the other one)
        return ManagedChat(chat, server, tokenizer=self._tokenizer, price=price)

    def _known(self, role: RoleSettings) -> Learned:
        return self._learned.get(self._place(role))

    def _remember(self, role: RoleSettings, chat: OpenAIChat, server: Server) -> None:
        """Keep what was learned, for the next process."""
        known = self._known(role)
        learned = replace(chat.learned, rates=server.rates, tool_calls=known.tool_calls)
        if learned != Learned():
            self._learned.put(self._place(role), learned)

    def _place(self, role: RoleSettings) -> str:
        model = role.model or embedded_digest(self._settings.local, self._environment)
        return endpoint_key(role.provider, _address(role), model)


class KnownToolUse:
    """What was learned of a model's tool calls; implements ToolUse."""

    def __init__(self, learned: LearnedFile, place: str) -> None:
        """Keep it in `learned` under `place`; nothing is read yet."""
        self._learned, self._place = learned, place

    def known(self) -> bool | None:
        """Return whether the model writes usable calls, None where that is not known."""
        return self._learned.get(self._place).tool_calls

    def learn(self, *, usable: bool) -> None:
        """Keep it for a week."""
        known = self._learned.get(self._place)
        self._learned.put(self._place, replace(known, tool_calls=usable))


def _address(role: RoleSettings) -> str:
    """Return where a role's server is, also where the settings leave it to the provider."""
    if role.provider == "openai":
        return role.base_url or OPENAI_URL
    return role.base_url or role.region
