"""Verify: a draft is read claim by claim, measured, judged by a model, and weighed."""

from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.core.budget import Allowance
from research_agent.core.claims import Claim, is_shown
from research_agent.core.evidence import Evidence
from research_agent.core.rounds import Progress
from research_agent.core.similarity import LENIENT, quoted, with_alike, with_similarity
from research_agent.core.types import Hit, Outcome, TraceEvent
from research_agent.core.unit_vectors import cosine
from research_agent.core.verification import Answer, Check, Draft, claims_of, verify
from research_agent.errors import ModelError
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import Settings, VerifySettings
from research_agent.steps.verify.doubting import doubt_rule, most_rounds
from research_agent.steps.verify.judging import ClaimJudge

Noted = tuple[tuple[Claim, ...], tuple[str, ...]]
"""Claims, and notes for the trace."""


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
    found: Sequence[Hit] = (),
) -> Outcome[Verified]:
    """Check an answer against its evidence and return what follows; never raises.

    With `verify.similarity` each quote is compared with its sentence by their embeddings; with
    "counted" a sentence of which the evidence has too few words is supported where no check finds
    anything and its quote is alike. With `verify.judge: model` a model is asked about up to eight
    sentences of a written answer that no quote has word for word. Words that the hits `found` hold
    tell which ones are rare.
    """
    work = _Work(question, answer, evidence, ports, settings.verify)
    claims: tuple[Claim, ...] | None = None
    event = TraceEvent()
    if not (answer.refused or answer.failed or answer.repeated or probe_failed):
        claims, notes = work.measured()
        event = TraceEvent(notes=notes)
        if settings.verify.judge == "model" and answer.form == "written":
            meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
            judge = ClaimJudge(
                model=ports.verifier,
                prompt=prompts.supported,
                meter=meter,
                min_yes=settings.verify.min_yes,
            )
            claims, more = work.judged(claims, judge)
            event, allowance = TraceEvent(meter.calls, (*notes, *more)), meter.left()
    spent = settings.budget.tokens - allowance.tokens
    check, draft = verify(
        question,
        answer,
        evidence,
        best,
        allowance=allowance,
        probe_failed=probe_failed,
        round_=round_,
        max_rounds=most_rounds(settings),
        rule=doubt_rule(settings.verify),
        min_support=settings.verify.min_support,
        asked_value=settings.verify.asked_value == "on",
        left_out=left_out,
        seen=[hit.chunk for hit in found],
        progress=Progress(before.rounds, spent, settings.verify.min_value),
        claims=claims,
    )
    return Outcome(Verified(check, draft), event)


@dataclass(frozen=True)
class _Work:
    """One run of the step."""

    question: str
    answer: Answer
    evidence: Sequence[Evidence]
    ports: Ports
    settings: VerifySettings

    def measured(self) -> Noted:
        """Return the claims of the answer with their similarities, as far as they are wanted."""
        claims = self._read(self.settings.min_support)
        if self.settings.similarity == "off" or not claims:
            return claims, ()
        lenient: tuple[Claim, ...] = ()
        counted = self.settings.similarity == "counted"
        if counted and not all(map(is_shown, claims)):
            lenient = self._read(min(LENIENT, self.settings.min_support))
        try:
            found = self._similarities((*claims, *lenient))
        except ModelError as error:
            return claims, (f"verify: similarities were not measured: {error}",)
        claims = with_similarity(claims, found)
        return with_alike(claims, with_similarity(lenient, found)), ()

    def judged(self, claims: tuple[Claim, ...], judge: ClaimJudge) -> Noted:
        """Return the claims with what a model says of those in their own words."""
        return judge.judged(claims, {item.key: item.hit.chunk for item in self.evidence})

    def _read(self, min_support: float) -> tuple[Claim, ...]:
        return claims_of(self.question, self.answer, self.evidence, min_support)

    def _similarities(self, claims: Sequence[Claim]) -> dict[str, float]:
        """Return the similarity of each claim and its quotes, in one call; raises ModelError."""
        pairs = {claim.text: quoted(claim) for claim in claims if claim.quotes}
        if not pairs:
            return {}
        vectors = self.ports.embedder.embed([*pairs, *pairs.values()])
        own, theirs = vectors[: len(pairs)], vectors[len(pairs) :]
        compared = zip(pairs, own, theirs, strict=True)
        return {text: round(cosine(one, other), 4) for text, one, other in compared}
