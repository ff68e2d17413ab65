"""Every setting of the agent; `config.yaml` is generated from these classes and their texts."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from research_agent.errors import ConfigError
from research_agent.model_settings import ModelSettings
from research_agent.setting_fields import Range, check_ranges, constant

Preset = Literal["auto", "local", "full", "seed"]
"""Which stages act. "auto": "local" for the embedded model, "full" for a server."""


@dataclass(frozen=True, slots=True)
class Laid:
    """The preset whose values are in some settings, below the user's own keys."""

    name: str = ""
    """Empty: the plain defaults; no preset was laid."""
    own: tuple[str, ...] = ()
    """Keys such as "budget.rounds" that a file, the environment or a caller has set."""
    gave_way: bool = False
    """The model's calls or verdicts could not be read: search and filter are those of "local"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSettings:
    """Which files are read, and how they are cut."""

    include: tuple[str, ...] = ()
    """Globs of the files to read, relative to the named folder; empty: all known formats."""
    exclude: tuple[str, ...] = ()
    """Globs of files to skip."""
    gitignore: bool = True
    """Skip files that a .gitignore names."""
    max_file_mb: Annotated[float, Range(0.001, 4096, "MB")] = 100.0
    """Largest file that is read; larger files are skipped."""
    chunk_chars: Annotated[int, Range(200, 8000, "characters")] = 1000
    """Target length of a chunk of running text."""
    parse_seconds: Annotated[float, Range(1, 3600, "seconds")] = 120.0
    """Longest time to parse one file."""
    parse_memory_mb: Annotated[int, Range(256, 65536, "MB")] = 2048
    """Most memory for parsing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """How the index is kept."""

    vectors: str = "auto"
    """How vectors are searched. "auto": exactly, in memory, up to 100,000 vectors, above that by
    Chroma; "chroma": always by Chroma; "http://…": by the Chroma server at this address."""
    exact_below: int = constant(100_000)
    """With "auto": vectors, and 400 MB of them in memory, up to which a search is exact."""

    @property
    def server(self) -> str:
        """The address of a Chroma server; empty: none."""
        return self.vectors if self.vectors.startswith(("http://", "https://")) else ""

    @property
    def limit(self) -> int:
        """Vectors up to which a search is exact."""
        return self.exact_below if self.vectors == "auto" else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """How hits are found."""

    mode: Literal["hybrid", "dense", "lexical"] = "hybrid"
    """Search by vectors and words (hybrid), by vectors only, or by words only."""
    top_k: Annotated[int, Range(1, 500, "chunks")] = 30
    """Best hits taken from the vectors and from the words."""
    rrf_k: Annotated[int, Range(1, 1000, "ranks")] = 5
    """The constant k of reciprocal rank fusion."""
    question_kinds: bool = True
    """Add searches that fit the kind of question; false: search only for its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceSettings:
    """Retrieval confidence, and when it is high enough to search the question unchanged."""

    top_k: Annotated[int, Range(1, 500, "chunks")] = 5
    """Best hits that may be answers; the mean similarity of the others is the background."""
    bypass: Annotated[float, Range(0, 1.01)] = 0.25
    """A query is refined only below this confidence; a value above 1 refines every query."""
    calibrated: bool = True
    """Use values that `calibrate` fitted to the index instead of defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinementSettings:
    """When and how a query is rewritten or split before the search."""

    mode: Literal["auto", "pure", "off"] = "auto"
    """At low confidence, auto asks the planner model, pure splits by rules, off does neither."""
    complexity: Literal["pure", "nested", "model"] = "nested"
    """What splits a question of high confidence into parts. pure: rules; nested: the planner model,
    if the question names a thing by another one ("the author of X"); model: always that model."""
    min_similarity: Annotated[float, Range(-1, 1, "cosine")] = -1.0
    """Least similarity of a rewritten query to the question; -1: fitted to the embedding model."""
    max_parts: int = constant(3)
    """Queries that may be searched beside the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """How the tool calls of a search are written."""

    mode: Literal["planned", "tool_calling"] = "planned"
    """planned: by rules; tool_calling: by the planner model."""
    max_turns: int = constant(3)
    """Turns of the inner loop."""
    max_chunks: Annotated[int, Range(1, 100, "chunks")] = 10
    """Most chunks that one call returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterSettings:
    """Which hits of a call are dropped, and which bring along the chunks they refer to."""

    mode: Literal["off", "score", "llm"] = "score"
    """off: keep all hits; score: drop dissimilar ones; llm: also ask the filter model."""
    min_similarity: Annotated[float, Range(-1, 1, "cosine")] = 0.1
    """Modes "score" and "llm": hits less similar to the query than this are dropped."""
    oversample: Annotated[float, Range(1, 10)] = 1.6
    """Mode "llm": hits shown to the model, as a multiple of the hits that a call returns."""
    max_prompt_tokens: Annotated[int, Range(200, 200_000, "tokens")] = 2000
    """Mode "llm": longest prompt; hits are shortened to fit."""
    max_expanded: int = constant(15)
    """Mode "llm": further chunks that kept ones may bring along."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlendSettings:
    """A second score that changes the order of hits."""

    mode: Literal["off", "patterns", "words"] = "off"
    """The second score. off: none; words: the word search's score; patterns: agreement of the topic
    codes of query and chunk, found by patterns."""
    alpha: Annotated[float, Range(0, 1)] = 0.9
    """Weight of the first score; the second score has weight 1 - alpha."""
    scale: Literal["rank", "z-score", "min-max", "softmax"] = "rank"
    """How both scores are scaled before they are added."""
    temperature: Annotated[float, Range(0.01, 100, "standard deviations")] = 1.0
    """Scale "softmax": smaller values favour the best hits more strongly."""
    diagnostics: str = ""
    """A file to which each query adds a JSON line about its blending; empty: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankSettings:
    """Reranking of the best hits, after blending."""

    mode: Literal["off", "promote", "cross-encoder", "http"] = "off"
    """What reranks the hits. off: nothing; promote: the query's technical words; cross-encoder: the
    packaged model (English); http: a rerank server."""
    candidates: Annotated[int, Range(1, 200, "chunks")] = 10
    """Modes "cross-encoder" and "http": hits that are scored. A hit costs about 30 ms with the
    cross-encoder."""
    form: Literal["llama.cpp", "vllm", "tei"] = "llama.cpp"
    """Mode "http": the kind of server."""
    base_url: str = ""
    """Mode "http": the server's address."""
    model: str = ""
    """Mode "http": the model's name; most servers have only one model and need no name."""
    api_key_env: str = ""
    """Mode "http": the environment variable that holds the key; empty: no key is sent."""
    timeout: float = constant(60.0)
    """Seconds that judging the hits of one call may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneSettings:
    """Whether chunks that do not make the model surer are left out of the evidence."""

    mode: Literal["off", "threshold", "ratio"] = "off"
    """off: keep all chunks; threshold: those with enough gain; ratio: the better half. The best
    chunk, tables, and chunks with numbers, names or quotations of the question always stay."""
    by: Literal["auto", "gain", "similarity"] = "auto"
    """What decides: the gain, which needs log-probabilities, or the similarity. Without them "auto"
    uses the similarity, and "gain" keeps all chunks."""
    min_gain: Annotated[float, Range(-1, 1)] = 0.0
    """Mode "threshold": least gain, as a drop in normalised uncertainty."""
    keep_ratio: float = constant(0.5)
    """Mode "ratio": the share of new chunks that stays in a round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSettings:
    """How much text the model reads for an answer."""

    max_chunks: Annotated[int, Range(1, 100, "chunks")] = 5
    """Most new chunks in a round."""
    max_tokens: Annotated[int, Range(100, 200_000, "tokens")] = 1500
    """Most new tokens in a round."""
    max_chars: Annotated[int, Range(400, 1_000_000, "characters")] = 12_000
    """Most new characters in a round."""
    neighbours: Annotated[int, Range(0, 5, "chunks")] = 0
    """Chunks added before and after each chunk while there is room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """How an answer is written, and when it is refused."""

    refusal: Literal["auto", "check", "prompt"] = "auto"
    """How a refusal is decided. prompt: the model may refuse while it writes the answer; check: a
    yes/no question about the written answer decides; auto: "check" for the embedded model, which
    otherwise refuses too much, and "prompt" for all others."""
    min_answerable: Annotated[float, Range(0, 1, "probability")] = 0.1
    """Refusal "check": an answer below this probability is refused, and one to which the model
    says no. It combines the model's "yes" and a cross-encoder, fitted to the embedded model. 0
    refuses nothing. Without log-probabilities the model's yes or no decides."""
    max_tokens: Annotated[int, Range(16, 8000, "tokens")] = 300
    """Longest answer."""
    unconfirmed: Literal["mark", "drop", "refuse"] = "mark"
    """What happens to unsupported sentences. mark: they get a mark; drop: they are listed in
    `unanswered` instead; refuse: the whole answer is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifySettings:
    """When an answer counts as supported and sure, and what a further round writes."""

    profile: Literal["entropy", "dragin", "seed"] = "entropy"
    """How an answer's doubt is measured. entropy: mean entropy of its tokens; dragin: DRAGIN's
    score of its most doubtful word; seed: normalised uncertainty, as in seed system 1."""
    max_entropy: Annotated[float, Range(0, 10, "nats")] = 0.6
    """Profile "entropy": an answer counts as sure up to this mean entropy of its tokens."""
    max_doubt: Annotated[float, Range(0, 10, "nats")] = 0.6
    """Profile "dragin": a sentence counts as sure up to this score of its most doubtful word."""
    seed_threshold: Annotated[float, Range(0, 1)] = 0.5
    """Profile "seed": an answer counts as sure from this confidence on, which is 1 - normalised
    uncertainty (DRAGIN_THRESHOLD)."""
    regenerate: Literal["answer", "sentence"] = "answer"
    """What a further round writes: the whole answer, or only its doubtful sentences."""
    min_support: Annotated[float | None, Range(0, 1, "probability")] = None
    """A sentence below this probability of support is unconfirmed; null: the fitted limit."""
    judge: Literal["auto", "off", "unsure", "all"] = "auto"
    """Which sentences the verifier model judges, in one call. off: none; unsure: those whose score
    is near the limit; all: every sentence that is not in the evidence word for word; auto:
    "unsure" for the embedded model, "all" for others."""
    samples: Annotated[int, Range(1, 2, "answers")] = 1
    """2: without log-probabilities, write a second answer (one more call) and measure doubt by how
    much the two differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """Hard limits of one question."""

    rounds: Annotated[int, Range(1, 20, "rounds")] = 1
    """Rounds from search to verification. From 2 on, the agent searches again for refused, missing,
    unconfirmed or doubtful parts. Presets set this."""
    max_rounds: Annotated[int, Range(1, 20, "rounds")] = 3
    """Most rounds that a caller may ask for (Python, Studio, a tool, MCP, HTTP)."""
    llm_calls: Annotated[int, Range(1, 10_000, "calls")] = 40
    """Most calls to language models."""
    tool_calls: Annotated[int, Range(1, 10_000, "calls")] = 20
    """Most searches."""
    tokens: Annotated[int, Range(100, 100_000_000, "tokens")] = 100_000
    """Most tokens that language models read and write."""
    seconds: Annotated[float, Range(1, 86_400, "seconds")] = 900.0
    """Longest time for the whole question; each call's deadline is the time that is left."""
    cost: Annotated[float | None, Range(0, 1_000_000)] = None
    """Most money, in the unit of `models.prices`; null: no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """Where conversations are kept, and how follow-up questions are understood."""

    path: str = ""
    """The folder of conversations; empty: `sessions` in the user's data folder."""
    postgres_env: str = ""
    """The environment variable with the address of a PostgreSQL server that keeps them instead."""
    retention_days: Annotated[float | None, Range(0, 36_500, "days")] = None
    """`chat` deletes conversations that were not used for this long when it starts; null: never."""
    follow_ups: Literal["model", "off"] = "model"
    """model: the planner model completes a follow-up from earlier turns (one call); off: never."""
    clarify: Literal["auto", "off"] = "auto"
    """In a terminal, ask back when a short question fits several documents or sections equally."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole configuration, as read from `config.yaml`."""

    preset: Preset = "auto"
    """Which stages run and how much they may read (`research-agent config show --preset NAME`).
    auto: "local" for the embedded model, "full" for a server. Your own keys override it."""
    documents: DocumentSettings = field(default_factory=DocumentSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    confidence: ConfidenceSettings = field(default_factory=ConfidenceSettings)
    refinement: RefinementSettings = field(default_factory=RefinementSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    blend: BlendSettings = field(default_factory=BlendSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)
    filter: FilterSettings = field(default_factory=FilterSettings)
    evidence: EvidenceSettings = field(default_factory=EvidenceSettings)
    prune: PruneSettings = field(default_factory=PruneSettings)
    answer: AnswerSettings = field(default_factory=AnswerSettings)
    verify: VerifySettings = field(default_factory=VerifySettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)
    laid: Laid = field(default=Laid(), compare=False, metadata={"hidden": True})
    """No setting: which preset is in these values, and which keys are the user's own."""

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        for name in SECTIONS:
            check_ranges(getattr(self, name), f"{name}.")
        if self.index.vectors not in ("auto", "chroma", self.index.server):
            hint = 'It is "auto", "chroma", or an address such as "http://127.0.0.1:8000".'
            raise ConfigError(f"index.vectors is {self.index.vectors!r}.", hint=hint)
        for low, high, smaller, larger in (
            (self.confidence.top_k, self.retrieval.top_k, "confidence.top_k", "retrieval.top_k"),
            (self.budget.rounds, self.budget.max_rounds, "budget.rounds", "budget.max_rounds"),
        ):
            if low > high:
                raise ConfigError(
                    f"{smaller} ({low}) must not be larger than {larger} ({high})",
                    hint=f"Raise {larger}, or lower {smaller}.",
                )

    @property
    def refuses_by(self) -> Literal["check", "prompt"]:
        """How refusals are decided, with "auto" resolved by the provider of the answer's model."""
        if self.answer.refusal != "auto":
            return self.answer.refusal
        return "check" if self.models.role("answer").provider == "local" else "prompt"

    @property
    def judges(self) -> Literal["off", "unsure", "all"]:
        """Which sentences are judged, with "auto" resolved by the provider of the verifier."""
        if self.verify.judge != "auto":
            return self.verify.judge
        return "unsure" if self.models.role("verifier").provider == "local" else "all"


SECTIONS = tuple(name for name in Settings.__annotations__ if name not in ("preset", "laid"))
