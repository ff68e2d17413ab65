"""Tables and rows among the results, in place of those of an earlier run."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from benchmarks.places import RESULTS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def keep(name: str, rows: Iterable[Mapping[str, object]], text: str) -> None:
    """Write the rows to `name.jsonl`, one a line, and the text to `name.md`."""
    RESULTS.mkdir(exist_ok=True)
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    (RESULTS / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (RESULTS / f"{name}.md").write_text(f"{text}\n", encoding="utf-8")


def by_question(rows: Mapping[str, Mapping[str, "DataclassInstance"]]) -> list[dict[str, object]]:
    """Return one row a question, with what is known of it in each arm."""
    qids = dict.fromkeys(qid for of in rows.values() for qid in of)
    return [
        {"qid": qid, "arms": {arm: asdict(of[qid]) for arm, of in rows.items() if qid in of}}
        for qid in qids
    ]
