"""Whether an answer is supported, whether its model was sure, and whether to search again."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from research_agent.settings import Settings, VerifySettings
from research_agent.text.content_words import content_words
from research_agent.text.sentences import sentence_spans
from research_agent.types import Chunk, Hit, Refused, Token
from research_agent.types.budget import BUDGET_STOPS, Allowance
from research_agent.types.claims import MARKER, Claim, bare, is_supported, plain, said_tokens
from research_agent.types.entropy import mean_entropy, normalized_uncertainty
from research_agent.types.evidence import Evidence, source_of
from research_agent.types.uncertainty import unusable_tokens
from research_agent.types.verification import (
    Answer,
    Check,
    Doubt,
    Draft,
    Round,
    SentenceDoubt,
    StopReason,
)
from research_agent.verification.claims import is_copied
from research_agent.verification.dragin import certain_words, doubt_query, sentence_doubts
from research_agent.verification.uncertainty import (
    MEASURED,
    by_logprobs,
    differing_spans,
    measured_uncertainty,
    uncertain_spans,
)

WORTH_RESTORING = frozenset(
    {"refused", "missing", "unconfirmed", "uncertain", "max_rounds", "no_new_evidence"}
)
"""Reasons for which pruned chunks are brought back."""
CALLS_PER_ANSWER = 2
"""Model calls that another answer may take: to write it, and to check whether it is one."""
MAX_DISAGREEMENT = 0.5
"""Share of what two answers say that only one says, up to which the model counts as sure."""


NO_DRAFT = Draft()


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRound:
    """What one round has written, with its inputs."""

    question: str
    number: int
    """Of the round, from 1."""
    answer: Answer
    evidence: Sequence[Evidence]
    best: Draft = NO_DRAFT
    """Of the rounds before."""
    rounds: tuple[Round, ...] = ()
    found: Sequence[Hit] = ()
    """What the round's search found: tells DRAGIN which words are rare."""
    probe_failed: bool = False
    exhausted: bool = False
    """The planner model had nothing else to search for."""
    left_out: bool = False
    """Pruning left out chunks that may come back."""


def decide_next_round(
    written: WrittenRound, claims: tuple[Claim, ...], settings: Settings, allowance: Allowance
) -> tuple[Check, Draft]:
    """Return what to do after an answer with its checked `claims`, and the best draft so far.

    The first that holds decides:

    1. The round failed, found nothing new or had nothing to search for: stop with the best draft.
    2. The answer is no better than the best draft: stop.
    3. Nothing is refused, missing, unconfirmed or, by `verify.profile`, uncertain: stop.
    4. `budget.rounds` or another budget allows no other round: stop.
    5. Search again for what is refused, missing, unconfirmed or uncertain.

    Where pruning left out chunks that could change a 2 to 5, they are brought back instead, without
    a search. Without log-probabilities nothing counts as confident. An answer that names what is
    missing refuses if it cites nothing, and none of its sentences is supported.
    """
    answer = written.answer
    cites = MARKER.search(answer.text) or any(map(is_supported, claims))
    if claims and answer.missing and not cites:
        written = replace(written, answer=replace(answer, refused="insufficient_evidence"))
    judgement = _RoundJudgement(written, claims, settings, allowance)
    ended = _ended(written)
    if ended:
        check, draft = ended, written.best
    else:
        check, draft = judgement.refusal() if written.answer.refused else judgement.weighed()
    paid = allowance.llm_calls >= CALLS_PER_ANSWER and not allowance.spent()
    if written.left_out and check.reason in WORTH_RESTORING and paid:
        check = Check("again", "pruned", doubts=check.doubts)
    latest = () if ended else (judgement.record(check.reason),)
    return replace(check, rounds=(*written.rounds, *latest)), draft


def doubt_limit(verify: VerifySettings) -> float:
    """Return the doubt up to which an answer counts as sure.

    | profile | doubt | limit |
    |---|---|---|
    | entropy | mean entropy of the answer's tokens, nats | max_entropy |
    | dragin | largest score of a word (`verification.dragin`), nats | max_doubt |
    | seed | normalised uncertainty, which is 1 - confidence | 1 - seed_threshold |

    >>> doubt_limit(VerifySettings(profile="seed", seed_threshold=0.75))
    0.25
    """
    seed = 1.0 - verify.seed_threshold
    return {"entropy": verify.max_entropy, "dragin": verify.max_doubt, "seed": seed}[verify.profile]


