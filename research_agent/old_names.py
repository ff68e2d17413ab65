"""Keys that are gone, and variables of the systems that this project unites, as today's keys."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from research_agent.errors import ConfigError
from research_agent.setting_fields import number_range
from research_agent.settings import Settings

_FIXED = "is gone: it has the value that was its default"
GONE: Mapping[str, str] = {
    "verify.seed_iterations": "is now budget.rounds",
    "verify.min_value": "is gone: no measured floor paid; budget.rounds limits the rounds",
    "verify.sample_temperature": "is gone: second answers are sampled at 0.7",
    "verify.max_disagreement": "is gone: two answers may differ by half of what they say",
    # Selecting and pruning evidence.
    "evidence.max_a_document": "is gone: evidence.max_chunks limits a round",
    "prune.min_similarity": "is gone: it is 0.3",
    "prune.keep": 'is gone: prune.mode "ratio" with prune.keep_ratio keeps a share',
    "prune.least": "is gone: one chunk stays",
    "prune.protect": "is gone: tables, names and numbers of the question always stay",
    "prune.reinstate": "is gone: what was left out always comes back once",
    "prune.max_calls": "is gone: a round makes 12 calls at most",
    "prune.max_tokens": "is gone: measured answers have 24 tokens at most",
    "prune.passage_tokens": "is gone: 300 tokens of a chunk are shown",
    "prune.top_logprobs": "is gone: 5 are asked for",
    "prune.temperature": "is gone: it is 0",
    "prune.seconds": "is gone: a round takes 60 seconds at most",
    # Writing the answer.
    "answer.mode": "is gone: the model writes, and algorithms are shown as they are",
    "answer.passages": "is gone with answer.mode",
    "answer.passage_words": "is gone with answer.mode",
    "answer.passages_by": "is gone with answer.mode",
    "answer.passages_judged": "is gone with answer.mode",
    # Refining, filtering, conversations.
    "refinement.profile": "is gone: preset seed sets refinement.min_similarity",
    "refinement.margin": "is gone: it is always 0.15",
    "refinement.min_overlap": "is gone: it is always 0.2",
    "refinement.improvement": "is gone: it is always 0.05",
    "refinement.translate": "is gone: a question in another language is always translated",
    "refinement.hops": "is gone: a part may always wait for the answer to another one",
    "filter.adaptive": "is gone: filter.oversample is the same for every question",
    "filter.min_relevance": 'is gone with filter.mode "pointwise": use "score" or "llm"',
    "filter.max_judged": 'is gone with filter.mode "pointwise": use "score" or "llm"',
    "filter.passage_tokens": 'is gone with filter.mode "pointwise": use "score" or "llm"',
    "filter.seconds": "is gone: a search is filtered within 60 seconds",
    "sessions.max_history_tokens": "is gone: it is always 1000",
    "sessions.clarify_margin": "is gone: it is always 0.02",
    "sessions.clarify_words": "is gone: it is always 6",
    "retrieval.planner": "is now retrieval.question_kinds",
    "retrieval.words": "is gone: kinds of questions are told by English words alone",
    **dict.fromkeys(
        (
            "retrieval.pages",
            "retrieval.look_up_weight",
            "retrieval.heading_weight",
            "retrieval.definition_weight",
            "retrieval.meaning_weight",
            "retrieval.comparison_after",
            "retrieval.comparison_each",
            "retrieval.overview_after",
            "retrieval.overview_slots",
            "retrieval.overview_each_after",
            "retrieval.overview_each_slots",
            "retrieval.related_after",
            "retrieval.related_every",
            "retrieval.title_weight",
            "retrieval.mention_weight",
            "retrieval.mention_hits",
            "confidence.concentration_scale",
            "confidence.length_norm",
            "rerank.pool",
        ),
        _FIXED,
    ),
    "confidence.profile": "is gone: preset seed sets confidence.bypass",
    "confidence.seed_bypass": "is gone: set confidence.bypass",
    "blend.multiplier": "is gone: the best 200 hits may change places",
    "blend.largest": "is gone: the best 200 hits may change places",
    "rerank.min_score": "is gone: filter.min_similarity drops hits",
    "rerank.scale": "is gone: a reranker's scores only order hits",
    # What nobody changed.
    "models.top_logprobs": "is gone: 5 tokens are asked for at each place",
    "models.retries": "is gone: there are two further tries",
    "models.max_requests": "is now models.concurrency",
    "rerank.timeout": "is gone: it is 60 seconds",
    "filter.max_expanded": "is gone: it is 15 chunks",
    "prune.keep_ratio": "is gone: half of the chunks stay",
    "search.max_turns": "is gone: it is 3; budget.llm_calls and budget.tool_calls limit a search",
    "refinement.max_parts": "is gone: it is 3 queries",
    "blend.codes": "is now blend.mode: patterns or model",
}
"""Keys of earlier versions: "is now ..." names what took their place, "is gone: ..." says why."""
Read = Callable[[str], object]
"""A variable's text to the value of its key; raises ValueError, which says what it must be."""


