"""Search by meaning, by words or both, fused by rank, and what the question's plan adds."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from research_agent.errors import ModelError
from research_agent.ports import Embedder, Ports
from research_agent.retrieval.api_neighbours import KINDS, place_every, relatives, siblings
from research_agent.retrieval.definitions import by_definition
from research_agent.retrieval.heading_lookup import LookUp, by_heading
from research_agent.retrieval.overview_sections import family, in_turn, one_a_document
from research_agent.retrieval.search.links import with_names
from research_agent.retrieval.search.scoped_search import Pool
from research_agent.settings import RetrievalSettings
from research_agent.types import Chunk, Hit, ScoredId
from research_agent.types.fusion import (
    elsewhere,
    falling,
    pages_apart,
    place_at,
    reciprocal_rank_fusion,
)
from research_agent.types.question_plan import QuestionPlan, plan_question
from research_agent.types.question_words import phrases
from research_agent.types.scope import EVERYTHING, Scope

WIDE = 120
"""Chunks of each index among which definitions and overviews are looked for."""
WIDEST = 4 * WIDE
"""Chunks of the word search among which an algorithm or a table is looked for by its number."""
RELATED_TO = 5
"""So many of the best hits bring what they refer to in an API description."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranking, and how it came about."""

    hits: tuple[Hit, ...]
    plan: QuestionPlan
    stages: tuple[tuple[str, tuple[str, ...]], ...]
    """Name and chunk ids of each ranking that took part, in the order of work."""
    notes: tuple[str, ...] = ()
    """What went another way than planned, a sentence each."""
    vector: Sequence[float] = ()
    """Of the query; empty where it is not known."""


