"""Keys that are gone, and variables of the systems that this project unites, as today's keys."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from research_agent.errors import ConfigError
from research_agent.setting_fields import number_range
from research_agent.settings import Settings
from research_agent.yaml_text import read_yaml

Read = Callable[[str], object]
"""A variable's text to the value of its key; raises ValueError, which says what it must be."""


@dataclass(frozen=True, slots=True)
class Today:
    """What became of a variable."""

    key: str = ""
    """Today's key; empty: it has no counterpart."""
    read: Read | None = None
    """None: a number, as it is."""
    gone: str = ""
    """Why it has no counterpart, and what to do."""


@cache
def gone_keys() -> Mapping[str, str]:
    """Return what became of keys of earlier versions, "is now ..." or "is gone: ..."."""
    text = (Path(__file__).parent / "data/gone.yaml").read_text(encoding="utf-8")
    return {str(key): str(told) for key, told in read_yaml(text).items()}


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


OLD: Mapping[str, Today] = {
    # Confidence, validators and the DRAGIN check (seed 1).
    "RQ_SIMILARITY_BLOCK_THRESHOLD": Today("refinement.min_similarity"),
    "RQ_BYPASS_CONFIDENCE_THRESHOLD": Today("confidence.bypass"),
    "RQ_POSTVALIDATE_MARGIN": Today(gone="the margin is 0.15, as it was"),
    "RQ_CONCENTRATION_SCALE": Today(gone="a lead of 0.3 counts as peaked"),
    "RQ_LENGTH_NORM": Today(gone="six words or more count as long"),
    "RQ_ENABLE_BYPASS": Today(gone="set confidence.bypass: 1.01 to refine every query"),
    "SIMILARITY_TOP_K": Today("confidence.top_k"),
    "DRAGIN_THRESHOLD": Today("verify.seed_threshold"),
    "DRAGIN_MAX_ITERATIONS": Today("budget.rounds"),
    "RERANKER_MIN_SCORE": Today(gone="filter.min_similarity drops hits"),
    "CONTEXT_MAX_DOCS": Today("evidence.max_chunks"),
    "CONTEXT_CHAR_BUDGET": Today("evidence.max_chars"),
    "CONTEXT_TOKEN_BUDGET": Today("evidence.max_tokens"),
    # Hybrid retrieval and cited answers (seed 2).
    "TOP_K": Today("search.max_chunks"),
    "RETRIEVAL_RRF_K0": Today("retrieval.rrf_k"),
    "RETRIEVAL_RERANK_POOL": Today(gone="rerank.mode: promote looks at the best 40 hits"),
    "RETRIEVAL_ENABLE_RERANK": Today("rerank.mode", read=_switch("promote", "off")),
    "RETRIEVAL_QUERY_FUSION": Today("retrieval.question_kinds", read=_switch("on", "off")),
    "RETRIEVAL_MODE": Today(gone="set retrieval.mode: hybrid, dense or lexical"),
    "RETRIEVAL_CANDIDATE_MULTIPLIER": Today(gone="retrieval.top_k is the number of hits itself"),
    "ASK_MAX_CONTEXT_CHUNKS": Today("evidence.max_chunks"),
    "ASK_MAX_CONTEXT_CHARS": Today("evidence.max_chars"),
    "ASK_NEIGHBOR_WINDOW": Today("evidence.neighbours"),
    "ASK_INCLUDE_NEIGHBOR_CHUNKS": Today(gone="set evidence.neighbours: 0 for none"),
    "ASK_MIN_EVIDENCE_HITS": Today(gone="a single passage may answer a question"),
    "ASK_REQUIRE_CITATIONS": Today(gone="every sentence has a citation, or a mark"),
    # Codes blended into the order of hits (seed 3).
    "TMD_ALPHA": Today("blend.alpha", read=lambda text: round(1 - _number(text), 9)),
    "TMD_NORM": Today(
        "blend.scale",
        read=_one_of({"softmax": "softmax", "zscore": "z-score", "minmax": "min-max"}),
    ),
    "TMD_TEMP": Today("blend.temperature"),
    "TMD_SEARCH_MULT": Today(gone="the best 200 hits are blended"),
    "TMD_SEARCH_MAX": Today(gone="the best 200 hits are blended"),
    "TMD_USE_LLM": Today("blend.mode", read=_switch("model", "patterns")),
    "TMD_DIAG": Today(gone="let blend.diagnostics name a file"),
    # Filtering by a model (seed 4).
    "CHUNK_FILTERING_ENABLED": Today("filter.mode", read=_switch("llm", "off")),
    "CHUNK_FILTERING_OVERSAMPLE_MULTIPLIER": Today("filter.oversample"),
    "CHUNK_FILTERING_MIN_RELEVANCE_THRESHOLD": Today("filter.min_similarity"),
    "CHUNK_FILTERING_LLM_TIMEOUT_MS": Today(gone="a search is filtered within 60 seconds"),
    "CHUNK_FILTERING_MAX_PROMPT_TOKENS": Today("filter.max_prompt_tokens"),
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
        key, text = today.key, environment.get(name, "")
        if not key or not text.strip():
            continue
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
        if not today.key:
            told.append(f"{name} has no counterpart: {today.gone}")
        elif today.key in found:
            told.append(f"{name} is not used: {today.key} is set")
        else:
            now = values[today.key][1]
            told.append(f"{name} is an old name, read as {today.key}: {now}")
    return tuple(told)


def _read(name: str, text: str, key: str, read: Read) -> object:
    """Return the value of a key; raises ConfigError, which names the variable."""
    section, _, leaf = key.partition(".")
    owner = getattr(Settings(), section)
    limits, value, must_be = number_range(type(owner), leaf), None, ""
    try:
        value = read(text)
    except ValueError as error:
        must_be = str(error)
    if limits and isinstance(value, int | float) and not limits.low <= value <= limits.high:
        must_be = f"such that {key} is {limits.low:g} to {limits.high:g}"
    elif isinstance(getattr(owner, leaf), int) and isinstance(value, float):
        must_be = "a whole number"
    if must_be:
        raise ConfigError(
            f"the environment variable {name} must be {must_be}, got {text!r}",
            hint=f"It is an old name; today's is {key}.",
        )
    return value
