"""Refine: a better query or several, or the same one where the first search was convincing."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.core.budget import Allowance
from research_agent.core.confidence import RetrievalConfidence
from research_agent.core.refinement import SCHEMA, Refinement, judge, keep, read_proposal
from research_agent.core.types import Message, Outcome, Probe, TraceEvent
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.prompts import PromptTemplate
from research_agent.settings import RefinementSettings

MAX_TOKENS = 120
LEAST_TOKENS = 60
"""A proposal that may not be this long would be cut in the middle; it is not asked for."""


def refine(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    probe: Probe,
    confidence: RetrievalConfidence,
    *,
    allowance: Allowance,
    ports: Ports,
    prompt: PromptTemplate,
    settings: RefinementSettings,
) -> Outcome[Refinement]:
    """Return the queries to search with; the model is only asked where confidence is low.

    Proposals are compared with the user's `question`, also in later rounds, whose probe holds a
    doubtful sentence as well: its words must not decide what may be asked. Where the model fails
    or the budget does not pay it, the query is kept.
    """
    if settings.mode == "off":
        return Outcome(keep(probe.query, "refinement.mode is off"))
    if not probe.hits:
        return Outcome(keep(probe.query, "the index is empty"))
    if confidence.decision == "bypass":
        return Outcome(keep(probe.query, f"bypass: {confidence.reason}"))
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    message = Message("user", prompt.render(question=question))
    try:
        refinement, notes = _proposed(question, message, confidence, meter, ports, settings)
    except (ModelError, BudgetError) as error:
        refinement = keep(question, f"no proposal: {error}")
        notes = (f"refine: {error}; the query was kept",)
    queries = (probe.query, *refinement.queries[1:])
    return Outcome(replace(refinement, queries=queries), TraceEvent(meter.calls, notes))


def _proposed(
    question: str,
    message: Message,
    confidence: RetrievalConfidence,
    meter: Meter,
    ports: Ports,
    settings: RefinementSettings,
) -> tuple[Refinement, tuple[str, ...]]:
    """Ask the planner model and judge what it proposes; raises ModelError and BudgetError."""
    reply = meter.ask(
        ports.planner,
        "planner",
        [message],
        max_tokens=MAX_TOKENS,
        least_tokens=LEAST_TOKENS,
        schema=SCHEMA,
    )
    proposal = read_proposal(question, reply.text)
    if not proposal.queries:
        reason = proposal.problem or "the planner model kept the question"
        unread = (f"refine: {proposal.problem}",) if proposal.problem else ()
        return keep(question, reason), unread
    refinement = judge(
        question,
        proposal,
        _measure(question, proposal.queries, ports),
        own_top=confidence.top_similarity,
        min_similarity=settings.min_similarity,
        margin=settings.margin,
    )
    blocked = [verdict for verdict in refinement.verdicts if verdict.blocked]
    return refinement, tuple(f"refine: blocked {v.query!r}: {v.blocked}" for v in blocked)


def _measure(
    question: str, queries: Sequence[str], ports: Ports
) -> tuple[tuple[float, float], ...]:
    """Return, for each query, its cosine to the question and the best similarity it finds."""
    own, *vectors = ports.embedder.embed([question, *queries])
    return tuple(
        (
            sum(a * b for a, b in zip(own, vector, strict=True)),
            max((hit.value for hit in ports.vectors.search(vector, k=1)), default=0.0),
        )
        for vector in vectors
    )
