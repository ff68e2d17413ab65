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
EVEN = 0.5
"""Probability from which a yes is a yes."""


def same_question(yes: float) -> Ruling:
    """Return what a model's answer to "do these ask the same?" means; `yes` is P(yes).

    >>> same_question(0.2).reason, same_question(0.5).ruling
    ('the planner model says that it asks for something else', 'accept')
    """
    figures = {"yes": yes}
    if yes >= EVEN:
        return Accept("same question", figures=figures)
    said = "the planner model says that it asks for something else"
    return Block("same question", said, figures)


def first_block(rulings: tuple[Ruling, ...]) -> str:
    """Return the reason of the first Block, empty where there is none.

    >>> first_block((Accept("similarity"), Block("retrieval", "finds worse")))
    'finds worse'
    """
    return next((ruling.reason for ruling in rulings if isinstance(ruling, Block)), "")
