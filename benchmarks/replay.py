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
from benchmarks.options import CACHE
from benchmarks.places import RESULTS
from benchmarks.questions import read
from benchmarks.replay_documents import parsed
from benchmarks.replay_sets import Indexes
from benchmarks.replaying import Line, changes
from benchmarks.tables import markdown

NET = RESULTS / "replay-all.jsonl"
SETS: Mapping[str, Callable[[Indexes], Iterator[Line]]] = {
    "documents": parsed,
    "retrieval": sets.retrieval,
    "refinement": sets.refinement,
    "filtering": sets.filters,
    "pruning": sets.prunings,
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
    with TemporaryDirectory() as own:
        place = Path(cache or f"{own}/cache").absolute()
        place.mkdir(parents=True, exist_ok=True)
        lines = list(_replayed(chosen, Indexes(place, Path(own))))
    kept: Sequence[Line] = read(NET) if NET.exists() else []
    before = [line for line in kept if line["set"].split()[0] in chosen]
    if check:
        print(table(before, lines))
        sys.exit(any(what for _, _, what in changes(before, lines)))
    others = {line["set"].split()[0]: [] for line in (*kept, *lines)}
    for line in (*(line for line in kept if line not in before), *lines):
        others[line["set"].split()[0]].append(line)
    rows = [line for name in SETS for line in others.get(name, ())]
    NET.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    print(table(lines, lines))


def _replayed(chosen: Sequence[str], indexes: Indexes) -> Iterator[Line]:
    for name in chosen:
        started = time.monotonic()
        yield from SETS[name](indexes)
        print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)


def table(before: Sequence[Line], after: Sequence[Line]) -> str:
    """Return a row a set, and a line for each question that differs.

    >>> old, new = {"set": "a", "id": "1", "hits": "x"}, {"set": "a", "id": "1", "hits": "y"}
    >>> print(table([old], [new]))
    | set | same | changed | missing | differs in |
    |---|---|---|---|---|
    | a | 0 | 1 | 0 | hits 1 |
    <BLANKLINE>
    a 1: hits
    """
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
