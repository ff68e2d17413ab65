"""Hybrid search: rankings by meaning and by words, fused, and what the question's kind adds."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from research_agent.errors import ModelError
from research_agent.ports import Embedder, Ports
from research_agent.retrieval.search.definitions import by_definition, held_alone, identifiers
from research_agent.retrieval.search.names import with_names
from research_agent.retrieval.search.overviews import family, is_overview, one_a_document
from research_agent.retrieval.search.places import (
    RELATED_KINDS,
    elsewhere,
    in_turn,
    pages_apart,
    place_at,
    place_every,
    relatives,
    with_parts,
)
from research_agent.retrieval.search.scoped import ScopedSearch
from research_agent.settings import RetrievalSettings
from research_agent.types import Chunk, Hit, ScoredId
from research_agent.types.fusion import falling, reciprocal_rank_fusion
from research_agent.types.question_plan import LookUp, QuestionPlan, by_heading, plan_question
from research_agent.types.scope import EVERYTHING, Scope

WIDE = 120
"""Chunks of each index among which definitions and overview pages are looked for."""
WIDEST = 4 * WIDE
"""Chunks of the word search among which an algorithm or a table is looked for by its number."""
LOOK_UP_WEIGHT = 1.5
"""Weight of the word search in fusion for identifiers, algorithms, tables; else 1, as meaning."""
HEADING_WEIGHT = 4.0
"""Weight of the ranking of algorithms and tables whose heading has the name or number asked for."""
DEFINITION_WEIGHT, MEANING_WEIGHT = 0.5, 2.0
"""Weight of the ranking of chunks that define the term asked for; the latter where the question
is what a term means, or an abbreviation stands for."""
COMPARISON_INSERT_RANK = 4
"""Comparisons: each compared thing's best new hit is inserted after this rank."""
OVERVIEW_INSERT_RANK, OVERVIEWS = 6, 2
"""Overview pages are inserted after this rank, at most this many."""
OVERVIEW_EACH_INSERT_RANK, OVERVIEWS_EACH = 4, 4
"""The same where several documents or things are meant: one page of each."""
RELATED_TO = 5
"""API descriptions: the best hits, this many, bring what they refer to."""
RELATED_INSERT_RANK, RELATED_EVERY = 9, 5
"""The first of it is inserted after this rank, then one in every this many ranks."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranking, with the rankings that it was fused from."""

    hits: tuple[Hit, ...]
    plan: QuestionPlan
    stages: tuple[tuple[str, tuple[str, ...]], ...]
    """Name and chunk ids of each ranking that took part, in the order of work."""
    notes: tuple[str, ...] = ()
    """Warnings, a sentence each."""
    vector: Sequence[float] = ()
    """Of the query; empty where it is not known."""


def rank(
    query: str,
    *,
    ports: Ports,
    settings: RetrievalSettings,
    scope: Scope = EVERYTHING,
) -> Ranked:
    """Search for `query` within `scope`.

    The hits are every chunk that is among the best of the indexes that `settings.mode` asks; their
    scores fall strictly. Raises ModelError where the embedding model fails, but not in mode
    "lexical": there the hits have no similarity then, and a note says so.
    """
    plan = plan_question(query) if settings.question_kinds else QuestionPlan()
    run = _Run(plan, ScopedSearch(ports, scope), settings)
    vector, *others = run.vectors([query, *plan.queries], ports.embedder)
    own = run.with_names(run.own(query, vector), query, vector)
    own = run.with_comparison(own, others)
    if plan.overview:
        own = run.with_overviews(own, query)
    own = run.with_identifiers(run.with_related(own, vector), query)
    return Ranked(run.hits(own, vector), plan, tuple(run.stages), tuple(run.notes), vector)


