"""`research-agent doctor`."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from research_agent.assembly.diagnosis import gather
from research_agent.assembly.diagnosis.facts import Finding
from research_agent.assembly.diagnosis.findings import findings, is_sound
from research_agent.interfaces.cli.starting import start
from research_agent.interfaces.cli.terminal import progress_bar, say, say_json

WIDTH = 8
"""Of the column that says how bad it is."""


def doctor(index: str, *, config: str | None, as_json: bool, ask: bool) -> int:
    """Print what is right and wrong with a set-up; 1 where something is at fault."""
    with progress_bar() as show:
        facts = gather(
            index,
            partial(start, config),
            os.environ,
            ask=ask,
            on_bytes=partial(show, "joining the weights"),
        )
    found = findings(facts)
    if as_json:
        say_json({"sound": is_sound(found), "findings": [asdict(item) for item in found]})
    else:
        say(text(found))
    return 0 if is_sound(found) else 1


def text(found: Sequence[Finding]) -> str:
    """Return the findings for people: a line each, below it what cures it, and the sum."""
    lines = [line for finding in found for line in _lines(finding)]
    faults = sum(finding.level == "fault" for finding in found)
    warnings = sum(finding.level == "warning" for finding in found)
    return "\n".join([*lines, f"faults: {faults}, warnings: {warnings}"])


def _lines(finding: Finding) -> list[str]:
    lines = [f"{finding.level:{WIDTH}}{finding.part}: {finding.what}"]
    return [*lines, f"{'':{WIDTH}}cure: {finding.cure}"] if finding.cure else lines
