"""What is being done when the child is killed: a first index, an update, a rebuild."""

import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.crash.child import run
from tests.crash.comparing import content, searches
from tests.crash.stopping import Ended, chosen, injected, killed_after, watched

WORDS = ("key", "bytes", "lattice", "bread", "cake", "oven", "water", "signature", "hash", "noise")


def write_documents(docs: Path) -> None:
    """Write a small folder, the same each time."""
    docs.mkdir()
    random = Random(1)  # noqa: S311 (the same documents each time)
    for number in range(6):
        parts = [" ".join(random.choices(WORDS, k=40)) + f" {i}" for i in range(2 + number)]
        (docs / f"{number}.txt").write_text("\n\n".join(parts))
    shutil.copy(docs / "1.txt", docs / "1-again.txt")
    (docs / "harbour.txt").write_text("tide gauges stand in water\n\nsee Part tide gau, and more")


def change_documents(docs: Path) -> None:
    """Change one document, add, rename and remove another one."""
    (docs / "0.txt").write_text("A new beginning.\n\n" + (docs / "0.txt").read_text())
    (docs / "new.txt").write_text("\n\n".join(f"quite new {word}" for word in WORDS))
    (docs / "2.txt").rename(docs / "renamed.txt")
    (docs / "3.txt").unlink()


@dataclass
class Scenario:
    """One kind of run: from which index, over which documents, and what it must end in."""

    folder: Path
    chroma: bool
    kind: str
    docs: Path = field(init=False)
    calls: Counter[str] = field(init=False)
    seconds: float = field(init=False)
    before: Any = field(init=False)
    after: Any = field(init=False)
    held: Any = field(init=False)

    def __post_init__(self) -> None:
        """Make the index to begin from, and the one that an undisturbed run ends in."""
        self.folder.mkdir()
        self.docs, self.start = self.folder / "docs", self.folder / "start"
        write_documents(self.docs)
        self.rebuild = self.kind == "rebuild"
        if self.kind != "first":
            run(str(self.docs), str(self.start), chroma=self.chroma, rebuild=False)
            change_documents(self.docs)
        self.before = searches(self.start, chroma=self.chroma)
        ended, self.calls = watched(self.arguments(whole := self.fresh("whole")))
        assert (0, "") == (ended.status, ended.errors)
        self.seconds = ended.seconds
        self.after, self.held = searches(whole, chroma=self.chroma), content(whole)
        assert {"link", "mention"} == {edge[4] for edge in self.held["edges"]}

    def fresh(self, name: str) -> Path:
        """Return a copy of the index to begin from."""
        copy = self.folder / name
        if self.start.exists():
            shutil.copytree(self.start, copy)
        return copy

    def arguments(self, location: Path) -> list[str]:
        flags = ["chroma"] * self.chroma + ["rebuild"] * self.rebuild
        return [str(self.docs), str(location), *flags]

    def kill(self, location: Path, random: Random) -> tuple[str, Ended]:
        """Kill a run at a random moment, or in one of its system calls; say when."""
        if random.random() < 0.3:
            seconds = random.uniform(0, self.seconds)
            return f"after {seconds:.3f} s", killed_after(self.arguments(location), seconds)
        call, number = chosen(self.calls, random)
        fault = f"signal=KILL:when={number}"
        return f"{call} {number}", injected(self.arguments(location), call, fault)

    def check(self, location: Path) -> None:
        """Check that readers see the old or the new index, and that the next run mends all."""
        seen = searches(location, chroma=self.chroma)
        assert seen in (self.before, self.after), "readers see neither the old nor the new index"
        run(str(self.docs), str(location), chroma=self.chroma, rebuild=self.rebuild)
        assert self.held == content(location)
        assert self.after == searches(location, chroma=self.chroma)
        shutil.rmtree(location)
