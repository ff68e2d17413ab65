"""`research-agent models`."""

import os

from research_agent.assembly.models import describe_models
from research_agent.assembly.weights import prune_all, weight_statuses
from research_agent.interfaces.cli.starting import start
from research_agent.interfaces.cli.terminal import say


def show(config: str | None) -> int:
    """Print which model fills each role, and which weights are here; 1 where a role is empty."""
    settings = start(config)
    descriptions = describe_models(settings.models, os.environ)
    for item in descriptions:
        say(f"{item.role}: {item.provider} {item.model} [{item.state}] {item.where}".rstrip())
        if item.problem:
            say(f"  {item.problem}\n  hint: {item.hint}")
    for found in weight_statuses(os.environ):
        parts = f"{found.installed_parts} of {len(found.weights.packages)} parts installed"
        joined = "joined and verified" if found.verified else "joined" if found.joined else parts
        size = f"{found.weights.size / 1e6:,.0f} MB"
        say(f"weights {found.weights.name}: {found.weights.title}, {size}, {joined}")
    return 1 if any(item.state == "missing" for item in descriptions) else 0


def prune() -> int:
    """Free the installed parts of weights that are joined and verified."""
    freed = prune_all(os.environ)
    if freed:
        say(f"freed {freed / 1e6:,.0f} MB")
    else:
        say("nothing to free: no installed parts of joined and verified weights")
    return 0
