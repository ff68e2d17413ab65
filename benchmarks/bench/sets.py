"""Questions over documents of seven kinds, in two halves: one may be looked at, one never is.

A question's half follows from the hash of its id, so it was known before anything was run. The
unseen half is kept compressed, so that no search through the tree shows its rows; what is said of
it are sums, and every use is a line in `uses.md`.
"""

import subprocess
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal

from benchmarks.common import ROOT
from benchmarks.peers.exchange import open_text
from research_agent.evaluation.questions import Question, read_questions

Half = Literal["seen", "unseen"]
UNSEEN: Half = "unseen"
KINDS = ("law", "medicine", "manuals", "reports", "api", "german", "spanish")
FOLDER = Path(__file__).parent
USES = "uses.md"
OF_HALF: dict[Half, str] = {"seen": "questions-seen.jsonl", UNSEEN: "questions-unseen.jsonl.gz"}


def half_of(qid: str) -> Half:
    """Return the half of a question: the parity of its id's SHA-256.

    >>> half_of("law-01"), half_of("law-02")
    ('seen', 'unseen')
    """
    return UNSEEN if sha256(qid.encode()).digest()[-1] % 2 else "seen"


def questions(kind: str, half: Half) -> tuple[Question, ...]:
    """Return the questions of a kind that are in a half."""
    with open_text(FOLDER / kind / OF_HALF[half], "rt") as file:
        return read_questions(file.read(), f"{kind}/{OF_HALF[half]}")


def documents(kind: str) -> list[Path]:
    """Return the files of a kind, in the order of their names."""
    return sorted((FOLDER / kind / "documents").iterdir())


def note_use(why: str) -> None:
    """Add a line to the uses of the unseen half: the day, the commit and what for."""
    git = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    done = subprocess.run(git, capture_output=True, text=True, check=True, cwd=ROOT)  # noqa: S603 (fixed words)
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M}"
    with (FOLDER / USES).open("a", encoding="utf-8") as file:
        file.write(f"| {now} | {done.stdout.strip()} | {why} |\n")
