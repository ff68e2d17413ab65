"""Results, drafts and checks of earlier versions, in the words of this one."""

from collections.abc import Mapping
from typing import Any

VERDICTS = {
    "misattributed": "supported",
    "stitched": "supported",
    "unsupported": "unconfirmed",
}
"""Verdicts on sentences as they were called before."""
REASONS = {"unsupported": "unconfirmed", "lacking": "unconfirmed"}
"""What was wrong with a draft, as it was called before."""


def upgraded(value: Any) -> Any:  # noqa: ANN401 (what was kept as JSON)
    """Return a kept result, draft or check with today's verdicts; anything else as it is.

    >>> upgraded({"claims": [{"text": "It rains.", "verdict": "stitched"}]})
    {'claims': [{'text': 'It rains.', 'verdict': 'supported'}]}
    >>> upgraded({"decision": "again", "reason": "lacking"})["reason"]
    'unconfirmed'
    """
    if not isinstance(value, Mapping):
        return value
    found = dict(value)
    if isinstance(found.get("claims"), list | tuple):
        found["claims"] = [_claim(claim) for claim in found["claims"]]
    if isinstance(reason := found.get("reason"), str):
        found["reason"] = REASONS.get(reason, reason)
    return found


def _claim(claim: Any) -> Any:  # noqa: ANN401 (as above)
    if isinstance(claim, Mapping) and isinstance(verdict := claim.get("verdict"), str):
        return {**claim, "verdict": VERDICTS.get(verdict, verdict)}
    return claim
