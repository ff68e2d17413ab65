"""What every command begins with."""

import os

from research_agent.adapters.network import NetworkGuard, forbid_outside
from research_agent.config import config_file, load_settings
from research_agent.settings import Settings

_guards: list[NetworkGuard] = []


def start(config: str | None) -> Settings:
    """Return the user's settings; where they say offline, nothing else is reached from now on.

    For the command line alone: it holds for the whole process. Raises ConfigError.
    """
    settings = load_settings(config_file(config, os.environ), os.environ)
    if settings.models.offline and not _guards:
        _guards.append(forbid_outside())
    return settings


def lift() -> None:
    """Let the process out again, for those who run commands within a program of their own."""
    while _guards:
        _guards.pop().close()
