"""Keep: what the check of an answer takes stays in the budget while less needful calls are made."""

from collections.abc import Callable

from research_agent.metering import Meter
from research_agent.settings import Settings
from research_agent.types.budget import NOTHING, Allowance

INSTRUCTIONS = 120
"""Tokens that a call reads beside the evidence, the question and the answer, about."""


def kept_for(
    read: str,
    *,
    meter: Meter,
    count: Callable[[str], int],
    settings: Settings,
    is_written: bool = True,
) -> Allowance:
    """Return what stays for the calls that read `read`: the check, where there is one.

    Where nothing `is_written` yet, the call that writes the answer comes as well. Of time and money
    it is half of what is left now, for nobody knows what these calls will take.
    """
    calls = (settings.refuses_by == "check") + (not is_written)
    if not calls:
        return NOTHING
    left, written = meter.left(), 0 if is_written else settings.answer.max_tokens
    tokens = calls * (count(read) + INSTRUCTIONS) + written * calls
    cost = None if left.cost is None else left.cost / 2
    return Allowance(calls, 0, tokens, left.seconds / 2, cost)
