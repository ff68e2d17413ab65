"""Settings of the models: which servers are asked for what."""

from dataclasses import dataclass, fields
from typing import Annotated, ClassVar, Literal

from research_agent.setting_fields import Range, constant

Provider = Literal["local", "openai", "bedrock", "langchain"]

ENGLISH, MULTILINGUAL = "all-MiniLM-L6-v2", "multilingual-e5-small"
"""The packaged embedding models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSettings:
    """Which model fills a role. Empty fields of a role are taken from `models.chat`."""

    provider: Literal["", Provider] = ""
    """local: the embedded model; openai: any server that speaks OpenAI's protocol; bedrock: Amazon
    Bedrock; langchain: any provider with a LangChain package."""
    model: str = ""
    """The model's name at its server; for langchain with the provider, `anthropic:NAME`."""
    base_url: str = ""
    """The server's address; empty: OpenAI's own, or Bedrock's in the region."""
    api_key_env: str = ""
    """The environment variable that holds the key; the key itself is never in a file."""
    region: str = ""
    """Bedrock's region; empty: the value of AWS_REGION or AWS_DEFAULT_REGION."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModelSettings:
    """The embedded model."""

    weights: Literal["auto", "1.5b", "0.5b"] = "auto"
    """The packaged weights; auto: the largest that are installed."""
    path: str = ""
    """A GGUF file to use instead of packaged weights."""
    context: Annotated[int, Range(1024, 131_072, "tokens")] = 8192
    """Context length: most tokens of prompt and reply together."""
    threads: Annotated[int | None, Range(0, 256, "threads")] = None
    """Threads of the model server; null: one for each core."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceSettings:
    """What a model costs, in money per million tokens."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    model: str = ""
    """The model's name, as the role names it."""
    read: Annotated[float, Range(0, 1_000_000)] = 0.0
    """A million prompt tokens."""
    cached: Annotated[float | None, Range(0, 1_000_000)] = None
    """A million prompt tokens that the server had cached; null: the same as `read`."""
    written: Annotated[float, Range(0, 1_000_000)] = 0.0
    """A million tokens of replies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyCacheSettings:
    """Replies kept on this machine, reused when the same model gets the same prompt."""

    mode: Literal["on", "off", "counted"] = "on"
    """on: keep and reuse replies; off: neither; counted: a reused reply counts as a new call."""
    max_mb: Annotated[float, Range(1, 100_000, "MB")] = 200.0
    """Largest size; above it, the replies that were unused for longest are deleted."""
    max_days: Annotated[float, Range(0.01, 10_000, "days")] = 30.0
    """Oldest reply that is reused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Which servers and models are asked."""

    chat: RoleSettings = RoleSettings(provider="local")
    """The model of every role below that names no other."""
    answer: RoleSettings = RoleSettings()
    planner: RoleSettings = RoleSettings()
    filter: RoleSettings = RoleSettings()
    verifier: RoleSettings = RoleSettings()
    embedding: RoleSettings = RoleSettings(provider="local")
    """A server's embedding model; with provider local a packaged one: all-MiniLM-L6-v2 (English),
    multilingual-e5-small (extra `languages`), or empty for the one that fits the documents."""
    local: LocalModelSettings = LocalModelSettings()
    """The embedded model."""
    prices: tuple[PriceSettings, ...] = ()
    """What models cost, in money per million tokens, for the cost in results and `budget.cost`:
    [{model: some-name, read: 0.15, cached: 0.075, written: 0.6}]"""
    reply_cache: ReplyCacheSettings = ReplyCacheSettings()
    """Replies kept on this machine, reused when the same model gets the same prompt."""
    offline: bool = False
    """Refuse every server that is not on this machine."""
    top_logprobs: int = constant(5)
    """Alternative tokens requested at each position of an answer."""
    timeout: Annotated[float | None, Range(0, 7200, "seconds")] = None
    """Longest time for one try of a request; null: ten minutes."""
    retries: int = constant(2)
    """Further tries after a temporary fault; the embedded model is restarted once."""
    concurrency: Annotated[int, Range(1, 256, "questions")] = 8
    """Most questions at a time, and most requests at a time to one server; the embedded model takes
    one request at a time."""

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
