"""Hybrid search: meaning and words, fused by rank, and what the question's plan adds."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from research_agent.core.definitions import by_definition
from research_agent.core.fusion import falling, pages_apart, place_at, reciprocal_rank_fusion
from research_agent.core.question_plan import QuestionPlan, plan_question
from research_agent.core.question_words import phrases
from research_agent.core.scope import EVERYTHING, Scope
from research_agent.core.types import Chunk, Hit, ScoredId
from research_agent.ports import Ports
from research_agent.settings import RetrievalSettings
from research_agent.steps.search.pool import Pool

WIDE = 120
"""Chunks of each index among which definitions and overviews are looked for."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranking, and how it came about."""

    hits: tuple[Hit, ...]
    plan: QuestionPlan
    stages: tuple[tuple[str, tuple[str, ...]], ...]
    """Name and chunk ids of each ranking that took part, in the order of work."""


def hybrid_search(query: str, *, ports: Ports, settings: RetrievalSettings) -> tuple[Hit, ...]:
    """Return every chunk that is among the best of either index, fused by rank.

    The list is not cut, so the dense ranking can be read from it again; a chunk that only the
    lexical index found gets its exact similarity. Scores fall strictly: sorting by them keeps
    the order.
    """
    return rank(query, ports=ports, settings=settings).hits


def rank(
    query: str,
    *,
    ports: Ports,
    settings: RetrievalSettings,
    exact: bool = False,
    scope: Scope = EVERYTHING,
) -> Ranked:
    """Search for `query` within `scope`; `exact` for its words as they are, without a plan."""
    plan = QuestionPlan()
    if settings.planner == "on" and not exact:
        plan = plan_question(query, settings.words)
    run = _Run(plan, Pool(ports, scope), settings)
    vector, *others = ports.embedder.embed([query, *run.queries])
    own = run.own(query, vector)
    own = run.with_comparison(own, others)
    if plan.overview and settings.overview_slots:
        own = run.with_overview(own)
    return Ranked(run.hits(own, vector), plan, tuple(run.stages))


@dataclass
class _Run:
    """One search: its plan, what it has read, and its stages so far."""

    plan: QuestionPlan
    pool: Pool
    settings: RetrievalSettings
    stages: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    scores: dict[str, float] = field(default_factory=dict)
    similarity: dict[str, float] = field(default_factory=dict)
    lexical: dict[str, float] = field(default_factory=dict)
    dense_ids: list[str] = field(default_factory=list)
    """The wide ranking by meaning."""
    word_ids: list[str] = field(default_factory=list)

    @property
    def queries(self) -> tuple[str, ...]:
        """What is searched for besides the question."""
        return self.plan.queries if self.settings.comparison_each else ()

    def own(self, query: str, vector: Sequence[float]) -> tuple[Chunk, ...]:
        """Return the ranking of the user's own words."""
        depth = max(self.settings.top_k, WIDE if self.plan.overview else 0)
        dense, words = self.pool.dense(vector, depth), self.pool.words(query, depth)
        self.dense_ids, self.word_ids = _ids(dense), _ids(words)
        top = self.settings.top_k
        self.similarity = {item.chunk_id: item.value for item in dense[:top]}
        self.lexical = {item.chunk_id: item.value for item in words[:top]}
        rankings = [self._stage("meaning", self.dense_ids[:top])]
        rankings.append(self._stage("words", self.word_ids[:top]))
        weights = [1.0, self.settings.look_up_weight if self.plan.exact else 1.0]
        if self.plan.term and self.settings.definition_weight:
            rankings.append(self._stage("definitions", self._definitions()))
            weights.append(self.settings.definition_weight)
        return self._fused("fused", rankings, weights)

    def with_comparison(
        self, own: Sequence[Chunk], vectors: Sequence[Sequence[float]]
    ) -> tuple[Chunk, ...]:
        """Let in the best new hits for each of the things compared."""
        top, each = self.settings.top_k, self.settings.comparison_each
        after = self.settings.comparison_after
        known = {chunk.chunk_id for chunk in own[: after + 1]}
        new: list[Chunk] = []
        for query, vector in zip(self.queries, vectors, strict=True):
            rankings = [_ids(self.pool.dense(vector, top)), _ids(self.pool.words(query, top))]
            found = self._fused(f"about: {query}", rankings, [1.0, 1.0])
            fresh = [chunk for chunk in found[:after] if chunk.chunk_id not in known][:each]
            known |= {chunk.chunk_id for chunk in fresh}
            new += fresh
        return place_at(own, new, after=after, most=len(new))

    def with_overview(self, own: Sequence[Chunk]) -> tuple[Chunk, ...]:
        """Let in the best pages that say what a document is about."""
        about = self._about([*self.dense_ids, *self.word_ids])
        rankings = [
            [chunk_id for chunk_id in ranking if chunk_id in about]
            for ranking in (self.dense_ids, self.word_ids)
        ]
        found = self._fused("overview pages", rankings, [1.0, 1.0])
        after, slots = self.settings.overview_after, self.settings.overview_slots
        return place_at(own, found, after=after, most=slots)

    def hits(self, ranking: Sequence[Chunk], vector: Sequence[float]) -> tuple[Hit, ...]:
        """Return the hits of the final ranking with all their scores."""
        alone = [c.chunk_id for c in ranking if c.chunk_id not in self.similarity]
        self.similarity |= self.pool.similarities(vector, alone)
        self._stage("result", [chunk.chunk_id for chunk in ranking])
        scores = falling([self.scores[chunk.chunk_id] for chunk in ranking])
        return tuple(
            Hit(c, score, self.similarity.get(c.chunk_id), self.lexical.get(c.chunk_id))
            for c, score in zip(ranking, scores, strict=True)
        )

    def _definitions(self) -> list[str]:
        """Return the chunks that define the term, the surest first."""
        found = self.pool.chunks(_ids(self.pool.words(self.plan.term, WIDE // 2)))
        sure = by_definition(self.plan.term, found, self.settings.words)
        return [chunk.chunk_id for chunk in sure]

    def _about(self, chunk_ids: Sequence[str]) -> set[str]:
        """Return which of the chunks stand in a section that says what a document is about."""
        headings = [phrases(words.sections) for words in self.settings.words]
        return {
            chunk.chunk_id
            for chunk in self.pool.chunks(list(dict.fromkeys(chunk_ids)))
            if any(heading.search(" > ".join(chunk.section)) for heading in headings)
        }

    def _fused(
        self, name: str, rankings: Sequence[Sequence[str]], weights: Sequence[float]
    ) -> tuple[Chunk, ...]:
        """Fuse rankings, and let the best hit of each page go first."""
        fused = reciprocal_rank_fusion(rankings, rrf_k=self.settings.rrf_k, weights=weights)
        self.scores = {item.chunk_id: item.value for item in fused} | self.scores
        found = self.pool.chunks(self._stage(name, _ids(fused)))
        return pages_apart(found) if self.settings.pages == "apart" else tuple(found)

    def _stage(self, name: str, chunk_ids: list[str]) -> list[str]:
        """Note a ranking, and return it."""
        self.stages.append((name, tuple(chunk_ids)))
        return chunk_ids


def _ids(found: Sequence[ScoredId]) -> list[str]:
    return [item.chunk_id for item in found]