@dataclass(frozen=True, slots=True)
class Today:
    """What became of a variable."""

    keys: tuple[str, ...] = ()
    """Today's keys, all of which get the value; none: it has no counterpart."""
    read: Read | None = None
    """None: a number, as it is."""
    gone: str = ""
    """Why it has no counterpart, and what to do."""


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError("a number") from None
    if not math.isfinite(value):
        raise ValueError("a number")
    return int(value) if value.is_integer() else value


def _one_of(choices: Mapping[str, object]) -> Read:
    def read(text: str) -> object:
        if text.strip().lower() not in choices:
            raise ValueError(f"one of {', '.join(choices)}")
        return choices[text.strip().lower()]

    return read


def _switch(on: object, off: object) -> Read:
    return _one_of({"1": on, "true": on, "0": off, "false": off})


def _key(*keys: str, read: Read | None = None) -> Today:
    return Today(keys, read)


OLD: Mapping[str, Today] = {
    # Confidence, validators and the DRAGIN check (seed 1).
    "RQ_SIMILARITY_BLOCK_THRESHOLD": _key("refinement.min_similarity"),
    "RQ_BYPASS_CONFIDENCE_THRESHOLD": _key("confidence.bypass"),
    "RQ_POSTVALIDATE_MARGIN": Today(gone="the margin is 0.15, as it was"),
    "RQ_CONCENTRATION_SCALE": Today(gone="a lead of 0.3 counts as peaked"),
    "RQ_LENGTH_NORM": Today(gone="six words or more count as long"),
    "RQ_ENABLE_BYPASS": Today(gone="set confidence.bypass: 1.01 to refine every query"),
    "SIMILARITY_TOP_K": _key("confidence.top_k"),
    "DRAGIN_THRESHOLD": _key("verify.seed_threshold"),
    "DRAGIN_MAX_ITERATIONS": _key("budget.rounds"),
    "RERANKER_MIN_SCORE": Today(gone="filter.min_similarity drops hits"),
    "CONTEXT_MAX_DOCS": _key("evidence.max_chunks"),
    "CONTEXT_CHAR_BUDGET": _key("evidence.max_chars"),
    "CONTEXT_TOKEN_BUDGET": _key("evidence.max_tokens"),
    # Hybrid retrieval and cited answers (seed 2).
    "TOP_K": _key("search.max_chunks"),
    "RETRIEVAL_RRF_K0": _key("retrieval.rrf_k"),
    "RETRIEVAL_RERANK_POOL": Today(gone="rerank.mode: promote looks at the best 40 hits"),
    "RETRIEVAL_ENABLE_RERANK": _key("rerank.mode", read=_switch("promote", "off")),
    "RETRIEVAL_QUERY_FUSION": _key("retrieval.question_kinds", read=_switch("on", "off")),
    "RETRIEVAL_MODE": Today(gone="set retrieval.mode: hybrid, dense or lexical"),
    "RETRIEVAL_CANDIDATE_MULTIPLIER": Today(gone="retrieval.top_k is the number of hits itself"),
    "ASK_MAX_CONTEXT_CHUNKS": _key("evidence.max_chunks"),
    "ASK_MAX_CONTEXT_CHARS": _key("evidence.max_chars"),
    "ASK_NEIGHBOR_WINDOW": _key("evidence.neighbours"),
    "ASK_INCLUDE_NEIGHBOR_CHUNKS": Today(gone="set evidence.neighbours: 0 for none"),
    "ASK_MIN_EVIDENCE_HITS": Today(gone="a single passage may answer a question"),
    "ASK_REQUIRE_CITATIONS": Today(gone="every sentence has a citation, or a mark"),
    # Codes blended into the order of hits (seed 3).
    "TMD_ALPHA": _key("blend.alpha", read=lambda text: round(1 - _number(text), 9)),
    "TMD_NORM": _key(
        "blend.scale",
        read=_one_of({"softmax": "softmax", "zscore": "z-score", "minmax": "min-max"}),
    ),
    "TMD_TEMP": _key("blend.temperature"),
    "TMD_SEARCH_MULT": Today(gone="the best 200 hits are blended"),
    "TMD_SEARCH_MAX": Today(gone="the best 200 hits are blended"),
    "TMD_USE_LLM": _key("blend.mode", read=_switch("model", "patterns")),
    "TMD_DIAG": Today(gone="let blend.diagnostics name a file"),
    # Filtering by a model (seed 4).
    "CHUNK_FILTERING_ENABLED": _key("filter.mode", read=_switch("llm", "off")),
    "CHUNK_FILTERING_OVERSAMPLE_MULTIPLIER": _key("filter.oversample"),
    "CHUNK_FILTERING_MIN_RELEVANCE_THRESHOLD": _key("filter.min_similarity"),
    "CHUNK_FILTERING_LLM_TIMEOUT_MS": Today(gone="a search is filtered within 60 seconds"),
    "CHUNK_FILTERING_MAX_PROMPT_TOKENS": _key("filter.max_prompt_tokens"),
}
"""Every old variable. `TMD_ALPHA` is the weight of the codes, `blend.alpha` that of the hits."""


