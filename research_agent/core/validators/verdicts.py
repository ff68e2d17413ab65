"""What a validator says of a proposed query."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Accept:
    """The query may be searched, as far as this validator can tell."""

    validator: str
    reason: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)
    """What was measured, by name; cosines and shares."""
    ruling: Literal["accept"] = "accept"


@dataclass(frozen=True, slots=True)
class Block:
    """The query must not be searched."""

    validator: str
    reason: str
    figures: Mapping[str, float] = field(default_factory=dict)
    ruling: Literal["block"] = "block"


Ruling = Accept | Block


def first_block(rulings: tuple[Ruling, ...]) -> str:
    """Return the reason of the first Block, empty where there is none.

    >>> first_block((Accept("similarity"), Block("retrieval", "finds worse")))
    'finds worse'
    """
    return next((ruling.reason for ruling in rulings if isinstance(ruling, Block)), "")
