"""Verify: a draft is read sentence by sentence, grounded, judged by a model, and weighed."""

from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.metering import Meter
from research_agent.ports import Ports, SentencePairs
from research_agent.prompts import Prompts
from research_agent.settings import Settings
from research_agent.types import Hit, Message, Outcome, TraceEvent
from research_agent.types.budget import Allowance
from research_agent.types.claims import Claim, grounded_claim, is_verbatim, read_claims
from research_agent.types.evidence import Evidence
from research_agent.types.grounding import GroundingModel
from research_agent.types.rounds import Progress
from research_agent.types.verification import Answer, Check, Draft
from research_agent.verification.next_round import verify
from research_agent.verification.uncertainty_sources import unusable_tokens
from research_agent.verification.verify.grounding import found_word_for_word, ground
from research_agent.verification.verify.judging import judged
from research_agent.verification.verify.uncertainty import doubt_rule, most_rounds


@dataclass(frozen=True, slots=True)
class Verified:
    """What happens next, and the best draft so far."""

    check: Check
    best: Draft


def verify_answer(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    answer: Answer,
    evidence: Sequence[Evidence],
    best: Draft,
    before: Check,
    *,
    allowance: Allowance,
    ports: Ports,
    prompts: Prompts,
    settings: Settings,
    probe_failed: bool,
    round_: int,
    left_out: bool = False,
    exhausted: bool = False,
    found: Sequence[Hit] = (),
) -> Outcome[Verified]:
    """Check an answer against its evidence and return what follows.

    Each sentence gets the fitted probability that the evidence supports it. Where `verify.judge`
    says so a model is asked about some or all of them, in one call. Words that the hits `found`
    hold tell which ones are rare. Where the planner model had nothing else to search for
    (`exhausted`) the answer is that of the round before. Raises ModelMissingError where the
    packaged models that score sentences are not installed; no other fault of a model ends the
    check.
    """
    claims: tuple[Claim, ...] = ()
    event = TraceEvent()
    nothing_new = answer.failed or answer.repeated or probe_failed or exhausted
    if not (answer.refused or nothing_new):
        claims = grounded_claims(
            answer,
            evidence,
            pairs=ports.pairs,
            model=ports.grounding,
            min_support=settings.verify.min_support,
        )
        if settings.judges != "off" and answer.form == "written":
            meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
            claims, notes = judged(
                question,
                claims,
                evidence,
                model=ports.verifier,
                prompts=prompts,
                system=Message("system", prompts.answering(settings.refuses_by).render()),
                meter=meter,
                unsure=ports.grounding.unsure if settings.judges == "unsure" else (0.0, 1.0),
            )
            event, allowance = TraceEvent(meter.calls, notes), meter.left()
    spent = settings.budget.tokens - allowance.tokens
    check, draft = verify(
        question,
        answer,
        claims,
        evidence,
        best,
        allowance=allowance,
        probe_failed=probe_failed,
        round_=round_,
        max_rounds=most_rounds(settings),
        rule=doubt_rule(settings.verify),
        left_out=left_out,
        exhausted=exhausted,
        seen=[hit.chunk for hit in found],
        progress=Progress(before.rounds, spent, settings.verify.min_value),
    )
    return Outcome(Verified(check, draft), event)


def grounded_claims(
    answer: Answer,
    evidence: Sequence[Evidence],
    *,
    pairs: SentencePairs,
    model: GroundingModel,
    min_support: float = 0.0,
) -> tuple[Claim, ...]:
    """Return the sentences of an answer with the verdicts of their scores.

    With a `min_support` of 0 the model's fitted limit counts. What a chunk has word for word is
    supported, and no model reads it.
    """
    tokens = () if unusable_tokens(answer.text, answer.tokens) else answer.tokens
    claims = read_claims(answer.text, tokens)
    chunks = {item.key: item.hit.chunk for item in evidence}
    limit = min_support or model.limit
    copied = {claim.text for claim in claims if is_verbatim(claim, chunks)}
    found = {text: found_word_for_word(text, chunks) for text in copied}
    others = [claim.text for claim in claims if claim.text not in copied]
    scored = ground(others, chunks, pairs=pairs, model=model)
    found |= dict(zip(others, scored, strict=True))
    return tuple(grounded_claim(claim, found[claim.text], limit=limit) for claim in claims)
