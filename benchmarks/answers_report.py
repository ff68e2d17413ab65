"""What was kept of the answers of the product and its peers, put together.

Everything is scored again from the rows; no model is asked and no peer is run.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.answer_arms import ARMS
from benchmarks.answer_peers import recorded
from benchmarks.answers import REMOVED
from benchmarks.answers_scoring import System
from benchmarks.answers_table import report, share
from benchmarks.gold_removed import removed_keys
from benchmarks.peers.running import ANSWERERS
from benchmarks.places import RESULTS
from benchmarks.questions import Row, nist_keys, read
from benchmarks.refusal_curve import curve_table


def write_report(weights: str) -> str:
    """Return the tables of all that is kept for `weights`, and keep them in answers.md."""
    keys = nist_keys()
    products = [
        System(f"research_agent, {arm.name}", rows, keys)
        for arm in ARMS
        if (rows := kept(f"{weights}-{arm.name}"))
    ]
    parts = [f"## Answers on NIST, {weights}", report(products, peers_of(weights, keys))]
    removed = [line for arm in ARMS if (line := _removed_line(weights, arm.name, keys))]
    if removed:
        parts += ["### Gold pages taken out of the index", "\n".join(removed)]
    parts += [text] if (text := _curve(weights, ARMS[0].name, keys)) else []
    text = "\n\n".join(parts)
    (RESULTS / "answers.md").write_text(f"{text}\n", encoding="utf-8")
    return text


def kept(name: str) -> list[Row]:
    """Return the rows of an arm; none where it was not run."""
    path = Path(RESULTS) / f"answers-{name}.jsonl"
    return read(path) if path.exists() else []


def peers_of(weights: str, keys: Sequence[Row]) -> list[System]:
    """Return each way of each peer that was asked with these weights."""
    return list(_peers(weights, keys))


def _peers(weights: str, keys: Sequence[Row]) -> Iterator[System]:
    for peer in ANSWERERS:
        rows = [row for row in recorded(peer.name) if f"-{weights}-" in row["model"]]
        for way in dict.fromkeys(row["arm"] for row in rows):
            of = [row for row in rows if row["arm"] == way]
            yield System(f"{peer.name}, {way}", of, keys)


def _counted(rows: Sequence[Row], keys: Sequence[Row]) -> list[Row]:
    out = {key["qid"] for key in keys if not key.get("counted", True)}
    return [row for row in rows if row["qid"] not in out]


def _removed_line(weights: str, arm: str, keys: Sequence[Row]) -> str:
    rows = _counted(kept(f"{weights}-{arm}{REMOVED}"), keys)
    if not rows:
        return ""
    scores = System(arm, rows, removed_keys(keys)).scores
    told = share(scores["refused_right"], scores["unanswerable"])
    return (
        f"- {arm}: refused {told}; gold in the evidence of {sum(bool(r['leaked']) for r in rows)}"
    )


def _curve(weights: str, arm: str, keys: Sequence[Row]) -> str:
    rows = _counted(kept(f"{weights}-{arm}"), keys)
    if not rows or "min_answerable" not in rows[0]:
        return ""
    removed = _counted(kept(f"{weights}-{arm}{REMOVED}"), keys)
    return f"### Thresholds of the refusal check, arm {arm}\n\n{curve_table(rows, removed)}"
