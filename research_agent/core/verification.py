"""Whether an answer is supported, whether its model was sure, and whether to search again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from research_agent.core.budget import BUDGET_STOPS, Allowance, BudgetStop
from research_agent.core.claims import Claim, is_supported
from research_agent.core.doubting import DoubtRule
from research_agent.core.dragin.doubt import SentenceDoubt
from research_agent.core.evidence import Evidence
from research_agent.core.ladder import MEASURED, by_logprobs, climbed, unusable_tokens
from research_agent.core.refusals import Refused
from research_agent.core.rewriting import marked
from research_agent.core.rounds import NO_PROGRESS, Progress, Round, quality
from research_agent.core.types import Chunk, Token
from research_agent.core.uncertain_spans import Spot, differing_spans, uncertain_spans
from research_agent.core.uncertainty import UNMEASURED, Uncertainty

StopReason = Literal[
    "confident",
    "unchecked",
    "refused",
    "max_rounds",
    "no_new_evidence",
    "worse_than_before",
    "low_value",
    "cancelled",
    "error",
    BudgetStop,
]
Doubt = Literal["uncertain", "unconfirmed", "pruned"]
"""What has to be mended; "pruned": chunks that were left out of the evidence come back."""
MENDED = frozenset({"refused", "uncertain", "unconfirmed", "max_rounds", "no_new_evidence"})
"""Doubts and ends that chunks which were left out may mend."""
CALLS = 2
"""Model calls that another answer may take: to write it, and to check whether it is one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model wrote; `tokens` is empty where nothing is known about them."""

    text: str = ""
    tokens: tuple[Token, ...] = ()
    form: Literal["written", "passages"] = "written"
    """"passages": the documents' own words, not the model's."""
    keys: tuple[str, ...] = ()
    """The evidence it was written from."""
    answerable: float | None = None
    """Probability that the evidence answers the question; None where it was not asked."""
    refused: Refused = ""
    repeated: bool = False
    """No evidence was new, so the model was not asked again."""
    unchecked: bool = False
    """The check whether the evidence answers the question gave no verdict."""
    failed: BudgetStop | Literal["error", ""] = ""
    """Why nothing was written; empty where something was."""
    missing: tuple[str, ...] = ()
    """What the model says the evidence does not hold, where it answers the rest."""
    rewritten: tuple[str, ...] = ()
    """Sentences of the text that were written again, doubtful as they were; without markers."""
    second: str | None = None
    """Another answer to the same prompt; empty where it failed, None where none was asked for."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A checked answer."""

    round: int = 0
    claims: tuple[Claim, ...] = ()
    uncertainty: Uncertainty = UNMEASURED
    answerable: float | None = None
    missing: tuple[str, ...] = ()
    """What the model says the evidence does not hold."""
    doubt: float | None = None
    """The answer's doubt as `verify.profile` measures it; None where nothing is known."""
    sentences: tuple[SentenceDoubt, ...] = ()
    """The doubt of each sentence, where the profile goes by them."""
    spots: tuple[Spot, ...] = ()
    """What the model was unsure of, the least sure first."""

    @property
    def supported(self) -> int:
        """How many claims the evidence bears out."""
        return sum(map(is_supported, self.claims))

    @property
    def is_contradicted(self) -> bool:
        """Whether there are claims, and the evidence says otherwise than every one of them."""
        return bool(self.claims) and all(c.verdict == "contradicted" for c in self.claims)

    def is_better_than(self, other: "Draft") -> bool:
        """Return whether this is the better of two drafts; doubt decides where both have one."""
        mine, theirs = self._merits(), other._merits()  # noqa: SLF001 (another of the same class)
        if mine != theirs or self.doubt is None or other.doubt is None:
            return mine > theirs
        return self.doubt < other.doubt

    def _merits(self) -> tuple[int, int]:
        return (self.supported, self.supported - len(self.claims))


@dataclass(frozen=True, slots=True)
class Check:
    """What happens next and why; `next_query` is set where the decision is "again"."""

    decision: Literal["again", "stop"] = "stop"
    reason: StopReason | Doubt | Literal[""] = ""
    next_query: str = ""
    refused: Refused = ""
    doubts: tuple[str, ...] = ()
    """The sentences that need more evidence, where the decision is "again"."""
    rounds: tuple[Round, ...] = ()
    """What every round that wrote an answer came to."""

    @property
    def faulty(self) -> tuple[str, ...]:
        """The sentences that may be written again alone, beside others that stay."""
        return self.doubts if self.reason in {"uncertain", "unconfirmed"} else ()


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
    seen: Sequence[Chunk] = (),
    progress: Progress = NO_PROGRESS,
) -> tuple[Check, Draft]:
    """Return what to do after `answer` with its checked `claims`, and the best draft so far.

    The `rule` says when the model counts as unsure; the chunks `seen` tell it which words are rare.
    A round that failed or is no better than the best one ends the loop, and so does a budget
    that pays no other round, or `progress` that promises too little of one. Without
    log-probabilities nothing counts as confident; only unconfirmed claims force another round.

    Where chunks were `left_out` of the evidence and may come back, they do before anything else is
    tried, or ends: a refusal, or an answer that is not good, may be for want of them.
    """
    undrafted = _undrafted(answer, best, probe_failed=probe_failed)
    rounds = progress.rounds
    if undrafted:
        check, draft = undrafted
    else:
        claims = marked(claims, answer.rewritten)
        written = Draft(round_, claims, answerable=answer.answerable, missing=answer.missing)
        written = _with_doubt(question, written, answer, evidence, seen, rule)
        latest = _round(written, progress)
        unpaid = "max_rounds" if round_ >= max_rounds else _unpaid(allowance)
        unpaid = unpaid or ("low_value" if progress.too_poor(latest) else None)
        check, draft = _weighed(question, answer, written, best, unpaid, rule)
        rounds = (*rounds, latest)
    paid = allowance.llm_calls >= CALLS and not allowance.spent()
    if left_out and check.reason in MENDED and paid:
        check = replace(check, decision="again", reason="pruned", next_query="", refused="")
    return replace(check, rounds=rounds), draft


