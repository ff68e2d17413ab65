"""How hits are put into another order, where that is wanted."""

from dataclasses import dataclass
from typing import Annotated, Literal

from research_agent.settings.ranges import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class BlendSettings:
    """A second opinion about the order of hits, mixed in by weight."""

    mode: Literal["off", "codes", "words"] = "off"
    """No second opinion, how well codes of query and chunk agree, or the word search's score."""
    codes: Literal["patterns", "model"] = "patterns"
    """Codes by patterns; or by the filter model, for the query and `rerank.candidates` hits."""
    alpha: Annotated[float, Range(0, 1)] = 0.9
    """Weight of the hits' own score; the second opinion has the rest."""
    scale: Literal["rank", "z-score", "min-max", "softmax"] = "rank"
    """How both are brought to one scale."""
    temperature: Annotated[float, Range(0.01, 100, "standard deviations")] = 1.0
    """Scale "softmax": smaller values favour the best hits more."""
    multiplier: Annotated[float, Range(1, 50)] = 5.0
    """So many times the hits that a call returns may change places."""
    largest: Annotated[int, Range(1, 1000, "chunks")] = 200
    """Hits that may change places at most."""
    diagnostics: str = ""
    """A file that gets a line of JSON a query with what blending did; empty: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankSettings:
    """Who looks at the best hits once more, after blending."""

    mode: Literal["off", "promote", "http", "model"] = "off"
    """Nobody, the query's technical words, a rerank server, or yes/no questions to a model."""
    candidates: Annotated[int, Range(1, 200, "chunks")] = 10
    """Modes "http" and "model": hits that are judged; each costs the model a call."""
    pool: Annotated[int, Range(1, 500, "chunks")] = 40
    """Mode "promote": hits that may be moved up."""
    min_score: Annotated[float, Range(0, 1)] = 0.0
    """A hit judged lower is dropped, as are those behind the candidates; 0: none."""
    form: Literal["llama.cpp", "vllm", "tei"] = "llama.cpp"
    """Which server it is."""
    scale: Literal["auto", "logits", "probabilities"] = "auto"
    """What the server's scores are; auto: logits where one lies outside 0 to 1."""
    base_url: str = ""
    """Where the server is."""
    model: str = ""
    """The model's name at the server; most servers have one model and need none."""
    api_key_env: str = ""
    """The environment variable that holds the server's key; empty: no key is sent."""
    timeout: Annotated[float, Range(0.1, 3600, "seconds")] = 60.0
    """Time that judging the hits of one call may take."""
