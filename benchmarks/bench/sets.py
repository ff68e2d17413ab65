"""Questions over documents of seven kinds, in two halves: one may be looked at, one never is.

A question's half follows from the hash of its id, so it was known before anything was run. The
unseen half is kept compressed, so that no search through the tree shows its rows; what is said of
it are sums, and every use is a line in `uses.md`.
"""

import gzip
import json
import re
import shutil
import subprocess
from collections import Counter
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal

from benchmarks.common import ROOT
from benchmarks.peers.exchange import open_text
from research_agent.errors import QuestionSetError
from research_agent.evaluation.questions import FORMAT, Question, read_questions

Half = Literal["seen", "unseen"]
KINDS = ("law", "medicine", "manuals", "reports", "api", "german", "spanish")
FOLDER = Path(__file__).parent
UNSEEN: Half = "unseen"
USES = "uses.md"
OF_HALF: dict[Half, str] = {"seen": "questions-seen.jsonl", "unseen": "questions-unseen.jsonl.gz"}


def half_of(qid: str) -> Half:
    """Return the half of a question: the parity of its id's SHA-256.

    >>> half_of("law-01"), half_of("law-02")
    ('seen', 'unseen')
    """
    return "unseen" if sha256(qid.encode()).digest()[-1] % 2 else "seen"


def questions(kind: str, half: Half) -> tuple[Question, ...]:
    """Return the questions of a kind that are in a half; none where there is no set.

    Raises QuestionSetError, whose message shows no row of the unseen half.
    """
    path = FOLDER / kind / OF_HALF[half]
    if not path.exists():
        return ()
    with open_text(path, "rt") as file:
        text = file.read()
    return _read(text, f"{kind}/{path.name}") if text else ()


def _read(text: str, name: str) -> tuple[Question, ...]:
    try:
        return read_questions(text, name)
    except QuestionSetError as error:
        lines = ", ".join(dict.fromkeys(re.findall(r"line \d+", str(error))))
        raise QuestionSetError(f"{name}: mistakes in {lines}", hint=FORMAT) from None


def documents(kind: str) -> list[Path]:
    """Return the files of a kind, in the order of their names."""
    return sorted(path for path in (FOLDER / kind / "documents").rglob("*") if path.is_file())


def add(source: Path) -> dict[str, int]:
    """Take over a set from `source`, named by its kind, and count its questions; none is shown.

    Raises QuestionSetError.
    """
    lines = (source / "questions.jsonl").read_text("utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line.strip()]
    read = _read("\n".join(lines), source.name)
    target = FOLDER / source.name
    shutil.copytree(source / "documents", target / "documents", dirs_exist_ok=True)
    shutil.copyfile(source / "SOURCES.md", target / "SOURCES.md")
    known = {path.stem for path in documents(source.name)}
    for half, name in OF_HALF.items():
        own = [json.dumps(row, ensure_ascii=False) for row in rows if half_of(row["qid"]) == half]
        text = "".join(f"{line}\n" for line in own).encode()
        packed = gzip.compress(text, mtime=0) if name.endswith(".gz") else text
        (target / name).write_bytes(packed)
    places = [span for one in read for gold in one.golds for span in gold.spans]
    return {
        "documents": len(known),
        "unseen": sum(half_of(one.qid) == "unseen" for one in read),
        "unanswerable": sum(not one.answerable for one in read),
        "answerable without facts": sum(one.answerable and not one.required_facts for one in read),
        "answerable without a gold": sum(one.answerable and not one.golds for one in read),
        "golds in no document": sum(place.doc_id not in known for place in places),
        **Counter(one.kind for one in read),
    }


def note_use(why: str) -> None:
    """Add a line to the uses of the unseen half: the day, the commit and what for."""
    git = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    done = subprocess.run(git, capture_output=True, text=True, check=True, cwd=ROOT)  # noqa: S603 (fixed words)
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M}"
    with (FOLDER / USES).open("a", encoding="utf-8") as file:
        file.write(f"| {now} | {done.stdout.strip()} | {why} |\n")
