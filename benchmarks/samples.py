"""The questions that presets are measured with: which ones, and when an answer is right.

The rules here were written before any run. Answers are right by the rules of the data: facts and
pages for NIST, the answer's spellings and the supporting paragraphs for the multi-hop sets.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Literal, TypeVar, get_args

from benchmarks.answers import row_of
from benchmarks.datasets import MULTIHOP, data_set
from benchmarks.drafts import by_words
from benchmarks.places import PDFS
from benchmarks.product import index_of
from benchmarks.questions import Row, nist_keys, read, scorer
from research_agent.interfaces.cli.index import index_for_docs
from research_agent.settings import Settings
from research_agent.types.result import ResearchResult

T = TypeVar("T")
SampleName = Literal["nist", "hotpotqa", "musique"]
NAMES: tuple[SampleName, ...] = get_args(SampleName)
Outcome = Literal["right", "wrong", "refused"]
MOST = 20
"""Questions of a multi-hop set."""


def every(items: Sequence[T], most: int, name: Callable[[T], str]) -> list[T]:
    """Return `most` of the items, evenly spaced in the order of their names; 0: all of them.

    >>> every("gacbed", 3, str)
    ['a', 'c', 'e']
    """
    ordered = sorted(items, key=name)
    count = min(most or len(ordered), len(ordered))
    return [ordered[at * len(ordered) // count] for at in range(count)]


def keys(source: SampleName) -> list[Row]:
    """Return the questions of a sample with their keys.

    NIST: those that count, 20 with an answer and 26 near misses; of the multi-hop sets `MOST`,
    which all have an answer.
    """
    if source == "nist":
        return [key for key in nist_keys() if key.get("counted", True)]
    rows = read(MULTIHOP / source / "questions.jsonl")
    return [{**row, "answerable": True} for row in every(rows, MOST, itemgetter("qid"))]


def sizes() -> dict[str, int]:
    """Return how many questions each sample has."""
    return {name: len(keys(name)) for name in NAMES}


def index(source: SampleName, settings: Settings, cache: Path) -> str:
    """Return where the index of a sample's documents is; multi-hop ones are made below `cache`."""
    if source == "nist":
        return index_for_docs([str(PDFS)], settings, quiet=True)
    return index_of(data_set(source), cache, settings).location


def judged(source: SampleName, result: ResearchResult, key: Row) -> tuple[Outcome, bool]:
    """Return what an answer is, and whether it cites what supports it.

    That is a page that the key accepts (one of each group where several are needed), or a
    supporting paragraph. An answer to a question without one is "refused" or "wrong".
    """
    if source == "nist":
        [found] = scorer()([row_of(key, result, 0.0)], [key])["details"]
        refused = found["refused" if key["answerable"] else "right"]
        right, supported = found["right"], found.get("covered", False)
    else:
        refused = result.status == "refused"
        right = by_words(_said(result), (key["answer"], *key["aliases"])) == "right"
        supported = any(c.doc_id in key["supporting_ids"] for c in result.citations)
    if refused:
        return "refused", False
    return ("right" if right else "wrong"), supported


def _said(result: ResearchResult) -> str:
    """Return the answer's own words.

    An unconfirmed answer begins with the title of the nearest passage, which may be what was asked.
    """
    if result.status != "unconfirmed":
        return result.answer
    return " ".join(claim.text for claim in result.claims)
