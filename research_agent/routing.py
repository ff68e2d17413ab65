"""Where the graphs go next: each function maps a decision that a node stored to a name.

The decision and its reason are made where the facts are (`collect`, `verify`) and stored in the
state, because a routing function's own reason would be lost.
"""

from typing import Literal

from research_agent.types import Probe
from research_agent.types.calls import CallPlan, Found
from research_agent.types.conversation import Choices
from research_agent.types.refinement import Refinement
from research_agent.types.verification import Check


def after_retrieve(probe: Probe) -> Literal["assess", "verify"]:
    """Go on with what was found; where the search failed, verify ends with the best answer."""
    return "verify" if probe.failed else "assess"


def after_refine(refinement: Refinement) -> Literal["search", "verify"]:
    """Search; where there is nothing else to search for, verify ends with the best answer."""
    return "verify" if refinement.exhausted else "search"


def after_plan(plan: CallPlan) -> Literal["run_call", "collect"]:
    """Run the planned calls, or collect at once where there are none."""
    return "run_call" if plan.calls else "collect"


def after_collect(found: Found) -> Literal["plan_calls", "end"]:
    """Plan another turn, or leave the search."""
    return "plan_calls" if found.decision == "again" else "end"


def after_verify(check: Check) -> Literal["retrieve", "select_evidence", "report"]:
    """Go back for more evidence, or for what was left out of it, or report the best answer."""
    if check.decision == "stop":
        return "report"
    return "select_evidence" if check.reason == "pruned" else "retrieve"


def after_detect_ambiguity(choices: Choices) -> Literal["clarify", "ask"]:
    """Let the person choose where there is a choice, or ask at once."""
    return "clarify" if choices.options else "ask"
