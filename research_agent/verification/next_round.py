"""Whether an answer is supported, whether its model was sure, and whether to search again."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from research_agent.answering.rewriting import marked
from research_agent.text.content_words import content_words
from research_agent.text.sentences import sentence_spans
from research_agent.types import Chunk, Token
from research_agent.types.budget import BUDGET_STOPS, Allowance
from research_agent.types.claims import Claim, bare, is_supported, is_verbatim, said_tokens
from research_agent.types.entropy import mean_entropy
from research_agent.types.evidence import Evidence, source_of
from research_agent.types.refusals import Refused
from research_agent.types.rounds import NO_PROGRESS, Progress, Round, quality
from research_agent.types.uncertain_spans import differing_spans, uncertain_spans
from research_agent.types.verification import Answer, Check, Doubt, Draft, StopReason
from research_agent.verification.dragin.query import certain_words, doubt_query
from research_agent.verification.uncertainty_rule import DoubtRule
from research_agent.verification.uncertainty_sources import (
    MEASURED,
    by_logprobs,
    climbed,
    unusable_tokens,
)

MENDED = frozenset(
    {"refused", "missing", "unconfirmed", "uncertain", "max_rounds", "no_new_evidence"}
)
"""Doubts and ends that chunks which were left out may mend."""
CALLS = 2
"""Model calls that another answer may take: to write it, and to check whether it is one."""


def verify(  # noqa: PLR0913 (keyword-only settings)
    question: str,
    answer: Answer,
    claims: tuple[Claim, ...],
    evidence: Sequence[Evidence],
    best: Draft,
    *,
    allowance: Allowance,
    probe_failed: bool,
    round_: int,
    max_rounds: int,
    rule: DoubtRule,
    left_out: bool = False,
    exhausted: bool = False,
    seen: Sequence[Chunk] = (),
    progress: Progress = NO_PROGRESS,
) -> tuple[Check, Draft]:
    """Return what to do after `answer` with its checked `claims`, and the best draft so far.

    A refusal, a part that is missing, an unconfirmed sentence, and an answer that the model was
    unsure of by `rule` lead to another search; the chunks `seen` tell the rule which words are
    rare. A round that failed, found nothing new or is no better than the best one ends the loop.
    So does a planner model that has nothing else to search for (`exhausted`), a budget that pays
    no other round, or `progress` that promises too little of one. Without log-probabilities
    nothing counts as confident.

    Where chunks were `left_out` of the evidence and may come back, they do before anything else is
    tried, or ends: a refusal, or an answer that is not good, may be for want of them.
    """
    limit = "max_rounds" if round_ >= max_rounds else _unpaid(allowance)
    one = _Round(question, answer, claims, evidence, rule, seen, round_, limit)
    ended = _ended(answer, best, probe_failed=probe_failed, exhausted=exhausted)
    if ended:
        check, draft = ended, best
    elif answer.refused:
        check, draft = one.refusal(best)
    else:
        too_poor = progress.too_poor(one.record(progress.spent))
        check, draft = one.weighed(best, too_poor=too_poor)
    paid = allowance.llm_calls >= CALLS and not allowance.spent()
    if left_out and check.reason in MENDED and paid:
        check = Check("again", "pruned", doubts=check.doubts)
    latest = () if ended else (replace(one.record(progress.spent), reason=check.reason),)
    return replace(check, rounds=(*progress.rounds, *latest)), draft


@dataclass(frozen=True)
class _Round:
    """One round's answer, and what it is weighed by."""

    question: str
    answer: Answer
    claims: tuple[Claim, ...]
    evidence: Sequence[Evidence]
    rule: DoubtRule
    seen: Sequence[Chunk]
    number: int
    limit: StopReason | None
    """Why no other round can be made; None where one can."""

    @cached_property
    def cited(self) -> dict[str, Chunk]:
        """The evidence's chunks by their keys."""
        return {item.key: item.hit.chunk for item in self.evidence}

    @cached_property
    def copied(self) -> frozenset[str]:
        """The sentences that the evidence has word for word: they are in no doubt."""
        return frozenset(c.text for c in self.claims if is_verbatim(c, self.cited))

    @cached_property
    def draft(self) -> Draft:
        """The answer with its doubt, by the best rung of the ladder (`core.ladder`)."""
        answer, rule = self.answer, self.rule
        claims = marked(self.claims, answer.rewritten)
        unsure, differing = climbed(
            answer.text,
            answer.tokens,
            claims,
            is_written=answer.form == "written",
            second=answer.second,
        )
        tokens = answer.tokens if unsure.source == "logprobs" else ()
        most = rule.limit if rule.profile == "entropy" else rule.max_entropy
        spots = uncertain_spans(self.question, answer.text, tokens, claims, max_entropy=most)
        if differing:
            spots = differing_spans(differing, claims)
        known = (*self.cited.values(), *self.seen)
        sentences = rule.sentences(answer.text, tokens, claims, self.cited, known)
        sentences = tuple(one for one in sentences if one.text not in self.copied)
        doubt = rule.doubt(tokens, unsure.mean_entropy, sentences)
        if tokens and self.copied:
            own = said_tokens(_without(self.copied, answer.text, tokens))
            doubt = rule.doubt([t for _, t in own], mean_entropy(t for _, t in own), sentences)
            doubt = 0.0 if len(self.copied) == len(claims) else doubt
        return Draft(
            self.number,
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
        """The refusal; nothing of what it was written instead of is kept."""
        answer = self.answer
        usable = not unusable_tokens(answer.text, answer.tokens)
        return Draft(
            self.number,
            refused=answer.refused,
            uncertainty=by_logprobs(answer.tokens if usable else ()),
            answerable=answer.answerable,
            missing=answer.missing,
        )

    def record(self, spent: int) -> Round:
        """Return what the answer came to, when the question had cost so many tokens."""
        draft = self.refused if self.answer.refused else self.draft
        count, shown, unsure = len(draft.claims), draft.supported, draft.uncertainty
        good = quality(count, shown, unsure.normalized)
        return Round(self.number, unsure.mean_entropy, draft.doubt, count, shown, good, spent)

    def weighed(self, best: Draft, *, too_poor: bool) -> tuple[Check, Draft]:
        """Return what follows from the answer, and the better one of its draft and `best`."""
        draft = self.draft
        if best.claims and not draft.is_better_than(best):
            return _stop("worse_than_before", best), best
        unsure = [claim for claim in draft.claims if claim.text not in self.copied]
        doubtful = self.rule.doubtful(unsure, draft.sentences)
        doubt = self._doubt(doubtful)
        limit = self.limit or ("low_value" if too_poor else None)
        if doubt is None:
            unchecked = self.answer.unchecked or draft.uncertainty.source not in MEASURED
            return _stop("unchecked" if unchecked else "confident", draft), draft
        return (_stop(limit, draft) if limit else self._again(doubt, draft, doubtful)), draft

    def refusal(self, best: Draft) -> tuple[Check, Draft]:
        """Return what follows from a refusal: a draft that was there before is not lost."""
        answer, limit, draft = self.answer, self.limit, self.refused
        if best.claims:
            return _stop("worse_than_before", best, answer.refused), best
        if answer.refused == "no_evidence" and best.refused == "no_evidence":
            return _stop("no_new_evidence", draft), draft
        if limit == "max_rounds" or (answer.refused == "no_evidence" and not self.seen):
            return _stop("refused", draft), draft
        return (_stop(limit, draft) if limit else self._again("refused", draft)), draft

    def _doubt(self, doubtful: Sequence[Claim]) -> Doubt | None:
        """Return what is wrong with the answer, None where nothing is."""
        draft, unsure = self.draft, self.draft.uncertainty
        if draft.missing:
            return "missing"
        if not draft.claims or not all(map(is_supported, draft.claims)):
            return "unconfirmed"
        if not doubtful and not any(spot.kind == "refusal" for spot in draft.spots):
            return None  # (a second answer that refuses doubts copied sentences too)
        if unsure.source == "disagreement" and (unsure.value or 0.0) > self.rule.max_disagreement:
            return "uncertain"
        return "uncertain" if draft.doubt is not None and draft.doubt > self.rule.limit else None

    def _again(self, doubt: Doubt, draft: Draft, doubtful: Sequence[Claim] = ()) -> Check:
        """Search again, with a query from what is missing and what is in doubt."""
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
            doubt_query(self.question, words, known),
            doubts=tuple(claim.text for claim in doubtful),
            missing=missing,
            by_tokens=not missing and any(claim.text in found for claim in doubtful),
        )


