"""Refine: a better query or several, or the same one where the first search was convincing."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.core.confidence import RetrievalConfidence
from research_agent.core.refinement import SCHEMA, Refinement, judge, keep, read_proposal
from research_agent.core.types import Message, Outcome, Probe, TraceEvent
from research_agent.ports import Ports
from research_agent.prompts import PromptTemplate
from research_agent.settings import RefinementSettings


def refine(
    question: str,
    probe: Probe,
    confidence: RetrievalConfidence,
    *,
    ports: Ports,
    prompt: PromptTemplate,
    settings: RefinementSettings,
) -> Outcome[Refinement]:
    """Return the queries to search with; the model is only asked where confidence is low.

    Proposals are compared with the user's `question`, also in later rounds, whose probe holds a
    doubtful sentence as well: its words must not decide what may be asked.
    """
    if settings.mode == "off":
        return Outcome(keep(probe.query, "refinement.mode is off"))
    if not probe.hits:
        return Outcome(keep(probe.query, "the index is empty"))
    if confidence.decision == "bypass":
        return Outcome(keep(probe.query, f"bypass: {confidence.reason}"))
    text = prompt.render(question=question)
    reply = ports.planner.complete(
        "planner", [Message("user", text)], max_tokens=120, schema=SCHEMA
    )
    proposal = read_proposal(question, reply.text)
    if not proposal.queries:
        reason = proposal.problem or "the planner model kept the question"
        unread = (f"refine: {proposal.problem}",) if proposal.problem else ()
        return Outcome(keep(probe.query, reason), TraceEvent((reply.cost,), unread))
    measured = _measure(question, proposal.queries, ports)
    refinement = judge(
        question,
        proposal,
        measured,
        own_top=confidence.top_similarity,
        min_similarity=settings.min_similarity,
        margin=settings.margin,
    )
    blocked = [verdict for verdict in refinement.verdicts if verdict.blocked]
    notes = tuple(f"refine: blocked {v.query!r}: {v.blocked}" for v in blocked)
    queries = (probe.query, *refinement.queries[1:])
    return Outcome(replace(refinement, queries=queries), TraceEvent((reply.cost,), notes))


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
