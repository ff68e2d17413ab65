"""A refinement: the queries to search with, and the validators' verdicts on proposed ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["keep", "rewrite", "decompose", "disambiguate", "translate"]
Author = Literal["nobody", "model", "rules"]


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


@dataclass(frozen=True, slots=True)
class QueryVerdict:
    """A proposed query and what the validators say of it."""

    query: str
    similarity: float = 0.0
    top_similarity: float = 0.0
    """Best dense similarity of what it finds."""
    blocked: str = ""
    """The reason of the first Block; empty where it may be searched."""
    rulings: tuple[Ruling, ...] = ()
    """What each validator says, with its figures."""


@dataclass(frozen=True, slots=True)
class Refinement:
    """The queries to search with, and why these. The first is always the question's own."""

    kind: Kind = "keep"
    queries: tuple[str, ...] = ()
    reason: str = "nothing was refined yet"
    verdicts: tuple[QueryVerdict, ...] = ()
    author: Author = "nobody"
    model_calls: int = 0
    following: tuple[str, ...] = ()
    """Those of the queries whose hits come after all that the question found."""
    exhausted: bool = False
    """In a later round the planner model said that there is nothing else to search for."""
