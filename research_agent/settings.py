"""Every knob the agent has, as one immutable tree; `config.yaml` lists them for people.

A number's hard range stands beside its type. Outside it the agent does not start: the error
names the key and the range.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Annotated, ClassVar, Literal, get_args, get_origin, get_type_hints

from research_agent.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Range:
    """The hard range of a number, both ends included, and what is counted."""

    low: float
    high: float
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSettings:
    """Which files are read, and how they are cut."""

    include: tuple[str, ...] = ()
    """Globs of files to read, relative to the named folder; empty: every known format."""
    exclude: tuple[str, ...] = ()
    """Globs of files to leave alone."""
    gitignore: bool = True
    """Leave alone what a .gitignore names."""
    max_file_mb: Annotated[float, Range(0.001, 4096, "MB")] = 100.0
    """A larger file is skipped."""
    chunk_chars: Annotated[int, Range(200, 8000, "characters")] = 1000
    """Length that a chunk of running text aims at."""
    parse_seconds: Annotated[float, Range(1, 3600, "seconds")] = 120.0
    """Time one file may take to be read."""
    parse_memory_mb: Annotated[int, Range(256, 65536, "MB")] = 2048
    """Memory that reading files may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """How the index is kept."""

    exact_below: Annotated[int, Range(0, 1_000_000, "vectors")] = 50_000
    """Up to this many vectors a search is exact; above it is approximate (HNSW)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """How hits are found."""

    top_k: Annotated[int, Range(1, 500, "chunks")] = 30
    """Hits taken from each index."""
    rrf_k: Annotated[int, Range(1, 1000, "ranks")] = 20
    """The constant of reciprocal rank fusion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceSettings:
    """How the similarities of the best hits are read."""

    top_k: Annotated[int, Range(1, 500, "chunks")] = 5
    """Similarities that may be an answer; the rest of the ranking is the background."""
    concentration_scale: Annotated[float, Range(0.01, 2, "cosine")] = 0.3
    """Lead over the background at which the ranking counts as fully peaked."""
    length_norm: Annotated[int, Range(1, 100, "words")] = 6
    """Query length from which length no longer lowers confidence."""
    bypass: Annotated[float, Range(0, 1.01)] = 0.25
    """Confidence from which the query is not refined; above 1 it always is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinementSettings:
    """When a query that the planner model proposes is taken."""

    mode: Literal["auto", "off"] = "auto"
    """Ask the planner model where confidence is low, or never."""
    min_similarity: Annotated[float, Range(-1, 1, "cosine")] = 0.7
    """A proposed query less similar to the question than this is blocked."""
    margin: Annotated[float, Range(0, 2, "cosine")] = 0.15
    """A query whose best hit is this much less similar than the question's is blocked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """Who writes the tool calls, and how often."""

    mode: Literal["planned", "tool_calling"] = "planned"
    """The pure planner, or the planner model."""
    max_turns: Annotated[int, Range(1, 50, "turns")] = 3
    """Turns of the inner loop."""
    max_chunks: Annotated[int, Range(1, 100, "chunks")] = 10
    """Chunks one call returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterSettings:
    """Which of the hits of a call are dropped."""

    mode: Literal["off", "score", "llm"] = "score"
    """Keep all, judge by similarity, or ask the filter model chunk by chunk."""
    min_similarity: Annotated[float, Range(-1, 1, "cosine")] = 0.1
    """Mode "score": a hit less similar than this is dropped."""
    min_relevance: Annotated[float, Range(0, 1, "probability")] = 0.3
    """Mode "llm": a hit whose probability of "yes" is lower is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSettings:
    """How much goes into a prompt."""

    max_chunks: Annotated[int, Range(1, 100, "chunks")] = 5
    """New chunks a round."""
    max_tokens: Annotated[int, Range(100, 200_000, "tokens")] = 1500
    """Tokens of evidence a round may add."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """How the answer is written and refused."""

    refusal: Literal["check", "prompt"] = "check"
    """Decide afterwards, by a yes/no question about the written answer, or let the model refuse."""
    min_answerable: Annotated[float, Range(0, 1, "probability")] = 0.5
    """Mode "check": with a lower probability of "yes" the answer is a refusal."""
    max_tokens: Annotated[int, Range(16, 8000, "tokens")] = 300
    """Length of the answer at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifySettings:
    """When an answer counts as supported and certain."""

    max_entropy: Annotated[float, Range(0, 10, "nats")] = 0.6
    """Mean entropy of the answer's tokens up to which the model counts as sure."""
    min_support: Annotated[float, Range(0, 1, "share")] = 0.5
    """Share of a sentence's content words that its quote has to hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """Where the agent stops in any case."""

    rounds: Annotated[int, Range(1, 20, "rounds")] = 2
    """Passes from retrieve to verify."""
    llm_calls: Annotated[int, Range(1, 10_000, "calls")] = 40
    """Calls to language models, for one question like all that follow."""
    tool_calls: Annotated[int, Range(1, 10_000, "calls")] = 20
    """Searches."""
    tokens: Annotated[int, Range(100, 100_000_000, "tokens")] = 100_000
    """Tokens that language models read and write."""
    seconds: Annotated[float, Range(1, 86_400, "seconds")] = 900.0
    """Time for the whole question; what is left of it is each call's deadline."""
    cost: Annotated[float, Range(0, 1_000_000)] = 0.0
    """Money, in the unit of `models.prices`; 0: no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSettings:
    """Which model fills a role. In a role's own section, empty fields mean `models.chat`'s."""

    provider: Literal["", "local", "openai", "bedrock"] = ""
    """The embedded model, a server that speaks OpenAI's protocol, or Amazon Bedrock."""
    model: str = ""
    """The model's name at its server."""
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
    threads: Annotated[int, Range(0, 256, "threads")] = 0
    """Threads of the server; 0: as many as there are cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceSettings:
    """What a model costs, in money for a million tokens."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    model: str = ""
    """The model's name, as the role names it."""
    read: Annotated[float, Range(0, 1_000_000)] = 0.0
    """A million prompt tokens."""
    cached: Annotated[float, Range(0, 1_000_000)] = 0.0
    """A million of those prompt tokens that the server had read before; 0: as the others."""
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
    """The packaged all-MiniLM-L6-v2, or a server's embedding model."""
    local: LocalModelSettings = LocalModelSettings()
    prices: tuple[PriceSettings, ...] = ()
    """What models cost, for the cost in results and for `budget.cost`."""
    reply_cache: ReplyCacheSettings = ReplyCacheSettings()
    offline: bool = False
    """Refuse every server that is not on this machine."""
    top_logprobs: Annotated[int, Range(1, 20, "tokens")] = 5
    """Likeliest tokens that are asked for at each place of an answer."""
    timeout: Annotated[float, Range(0, 7200, "seconds")] = 0.0
    """Time one try of a request may take; 0: derived from how fast the server was so far."""
    retries: Annotated[int, Range(0, 10, "tries")] = 2
    """Further tries after a fault that may pass; the embedded model is started anew once."""
    max_requests: Annotated[int, Range(1, 256, "requests")] = 4
    """Requests to one server at a time; the embedded model takes one."""
    concurrency: Annotated[int, Range(1, 256, "questions")] = 8
    """Questions asked at a time; `aask` owns this many threads."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole configuration, as read from `config.yaml`."""

    documents: DocumentSettings = field(default_factory=DocumentSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    confidence: ConfidenceSettings = field(default_factory=ConfidenceSettings)
    refinement: RefinementSettings = field(default_factory=RefinementSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    filter: FilterSettings = field(default_factory=FilterSettings)
    evidence: EvidenceSettings = field(default_factory=EvidenceSettings)
    answer: AnswerSettings = field(default_factory=AnswerSettings)
    verify: VerifySettings = field(default_factory=VerifySettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    models: ModelSettings = field(default_factory=ModelSettings)

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        check_ranges(self)
        if self.confidence.top_k > self.retrieval.top_k:
            msg = (
                f"confidence.top_k ({self.confidence.top_k}) must not be larger than "
                f"retrieval.top_k ({self.retrieval.top_k})"
            )
            raise ConfigError(msg, hint="Only what was retrieved can be read.")


def number_range(owner: type, name: str) -> Range | None:
    """Return the hard range of a field, None where it has none."""
    hint = get_type_hints(owner, include_extras=True)[name]
    if get_origin(hint) is not Annotated:
        return None
    return next(extra for extra in get_args(hint) if isinstance(extra, Range))


def values(section: object) -> Mapping[str, object]:
    """Return the fields of a section by name; nothing for a value that is no section.

    >>> dict(values(IndexSettings(exact_below=9))), dict(values(3))
    ({'exact_below': 9}, {})
    """
    if not is_dataclass(section):
        return {}
    return {item.name: getattr(section, item.name) for item in fields(section)}


def check_ranges(section: object, prefix: str = "") -> None:
    """Raise ConfigError for the first number outside its range, in `section` or below it."""
    for key, value in values(section).items():
        name = f"{prefix}{key}"
        for section_below in value if isinstance(value, tuple) else (value,):
            check_ranges(section_below, f"{name}.")
        limits = number_range(type(section), key)
        if limits and isinstance(value, int | float) and not limits.low <= value <= limits.high:
            wanted = f"{limits.low:g} to {limits.high:g} {limits.unit}".rstrip()
            message = f"{name} must be {wanted}, got {value}"
            raise ConfigError(message, hint=f"Change {name} in the configuration.")
