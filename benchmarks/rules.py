"""What each rule of the ranking is worth: the product with one rule less, question by question."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from benchmarks.datasets import DataSet, data_set
from benchmarks.intervals import paired_difference
from benchmarks.places import RESULTS
from benchmarks.product import hybrid, index_of, timed
from benchmarks.rankings import Arm
from benchmarks.summary import Values, accepted, costs, values
from research_agent.assembly.connection import connect
from research_agent.ports import Ports
from research_agent.settings import RetrievalSettings, Settings

PRODUCT = RetrievalSettings()
WITHOUT: Mapping[str, RetrievalSettings] = {
    "rrf_k 5": replace(PRODUCT, rrf_k=20),
    "one hit a page first": replace(PRODUCT, pages="together"),
    "planner": replace(PRODUCT, planner="off"),
    "look-up weight": replace(PRODUCT, look_up_weight=1.0),
    "headings": replace(PRODUCT, heading_weight=0.0),
    "definitions": replace(PRODUCT, definition_weight=0.0, meaning_weight=0.0),
    "meanings": replace(PRODUCT, meaning_weight=PRODUCT.definition_weight),
    "comparisons": replace(PRODUCT, comparison_each=0),
    "overview pages": replace(PRODUCT, overview_slots=0),
    "a page of each": replace(PRODUCT, overview_each_slots=0),
}
"""A rule, and the settings without it."""
SHOWN = ("recall@1", "recall@5", "recall@{k}", "mrr@{k}", "ndcg@{k}")


def run(names: Sequence[str], *, cache: str) -> Iterator[str]:
    """Measure each data set, keep the table, and yield it."""
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        for name in names:
            data = data_set(name)
            measured = arms(data, place)
            table = "\n".join(_lines(data, measured))
            stem = RESULTS / f"rules-{name}"
            stem.with_suffix(".md").write_text(f"{table}\n", encoding="utf-8")
            text = "".join(f"{row}\n" for row in rows(data, measured))
            stem.with_suffix(".jsonl").write_text(text, encoding="utf-8")
            yield table


def arms(data: DataSet, cache: Path) -> list[Arm]:
    """Return the product and one arm a rule, without that rule."""
    settings = Settings()
    index = index_of(data, cache, settings)
    ways = {"product": PRODUCT, **WITHOUT}
    with connect(index.location, settings, {}) as connection:
        hybrid(data.questions[0].text, connection.ports, settings)  # the models are loaded
        return [
            _arm(name, data, index.chunks, connection.ports, replace(settings, retrieval=retrieval))
            for name, retrieval in ways.items()
        ]


def _arm(name: str, data: DataSet, chunks: int, ports: Ports, settings: Settings) -> Arm:
    rankings = {q.qid: timed(hybrid, q.text, ports, settings) for q in data.questions}
    return Arm(name=name, chunks=chunks, rankings=rankings)


def _lines(data: DataSet, measured: Sequence[Arm]) -> Iterator[str]:
    """Yield the tables of a data set: raw gold, and accepted pages where it has them."""
    yield f"## {data.name}: {len(data.questions)} questions"
    yield from _table(data, measured, {arm.name: values(data, arm) for arm in measured})
    if data.questions[0].accepted:
        yield "\nAccepted pages of the revised key."
        of = {arm.name: values(data, arm, accepted) for arm in measured}
        yield from _table(data, measured, of)


def _table(data: DataSet, measured: Sequence[Arm], of: Mapping[str, Values]) -> Iterator[str]:
    """Yield the product's means, then what each rule adds to them with its 95 % interval."""
    shown = [name.format(k=data.ks[-1]) for name in SHOWN]
    yield f"\n| | {' | '.join(shown)} | p95, ms |"
    yield "|---" * (len(shown) + 2) + "|"
    for arm in measured:
        cells = [_cell(arm.name, metric, of) for metric in shown]
        p95 = costs(arm, data.ks[-1])["p95_ms"]
        label = "product" if arm.name == "product" else f"+ {arm.name}"
        yield f"| {label} | {' | '.join(cells)} | {p95:g} |"


def _cell(name: str, metric: str, of: Mapping[str, Values]) -> str:
    if name == "product":
        return f"{fmean(of[name][metric]):.3f}"
    gain = paired_difference(of["product"][metric], of[name][metric])
    return f"{gain.mean:+.3f} ({gain.low:+.2f} to {gain.high:+.2f})"


def rows(data: DataSet, measured: Sequence[Arm]) -> Iterator[str]:
    """Yield one line a question: what each rule adds to it, where it adds or takes anything."""
    of = {arm.name: values(data, arm) for arm in measured}
    metric = f"ndcg@{data.ks[-1]}"
    for i, question in enumerate(data.questions):
        gains = {n: round(of["product"][metric][i] - v[metric][i], 4) for n, v in of.items()}
        yield json.dumps({"qid": question.qid, "gains": {n: g for n, g in gains.items() if g}})
