"""Verify: an answer is read sentence by sentence, grounded, judged by a model, and weighed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from research_agent.context import StepContext
from research_agent.ports import SentencePairs
from research_agent.types import Outcome, TraceEvent
from research_agent.types.claims import Claim, GroundingModel
from research_agent.types.evidence import Evidence, source_of
from research_agent.types.uncertainty import unusable_tokens
from research_agent.types.verification import Answer, Check, Draft
from research_agent.verification.claims import (
    grounded_claim,
    is_known_heading,
    is_verbatim,
    read_claims,
)
from research_agent.verification.grounding import ground, ground_verbatim
from research_agent.verification.judge import judge
from research_agent.verification.next_round import WrittenRound, decide_next_round


@dataclass(frozen=True, slots=True)
class Verified:
    """What happens next, and the best draft so far."""

    check: Check
    best: Draft


def verify_answer(written: WrittenRound, context: StepContext) -> Outcome[Verified]:
    """Check an answer against its evidence and return what follows.

    Raises ModelMissingError where the packaged models that score sentences are not installed; no
    other fault of a model ends the check.
    """
    settings, ports, answer = context.settings, context.ports, written.answer
    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()
    nothing_new = answer.failed or answer.repeated or written.probe_failed or written.exhausted
    if not (answer.refused or nothing_new):
        limit = settings.verify.min_support or ports.grounding.limit
        read = _with_known_headings(claims_of(answer), written)
        claims = grounded_claims(read, written.evidence, ports.pairs, ports.grounding, limit=limit)
        if settings.judges != "off" and answer.form == "written":
            keys = {claim.text: claim.keys for claim in read}
            claims, notes = judge(written.question, claims, written.evidence, context, keys)
    check, draft = decide_next_round(written, claims, settings, context.meter.left())
    return Outcome(Verified(check, draft), TraceEvent(context.meter.calls, notes))


def _with_known_headings(claims: Sequence[Claim], written: WrittenRound) -> Sequence[Claim]:
    """Return claims without the headings that neither the question nor the evidence names."""
    if not (headings := {claim.heading for claim in claims} - {""}):
        return claims
    known = [written.question, *(source_of(item.hit.chunk) for item in written.evidence)]
    unknown = {heading for heading in headings if not is_known_heading(heading, known)}
    return [replace(c, heading="") if c.heading in unknown else c for c in claims]


def claims_of(answer: Answer) -> tuple[Claim, ...]:
    """Return an answer's sentences, not yet judged, with the keys that its writer gave them."""
    tokens = () if unusable_tokens(answer.text, answer.tokens) else answer.tokens
    return read_claims(answer.text, tokens)


def grounded_claims(
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    pairs: SentencePairs,
    model: GroundingModel,
    *,
    limit: float,
) -> tuple[Claim, ...]:
    """Return sentences with their quotes and verdicts, unconfirmed below the probability `limit`.

    A sentence that a chunk has word for word is supported, and no model reads it. A number may be
    computed of those in the sentences before it that miss none.
    """
    chunks = {item.key: item.hit.chunk for item in evidence}
    done: list[Claim] = []
    for claim in claims:
        known = [one for one in reversed(done) if all(f.status != "missing" for f in one.facts)]
        earlier = [fact for one in known for fact in one.facts if fact.kind == "number"]
        grounded = (
            ground_verbatim(claim.text, chunks)
            if is_verbatim(claim, chunks)
            else ground(claim.text, chunks, pairs, model, earlier=earlier, written=claim.keys)
        )
        done.append(grounded_claim(claim, grounded, limit=limit))
    return tuple(done)
