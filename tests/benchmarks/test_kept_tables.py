"""The committed tables follow from the committed rows."""

from collections.abc import Callable, Mapping
from functools import partial

import pytest

from benchmarks import conversations, filtering, presets, presets_table, refinement_table, refusals
from benchmarks.answers import report_of
from benchmarks.common import RESULTS, Row, nist_keys, read
from tests.data_sets import data_set


def kept(name: str) -> list[Row]:
    return read(RESULTS / f"{name}.jsonl")


def by_arm(name: str) -> Mapping[str, list[Row]]:
    arms: dict[str, list[Row]] = {}
    for row in kept(name):
        arms.setdefault(row["arm"], []).append(row)
    return arms


def of_presets() -> str:
    sizes: dict[str, int] = {name: len(presets.keys_of(name)) for name in presets.SAMPLES}
    return presets_table.report(kept("presets"), sizes)


def of_turns(name: str) -> str:
    return conversations.table(kept(name))


def of_filters(name: str) -> str:
    return filtering.table(name, by_arm(f"filtering-{name}-strong"))


def of_modes() -> str:
    against = {"planned": "", "tool_calling": "planned"}
    return refinement_table.table("openapi", by_arm("modes-openapi-strong"), against, 14)


TABLES: Mapping[str, Callable[[], str]] = {
    "answers": lambda: report_of("1.5b", nist_keys()),
    "presets": of_presets,
    "refusals": lambda: refusals.table([refusals.Scored(**row) for row in kept("refusals")]),
    "modes-openapi-strong": of_modes,
    **{
        f"conversations-{name}": partial(of_turns, f"conversations-{name}")
        for name in ("1.5b-local", "strong-full")
    },
    **{
        f"filtering-{name}-strong": partial(of_filters, name)
        for name in ("openapi", "openapi-extra")
    },
}


@pytest.mark.parametrize("name", TABLES)
def test_rows_come_to_the_table(name: str) -> None:
    """Counts, intervals, paired differences, what is left out: all as in the file."""
    for folder in ("nist-pqc", "multihop"):
        data_set(folder)
    assert f"{TABLES[name]()}\n" == (RESULTS / f"{name}.md").read_text("utf-8")
