"""How chunks are found: search, refinement of the query, and the filter."""

from dataclasses import dataclass
from typing import Annotated, Literal

from research_agent.settings.ranges import Range
from research_agent.types.question_words import ENGLISH, QuestionWords


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """How hits are found."""

    mode: Literal["hybrid", "dense", "lexical"] = "hybrid"
    """Ask both indexes, the vectors alone, or the words alone."""
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
    heading_weight: Annotated[float, Range(0, 10)] = 4.0
    """Weight of algorithms and tables whose heading has the name or number asked for; 0: none."""
    definition_weight: Annotated[float, Range(0, 10)] = 0.5
    """Weight of the ranking of chunks that define the term asked for; 0: none."""
    meaning_weight: Annotated[float, Range(0, 10)] = 2.0
    """The same where the question is what a term means, or an abbreviation stands for."""
    comparison_after: Annotated[int, Range(0, 100, "hits")] = 4
    """The best new hit for each of the things compared stands behind so many hits."""
    comparison_each: Annotated[int, Range(0, 10, "hits")] = 1
    """Hits that each of the things compared may bring; 0: none."""
    overview_after: Annotated[int, Range(0, 100, "hits")] = 6
    """Pages that say what a document is about stand behind so many hits."""
    overview_slots: Annotated[int, Range(0, 10, "hits")] = 2
    """How many of them may enter; 0: none."""
    overview_each_after: Annotated[int, Range(0, 100, "hits")] = 4
    """Where several documents or things are meant, one such page of each is behind so many hits."""
    overview_each_slots: Annotated[int, Range(0, 10, "hits")] = 4
    """How many of these may enter; 0: as for one document."""
    related_after: Annotated[int, Range(0, 100, "hits")] = 9
    """What the best schemas and operations of an API refer to stands behind so many hits ..."""
    related_every: Annotated[int, Range(0, 100, "places")] = 5
    """... and again in each place so far on, a schema or an operation a place; 0: none."""
    title_weight: Annotated[float, Range(0, 10)] = 0.5
    """Share of the top score for the best hit of a document whose title the question has; 0: none.
    """
    mention_weight: Annotated[float, Range(0, 10)] = 0.5
    """The same for what the first hit names by its title or heading, less for later hits; 0: none.
    """
    mention_hits: Annotated[int, Range(1, 20, "hits")] = 3
    """Hits whose texts are looked at for such names."""
    words: tuple[QuestionWords, ...] = (ENGLISH,)
    """Words that tell the kinds of questions, definitions and sections, one entry a language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceSettings:
    """How the similarities of the best hits are read."""

    profile: Literal["default", "seed"] = "default"
    """Compare the best hit with those behind the best, or as seed system 1 did, with all."""
    top_k: Annotated[int, Range(1, 500, "chunks")] = 5
    """Similarities that may be an answer; the rest of the ranking is the background."""
    concentration_scale: Annotated[float, Range(0.01, 2, "cosine")] = 0.3
    """Lead over the background at which the ranking counts as fully peaked."""
    length_norm: Annotated[int, Range(1, 100, "words")] = 6
    """Query length from which length no longer lowers confidence."""
    bypass: Annotated[float, Range(0, 1.01)] = 0.25
    """Confidence from which the query is not refined; above 1 it always is."""
    seed_bypass: Annotated[float, Range(0, 1.01)] = 0.7
    """The same with profile "seed"."""
    calibrated: Literal["on", "off"] = "on"
    """Let values that `calibrate` fitted to the index take the place of defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinementSettings:
    """When a query is refined, by whom, and what may be searched of it."""

    mode: Literal["auto", "pure", "off"] = "auto"
    """Ask the planner model where confidence is low, only split questions by rules, or neither."""
    profile: Literal["default", "seed"] = "default"
    """Compare numbers and names too, or judge as seed system 1 did, with its thresholds."""
    complexity: Literal["pure", "nested", "model"] = "nested"
    """Who judges whether a question of high confidence has parts: rules; the planner model where
    the question names a thing by way of another; or always the planner model."""
    min_similarity: Annotated[float, Range(-1, 1, "cosine")] = -1.0
    """A rewritten query less similar to the question is blocked; -1: fitted to the embedding."""
    margin: Annotated[float, Range(0, 2, "cosine")] = 0.15
    """A query whose best hit is this much less similar than the question's is blocked."""
    min_overlap: Annotated[float, Range(0, 1, "share")] = 0.2
    """Share of the sources that question and rewritten query find in common, at least..."""
    improvement: Annotated[float, Range(0, 2, "cosine")] = 0.05
    """... unless the best hit of the rewritten query is this much more similar."""
    max_parts: Annotated[int, Range(1, 10, "queries")] = 3
    """Queries that may be searched beside the question."""
    translate: Literal["auto", "off"] = "auto"
    """Translate a question in another language than the documents, where confidence is low."""
    hops: Literal["on", "off"] = "on"
    """Fill in "#1" in a part with what an earlier part has found."""
    same_question: Literal["off", "model"] = "off"
    """Ask the planner model whether what it proposed asks the same as the question, or not: a
    changed negation or relation can only be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """Who writes the tool calls, and how often."""

    mode: Literal["planned", "tool_calling", "auto"] = "planned"
    """The pure planner, the planner model, or that model where it proves able to."""
    max_turns: Annotated[int, Range(1, 50, "turns")] = 3
    """Turns of the inner loop."""
    max_chunks: Annotated[int, Range(1, 100, "chunks")] = 10
    """Chunks one call returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterSettings:
    """Which of the hits of a call are dropped, and which bring along what they refer to."""

    mode: Literal["off", "score", "pointwise", "llm"] = "score"
    """Keep all, judge by similarity, or also ask the filter model: hit by hit, or all at once."""
    min_similarity: Annotated[float, Range(-1, 1, "cosine")] = 0.1
    """Every mode but "off": a hit less similar than this is dropped."""
    oversample: Annotated[float, Range(1, 10)] = 1.6
    """So many times the hits that a call returns are shown to the model."""
    adaptive: Literal["on", "off"] = "off"
    """Show fewer for a question about one thing, more for one about many."""
    min_relevance: Annotated[float, Range(0, 1, "probability")] = 0.3
    """Mode "pointwise": a hit whose probability of "yes" is lower is dropped."""
    max_judged: Annotated[int, Range(1, 200, "hits")] = 12
    """Mode "pointwise": hits that are judged; each costs a call."""
    passage_tokens: Annotated[int, Range(20, 4000, "tokens")] = 100
    """Mode "pointwise": what is shown of a hit, its sentences nearest to the query."""
    max_prompt_tokens: Annotated[int, Range(200, 200_000, "tokens")] = 2000
    """Mode "llm": hits are shortened until the prompt is no longer."""
    seconds: Annotated[float, Range(1, 3600, "seconds")] = 60.0
    """Time that judging the hits of one call may take."""
    max_expanded: Annotated[int, Range(0, 200, "chunks")] = 15
    """Mode "llm": further chunks that kept ones may bring along; 0: none."""