def answer_doubt(
    verify: VerifySettings,
    tokens: Sequence[Token],
    mean: float | None,
    sentences: Sequence[SentenceDoubt],
) -> float | None:
    """Return the doubt of an answer with this `mean` entropy; None where nothing is known."""
    match verify.profile:
        case "dragin":
            return max((s.score for s in sentences if s.score is not None), default=None)
        case "seed":
            return normalized_uncertainty(token for _, token in said_tokens(tokens))
        case _:
            return mean


@dataclass(frozen=True)
class _RoundJudgement:
    written: WrittenRound
    claims: tuple[Claim, ...]
    settings: Settings
    allowance: Allowance

    @property
    def limit(self) -> StopReason | None:
        """Why no other round can be made: it takes a search and a model call."""
        if self.written.number >= self.settings.budget.rounds:
            return "max_rounds"
        which = self.allowance.spent() or ("" if self.allowance.tool_calls else "tool_calls")
        return BUDGET_STOPS[which] if which else None

    @cached_property
    def cited(self) -> dict[str, Chunk]:
        return {item.key: item.hit.chunk for item in self.written.evidence}

    @cached_property
    def copied(self) -> frozenset[str]:
        """The sentences that the evidence has word for word: they are in no doubt."""
        return frozenset(c.text for c in self.claims if is_copied(c, self.cited))

    @cached_property
    def draft(self) -> Draft:
        answer, verify = self.written.answer, self.settings.verify
        new = {plain(sentence) for sentence in answer.rewritten}
        claims = tuple(replace(c, rewritten=plain(c.text) in new) for c in self.claims)
        unsure, differing = measured_uncertainty(answer, claims)
        spots = differing_spans(self.written.question, differing, claims) if differing else ()
        tokens: Sequence[Token] = ()
        if unsure.source == "logprobs":
            tokens = answer.tokens
            most = verify.max_entropy
            spots = uncertain_spans(self.written.question, answer, claims, max_entropy=most)
        sentences: tuple[SentenceDoubt, ...] = ()
        if verify.profile == "dragin":
            known = (*self.cited.values(), *(hit.chunk for hit in self.written.found))
            limit = doubt_limit(verify)
            spelled = (answer.text, tokens)
            sentences = sentence_doubts(spelled, claims, self.cited, known, limit=limit)
            sentences = tuple(one for one in sentences if one.text not in self.copied)
        doubt = answer_doubt(verify, tokens, unsure.mean_entropy, sentences)
        if tokens and self.copied:
            own = said_tokens(_without(self.copied, answer.text, tokens))
            own_tokens = [token for _, token in own]
            doubt = answer_doubt(verify, own_tokens, mean_entropy(own_tokens), sentences)
            doubt = 0.0 if len(self.copied) == len(claims) else doubt
        return Draft(
            self.written.number,
            claims,
            uncertainty=unsure,
            answerable=answer.answerable,
            missing=answer.missing,
            doubt=doubt,
            sentences=sentences,
            spots=spots,
        )

    @cached_property
    def refused(self) -> Draft:
        answer = self.written.answer
        usable = not unusable_tokens(answer.text, answer.tokens)
        return Draft(
            self.written.number,
            refused=answer.refused,
            uncertainty=by_logprobs(answer.tokens if usable else ()),
            answerable=answer.answerable,
            missing=answer.missing,
        )

    def record(self, reason: str) -> Round:
        draft = self.refused if self.written.answer.refused else self.draft
        count, shown, unsure = len(draft.claims), draft.supported, draft.uncertainty
        quality = shown / count * (1.0 - (unsure.normalized or 0.0)) if count else 0.0
        spent = self.settings.budget.tokens - self.allowance.tokens
        numbers = (self.written.number, unsure.mean_entropy, draft.doubt, count, shown)
        return Round(*numbers, quality, spent, reason)

    def weighed(self) -> tuple[Check, Draft]:
        """Return what follows from the answer, and the better one of its draft and the best."""
        draft, best = self.draft, self.written.best
        if best.claims and not draft.is_better_than(best):
            return _stop("worse_than_before", best), best
        doubtful = self._doubtful()
        doubt = self._doubt(doubtful)
        if doubt is None:
            unchecked = self.written.answer.unchecked or draft.uncertainty.source not in MEASURED
            return _stop("unchecked" if unchecked else "confident", draft), draft
        if self.limit:
            return _stop(self.limit, draft), draft
        return self._again(doubt, draft, doubtful), draft

    def refusal(self) -> tuple[Check, Draft]:
        """Return what follows from a refusal: a draft from before is not lost."""
        refused, best, draft = self.written.answer.refused, self.written.best, self.refused
        if best.claims:
            return _stop("worse_than_before", best, refused), best
        if refused == "no_evidence" and best.refused == "no_evidence":
            return _stop("no_new_evidence", draft), draft
        if self.limit == "max_rounds" or (refused == "no_evidence" and not self.written.found):
            return _stop("refused", draft), draft
        return (_stop(self.limit, draft) if self.limit else self._again("refused", draft)), draft

    def _doubtful(self) -> Sequence[Claim]:
        """Return the claims that need more evidence: unconfirmed or uncertain, else all.

        The profile `seed` scores an answer as a whole, so no single sentence is picked.
        """
        verify = self.settings.verify
        unsure = {one.text for one in self.draft.sentences if one.word}
        claims = [claim for claim in self.draft.claims if claim.text not in self.copied]
        limit = verify.max_entropy
        return [
            claim
            for claim in claims
            if not is_supported(claim)
            or claim.text in unsure
            or (verify.profile == "entropy" and (claim.mean_entropy or 0.0) > limit)
        ] or claims

    def _doubt(self, doubtful: Sequence[Claim]) -> Doubt | None:
        draft, unsure = self.draft, self.draft.uncertainty
        if draft.missing:
            return "missing"
        if not draft.claims or not all(map(is_supported, draft.claims)):
            return "unconfirmed"
        if not doubtful and not any(spot.kind == "refusal" for spot in draft.spots):
            return None  # (if a second answer refuses, even copied sentences are in doubt)
        if unsure.source == "disagreement" and (unsure.value or 0.0) > MAX_DISAGREEMENT:
            return "uncertain"
        above = draft.doubt is not None and draft.doubt > doubt_limit(self.settings.verify)
        return "uncertain" if above else None

    def _again(self, doubt: Doubt, draft: Draft, doubtful: Sequence[Claim] = ()) -> Check:
        missing = tuple(filter(None, draft.missing))
        if doubt == "missing":
            doubtful = [claim for claim in doubtful if not is_supported(claim)]
        found = {one.text: one for one in draft.sentences if one.word}
        words = [word for part in missing for word in certain_words(part)]
        for claim in doubtful:
            one = found.get(claim.text)
            words += one.certain if one else certain_words(claim.text, _doubted(claim, draft))
        known = content_words(" ".join(map(source_of, self.cited.values())))
        return Check(
            "again",
            doubt,
            doubt_query(self.written.question, words, known),
            doubts=tuple(claim.text for claim in doubtful),
            missing=missing,
            by_tokens=not missing and any(claim.text in found for claim in doubtful),
        )