def _with_doubt(
    question: str,
    draft: Draft,
    answer: Answer,
    evidence: Sequence[Evidence],
    seen: Sequence[Chunk],
    rule: DoubtRule,
) -> Draft:
    """Return a draft with its doubt, and that of its sentences, as `rule` measures them.

    It is measured by the best rung of the ladder (`core.ladder`) that can be used.
    """
    claims = draft.claims
    unsure, differing = climbed(
        answer.text,
        answer.tokens,
        claims,
        is_written=answer.form == "written",
        second=answer.second,
    )
    tokens = answer.tokens if unsure.source == "logprobs" else ()
    limit = rule.limit if rule.profile == "entropy" else rule.max_entropy
    found = uncertain_spans(question, answer.text, tokens, claims, max_entropy=limit)
    if differing:
        found = differing_spans(differing, claims)
    cited = {item.key: item.hit.chunk for item in evidence}
    known = (*cited.values(), *seen)
    sentences = rule.sentences(answer.text, tokens, claims, cited, known)
    doubt = rule.doubt(tokens, unsure.mean_entropy, sentences)
    return replace(draft, doubt=doubt, sentences=sentences, uncertainty=unsure, spots=found)


def _round(draft: Draft, progress: Progress) -> Round:
    """Return what a draft came to, for the record."""
    count, shown, unsure = len(draft.claims), draft.supported, draft.uncertainty
    good = quality(count, shown, unsure.normalized)
    entropy, spent = unsure.mean_entropy, progress.spent
    return Round(draft.round, entropy, draft.doubt, count, shown, good, spent)


def _weighed(
    question: str,
    answer: Answer,
    draft: Draft,
    best: Draft,
    unpaid: StopReason | None,
    rule: DoubtRule,
) -> tuple[Check, Draft]:
    """Return what follows from a draft, and the better one of it and `best`."""
    if best.claims and not draft.is_better_than(best):
        return _stop("worse_than_before", best), best
    doubt = _doubt(draft, rule)
    unchecked = answer.unchecked or draft.uncertainty.source not in MEASURED
    if doubt is None:
        return _stop("unchecked" if unchecked else "confident", draft), draft
    if unpaid:
        return _stop(unpaid, draft), draft
    doubtful = rule.doubtful(draft.claims, draft.sentences)
    query = rule.query(question, doubtful, draft.sentences)
    return Check("again", doubt, query, doubts=tuple(claim.text for claim in doubtful)), draft


def _undrafted(answer: Answer, best: Draft, *, probe_failed: bool) -> tuple[Check, Draft] | None:
    """Return how the loop ends where no draft was written; None where one was."""
    failed: Refused = "unsupported_draft" if best.claims else "model_failed"
    if probe_failed:
        return _stop("error", best, failed), best
    if answer.failed:
        return _stop(answer.failed, best, answer.refused or failed), best
    if answer.refused:
        return _refused(answer, best)
    return (_stop("no_new_evidence", best), best) if answer.repeated else None


def _refused(answer: Answer, best: Draft) -> tuple[Check, Draft]:
    """Return how the loop ends with a refusal: a draft that was there before is not lost."""
    if best.claims:
        return _stop("worse_than_before", best, answer.refused), best
    usable = not unusable_tokens(answer.text, answer.tokens)
    unsure = by_logprobs(answer.tokens if usable else ())
    said = replace(best, uncertainty=unsure, answerable=answer.answerable)
    return _stop("refused", said, answer.refused), said


def _unpaid(allowance: Allowance) -> StopReason | None:
    """Return which limit lets no other round be made: it takes a search and a model call."""
    which = allowance.spent() or ("" if allowance.tool_calls else "tool_calls")
    return BUDGET_STOPS[which] if which else None


def _doubt(draft: Draft, rule: DoubtRule) -> Doubt | None:
    """Return what is wrong with a draft, None where nothing is."""
    if not draft.claims or not all(map(is_supported, draft.claims)):
        return "unconfirmed"
    unsure = draft.uncertainty
    if unsure.source == "disagreement" and (unsure.value or 0.0) > rule.max_disagreement:
        return "uncertain"
    return "uncertain" if draft.doubt is not None and draft.doubt > rule.limit else None


def _stop(reason: StopReason, draft: Draft, refused: Refused = "unsupported_draft") -> Check:
    """Stop with `draft`, which is `refused` where it has no claims, or all are contradicted."""
    shown = draft.claims and not draft.is_contradicted
    return Check("stop", reason, "", "" if shown else refused)
