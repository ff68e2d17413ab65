"""Which folders the `index` graph of LangGraph Studio may read and write."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from research_agent.errors import PathError

ROOTS = "RESEARCH_AGENT_STUDIO_ROOTS"


def roots_of(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the folders that the variable names, else the one that the server was started in."""
    named = [text for text in environment.get(ROOTS, "").split(os.pathsep) if text]
    return tuple(Path(text).expanduser().resolve() for text in named or ["."])


def check_within(roots: Sequence[Path], paths: Sequence[str], index: str) -> None:
    """Raise PathError for a path outside all roots, links followed; a named index is nowhere else.

    >>> check_within([Path("/srv/docs")], ["/srv/docs/a.md"], "notes")
    """
    places = [index] if "/" in index or os.sep in index or index.startswith(".") else []
    for text in (*paths, *places):
        place = Path(text).expanduser().resolve()
        if not any(place.is_relative_to(root) for root in roots):
            raise PathError(
                f"{text} is in none of the folders that Studio may index",
                hint=f"Name its folder in {ROOTS}, and start the server again.",
            )