def hybrid_search(query: str, *, ports: Ports, settings: RetrievalSettings) -> tuple[Hit, ...]:
    """Return every chunk that is among the best of the indexes that `settings.mode` asks.

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
    """Search for `query` within `scope`; `exact` for its words as they are, without a plan.

    Raises ModelError where the embedding model fails, but not in mode "lexical": there the hits
    have no similarity then, and a note says so.
    """
    plan = QuestionPlan()
    if settings.planner == "on" and not exact:
        plan = plan_question(query, settings.words)
    run = _Run(plan, Pool(ports, scope), settings)
    vector, *others = run.vectors([query, *run.queries], ports.embedder)
    own = run.own(query, vector)
    if not exact:
        own = run.with_names(own, query, vector)
    own = run.with_comparison(own, others)
    if plan.overview and settings.overview_slots:
        own = run.with_overview(own, query)
    own = run.with_related(own, vector)
    return Ranked(run.hits(own, vector), plan, tuple(run.stages), tuple(run.notes), vector)


@dataclass
class _Run:
    """One search: its plan, what it has read, and its stages so far."""

    plan: QuestionPlan
    pool: Pool
    settings: RetrievalSettings
    stages: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    scores: dict[str, float] = field(default_factory=dict)
    similarity: dict[str, float] = field(default_factory=dict)
    lexical: dict[str, float] = field(default_factory=dict)
    dense_ids: list[str] = field(default_factory=list)
    """The wide ranking by meaning."""
    word_ids: list[str] = field(default_factory=list)
    each_ids: list[tuple[list[str], list[str]]] = field(default_factory=list)
    """Both rankings for each of the things compared."""

    @property
    def queries(self) -> tuple[str, ...]:
        """What is searched for besides the question."""
        return self.plan.queries if self.settings.comparison_each else ()

    def vectors(self, queries: Sequence[str], embedder: Embedder) -> list[Sequence[float]]:
        """Return the vector of each query; empty ones where it is not known, or not needed."""
        if self.settings.mode != "lexical":
            return list(embedder.embed(queries))
        unknown: list[Sequence[float]] = [()] * len(queries)
        try:
            return [*embedder.embed(queries[:1]), *unknown[1:]]
        except ModelError as error:
            self.notes.append(f"search: {error}; the hits have no similarity")
            return unknown

    def own(self, query: str, vector: Sequence[float]) -> tuple[Chunk, ...]:
        """Return the ranking of the user's own words."""
        depth = max(self.settings.top_k, WIDE if self.plan.overview else 0)
        dense, words = self._asked(query, vector, depth)
        self.dense_ids, self.word_ids = _ids(dense), _ids(words)
        top = self.settings.top_k
        self.similarity = {item.chunk_id: item.value for item in dense[:top]}
        self.lexical = {item.chunk_id: item.value for item in words[:top]}
        rankings, weights = [], []
        if self.settings.mode != "lexical":
            rankings.append(self._stage("meaning", self.dense_ids[:top]))
            weights.append(1.0)
        if self.settings.mode != "dense":
            rankings.append(self._stage("words", self.word_ids[:top]))
            weights.append(self.settings.look_up_weight if self.plan.exact else 1.0)
        if self.plan.look_up and self.settings.heading_weight:
            rankings.append(self._stage("headings", self._headings(self.plan.look_up, query)))
            weights.append(self.settings.heading_weight)
        meaning = self.plan.meaning
        weight = self.settings.meaning_weight if meaning else self.settings.definition_weight
        if self.plan.term and weight:
            rankings.append(self._stage("definitions", self._definitions()))
            weights.append(weight)
        return self._fused("fused", rankings, weights)

    def with_names(
        self, own: Sequence[Chunk], query: str, vector: Sequence[float]
    ) -> tuple[Chunk, ...]:
        """Move up what the question names by its title, and what the first hits name."""
        if not (self.settings.title_weight or self.settings.mention_weight):
            return tuple(own)
        named = with_names(
            own, query, vector, scores=self.scores, pool=self.pool, settings=self.settings
        )
        if named != tuple(own):
            self._stage("named", [chunk.chunk_id for chunk in named])
        return named

    def with_comparison(
        self, own: Sequence[Chunk], vectors: Sequence[Sequence[float]]
    ) -> tuple[Chunk, ...]:
        """Let in the best new hits for each of the things compared."""
        top, each = self.settings.top_k, self.settings.comparison_each
        after = self.settings.comparison_after
        known = {chunk.chunk_id for chunk in own[: after + 1]}
        new: list[Chunk] = []
        for query, vector in zip(self.queries, vectors, strict=True):
            dense, words = (_ids(found) for found in self._asked(query, vector, max(top, WIDE)))
            self.each_ids.append((dense, words))
            found = self._fused(f"about: {query}", [dense[:top], words[:top]], [1.0, 1.0])
            fresh = [chunk for chunk in found[:after] if chunk.chunk_id not in known][:each]
            known |= {chunk.chunk_id for chunk in fresh}
            new += fresh
        return place_at(own, new, after=after, most=len(new))

    def with_overview(self, own: Sequence[Chunk], query: str) -> tuple[Chunk, ...]:
        """Let in the best pages that say what a document is about.

        Where things are compared each brings a page, and where a family of documents is meant
        each of them does.
        """
        after, slots = self.settings.overview_each_after, self.settings.overview_each_slots
        if slots and self.each_ids:
            each = [elsewhere(self._overviews(*ids), own[:after])[:1] for ids in self.each_ids]
            return place_at(own, in_turn(each), after=after, most=slots)
        pages = self._overviews(self.dense_ids, self.word_ids)
        if slots and (meant := family(query, pages, self.settings.words)):
            pages = one_a_document(pages, own[:after], meant)
            return place_at(own, pages, after=after, most=slots)
        after, slots = self.settings.overview_after, self.settings.overview_slots
        return place_at(own, pages, after=after, most=slots)

    def with_related(self, own: Sequence[Chunk], vector: Sequence[float]) -> tuple[Chunk, ...]:
        """Let in the nearest schemas and operations that the best ones refer to, and back."""
        best = [chunk for chunk in own[:RELATED_TO] if chunk.kind in KINDS]
        every = self.settings.related_every
        if not best or not every:
            return tuple(own)
        starts = siblings(best, self.pool.edges([chunk.chunk_id for chunk in best]))
        near = relatives(starts, self.pool.edges(starts))
        if vector:
            cosine = self.pool.similarities(vector, near)
            self.similarity |= cosine
            near = tuple(sorted(near, key=lambda chunk_id: -cosine[chunk_id]))
        self.scores = dict.fromkeys(near, 0.0) | self.scores
        found = self.pool.admitted(self._stage("related", list(near)))
        return place_every(own, found, after=self.settings.related_after, every=every)

    def hits(self, ranking: Sequence[Chunk], vector: Sequence[float]) -> tuple[Hit, ...]:
        """Return the hits of the final ranking with all their scores."""
        alone = [c.chunk_id for c in ranking if c.chunk_id not in self.similarity]
        if vector:
            self.similarity |= self.pool.similarities(vector, alone)
        self._stage("result", [chunk.chunk_id for chunk in ranking])
        scores = falling([self.scores[chunk.chunk_id] for chunk in ranking])
        return tuple(
            Hit(c, score, self.similarity.get(c.chunk_id), self.lexical.get(c.chunk_id))
            for c, score in zip(ranking, scores, strict=True)
        )

    def _asked(
        self, query: str, vector: Sequence[float], k: int
    ) -> tuple[list[ScoredId], list[ScoredId]]:
        """Return the `k` best by meaning and by words; nothing of an index that is not asked."""
        mode = self.settings.mode
        return (
            [] if mode == "lexical" else self.pool.dense(vector, k),
            [] if mode == "dense" else self.pool.words(query, k),
        )

    def _definitions(self) -> list[str]:
        """Return the chunks that define the term, the surest first."""
        near = self.dense_ids
        if self.settings.mode != "dense":
            near = _ids(self.pool.words(self.plan.term, WIDE // 2))
        found = self.pool.chunks(near)
        term, words = self.plan.term, self.settings.words
        sure = by_definition(term, found, words, surest=self.plan.meaning)
        return [chunk.chunk_id for chunk in sure]

    def _headings(self, wanted: LookUp, query: str) -> list[str]:
        """Return the algorithms or tables whose heading names what is asked for."""
        named: list[str] = []
        if self.settings.mode != "dense":
            depth = WIDEST if wanted.label else WIDE  # (many chunks have the words of a label)
            named = _ids(self.pool.words(wanted.query, depth))
        near = dict.fromkeys([*self.word_ids, *named, *self.dense_ids])
        found = by_heading(wanted, self.pool.chunks(list(near)), query)
        return [chunk.chunk_id for chunk in found]

    def _overviews(self, dense: Sequence[str], words: Sequence[str]) -> tuple[Chunk, ...]:
        """Return those of two rankings that say what a document is about, fused."""
        about = self._about([*dense, *words])
        rankings = [[chunk_id for chunk_id in ids if chunk_id in about] for ids in (dense, words)]
        return self._fused("overview pages", rankings, [1.0, 1.0])

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
