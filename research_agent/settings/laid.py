"""What is known of where settings come from: the preset in them, and the user's own keys."""

from dataclasses import dataclass
from typing import Literal

Preset = Literal["auto", "local", "full", "seed"]
"""Which stages act. "auto": "local" for the embedded model, "full" for a server."""


@dataclass(frozen=True, slots=True)
class Laid:
    """The preset whose values are in some settings, below the user's own keys."""

    name: str = ""
    """Empty: the plain defaults; no preset was laid."""
    own: tuple[str, ...] = ()
    """Keys such as "budget.rounds" that a file, the environment or a caller has set."""
    gave_way: bool = False
    """The model's calls or verdicts could not be read: search and filter are those of "local"."""
