"""Results, drafts, checks and events of earlier versions, in the words of this one."""

from collections.abc import Mapping
from typing import Any

VERDICTS = {"misattributed": "supported", "stitched": "supported", "unsupported": "unconfirmed"}
"""Verdicts on sentences as they were called before."""
REASONS = {"unsupported": "unconfirmed", "lacking": "unconfirmed"}
"""What was wrong with a draft, as it was called before."""


def upgraded(value: Any) -> Any:  # noqa: ANN401 (what was kept as JSON)
    """Return a kept result, draft, check or event with today's verdicts; anything else as it is.

    Earlier results showed supported sentences only, and did not count them.
    """
    if not isinstance(value, Mapping):
        return value
    found = dict(_claim(value))
    if isinstance(found.get("claims"), list | tuple):
        found["claims"] = claims = [_claim(claim) for claim in found["claims"]]
        if found.get("status") in ("answered", "partial") and "supported" not in found:
            verdicts = (one.get("verdict") for one in claims if isinstance(one, Mapping))
            found["supported"] = sum(verdict == "supported" for verdict in verdicts)
    if isinstance(reason := found.get("reason"), str):
        found["reason"] = REASONS.get(reason, reason)
    if isinstance(stats := found.get("filter_stats"), Mapping) and stats.get("mode") == "pointwise":
        found["filter_stats"] = _filter_stats(stats)
    if isinstance(found.get("result"), Mapping):
        found["result"] = upgraded(found["result"])
    return found


def _claim(claim: Any) -> Any:  # noqa: ANN401 (as above)
    if not isinstance(claim, Mapping):
        return claim
    found = dict(claim)
    if isinstance(verdict := found.get("verdict"), str):
        found["verdict"] = VERDICTS.get(verdict, verdict)
    repaired = found.pop("repaired", "")
    if repaired == "rekeyed" or claim.get("verdict") == "misattributed":
        found["rekeyed"] = True
    if repaired == "reasked":
        found["rewritten"] = True
    return found


def _filter_stats(stats: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a filter that asked hit by hit as one of mode "llm"."""
    decisions = [
        {**one, "why": "rank"} if one.get("why") == "not_asked" else one
        for one in stats.get("decisions", ())
    ]
    return {**stats, "mode": "llm", "decisions": decisions}