@dataclass
class _Run:
    """One search: its plan, what it has read, and its stages so far."""

    plan: QuestionPlan
    pool: ScopedSearch
    settings: RetrievalSettings
    stages: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    scores: dict[str, float] = field(default_factory=dict)
    similarity: dict[str, float] = field(default_factory=dict)
    lexical: dict[str, float] = field(default_factory=dict)
    wide: tuple[list[str], list[str]] = ([], [])
    """The wide rankings by meaning and by words."""
    each: list[tuple[list[str], list[str]]] = field(default_factory=list)
    """Both rankings for each of the things compared."""

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
        top, mode, plan = self.settings.top_k, self.settings.mode, self.plan
        dense, words = self._asked(query, vector, max(top, WIDE if plan.overview else 0))
        self.wide = (_ids(dense), _ids(words))
        self.similarity = {item.chunk_id: item.value for item in dense[:top]}
        self.lexical = {item.chunk_id: item.value for item in words[:top]}
        rankings: list[tuple[float, list[str]]] = []
        if mode != "lexical":
            rankings.append((1.0, self._stage("meaning", self.wide[0][:top])))
        if mode != "dense":
            weight = LOOK_UP_WEIGHT if plan.exact else 1.0
            rankings.append((weight, self._stage("words", self.wide[1][:top])))
        if plan.look_up:
            headings = self._stage("headings", self._headings(plan.look_up, query))
            rankings.append((HEADING_WEIGHT, headings))
        if plan.term:
            weight = MEANING_WEIGHT if plan.meaning else DEFINITION_WEIGHT
            rankings.append((weight, self._stage("definitions", self._definitions())))
        return self._fused("fused", [ids for _, ids in rankings], [w for w, _ in rankings])

    def with_names(
        self, own: tuple[Chunk, ...], query: str, vector: Sequence[float]
    ) -> tuple[Chunk, ...]:
        """Move up what the question names by its title, and what the first hits name."""
        named = with_names(own, query, vector, scores=self.scores, pool=self.pool)
        if named != own:
            self._stage("named", [chunk.chunk_id for chunk in named])
        return named

    def with_comparison(
        self, own: Sequence[Chunk], vectors: Sequence[Sequence[float]]
    ) -> tuple[Chunk, ...]:
        """Let in the best new hit for each of the things compared."""
        top, after = self.settings.top_k, COMPARISON_INSERT_RANK
        known = {chunk.chunk_id for chunk in own[: after + 1]}
        new: list[Chunk] = []
        for query, vector in zip(self.plan.queries, vectors, strict=True):
            dense, words = (_ids(found) for found in self._asked(query, vector, max(top, WIDE)))
            self.each.append((dense, words))
            found = self._fused(f"about: {query}", [dense[:top], words[:top]])
            fresh = [chunk for chunk in found[:after] if chunk.chunk_id not in known][:1]
            known |= {chunk.chunk_id for chunk in fresh}
            new += fresh
        return place_at(own, new, after=after, most=len(new))

    def with_overviews(self, own: Sequence[Chunk], query: str) -> tuple[Chunk, ...]:
        """Let in the best pages that say what a document is about.

        Where things are compared each brings a page, and where a family of documents is meant
        each of them does.
        """
        after, most = OVERVIEW_EACH_INSERT_RANK, OVERVIEWS_EACH
        if self.each:
            each = [elsewhere(self._overviews(ids), own[:after])[:1] for ids in self.each]
            return place_at(own, in_turn(each), after=after, most=most)
        pages = self._overviews(self.wide)
        if meant := family(query, pages):
            pages = one_a_document(pages, own[:after], meant)
            return place_at(own, pages, after=after, most=most)
        return place_at(own, pages, after=OVERVIEW_INSERT_RANK, most=OVERVIEWS)

    def with_related(self, own: tuple[Chunk, ...], vector: Sequence[float]) -> tuple[Chunk, ...]:
        """Let in the nearest schemas and operations that the best ones refer to, and back."""
        best = [chunk for chunk in own[:RELATED_TO] if chunk.kind in RELATED_KINDS]
        if not best:
            return own
        edges = self.pool.edges([chunk.chunk_id for chunk in best])
        starts = with_parts(best, edges)
        near = relatives(starts, self.pool.edges(starts))
        if vector:
            cosine = self.pool.similarities(vector, near)
            self.similarity |= cosine
            near = sorted(near, key=lambda chunk_id: -cosine[chunk_id])
        self.scores = dict.fromkeys(near, 0.0) | self.scores
        found = self.pool.admitted(self._stage("related", near))
        return place_every(own, found, after=RELATED_INSERT_RANK, every=RELATED_EVERY)

    def with_identifiers(self, own: tuple[Chunk, ...], query: str) -> tuple[Chunk, ...]:
        """Put first what alone holds an identifier of the query, of the best hits by words."""
        if not (names := identifiers(query)):
            return own
        words = set(self.wide[1][: self.settings.top_k])
        first = held_alone(names, [chunk for chunk in own if chunk.chunk_id in words])
        if first == own[: len(first)]:
            return own
        self._stage("identifiers", [chunk.chunk_id for chunk in first])
        return (*first, *(chunk for chunk in own if chunk not in first))

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
        near, term = self.wide[0], self.plan.term
        if self.settings.mode != "dense":
            near = _ids(self.pool.words(term, WIDE // 2))
        found = by_definition(term, self.pool.chunks(near), surest=self.plan.meaning)
        return [chunk.chunk_id for chunk in found]

    def _headings(self, wanted: LookUp, query: str) -> list[str]:
        named: list[str] = []
        if self.settings.mode != "dense":
            depth = WIDEST if wanted.label else WIDE  # (many chunks have the words of a label)
            named = _ids(self.pool.words(wanted.query, depth))
        dense, words = self.wide
        near = list(dict.fromkeys([*words, *named, *dense]))
        return [chunk.chunk_id for chunk in by_heading(wanted, self.pool.chunks(near), query)]

    def _overviews(self, rankings: tuple[Sequence[str], Sequence[str]]) -> tuple[Chunk, ...]:
        both = list(dict.fromkeys([*rankings[0], *rankings[1]]))
        about = {chunk.chunk_id for chunk in self.pool.chunks(both) if is_overview(chunk)}
        kept = [[chunk_id for chunk_id in ids if chunk_id in about] for ids in rankings]
        return self._fused("overview pages", kept)

    def _fused(
        self, name: str, rankings: Sequence[Sequence[str]], weights: Sequence[float] = ()
    ) -> tuple[Chunk, ...]:
        fused = reciprocal_rank_fusion(rankings, rrf_k=self.settings.rrf_k, weights=weights)
        self.scores = {item.chunk_id: item.value for item in fused} | self.scores
        return pages_apart(self.pool.chunks(self._stage(name, _ids(fused))))

    def _stage(self, name: str, chunk_ids: list[str]) -> list[str]:
        self.stages.append((name, tuple(chunk_ids)))
        return chunk_ids


def _ids(scored: Sequence[ScoredId]) -> list[str]:
    return [item.chunk_id for item in scored]
