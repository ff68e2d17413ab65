"""Damaged shapes of an index folder: told or mended, never a wrong answer."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from tests.torture.comparing import content
from tests.torture.doors import Told, command, warm
from tests.torture.harness import Part, forked, holds

Shape = Callable[[Path, Random], object]
LEDGER, WORDS, MARK = "ledger.sqlite3", "words.sqlite3", "research-agent-index.json"
QUERY = "how long does rye bread take in the oven"
PAGES = {
    "bread.md": "# Bread\n\nBread is baked at 230 degrees.\n\n## Rye\n\nRye bread needs 90 "
    "minutes in the oven. See [keys](keys.md).\n",
    "keys.md": "# Keys\n\nML-KEM-768 has an encapsulation key of 1184 bytes.\n\n## Small\n\n"
    "ML-KEM-512 has one of 800 bytes.\n",
}


def garbage(name: str, size: int = 3000) -> Shape:
    return lambda index, random: only(index, name).write_bytes(random.randbytes(size))


def text(name: str, said: str) -> Shape:
    return lambda index, _: only(index, name).write_text(said, encoding="utf-8")


def only(index: Path, name: str) -> Path:
    """Return the path of a file whose companions are gone."""
    for path in index.glob(f"{name}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return index / name


def cut(name: str, share: float) -> Shape:
    def shape(index: Path, _: Random) -> None:
        data = (index / name).read_bytes()
        only(index, name).write_bytes(data[: int(len(data) * share)])

    return shape


def spoilt(name: str, first: float, last: float) -> Shape:
    """Overwrite 200 bytes somewhere between two shares of a file."""

    def shape(index: Path, random: Random) -> None:
        data = bytearray((index / name).read_bytes())
        at = int(len(data) * random.uniform(first, last))
        data[at : at + 200] = random.randbytes(len(data[at : at + 200]))
        only(index, name).write_bytes(data)

    return shape


def sql(name: str, *statements: str) -> Shape:
    def shape(index: Path, _: Random) -> None:
        with closing(sqlite3.connect(index / name)) as database, database:
            database.execute("pragma foreign_keys = off")
            for statement in statements:
                database.execute(statement)

    return shape


def folder(name: str) -> Shape:
    return lambda index, _: (only(index, name) / "in it").mkdir(parents=True)


def link(name: str, *, dangling: bool = False) -> Shape:
    def shape(index: Path, _: Random) -> None:
        target = index.parent / "outside"
        if not dangling:
            shutil.move(index / name, target) if (index / name).exists() else target.write_text("x")
        only(index, name).symlink_to(target)

    return shape


def foreign(name: str) -> Shape:
    def shape(index: Path, _: Random) -> None:
        with closing(sqlite3.connect(only(index, name))) as database, database:
            database.execute("create table t (x)")

    return shape


def leftover(index: Path, random: Random) -> None:
    (index / "edition-3").mkdir()
    (index / "edition-3" / LEDGER).write_bytes(random.randbytes(500))


def emptied(index: Path, _: Random) -> None:
    shutil.rmtree(index)
    index.mkdir()


def a_file(index: Path, _: Random) -> None:
    shutil.rmtree(index)
    index.write_text("no folder")


def vectors(index: Path, random: Random, *, change: str) -> None:
    """Damage Chroma's folder; where there is none, put one there."""
    place = index / "vectors"
    if change in ("gone", "file"):
        shutil.rmtree(place, ignore_errors=True)
        if change == "file":
            place.write_bytes(b"x")
        return
    files = [path for path in place.rglob("*") if path.is_file()]
    for path in files or [place / "1" / "chroma.sqlite3"]:
        path.parent.mkdir(parents=True, exist_ok=True)
        if change == "garbage" or (change == "some" and random.random() < 0.5):
            path.write_bytes(random.randbytes(2000))
        if change == "empty":
            path.write_bytes(b"")


