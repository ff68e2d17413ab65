"""Which proposed queries may be searched beside the question, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

from research_agent.planning.refine.validators.kept import check_added, check_kept
from research_agent.planning.refine.validators.retrieval import VALIDATOR as RETRIEVAL
from research_agent.planning.refine.validators.retrieval import Finding, check_retrieval
from research_agent.planning.refine.validators.similarity import check_similarity
from research_agent.types.proposals import HOP, Kind, Proposal
from research_agent.types.validation import Block, Ruling, first_block

Author = Literal["nobody", "model", "rules"]
SEED_SIMILARITY = 0.9
"""The least similarity that seed system 1 published."""


@dataclass(frozen=True, slots=True)
class QueryVerdict:
    """A proposed query and what the validators say of it."""

    query: str
    similarity: float = 0.0
    """Cosine to the question."""
    top_similarity: float = 0.0
    """Best dense similarity of what it finds."""
    blocked: str = ""
    """The reason; empty where it may be searched."""
    rulings: tuple[Ruling, ...] = ()
    """What each validator says, with its figures."""


@dataclass(frozen=True, slots=True)
class Refinement:
    """The queries to search with, and why these. The first is always the question's own."""

    kind: Kind = "keep"
    queries: tuple[str, ...] = ()
    reason: str = "nothing was refined yet"
    verdicts: tuple[QueryVerdict, ...] = ()
    author: Author = "nobody"
    """Who proposed the queries."""
    model_calls: int = 0
    """Calls that refining took."""
    following: tuple[str, ...] = ()
    """Those of the queries whose hits come after all that the question found."""
    exhausted: bool = False
    """In a later round the planner model said that there is nothing else to search for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What is known of one proposed query."""

    similarity: float
    """Its cosine to the question."""
    found: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What validators hold proposals to; `refinement.*` has the numbers."""

    model: str = ""
    """The embedding model."""
    profile: Literal["default", "seed"] = "default"
    min_similarity: float | None = None
    """None: the fitted one."""
    margin: float = 0.15
    min_overlap: float = 0.2
    improvement: float = 0.05


def keep(query: str, reason: str, verdicts: tuple[QueryVerdict, ...] = ()) -> Refinement:
    """Search with `query` as it is."""
    return Refinement("keep", (query,), reason, verdicts)


def exhausted(query: str) -> Refinement:
    """Search no more: in a later round the planner model kept the question."""
    reason = "the planner model has nothing else to search for"
    return Refinement("keep", (query,), reason, author="model", exhausted=True)


def judge(
    question: str,
    proposal: Proposal,
    measured: Sequence[Measures],
    *,
    own: Finding,
    limits: Limits,
    known: frozenset[str] | None = None,
) -> Refinement:
    """Let those proposed queries through that no validator blocks.

    `measured` tells of each proposed query in order, `own` what the user's own question finds.
    In a later round, which searches for what is missing, `known` are the words of the question
    and of what was read: a query need not keep all of the question, and may name what they name.
    """
    queries = proposal.queries
    if known is not None and proposal.kind != "translate" and limits.profile != "seed":
        rulings = _parts(check_added(queries, known), queries, measured, own, limits)
    elif proposal.kind == "decompose":
        rulings = _parts(check_kept(question, queries), queries, measured, own, limits)
    else:
        rulings = _whole(question, proposal, measured, own, limits)
    verdicts = tuple(
        QueryVerdict(query, m.similarity, m.found.top, first_block(said), said)
        for query, m, said in zip(proposal.queries, measured, rulings, strict=True)
    )
    return _let_through(question, proposal.kind, verdicts)


def blocked_too(question: str, refinement: Refinement, rulings: Mapping[str, Ruling]) -> Refinement:
    """Return `refinement` with one more ruling on some of its queries, by the query."""
    verdicts = (
        replace(verdict, rulings=(*verdict.rulings, rulings[verdict.query]))
        if verdict.query in rulings
        else verdict
        for verdict in refinement.verdicts
    )
    judged = tuple(replace(verdict, blocked=first_block(verdict.rulings)) for verdict in verdicts)
    return _let_through(question, refinement.kind, judged)


def _let_through(question: str, kind: Kind, verdicts: tuple[QueryVerdict, ...]) -> Refinement:
    passed = tuple(verdict.query for verdict in verdicts if not verdict.blocked)
    if all(kind == "decompose" and HOP.search(query) for query in passed):
        return keep(question, "every proposed query was blocked", verdicts)
    reason = f"{len(passed)} of {len(verdicts)} proposed queries passed"
    return Refinement(kind, (question, *passed), reason, verdicts)


def by_rules(question: str, parts: Sequence[str], reason: str) -> Refinement:
    """Search the parts that rules have cut a question into: its own words, so none is judged."""
    if not parts:
        return keep(question, reason)
    return Refinement("decompose", (question, *parts), reason, author="rules")


def with_following(refinement: Refinement, *, improvement: float) -> Refinement:
    """Let hits of a model's queries come last where nothing says that they find more.

    Measured (docs/results.md): parts that stand on their own find what the question finds, and
    push it down. What leads are queries that another one's answer has filled, translations, and
    a query in other words whose best hit is `improvement` more similar than the question's.

    >>> parts = ("Where was its founder born?", "Who founded it?", "Where was #1 born?")
    >>> with_following(Refinement("decompose", parts), improvement=0.05).following
    ('Who founded it?',)
    """
    if refinement.kind == "decompose":
        apart = tuple(query for query in refinement.queries[1:] if not HOP.search(query))
    elif refinement.kind in ("rewrite", "disambiguate"):
        better = {v.query for v in refinement.verdicts if _finds_better(v, improvement)}
        apart = tuple(query for query in refinement.queries[1:] if query not in better)
    else:
        return refinement
    return replace(refinement, following=apart)


def _finds_better(verdict: QueryVerdict, improvement: float) -> bool:
    figures = [said.figures for said in verdict.rulings if said.validator == RETRIEVAL]
    return any(f["found"] >= f["own"] + improvement for f in figures)


def first_is(query: str, refinement: Refinement) -> Refinement:
    """Return `refinement` with `query` in the place of the question."""
    return replace(refinement, queries=(query, *refinement.queries[1:]))


def _whole(
    question: str, proposal: Proposal, measured: Sequence[Measures], own: Finding, limits: Limits
) -> list[tuple[Ruling, ...]]:
    """Judge queries that ask for the same as the question.

    Seed system 1 compared no names, knew one threshold for all embedding models, and took no
    improvement for an excuse where the sources differ.
    """
    if proposal.kind == "translate":
        return [check_kept(question, [query], translated=True) for query in proposal.queries]
    seed = limits.profile == "seed"
    least = SEED_SIMILARITY if seed and limits.min_similarity is None else limits.min_similarity
    improvement = inf if seed else limits.improvement
    held = replace(limits, min_similarity=least, improvement=improvement)
    return [
        (
            *(() if seed else check_kept(question, [query])),
            check_similarity(
                question, m.similarity, model="" if seed else limits.model, min_similarity=least
            ),
            _found(own, m, held, same_question=True),
        )
        for query, m in zip(proposal.queries, measured, strict=True)
    ]


def _parts(
    said: Sequence[Ruling],
    queries: Sequence[str],
    measured: Sequence[Measures],
    own: Finding,
    limits: Limits,
) -> list[tuple[Ruling, ...]]:
    """Judge queries that ask for parts of the question; one with a gap finds nothing yet.

    `said` is what was found of their words.
    """
    triples = zip(said, queries, measured, strict=True)
    rulings: list[tuple[Ruling, ...]] = [
        (one,) if HOP.search(query) else (one, _found(own, m, limits, same_question=False))
        for one, query, m in triples
    ]
    if not any(map(first_block, rulings)):
        return rulings
    gap = Block("hops", "a part that it needs was blocked")
    return [
        (*one, gap) if HOP.search(query) else one
        for one, query in zip(rulings, queries, strict=True)
    ]


def _found(own: Finding, measures: Measures, limits: Limits, *, same_question: bool) -> Ruling:
    return check_retrieval(
        own,
        measures.found,
        margin=limits.margin,
        min_overlap=limits.min_overlap,
        improvement=limits.improvement,
        same_question=same_question,
    )