def _doubted(claim: Claim, draft: Draft) -> Sequence[str]:
    own = [spot for spot in draft.spots if spot.sentence == claim.text]
    return [claim.text[one.start : one.end] for one in own if one.kind in ("value", "difference")]


def _without(sentences: Collection[str], text: str, tokens: Sequence[Token]) -> Sequence[Token]:
    if "".join(token.text for token in tokens) != text:
        return tokens
    spans = [span for span in sentence_spans(text) if bare(text[slice(*span)]) in sentences]
    kept, at = [], 0
    for token in tokens:
        start, at = at, at + len(token.text)
        if not any(left <= start < right for left, right in spans):
            kept.append(token)
    return kept


def _ended(written: WrittenRound) -> Check | None:
    """Return how the loop ends where nothing was written; None where something was."""
    answer, best = written.answer, written.best
    failed: Refused = "unsupported_draft" if best.claims else "model_failed"
    if written.probe_failed:
        return _stop("error", best, failed)
    if written.exhausted:
        return _stop("nothing_to_search", best, failed)
    if answer.failed:
        return _stop(answer.failed, best, answer.refused or failed)
    return _stop("no_new_evidence", best, failed) if answer.repeated else None


def _stop(reason: StopReason, draft: Draft, refused: Refused = "unsupported_draft") -> Check:
    """Stop with `draft`, which is a refusal where it has no claims, or all are contradicted."""
    shown = draft.claims and not draft.is_contradicted
    return Check("stop", reason, "", "" if shown else draft.refused or refused)
