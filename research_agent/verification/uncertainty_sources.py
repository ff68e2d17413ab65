"""The ladder: how unsure an answer is, by the best that is known of it.

Log-probabilities, else how far two answers differ, else how much of the answer stands in what it
cites. Where nothing is known, that is said, and nothing is concluded from it.
"""

from collections.abc import Sequence
from statistics import fmean

from research_agent.types import Token
from research_agent.types.claims import MARKER, Claim, said_tokens
from research_agent.types.entropy import mean_entropy, normalized_uncertainty
from research_agent.types.uncertainty import Passed, Uncertainty, Why
from research_agent.verification.disagreement import Disagreement, disagreement

MEASURED = frozenset({"logprobs", "disagreement"})
"""Sources that say how sure the model was. The others never make an answer count as confident."""
LEAST_KNOWN = 0.5
"""Share of the tokens with letters or digits that need alternatives."""
MOST_FORCED = 0.2
"""Share of tokens that are not among the likeliest at their place, above which something else than
the model has chosen them. Of freely written tokens it is 0.005 (docs/uncertainty.md)."""


def by_logprobs(tokens: Sequence[Token]) -> Uncertainty:
    """Return the mean entropy of an answer's tokens; citation markers are not scored.

    Source: normalized uncertainty, arXiv 2601.17532, with the divisor corrected to the number
    of outcomes (docs/algorithms.md).
    """
    said = [token for _, token in said_tokens(tokens)]
    if not said:
        return Uncertainty()
    nu = normalized_uncertainty(said)
    return Uncertainty("logprobs", mean_entropy(said), nu, len(said), nu)


def climbed(
    text: str,
    tokens: Sequence[Token],
    claims: Sequence[Claim],
    *,
    is_written: bool,
    second: str | None,
) -> tuple[Uncertainty, Disagreement | None]:
    """Return how unsure an answer is by the best rung that can be used, and how two answers differ.

    `claims` are those of the answer `text`. Where the answer is not `is_written` by a model, it
    shows the documents' own words and there is nothing to be unsure of. `second` is another answer
    to the same prompt: empty where it failed, None where none was asked for.

    >>> claims = [Claim("It is.", support=0.75)]
    >>> climbed("It is.", (), claims, is_written=True, second=None)[0].value
    0.25
    """
    if not is_written:
        return Uncertainty(passed=_passed("passages", "passages", "passages")), None
    unusable = unusable_tokens(text, tokens)
    if not unusable:
        return by_logprobs(tokens), None
    found = disagreement([claim.text for claim in claims], second) if second else None
    if found:
        passed = _passed(unusable)
        return Uncertainty("disagreement", value=found.value, passed=passed), found
    other: Why = "not_asked" if second is None else "failed"
    if not claims:
        return Uncertainty(passed=_passed(unusable, other, "silent")), None
    value = 1.0 - fmean(claim.support for claim in claims)
    return Uncertainty("overlap", value=value, passed=_passed(unusable, other)), None


def unusable_tokens(text: str, tokens: Sequence[Token]) -> Why | None:
    """Return why the log-probabilities of an answer say nothing of it; None where they do.

    Values that are none (`core.entropy`) count as missing.

    >>> unusable_tokens("So it is.", ()), unusable_tokens("So it is.", [Token("No.", -0.1)])
    ('absent', 'misaligned')
    """
    if not tokens:
        return "absent"
    if "".join(token.text for token in tokens).strip() != text.strip():
        return "misaligned"
    said = [token for _, token in said_tokens(tokens)]
    worded = _worded(tokens)
    if not worded:
        return "silent"
    if len(said) < LEAST_KNOWN * worded:
        return "partial"
    return "forced" if sum(map(_is_strange, said)) > MOST_FORCED * len(said) else None


def _is_strange(token: Token) -> bool:
    """Return whether a token is not among its alternatives, whatever white space it has lost."""
    return token.text.strip() not in {shown.text.strip() for shown in token.alternatives}


def _worded(tokens: Sequence[Token]) -> int:
    """Return how many tokens have letters or digits, those of citation markers left out."""
    text = "".join(token.text for token in tokens)
    markers = [match.span() for match in MARKER.finditer(text)]
    count, at = 0, 0
    for token in tokens:
        left, at = at, at + len(token.text)
        inside = any(left < end and at > start for start, end in markers)
        count += not inside and any(map(str.isalnum, token.text))
    return count


def _passed(
    logprobs: Why, disagreement: Why | None = None, overlap: Why | None = None
) -> tuple[Passed, ...]:
    found = [Passed("logprobs", logprobs)]
    found += [Passed("disagreement", disagreement)] if disagreement else []
    found += [Passed("overlap", overlap)] if overlap else []
    return tuple(found)
