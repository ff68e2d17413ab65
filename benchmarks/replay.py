"""`replay-all`: every recording through the product, as a net below a change of the code.

Each question becomes one line of digests; `--check` compares them with the committed ones.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from benchmarks import replay_sets as sets
from benchmarks.common import CACHE, RESULTS, folder, markdown, read
from benchmarks.replay_sets import Indexes
from benchmarks.replaying import Line, changes

NET = RESULTS / "replay-all.jsonl"
SETS: Mapping[str, Callable[[Indexes], Iterator[Line]]] = {
    "documents": sets.parsed,
    "retrieval": sets.retrieval,
    "refinement": sets.searches,
    "filtering": sets.filters,
    "answers": sets.answers,
    "drafts": sets.drafts,
    "refusals": sets.refusals,
    "presets": sets.presets,
    "conversations": sets.conversations,
}


@click.command("replay-all")
@click.option("--check", is_flag=True, help="Exit status 1 where a kept line differs.")
@click.option("--only", multiple=True, type=click.Choice(list(SETS)), help="Only these sets.")
@CACHE
def replay_command(*, check: bool, only: tuple[str, ...], cache: str) -> None:
    """Replay every recording, and keep a line of digests for each question, or compare them."""
    chosen = only or tuple(SETS)
    with folder(cache) as place, TemporaryDirectory() as own:
        lines = list(_replayed(chosen, Indexes(place, Path(own))))
    kept: list[Line] = [dict(row) for row in read(NET)]
    before = [line for line in kept if line["set"].split()[0] in chosen]
    if check:
        print(table(before, lines))
        sys.exit(any(what for _, _, what in changes(before, lines)))
    known = [*(line for line in kept if line not in before), *lines]
    rows = sorted(known, key=lambda line: list(SETS).index(line["set"].split()[0]))
    NET.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    print(table(lines, lines))


def _replayed(chosen: Sequence[str], indexes: Indexes) -> Iterator[Line]:
    for name in chosen:
        started = time.monotonic()
        yield from SETS[name](indexes)
        print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)


def table(before: Sequence[Line], after: Sequence[Line]) -> str:
    """Return a row a set, and a line for each question that differs."""
    found = list(changes(before, after))
    missing = Counter(line["set"] for line in after if "missing" in line)
    rows = []
    for name in dict.fromkeys(of for of, _, _ in found):
        own = [what for of, _, what in found if of == name]
        parts = Counter(part for what in own for part in what)
        same = sum(not what for what in own)
        told = ", ".join(f"{part} {count}" for part, count in sorted(parts.items()))
        rows.append([name, str(same), str(len(own) - same), str(missing[name]), told])
    heads = ["set", "same", "changed", "missing", "differs in"]
    shown = [f"{of} {qid}: {', '.join(what)}" for of, qid, what in found if what]
    return "\n".join([markdown(heads, rows), *([""] if shown else []), *shown])
