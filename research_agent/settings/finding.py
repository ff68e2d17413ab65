"""How chunks are found: search, refinement of the query, and the filter."""

from dataclasses import dataclass
from typing import Annotated, Literal

from research_agent.core.question_words import ENGLISH, QuestionWords
from research_agent.settings.ranges import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """How hits are found."""

    top_k: Annotated[int, Range(1, 500, "chunks")] = 30
    """Hits taken from each index."""
    rrf_k: Annotated[int, Range(1, 1000, "ranks")] = 5
    """The constant of reciprocal rank fusion."""
    pages: Literal["apart", "together"] = "apart"
    """Let the best hit of each page go first, or leave hits of one page as they rank."""
    planner: Literal["on", "off"] = "on"
    """Recognise the kind of a question and search for it as below, or for its words alone."""
    look_up_weight: Annotated[float, Range(0.1, 10)] = 1.5
    """Weight of the word search for identifiers, algorithms, tables; that of meaning is 1."""
    definition_weight: Annotated[float, Range(0, 10)] = 0.5
    """Weight of the ranking of chunks that define the term asked for; 0: none."""
    comparison_after: Annotated[int, Range(0, 100, "hits")] = 4
    """The best new hit for each of the things compared stands behind so many hits."""
    comparison_each: Annotated[int, Range(0, 10, "hits")] = 1
    """Hits that each of the things compared may bring; 0: none."""
    overview_after: Annotated[int, Range(0, 100, "hits")] = 6
    """Pages that say what a document is about stand behind so many hits."""
    overview_slots: Annotated[int, Range(0, 10, "hits")] = 2
    """How many of them may enter; 0: none."""
    words: tuple[QuestionWords, ...] = (ENGLISH,)
    """Words that tell the kinds of questions, definitions and sections, one entry a language."""


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