def old_values(environment: Mapping[str, str]) -> Mapping[str, tuple[str, object]]:
    """Return what old variables say: today's keys, each with its variable and its value.

    Raises ConfigError for a value that the key cannot have, and for two variables that set one
    key differently.

    >>> old_values({"TMD_ALPHA": "0.2"})
    {'blend.alpha': ('TMD_ALPHA', 0.8)}
    """
    found: dict[str, tuple[str, object]] = {}
    for name, today in OLD.items():
        text = environment.get(name, "")
        for key in today.keys if text.strip() else ():
            value = _read(name, text, key, today.read or _number)
            before, known = found.setdefault(key, (name, value))
            if known != value:
                raise ConfigError(
                    f"{before} and {name} set {key} differently: {known} and {value}",
                    hint=f"Unset one of them, or set {key} alone.",
                )
    return found


def notes(environment: Mapping[str, str], found: Mapping[str, object]) -> tuple[str, ...]:
    """Return a line for each old variable that is set; `found` are the keys set by their names.

    >>> notes({"TMD_ALPHA": "0.2", "TMD_DIAG": "1"}, {})
    ('TMD_ALPHA is an old name, read as blend.alpha: 0.8', 'TMD_DIAG has no counterpart: \
let blend.diagnostics name a file')
    """
    told = []
    values = old_values(environment)
    for name, today in OLD.items():
        if not environment.get(name, "").strip():
            continue
        if today.gone:
            told.append(f"{name} has no counterpart: {today.gone}")
        for key in today.keys:
            used = f"an old name, read as {key}: {values[key][1]}"
            told.append(f"{name} is {f'not used: {key} is set' if key in found else used}")
    return tuple(told)


def _read(name: str, text: str, key: str, read: Read) -> object:
    """Return the value of a key; raises ConfigError, which names the variable."""
    try:
        value = read(text)
        must_be = _wrong(value, key)
    except ValueError as error:
        value, must_be = None, str(error)
    if must_be:
        raise ConfigError(
            f"the environment variable {name} must be {must_be}, got {text!r}",
            hint=f"It is an old name; today's is {key}.",
        )
    return value


def _wrong(value: object, key: str) -> str:
    """Return what the value of a key must be; empty where it is."""
    section, _, leaf = key.partition(".")
    owner = getattr(Settings(), section)
    limits = number_range(type(owner), leaf)
    if limits and isinstance(value, int | float) and not limits.low <= value <= limits.high:
        return f"such that {key} is {limits.low:g} to {limits.high:g}"
    whole = isinstance(getattr(owner, leaf), int)
    return "a whole number" if whole and isinstance(value, float) else ""
