"""Which chunks are left out of the evidence."""

from dataclasses import dataclass
from typing import Annotated, Literal

from research_agent.settings.ranges import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneSettings:
    """Which chunks are left out of the evidence because they make the model no surer."""

    mode: Literal["off", "threshold", "top_k", "ratio", "greedy"] = "off"
    """Keep all; or chunks with enough gain, the best, a share of them, or one by one what adds."""
    by: Literal["auto", "gain", "similarity"] = "auto"
    """Judge by the gain, which needs log-probabilities, or by similarity. Without
    log-probabilities "auto" judges by similarity, "gain" leaves nothing out."""
    min_gain: Annotated[float, Range(-1, 1)] = 0.0
    """Modes "threshold" and "greedy": the least gain in normalised uncertainty."""
    min_similarity: Annotated[float, Range(-1, 1, "cosine")] = 0.3
    """The same where chunks are judged by similarity."""
    keep: Annotated[int, Range(1, 100, "chunks")] = 3
    """Mode "top_k": new chunks that stay in a round."""
    keep_ratio: Annotated[float, Range(0.01, 1, "share")] = 0.5
    """Mode "ratio": the share of them."""
    least: Annotated[int, Range(0, 100, "chunks")] = 1
    """Chunks that stay whatever their values say; 0: all may be left out."""
    protect: Literal["on", "off"] = "on"
    """Keep tables, and chunks with numbers, names and quotations of the question."""
    reinstate: Literal["on", "off"] = "on"
    """Bring back what was left out where the answer is refused, unsupported or uncertain."""
    max_calls: Annotated[int, Range(1, 1000, "calls")] = 12
    """Model calls that a round may take; what is not measured stays."""
    max_tokens: Annotated[int, Range(1, 1000, "tokens")] = 24
    """Length of each answer that is measured, with and without chunks."""
    passage_tokens: Annotated[int, Range(20, 8000, "tokens")] = 300
    """What is shown of a chunk, its sentences nearest to the question."""
    top_logprobs: Annotated[int, Range(0, 20, "tokens")] = 0
    """Alternatives at each place; 0: as `models.top_logprobs`."""
    temperature: Annotated[float, Range(0, 2)] = 0.0
    """How freely the measured answers are sampled; the probabilities themselves stay."""
    seconds: Annotated[float, Range(1, 3600, "seconds")] = 60.0
    """Time that measuring may take in a round."""
