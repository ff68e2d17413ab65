"""The questions that further rounds are asked about: where they stand, and when one is right."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks import answers
from benchmarks.datasets import MULTIHOP, data_set
from benchmarks.drafts import by_words
from benchmarks.places import PDFS, RECORDINGS
from benchmarks.product import index_of
from benchmarks.questions import Row, nist_keys, read, scorer
from benchmarks.recording import Recordings
from benchmarks.refinement_arms import changed
from research_agent.app.indexing import index_for_docs
from research_agent.settings import Settings

SetName = Literal["nist", "hotpotqa"]
PLAIN = Settings()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSet:
    """Questions with their keys, and how the product is set for them."""

    name: SetName
    settings: Settings
    """The product's own, but for HotpotQA with less evidence and shorter answers."""
    ways: Mapping[str, Settings]
    """Each with two rounds, and compared with one round of the same settings."""
    questions: Callable[[], list[Row]]
    """With their keys."""
    is_right: Callable[[Row, Row], bool]
    """Of an answer's row and its key."""


def rounds(settings: Settings, most: int) -> Settings:
    """Return the settings with so many rounds at most."""
    return changed(settings, budget={"rounds": most})


def _ways(base: Settings, ways: Mapping[str, Mapping[str, object]]) -> dict[str, Settings]:
    return {name: rounds(changed(base, verify=dict(verify)), 2) for name, verify in ways.items()}


def right_by_facts(row: Row, key: Row) -> bool:
    """Return what the scorer beside the NIST questions says."""
    return bool(scorer()([row], [key])["details"][0]["right"])


def right_by_words(row: Row, key: Row) -> bool:
    """Return whether the right answer stands in the text; a refusal has none.

    >>> key = {"answer": "Delhi", "aliases": ["New Delhi"]}
    >>> right_by_words({"status": "answered", "answer": "It is Delhi [c1]."}, key)
    True
    >>> right_by_words({"status": "refused", "answer": "not found in provided docs"}, key)
    False
    """
    given = row["status"] != "refused"
    return given and by_words(row["answer"], (key["answer"], *key["aliases"])) == "right"


def counted_nist_keys() -> list[Row]:
    """Return the NIST questions that count."""
    return [key for key in nist_keys() if key.get("counted", True)]


def hotpotqa_keys() -> list[Row]:
    """Return the questions of HotpotQA; all have an answer."""
    rows = read(MULTIHOP / "hotpotqa" / "questions.jsonl")
    return [{**row, "answerable": True} for row in rows]


SHORT = changed(
    PLAIN,
    evidence={"max_chunks": 4, "max_tokens": 400},
    answer={"mode": "abstractive", "max_tokens": 64},
)
"""Paragraphs of an encyclopedia are short, and so are their evidence and their answers."""
PROFILES: Mapping[str, Mapping[str, object]] = {
    "two rounds": {},
    "that sentence alone": {"regenerate": "sentence"},
    "profile dragin": {"profile": "dragin"},
    "profile dragin, that sentence alone": {"profile": "dragin", "regenerate": "sentence"},
    "profile seed": {"profile": "seed"},
}
RULES: Mapping[str, Mapping[str, object]] = {
    "again not for entropy": {"max_entropy": 10.0},
}
SETS: Mapping[SetName, LoopSet] = {
    "nist": LoopSet(
        name="nist",
        settings=PLAIN,
        ways=_ways(PLAIN, {**PROFILES, **RULES}),
        questions=counted_nist_keys,
        is_right=right_by_facts,
    ),
    "hotpotqa": LoopSet(
        name="hotpotqa",
        settings=SHORT,
        ways=_ways(SHORT, PROFILES),
        questions=hotpotqa_keys,
        is_right=right_by_words,
    ),
}


def index_for(chosen: LoopSet, weights: str, cache: Path) -> str:
    """Return where the index of a set's documents is; that of HotpotQA is made below `cache`."""
    settings = answers.arm(weights, "", chosen.settings).settings
    if chosen.name == "nist":
        return index_for_docs([str(PDFS)], settings, quiet=True)
    return index_of(data_set(chosen.name), cache, settings).location


def recordings_of(chosen: LoopSet, weights: str) -> Recordings:
    """Return the replies of a set: the NIST questions share those of `answers`."""
    if chosen.name == "nist":
        return Recordings(RECORDINGS / f"answers-{weights}.jsonl", weights)
    known = RECORDINGS / f"refinement-{weights}.jsonl"
    return Recordings(RECORDINGS / f"loop-{weights}.jsonl", weights, [known])
