"""Whether an answer is supported, whether its model was sure, and whether to search again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from research_agent.core.asked_value import lacking
from research_agent.core.budget import BUDGET_STOPS, Allowance, BudgetStop
from research_agent.core.claims import Claim, is_shown, read_claims, said_tokens
from research_agent.core.entropy import mean_entropy, normalized_uncertainty
from research_agent.core.evidence import Evidence
from research_agent.core.refusals import (
    Refused,
    is_all_missing,
    says_missing,
    without_missing,
)
from research_agent.core.types import Token

StopReason = Literal[
    "confident",
    "unchecked",
    "refused",
    "max_rounds",
    "no_new_evidence",
    "worse_than_before",
    "cancelled",
    "error",
    BudgetStop,
]
Doubt = Literal["uncertain", "unsupported", "lacking", "pruned"]
"""What has to be mended; "pruned": chunks that were left out of the evidence come back."""
MENDED = frozenset(
    {"refused", "uncertain", "unsupported", "lacking", "max_rounds", "no_new_evidence"}
)
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
    """The model's probability that the evidence answers the question; None where not asked."""
    refused: Refused = ""
    repeated: bool = False
    """No evidence was new, so the model was not asked again."""
    unchecked: bool = False
    """The check whether the evidence answers the question gave no verdict."""
    failed: BudgetStop | Literal["error", ""] = ""
    """Why nothing was written; empty where something was."""


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """How unsure the model was of its words."""

    source: Literal["logprobs", "none"] = "none"
    mean_entropy: float | None = None
    """Nats a token, over the tokens that say something."""
    normalized: float | None = None
    """The same divided by the largest it could be, 0 to 1."""
    tokens: int = 0
    """Tokens scored."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A checked answer."""

    round: int = 0
    claims: tuple[Claim, ...] = ()
    uncertainty: Uncertainty = Uncertainty()
    answerable: float | None = None
    lacking: str = ""
    """What the question asks for, such as a number, and no shown claim gives."""

    def quality(self) -> tuple[bool, int, int, float]:
        """Return a value that is larger for the better of two drafts."""
        shown = sum(is_shown(claim) for claim in self.claims)
        entropy = self.uncertainty.mean_entropy or 0.0
        return (not self.lacking, shown, shown - len(self.claims), -entropy)


@dataclass(frozen=True, slots=True)
class Check:
    """What happens next and why; `next_query` is set where the decision is "again"."""

    decision: Literal["again", "stop"] = "stop"
    reason: StopReason | Doubt | Literal[""] = ""
    next_query: str = ""
    refused: Refused = ""
    doubts: tuple[str, ...] = ()
    """The sentences that need more evidence, where the decision is "again"."""


def uncertainty(tokens: Sequence[Token]) -> Uncertainty:
    """Return the mean entropy of an answer's tokens; citation markers are not scored.

    Source: normalized uncertainty, arXiv 2601.17532, with the divisor corrected to the number
    of outcomes (docs/algorithms.md).
    """
    said = [token for _, token in said_tokens(tokens)]
    if not said:
        return Uncertainty()
    return Uncertainty("logprobs", mean_entropy(said), normalized_uncertainty(said), len(said))


