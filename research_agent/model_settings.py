"""Settings of the models: which servers are asked for what."""

from dataclasses import dataclass, fields
from typing import Annotated, ClassVar, Literal

from research_agent.setting_fields import Range, constant

Provider = Literal["local", "openai", "bedrock", "langchain"]

ENGLISH, MULTILINGUAL = "all-MiniLM-L6-v2", "multilingual-e5-small"
"""The packaged embedding models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSettings:
    """Which model fills a role. In a role's own section, empty fields mean `models.chat`'s."""

    provider: Literal["", Provider] = ""
    """The embedded model, a server that speaks OpenAI's protocol, Amazon Bedrock, or any provider
    that LangChain has a package for."""
    model: str = ""
    """The model's name at its server; for LangChain with its provider, `anthropic:NAME`."""
    base_url: str = ""
    """Where the server is; empty: OpenAI's own, or Bedrock's in the region."""
    api_key_env: str = ""
    """The environment variable that holds the key; the key itself is never in a file."""
    region: str = ""
    """Bedrock's region; empty: what AWS_REGION or AWS_DEFAULT_REGION says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModelSettings:
    """The embedded model."""

    weights: Literal["auto", "1.5b", "0.5b"] = "auto"
    """Which packaged weights; auto: the larger of those that are installed."""
    path: str = ""
    """A GGUF file to use instead of packaged weights."""
    context: Annotated[int, Range(1024, 131_072, "tokens")] = 8192
    """Tokens the server reads and writes at most."""
    threads: Annotated[int | None, Range(0, 256, "threads")] = None
    """Threads of the server; null: as many as there are cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceSettings:
    """What a model costs, in money for a million tokens."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    model: str = ""
    """The model's name, as the role names it."""
    read: Annotated[float, Range(0, 1_000_000)] = 0.0
    """A million prompt tokens."""
    cached: Annotated[float | None, Range(0, 1_000_000)] = None
    """A million of those prompt tokens that the server had read before; null: as the others."""
    written: Annotated[float, Range(0, 1_000_000)] = 0.0
    """A million tokens of replies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyCacheSettings:
    """Replies kept on this machine: the same prompt to the same model is answered from there."""

    mode: Literal["on", "off"] = "on"
    """Keep and use replies, or neither."""
    max_mb: Annotated[float, Range(1, 100_000, "MB")] = 200.0
    """Above this the replies that were not used for the longest time go."""
    max_days: Annotated[float, Range(0.01, 10_000, "days")] = 30.0
    """An older reply is not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Which servers and models are asked."""

    chat: RoleSettings = RoleSettings(provider="local")
    """What every role below uses unless it says otherwise."""
    answer: RoleSettings = RoleSettings()
    planner: RoleSettings = RoleSettings()
    filter: RoleSettings = RoleSettings()
    verifier: RoleSettings = RoleSettings()
    embedding: RoleSettings = RoleSettings(provider="local")
    """A server's embedding model, or with provider local a packaged one: model all-MiniLM-L6-v2
    (English), multilingual-e5-small (extra languages), or empty: by the documents' language."""
    local: LocalModelSettings = LocalModelSettings()
    """The embedded model."""
    prices: tuple[PriceSettings, ...] = ()
    """What models cost, in money for a million tokens, for the cost in results and `budget.cost`:
    [{model: some-name, read: 0.15, cached: 0.075, written: 0.6}]"""
    reply_cache: ReplyCacheSettings = ReplyCacheSettings()
    """Replies kept on this machine: the same prompt to the same model is answered from there."""
    offline: bool = False
    """Refuse every server that is not on this machine."""
    top_logprobs: int = constant(5)
    """Likeliest tokens that are asked for at each place of an answer."""
    timeout: Annotated[float | None, Range(0, 7200, "seconds")] = None
    """Time one try of a request may take; null: derived from how fast the server was so far."""
    retries: int = constant(2)
    """Further tries after a fault that may pass; the embedded model is started anew once."""
    concurrency: Annotated[int, Range(1, 256, "questions")] = 8
    """Questions asked at a time, and requests to one server; the embedded model takes one request.
    """

    def role(self, name: Literal["answer", "planner", "filter", "verifier"]) -> RoleSettings:
        """Return the settings of a role, with what it leaves empty taken from `chat`.

        A role that names its own provider takes nothing from `chat`, and one that names its own
        address not its key: the key of one server is never sent to another.
        """
        own: RoleSettings = getattr(self, name)
        elsewhere = own.base_url and own.base_url != self.chat.base_url
        if own.provider and own.provider != self.chat.provider:
            return own
        filled = {f.name: getattr(own, f.name) or getattr(self.chat, f.name) for f in fields(own)}
        if elsewhere:
            filled["api_key_env"] = own.api_key_env
        return RoleSettings(**filled)
