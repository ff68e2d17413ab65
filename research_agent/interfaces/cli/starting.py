"""What every command begins with."""

import os
from collections.abc import Sequence
from pathlib import Path

from research_agent.assembly.diagnosis.network import outside_hosts
from research_agent.config import configured
from research_agent.interfaces.cli.terminal import note, say
from research_agent.network_guard import NetworkGuard
from research_agent.presets import described
from research_agent.settings import Settings

_guards: list[NetworkGuard] = []


def start(config: str | None, *, tells_preset: bool = False) -> Settings:
    """Return the user's settings; where they say offline, nothing else is reached from now on.

    Which files they come from, unless one is named, and which hosts outside this machine may be
    asked, is told on stderr; so is the preset, where questions are answered. For the command line
    alone: it holds for the whole process. Raises ConfigError.
    """
    found = configured(config, os.environ)
    settings = found.settings
    if settings.models.offline and not _guards:
        _guards.append(NetworkGuard())
    outside = outside_hosts(settings, os.environ)
    preset = described(settings) if tells_preset else ""
    files = found.files if outside or not config else ()  # (who names a file knows it)
    _tell(preset, files, outside)
    for line in found.notes:
        note(line)
    return settings


def _tell(preset: str, files: Sequence[Path], outside: Sequence[str]) -> None:
    """Say which preset acts, where settings come from, and which hosts outside may be asked."""
    parts = [preset] if preset else []
    parts += [f"settings: {', '.join(map(str, files))}"] if files else []
    parts += [f"outside this machine: {', '.join(outside)}"] if outside else []
    if parts:
        say("; ".join(parts), dim=True, error=True)


def lift() -> None:
    """Let the process out again, for those who run commands within a program of their own."""
    while _guards:
        _guards.pop().close()