def verify(  # noqa: PLR0913 (keyword-only settings)
    question: str,
    answer: Answer,
    evidence: Sequence[Evidence],
    best: Draft,
    *,
    allowance: Allowance,
    probe_failed: bool,
    round_: int,
    max_rounds: int,
    max_entropy: float,
    min_support: float,
    asked_value: bool = True,
    left_out: bool = False,
) -> tuple[Check, Draft]:
    """Check `answer` and return what to do next together with the best draft so far.

    With `asked_value` an answer without the number, time or name that is asked for is none.

    A round that failed or is no better than the best one ends the loop, and so does a budget
    that pays no other round. Without log-probabilities nothing counts as confident, and the lack
    of them forces no other round; unsupported claims do.

    Where chunks were `left_out` of the evidence and may come back, they do before anything else is
    tried, or ends: a refusal, or an answer that is not good, may be for want of them.
    """
    undrafted = _undrafted(answer, best, probe_failed=probe_failed)
    if undrafted:
        check, draft = undrafted
    else:
        written = _draft(question, answer, evidence, round_, min_support, asked_value=asked_value)
        unpaid = "max_rounds" if round_ >= max_rounds else _unpaid(allowance)
        check, draft = _weighed(question, answer, written, best, unpaid, max_entropy)
    paid = allowance.llm_calls >= CALLS and not allowance.spent()
    if left_out and check.reason in MENDED and paid:
        check = replace(check, decision="again", reason="pruned", next_query="", refused="")
    return check, draft


def _draft(
    question: str,
    answer: Answer,
    evidence: Sequence[Evidence],
    round_: int,
    min_support: float,
    *,
    asked_value: bool,
) -> Draft:
    """Return what `answer` says, judged against the evidence and against what was asked for."""
    claims = read_claims(answer.text, answer.tokens, evidence, min_support=min_support)
    claims = without_missing(claims)
    shown = [claim.text for claim in claims if is_shown(claim)]
    answers = not shown or any(map(says_missing, shown))  # (what is not given may be the answer)
    lacks = lacking(question, shown) if asked_value and not answers else ""
    return Draft(round_, claims, uncertainty(answer.tokens), answer.answerable, lacks)


def _weighed(
    question: str,
    answer: Answer,
    draft: Draft,
    best: Draft,
    unpaid: StopReason | None,
    max_entropy: float,
) -> tuple[Check, Draft]:
    """Return what follows from a draft, and the better one of it and `best`."""
    if is_all_missing(draft.claims):
        return _refused(replace(answer, refused="insufficient_evidence"), best)
    if best.claims and draft.quality() <= best.quality():
        return _stop("worse_than_before", best), best
    doubt = _doubt(draft, max_entropy)
    unchecked = answer.unchecked or draft.uncertainty.source == "none"
    if doubt is None:
        return _stop("unchecked" if unchecked else "confident", draft), draft
    if unpaid:
        return _stop(unpaid, draft), draft
    doubts = tuple(claim.text for claim in _doubtful(draft.claims, max_entropy))
    return Check("again", doubt, " ".join((question, *doubts)), doubts=doubts), draft


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
    unsure = uncertainty(answer.tokens)
    said = replace(best, uncertainty=unsure, answerable=answer.answerable)
    return _stop("refused", said, answer.refused), said


def _unpaid(allowance: Allowance) -> StopReason | None:
    """Return which limit lets no other round be made: it takes a search and a model call."""
    which = allowance.spent() or ("" if allowance.tool_calls else "tool_calls")
    return BUDGET_STOPS[which] if which else None


def _doubt(draft: Draft, max_entropy: float) -> Doubt | None:
    """Return what is wrong with a draft, None where nothing is."""
    if not draft.claims or not all(map(is_shown, draft.claims)):
        return "unsupported"
    if draft.lacking:
        return "lacking"
    mean = draft.uncertainty.mean_entropy
    return "uncertain" if mean is not None and mean > max_entropy else None


def _doubtful(claims: Sequence[Claim], max_entropy: float) -> Sequence[Claim]:
    """Return the claims that need more evidence: unsupported or uncertain ones, else all."""
    return [
        claim
        for claim in claims
        if not is_shown(claim) or (claim.mean_entropy or 0.0) > max_entropy
    ] or claims


def _stop(reason: StopReason, draft: Draft, refused: Refused = "unsupported_draft") -> Check:
    """Stop with `draft`, which is `refused` where nothing of it can be shown."""
    if draft.lacking:
        return Check("stop", reason, "", "insufficient_evidence")
    return Check("stop", reason, "", "" if any(map(is_shown, draft.claims)) else refused)