_LEDGERS: dict[str, Shape] = {
    "ledger gone": lambda index, _: only(index, LEDGER),
    "ledger empty": text(LEDGER, ""),
    "ledger garbage": garbage(LEDGER),
    "ledger cut to a half": cut(LEDGER, 0.5),
    "ledger cut to its header": cut(LEDGER, 0.001),
    "ledger spoilt at its head": spoilt(LEDGER, 0, 0.01),
    "ledger spoilt": spoilt(LEDGER, 0.05, 0.9),
    "ledger is text": text(LEDGER, "hello\n" * 500),
    "ledger is a folder": folder(LEDGER),
    "ledger is a link": link(LEDGER),
    "ledger is a dangling link": link(LEDGER, dangling=True),
    "ledger is another database": foreign(LEDGER),
    "ledger's log garbage": garbage(f"{LEDGER}-wal"),
    "chunks dropped": sql(LEDGER, "drop table chunks"),
    "vectors dropped": sql(LEDGER, "drop table vectors"),
    "documents dropped": sql(LEDGER, "drop table documents"),
    "meta dropped": sql(LEDGER, "drop table meta"),
    "meta emptied": sql(LEDGER, "delete from meta"),
    "meta garbage": sql(LEDGER, "update meta set value = 'x'"),
    "newer tables": sql(LEDGER, "pragma user_version = 999"),
    "no version": sql(LEDGER, "pragma user_version = 0"),
    "another program's": sql(LEDGER, "pragma application_id = 7"),
    "a chunk changed": sql(
        LEDGER,
        "update chunks set text = 'Rye bread needs 5 minutes in the oven.' where text like '%Rye%'",
    ),
}
FORGED: dict[str, Shape] = {
    "a chunk gone": sql(LEDGER, "delete from chunks where text like '%Rye bread%'"),
    "vectors gone": sql(LEDGER, "delete from vectors"),
    "vectors short": sql(LEDGER, "update vectors set vector = x'00'"),
    "vectors changed": sql(LEDGER, "update vectors set vector = zeroblob(length(vector))"),
    "no documents": sql(LEDGER, "delete from documents"),
    "wild edges": sql(LEDGER, "insert or ignore into edges values (1, 99999, 'link', 0)"),
    "text is a number": sql(LEDGER, "update chunks set text = 7"),
    "section is garbage": sql(LEDGER, "update chunks set section = '{['"),
    "pages are wild": sql(LEDGER, "update chunks set start_page = -5, end_page = 1000000000000"),
}
"""Edited by somebody who knows the tables, digests too: nothing else than --rebuild need help."""
SHAPES: dict[str, Shape] = (
    FORGED
    | _LEDGERS
    | {
        "words gone": lambda index, _: only(index, WORDS),
        "words empty": text(WORDS, ""),
        "words garbage": garbage(WORDS),
        "words cut": cut(WORDS, 0.5),
        "words spoilt": spoilt(WORDS, 0.05, 0.95),
        "words are a folder": folder(WORDS),
        "words are another database": foreign(WORDS),
        "words are a link": link(WORDS),
        "Chroma gone": partial(vectors, change="gone"),
        "Chroma a file": partial(vectors, change="file"),
        "Chroma garbage": partial(vectors, change="garbage"),
        "Chroma half garbage": partial(vectors, change="some"),
        "Chroma emptied": partial(vectors, change="empty"),
        "mark gone": lambda index, _: only(index, MARK),
        "mark empty": text(MARK, ""),
        "mark garbage": garbage(MARK),
        "mark of a missing edition": text(MARK, json.dumps({"format": 1, "edition": 7})),
        "mark below zero": text(MARK, json.dumps({"format": 1, "edition": -1})),
        "mark without sense": text(MARK, json.dumps({"format": "x", "edition": [1]})),
        "mark too large": text(MARK, '{"edition": 1e400}'),
        "mark too deep": text(MARK, "[" * 100_000),
        "mark is a folder": folder(MARK),
        "mark is a link": link(MARK),
        "half a rebuild left": leftover,
        "lock is a folder": folder("writer.lock"),
        "writer garbage": garbage("writer.json"),
        "writer is a folder": folder("writer.json"),
        "writer is a link": link("writer.json"),
        "calibration garbage": garbage("calibration.json"),
        "calibration is a list": text("calibration.json", "[[]]"),
        "calibration is a folder": folder("calibration.json"),
        "folder emptied": emptied,
        "folder is a file": a_file,
    }
)


