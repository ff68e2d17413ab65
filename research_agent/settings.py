"""Every setting of the agent, as one immutable tree; `config.yaml` is generated from it.

The text below a field is its description for users, and its `Range` the hard range of its number:
outside it the agent does not start, and the error names the key and the range.
"""

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
    """Globs of files to read, relative to the named folder; empty: every known format."""
    exclude: tuple[str, ...] = ()
    """Globs of files to leave alone."""
    gitignore: bool = True
    """Leave alone what a .gitignore names."""
    max_file_mb: Annotated[float, Range(0.001, 4096, "MB")] = 100.0
    """A larger file is skipped."""
    chunk_chars: Annotated[int, Range(200, 8000, "characters")] = 1000
    """Target length of a chunk of running text."""
    parse_seconds: Annotated[float, Range(1, 3600, "seconds")] = 120.0
    """Time one file may take to be read."""
    parse_memory_mb: Annotated[int, Range(256, 65536, "MB")] = 2048
    """Memory that reading files may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """How the index is kept."""

    vectors: str = "auto"
    """Compare vectors one by one in memory up to 100,000 of them, and search more by Chroma's graph
    ("auto"); always by Chroma ("chroma"); or by the Chroma server at this address ("http://…")."""
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
    """Ask both indexes, the vectors alone, or the words alone."""
    top_k: Annotated[int, Range(1, 500, "chunks")] = 30
    """Hits taken from each index."""
    rrf_k: Annotated[int, Range(1, 1000, "ranks")] = 5
    """The constant of reciprocal rank fusion."""
    question_kinds: bool = True
    """Recognise the kind of a question and add searches for it, or search its words alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceSettings:
    """Retrieval confidence: from which on a question is searched as it is."""

    top_k: Annotated[int, Range(1, 500, "chunks")] = 5
    """Hits that may be answers; the mean similarity of the others is the background."""
    bypass: Annotated[float, Range(0, 1.01)] = 0.25
    """Confidence from which the query is not refined; above 1 it always is."""
    calibrated: bool = True
    """Let values that `calibrate` fitted to the index take the place of defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinementSettings:
    """When a query is refined, by whom, and what may be searched of it."""

    mode: Literal["auto", "pure", "off"] = "auto"
    """Ask the planner model where confidence is low, only split questions by rules, or neither."""
    complexity: Literal["pure", "nested", "model"] = "nested"
    """What splits a question of high confidence into parts: rules; the planner model where the
    question names a thing by another one ("the author of X"); or always the planner model."""
    min_similarity: Annotated[float, Range(-1, 1, "cosine")] = -1.0
    """A rewritten query less similar to the question is blocked; -1: fitted to the embedding."""
    max_parts: int = constant(3)
    """Queries that may be searched beside the question."""
    same_question: Literal["off", "model"] = "off"
    """Ask the planner model whether proposed queries ask the same as the question; only this sees
    a changed negation or relation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """Who writes the tool calls, and how often."""

    mode: Literal["planned", "tool_calling", "auto"] = "planned"
    """Who writes the calls: rules, the planner model, or the model where a test call succeeds."""
    max_turns: int = constant(3)
    """Turns of the inner loop."""
    max_chunks: Annotated[int, Range(1, 100, "chunks")] = 10
    """Chunks one call returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterSettings:
    """Which hits of a call are dropped, and for which the chunks they refer to are added."""

    mode: Literal["off", "score", "llm"] = "score"
    """Keep all hits, drop by similarity, or also ask the filter model."""
    min_similarity: Annotated[float, Range(-1, 1, "cosine")] = 0.1
    """Every mode but "off": a hit less similar than this is dropped."""
    oversample: Annotated[float, Range(1, 10)] = 1.6
    """Mode "llm": hits shown to the model, as a multiple of those that a call returns."""
    max_prompt_tokens: Annotated[int, Range(200, 200_000, "tokens")] = 2000
    """Mode "llm": hits are shortened until the prompt is no longer."""
    max_expanded: int = constant(15)
    """Mode "llm": further chunks that kept ones may bring along."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlendSettings:
    """A second score for the order of hits, added by weight."""

    mode: Literal["off", "patterns", "model", "words"] = "off"
    """The second score: none; agreement of the topic codes of query and chunk, found by patterns,
    or by the filter model for the query and `rerank.candidates` hits; or the word search's."""
    alpha: Annotated[float, Range(0, 1)] = 0.9
    """Weight of the hits' own score; the second score has 1 - alpha."""
    scale: Literal["rank", "z-score", "min-max", "softmax"] = "rank"
    """How both scores are scaled before they are added."""
    temperature: Annotated[float, Range(0.01, 100, "standard deviations")] = 1.0
    """Scale "softmax": smaller values favour the best hits more."""
    diagnostics: str = ""
    """A file that gets a line of JSON a query with what blending did; empty: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankSettings:
    """Reranking of the best hits, after blending."""

    mode: Literal["off", "promote", "cross-encoder", "http", "model"] = "off"
    """How hits are reranked: not at all, by the query's technical words, by the packaged
    cross-encoder (English), by a rerank server, or by yes/no questions to the filter model."""
    candidates: Annotated[int, Range(1, 200, "chunks")] = 10
    """Modes "cross-encoder", "http" and "model": hits that are judged. Each takes the
    cross-encoder about 30 ms, or costs the model a call."""
    form: Literal["llama.cpp", "vllm", "tei"] = "llama.cpp"
    """Which server it is."""
    base_url: str = ""
    """Where the server is."""
    model: str = ""
    """The model's name at the server; most servers have one model and need none."""
    api_key_env: str = ""
    """The environment variable that holds the server's key; empty: no key is sent."""
    timeout: float = constant(60.0)
    """Seconds that judging the hits of one call may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneSettings:
    """Which chunks are left out of the evidence because they make the model no surer."""

    mode: Literal["off", "threshold", "ratio"] = "off"
    """Keep all chunks, those with enough gain, or the better half. One always stays, and so do
    tables and chunks with numbers, names and quotations of the question."""
    by: Literal["auto", "gain", "similarity"] = "auto"
    """Judge by the gain, which needs log-probabilities, or by similarity. Without
    log-probabilities "auto" judges by similarity, "gain" leaves nothing out."""
    min_gain: Annotated[float, Range(-1, 1)] = 0.0
    """Mode "threshold": the least gain in normalised uncertainty."""
    keep_ratio: float = constant(0.5)
    """Mode "ratio": the share of new chunks that stays in a round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSettings:
    """How much goes into a prompt."""

    max_chunks: Annotated[int, Range(1, 100, "chunks")] = 5
    """New chunks a round."""
    max_tokens: Annotated[int, Range(100, 200_000, "tokens")] = 1500
    """Tokens of evidence a round may add."""
    max_chars: Annotated[int, Range(400, 1_000_000, "characters")] = 12_000
    """Characters of evidence a round may add."""
    neighbours: Annotated[int, Range(0, 5, "chunks")] = 0
    """Chunks before and after each one that enter where tokens and characters are left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """How the answer is written and refused."""

    refusal: Literal["auto", "check", "prompt"] = "auto"
    """The prompt says what to reply where the evidence does not hold the answer ("prompt"), or a
    yes/no question about the written answer decides afterwards ("check"). "auto": "check" for the
    embedded model, which refuses too much where its prompt allows it, "prompt" for all others."""
    min_answerable: Annotated[float, Range(0, 1, "probability")] = 0.41
    """Refusal "check": an answer is a refusal below this probability, which is made of the model's
    "yes" and a cross-encoder; both are fitted to the embedded model. Without log-probabilities
    the model's yes or no decides."""
    max_tokens: Annotated[int, Range(16, 8000, "tokens")] = 300
    """Length of the answer at most."""
    unconfirmed: Literal["mark", "drop", "refuse"] = "mark"
    """Sentences that are not supported: shown with a mark, left out and listed in `unanswered`, or
    the whole answer is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifySettings:
    """When an answer counts as supported and certain, and what a further round writes."""

    profile: Literal["entropy", "dragin", "seed"] = "entropy"
    """An answer's doubt: the mean entropy of its tokens; DRAGIN's score of its most doubtful word;
    or, of seed system 1, its normalised uncertainty."""
    max_entropy: Annotated[float, Range(0, 10, "nats")] = 0.6
    """Profile "entropy": mean entropy of the answer's tokens up to which it counts as sure."""
    max_doubt: Annotated[float, Range(0, 10, "nats")] = 0.6
    """Profile "dragin": score of a word up to which its sentence counts as sure."""
    seed_threshold: Annotated[float, Range(0, 1)] = 0.5
    """Profile "seed": confidence, 1 - normalised uncertainty, from which on an answer counts as
    sure (DRAGIN_THRESHOLD)."""
    regenerate: Literal["answer", "sentence"] = "answer"
    """What a further round writes: the whole answer, or its doubtful sentences alone."""
    min_support: Annotated[float | None, Range(0, 1, "probability")] = None
    """Probability of support below which a sentence is unconfirmed; null: the fitted limit."""
    judge: Literal["auto", "off", "unsure", "all"] = "auto"
    """Ask the verifier's model in one call which sentences the evidence supports: all that are
    nowhere word for word, or only those whose score is near the limit. "auto": "unsure" for the
    embedded model, "all" for others."""
    samples: Annotated[int, Range(1, 2, "answers")] = 1
    """2: without log-probabilities a second answer is asked for, which costs a call; the share of
    content that only one of both has is the doubt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """Where the agent stops in any case."""

    rounds: Annotated[int, Range(1, 20, "rounds")] = 1
    """Passes from retrieve to verify; 2 or more: a refusal, a missing part, an unconfirmed or a
    doubtful sentence is searched for again. Presets set it."""
    max_rounds: Annotated[int, Range(1, 20, "rounds")] = 3
    """Rounds that a caller may ask for, in Python, in Studio, as a tool or over MCP."""
    llm_calls: Annotated[int, Range(1, 10_000, "calls")] = 40
    """Calls to language models, for one question like all that follow."""
    tool_calls: Annotated[int, Range(1, 10_000, "calls")] = 20
    """Searches."""
    tokens: Annotated[int, Range(100, 100_000_000, "tokens")] = 100_000
    """Tokens that language models read and write."""
    seconds: Annotated[float, Range(1, 86_400, "seconds")] = 900.0
    """Time for the whole question; what is left of it is each call's deadline."""
    cost: Annotated[float | None, Range(0, 1_000_000)] = None
    """Money, in the unit of `models.prices`; null: no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """How conversations are kept, and when they ask back."""

    path: str = ""
    """The folder of the sessions; empty: `sessions` in the user's data folder."""
    postgres_env: str = ""
    """The environment variable that holds a PostgreSQL address to keep them there instead."""
    retention_days: Annotated[float | None, Range(0, 36_500, "days")] = None
    """A session that was not used for so long is deleted when `chat` begins; null: never."""
    follow_ups: Literal["model", "off"] = "model"
    """Complete a question by the turns before: with one call of the planner model, or never."""
    clarify: Literal["auto", "off"] = "auto"
    """Ask back, in a terminal, when a short question fits several documents or sections alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole configuration, as read from `config.yaml`."""

    preset: Preset = "auto"
    """Which stages act, and how much they may read: `research-agent config show --preset NAME`
    shows one. "auto": "local" for the embedded model, "full" for a server. Below every own key."""
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
            raise ConfigError(
                f"index.vectors is {self.index.vectors!r}.",
                hint='It is "auto", "chroma", or an address such as "http://127.0.0.1:8000".',
            )
        if self.confidence.top_k > self.retrieval.top_k:
            msg = (
                f"confidence.top_k ({self.confidence.top_k}) must not be larger than "
                f"retrieval.top_k ({self.retrieval.top_k})"
            )
            raise ConfigError(msg, hint="Only what was retrieved can be read.")
        if self.budget.rounds > self.budget.max_rounds:
            msg = (
                f"budget.rounds ({self.budget.rounds}) must not be larger than "
                f"budget.max_rounds ({self.budget.max_rounds})"
            )
            raise ConfigError(msg, hint="Raise budget.max_rounds, or lower budget.rounds.")

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
