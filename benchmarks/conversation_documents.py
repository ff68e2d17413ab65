"""The documents that the conversations are about: one mixed collection, as files."""

import re
from pathlib import Path

from benchmarks import sought
from benchmarks.datasets import data_set, documents
from benchmarks.places import DATA, REFUSALS
from benchmarks.questions import read
from research_agent.interfaces.cli.index import update
from research_agent.settings import Settings

SUMMARISED = "summedits-"
SOURCES = ("contractnli", "summedits-ectsum", "summedits-news", "summedits-sales_email")
"""Of grounding/pairs_dev.jsonl: contracts, earnings calls, news, sales e-mails."""
ABSTRACTS = "pubmedqa"
_ROW = re.compile(r"(?:-nda-\d+|_[^_]*)$")
"""What the id of a row has behind the name of its document."""


def texts() -> dict[str, str]:
    """Return the texts of the grounding data by file name.

    A document is the evidence of its first row; an abstract is each passage that is not known yet.
    """
    found = dict[str, str]()
    for row in read(DATA / "grounding" / "pairs_dev.jsonl"):
        if row["source"] in SOURCES:
            name = _ROW.sub("", row["id"].removeprefix(SUMMARISED))
            found.setdefault(f"{name}.txt", row["evidence"])
    passages = dict[str, str]()
    for row in read(REFUSALS):
        if row["source"] == ABSTRACTS:
            for i, passage in enumerate(row["passages"]):
                passages.setdefault(passage, f"{row['id']}-{i}.txt")
    return found | {name: passage for passage, name in passages.items()}


def folders(cache: Path) -> list[Path]:
    """Write what is not written yet below `cache`, and return the folders of all documents.

    Beside the texts: the API descriptions, and the encyclopedia's paragraphs of HotpotQA.
    """
    own = cache / "documents" / "texts"
    own.mkdir(parents=True, exist_ok=True)
    for name, text in texts().items():
        if not (own / name).exists():
            (own / name).write_text(f"{text}\n", encoding="utf-8")
    apis = sought.documents(sought.question_set("openapi"), cache)
    return [apis, documents(data_set("hotpotqa"), cache), own]


def index(cache: Path, settings: Settings) -> str:
    """Bring the index of all documents below `cache` up to date and return where it is."""
    location = cache / "indexes" / "conversations"
    location.parent.mkdir(parents=True, exist_ok=True)
    update(str(location), [str(folder) for folder in folders(cache)], settings)
    return str(location)
