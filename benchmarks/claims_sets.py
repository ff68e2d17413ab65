"""True, altered and paraphrased sentences with their evidence, and pairs labelled by hand.

`questions/README.md` says how they were made. Of the first collection a third of the ids, chosen by
a hash, is kept aside, of the second half of the subjects: what becomes of those is counted, and
never looked at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, cast

from benchmarks.questions import Row, read
from research_agent.core.evidence import Evidence
from research_agent.core.types import Chunk, ChunkKind, Hit

QUESTIONS = Path(__file__).parent / "questions"
SetName = Literal["altered", "originals", "paraphrases", "labelled"]
SETS: tuple[SetName, ...] = ("altered", "originals", "paraphrases", "labelled")
Collection = Literal["claims", "claims2"]
COLLECTIONS: tuple[Collection, ...] = ("claims", "claims2")
"""Sets of their own, with nothing in common."""
ASIDE = 3
"""One id of so many of the first collection is kept aside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An answer of one sentence, and what a check of it should say."""

    id: str
    set: SetName
    kind: str
    """What was altered; of a labelled pair its label; otherwise the language."""
    language: str
    answer: str
    """With markers such as "[c2]"."""
    evidence: tuple[Evidence, ...]
    expected: str
    """The right verdict."""
    aside: bool


def is_aside(case_id: str) -> bool:
    """Return whether a case is kept aside.

    >>> is_aside("original-k04"), is_aside("original-k01")
    (False, True)
    """
    return sha256(case_id.encode()).digest()[0] % ASIDE == 0


def marked(sentence: str, keys: Sequence[str]) -> str:
    """Return a sentence with markers before its last mark.

    >>> marked("It has 32 bytes.", ["c2", "c3"]), marked("周一闭馆。", ["c1"])
    ('It has 32 bytes [c2][c3].', '周一闭馆[c1]。')
    """
    markers = "".join(f"[{key}]" for key in keys)
    gap = " " if sentence.endswith(".") else ""
    return f"{sentence[:-1]}{gap}{markers}{sentence[-1]}"


def rows(name: str, collection: Collection = "claims") -> list[Row]:
    """Return the lines of a set, or "passages"."""
    return read(QUESTIONS / f"{collection}_{name}.jsonl")


def cases(name: SetName, collection: Collection = "claims") -> tuple[Case, ...]:
    """Return every case of a set, in the file's order."""
    chunks = {row["id"]: chunk(row) for row in rows("passages", collection)}
    originals = {row["id"]: row for row in rows("originals", collection)}
    return tuple(_case(name, row, originals, chunks) for row in rows(name, collection))


def chunk(row: Row) -> Chunk:
    """Return a passage as the search would find it."""
    start, end = row["pages"]
    return Chunk(
        chunk_id=row["id"],
        doc_id=row["document"],
        text=row["text"],
        start_page=start,
        end_page=end,
        section=tuple(row["section"]),
        kind=cast(ChunkKind, row["kind"]),
        title=row["title"],
    )


def _case(
    name: SetName, row: Row, originals: Mapping[str, Row], chunks: Mapping[str, Chunk]
) -> Case:
    """Return one line as a case; altered sentences and paraphrases have their original's keys."""
    source = originals[row["of"]] if "of" in row else row
    evidence = tuple(
        Evidence(f"c{place}", Hit(chunks[passage]))
        for place, passage in enumerate(source["evidence"], start=1)
    )
    keys = [item.key for item in evidence if item.hit.chunk.chunk_id in source["carried_by"]]
    return Case(
        id=row["id"],
        set=name,
        kind=row.get("kind") or row.get("label") or row["language"],
        language=row["language"],
        answer=row.get("answer") or marked(row["text"], keys),
        evidence=evidence,
        expected=_expected(name, row, keys),
        aside=row["aside"],
    )


def _expected(name: SetName, row: Row, keys: Sequence[str]) -> str:
    if name == "labelled":
        return str(row["label"])
    if name == "altered":
        return "unsupported"
    return "supported" if len(keys) == 1 else "stitched"