def _doubted(claim: Claim, draft: Draft) -> Sequence[str]:
    """Return the words of a claim that the model was unsure of, or a second answer lacks."""
    own = [spot for spot in draft.spots if spot.sentence == claim.text]
    return [claim.text[one.start : one.end] for one in own if one.kind in ("value", "difference")]


def _without(sentences: Collection[str], text: str, tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens that spell `text`, less those of some of its sentences."""
    if "".join(token.text for token in tokens) != text:
        return tokens
    spans = [span for span in sentence_spans(text) if bare(text[slice(*span)]) in sentences]
    kept, at = [], 0
    for token in tokens:
        start, at = at, at + len(token.text)
        if not any(left <= start < right for left, right in spans):
            kept.append(token)
    return kept


def _ended(answer: Answer, best: Draft, *, probe_failed: bool, exhausted: bool) -> Check | None:
    """Return how the loop ends where nothing was written; None where something was."""
    failed: Refused = "unsupported_draft" if best.claims else "model_failed"
    if probe_failed:
        return _stop("error", best, failed)
    if exhausted:
        return _stop("nothing_to_search", best, failed)
    if answer.failed:
        return _stop(answer.failed, best, answer.refused or failed)
    return _stop("no_new_evidence", best, failed) if answer.repeated else None


def _unpaid(allowance: Allowance) -> StopReason | None:
    """Return which limit lets no other round be made: it takes a search and a model call."""
    which = allowance.spent() or ("" if allowance.tool_calls else "tool_calls")
    return BUDGET_STOPS[which] if which else None


def _stop(reason: StopReason, draft: Draft, refused: Refused = "unsupported_draft") -> Check:
    """Stop with `draft`, which is a refusal where it has no claims, or all are contradicted."""
    shown = draft.claims and not draft.is_contradicted
    return Check("stop", reason, "", "" if shown else draft.refused or refused)
