"""What is being done when a fault comes: a first index, an update, a rebuild."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.torture.child import failed, run
from tests.torture.comparing import content, glimpse, searches
from tests.torture.harness import forked, holds, rehearsed
from tests.torture.shim import CHANGES, arm, seen

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
    before: Any = field(init=False)
    after: Any = field(init=False)
    held: Any = field(init=False)
    seen_before: Any = field(init=False)
    seen_after: Any = field(init=False)
    counted: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the index to begin from, and the one that an undisturbed run ends in."""
        self.folder.mkdir()
        self.docs, self.start = self.folder / "docs", self.folder / "start"
        write_documents(self.docs)
        self.rebuild = self.kind == "rebuild"
        if self.kind != "first":
            rehearsed(
                lambda: run(str(self.docs), str(self.start), chroma=self.chroma, rebuild=False)
            )
            change_documents(self.docs)
        self.before = rehearsed(lambda: searches(self.start, chroma=self.chroma))
        whole = self.fresh(self.folder / "whole")
        self.after, self.held = rehearsed(lambda: self.undisturbed(whole))
        if self.kind != "first":
            self.seen_before = forked(lambda: glimpse(self.start, chroma=self.chroma))
            self.seen_after = forked(lambda: glimpse(whole, chroma=self.chroma))
        assert {"link", "mention"} == {edge[4] for edge in self.held["edges"]}

    def undisturbed(self, location: Path) -> tuple[Any, Any]:
        """Return what an index finds and holds after a run."""
        run(str(self.docs), str(location), chroma=self.chroma, rebuild=self.rebuild)
        return searches(location, chroma=self.chroma), content(location)

    def fresh(self, location: Path) -> Path:
        """Return a copy of the index to begin from."""
        if self.start.exists():
            shutil.copytree(self.start, location)
        return location

    def changes(self, kinds: int) -> int:
        """Return how many changes of the disk an undisturbed run makes."""

        def count() -> int:
            location = self.fresh(self.folder / f"counted-{kinds}")
            arm(location, 0, 0, kinds=kinds)
            self.undisturbed_run(location)
            return seen()

        if kinds not in self.counted:
            self.counted[kinds] = int(forked(count))
        return self.counted[kinds]

    def undisturbed_run(self, location: Path) -> None:
        """Index, and nothing else."""
        run(str(self.docs), str(location), chroma=self.chroma, rebuild=self.rebuild)

    def faulty(
        self,
        location: Path,
        number: int,
        fault: int,
        *,
        kinds: int = CHANGES,
        lasting: bool = False,
    ) -> Any:  # noqa: ANN401 (what a child comes to)
        """Run while the change `number` is a kill or fails; return the error, empty if none."""

        def work() -> str:
            arm(location, number, fault, kinds=kinds, lasting=lasting)
            return failed(lambda: self.undisturbed_run(location))

        return forked(work)

    def check(self, location: Path) -> None:
        """Check that readers see the old or the new index, and that the next run mends all."""
        found = forked(lambda: searches(location, chroma=self.chroma))
        holds(found in (self.before, self.after), "readers see neither index", "lost")
        after, held = forked(lambda: self.undisturbed(location))
        holds(self.held == held, "the ledger is not the undisturbed one's", "lost")
        holds(self.after == after, "searches are not the undisturbed ones", "lost")