@dataclass(frozen=True)
class Whole:
    """An index that is whole, and what it holds and finds."""

    home: Path
    docs: Path
    chroma: bool
    held: Any
    found: str

    def index(self, home: Path) -> Path:
        return home / "data" / "indexes" / "default"

    def command(self, home: Path, *arguments: str) -> Told:
        own = {"RESEARCH_AGENT_HOME": str(home / "data")}
        own |= {"RESEARCH_AGENT_INDEX__VECTORS": "chroma"} if self.chroma else {}
        return command(*arguments, folder=home, environment=own)


def prepared(place: Path) -> list[Whole]:
    warm()
    (place / "docs").mkdir()
    for name, said in PAGES.items():
        (place / "docs" / name).write_text(said, encoding="utf-8")
    made = []
    for chroma in (False, True):
        home = place / f"home-{chroma}"
        home.mkdir()
        whole = Whole(home, place / "docs", chroma, None, "")
        holds(0 == whole.command(home, "index", str(whole.docs)).status, "it is not indexed")
        found = whole.command(home, "search", QUERY).out
        held = forked(partial(content, whole.index(home)))
        made.append(Whole(home, whole.docs, chroma, held, found))
    return made


def case(shared: list[Whole], number: int, random: Random, place: Path) -> str:
    """Damage a copy: searches are right or told; after `index`, else `--rebuild`, all is there."""
    whole, name = shared[number % 2], list(SHAPES)[number // 2 % len(SHAPES)]
    shutil.copytree(whole.home, place, dirs_exist_ok=True)
    index = whole.index(place)
    SHAPES[name](index, random)
    outside = place / "data" / "indexes" / "outside"
    kept = outside.read_bytes() if outside.is_file() else b""
    searched = whole.command(place, "search", QUERY)
    unseen = name in FORGED or name == "a chunk changed"  # (an opened index is looked at in part)
    right = searched.status or searched.out == whole.found or unseen
    holds(right, f"{name}: a search finds something else: {searched.out[:300]}", "lost")
    doctor = whole.command(place, "doctor", "--no-models")
    if name == "a chunk changed":
        holds(doctor.status, f"doctor does not see it: {doctor.out}", "lost")
    again = whole.command(place, "index", str(whole.docs))
    outcome = "mended by index"
    if again.status or name in FORGED:
        outcome = "mended by --rebuild"
        rebuilt = whole.command(place, "index", "--rebuild", str(whole.docs))
        if rebuilt.status and (
            index.is_file() or linked(index) or unmarked(index) or blocked(index)
        ):
            outcome = "told, and left alone"
            shutil.rmtree(index) if index.is_dir() else index.unlink()
            rebuilt = whole.command(place, "index", str(whole.docs))
        holds(not rebuilt.status, f"{name}: not mended: {again.errors} {rebuilt.errors}", "lost")
    if outside.is_file():
        holds(kept == outside.read_bytes(), f"{name}: written through a link", "leaked")
    held = forked(lambda: content(index))
    holds(
        held == whole.held,
        f"{name}: the ledger differs after {outcome}; doctor: {doctor.out[-300:]}",
        "lost",
    )
    after = whole.command(place, "search", QUERY)
    holds((0, whole.found) == (after.status, after.out), f"{name}: {after.text}", "lost")
    return outcome if searched.status == 0 else f"told, {outcome}"


def linked(index: Path) -> bool:
    return any(path.is_symlink() for path in index.iterdir())


def unmarked(index: Path) -> bool:
    return not (index / MARK).is_file()


def blocked(index: Path) -> bool:
    """Return whether a folder stands where a file of ours has to be."""
    return any((index / name).is_dir() for name in (LEDGER, WORDS, "writer.lock", "writer.json"))


PARTS = (
    Part(
        "shapes",
        f"{len(SHAPES)} damaged shapes of an index folder, searched exactly and by Chroma",
        2 * len(SHAPES),
        3,
        prepared,
        case,
        by="files",
    ),
)
