"""The snapshot's documents, questions and vectors.

`python -m tests.benchmarks.snapshot.recorded` writes both files anew: after a change of chunks,
headers or ranking that is meant. Read the difference before it is committed.

Vectors are kept with one byte a number, because the same model gives slightly other numbers on
other processors, which could swap two hits that are nearly as similar.
"""

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from math import hypot
from pathlib import Path
from struct import pack, unpack
from tempfile import TemporaryDirectory

from research_agent.assembly.index import open_index
from research_agent.assembly.parsing import local_files, reader
from research_agent.assembly.updating import Indexer
from research_agent.ports import Embedder
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import Settings
from research_agent.types import Hit
from tests import fakes

FOLDER = Path(__file__).parent
VECTORS, EXPECTED = FOLDER / "vectors.json", FOLDER / "expected.json"
KEPT = 6
QUESTIONS = (
    "What is the head of a pump?",
    "How many watts does the PX-300 need?",
    "PX-200 error code E2",
    "Which pump can stay in salt water?",
    "Compare the flow of PX-200 and PX-300",
    "Tide-API.GetLevel",
    "What happens after too many calls in an hour?",
    "What does LAT mean?",
    "How fast may I sail in the marina?",
    "How do I list the stations of a region?",
    "When is the shaft seal replaced?",
    "Where do old batteries go?",
)


class RecordedEmbedder:
    """Knows the vectors of the texts that were recorded."""

    name = "recorded"

    def __init__(self, vectors: Mapping[str, str]) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        if (recorded := self._vectors.get(_key(text))) is None:
            raise AssertionError(f"no vector of {text!r}: see the docstring of {__name__}")
        raw = b64decode(recorded)
        numbers = unpack(f"{len(raw)}b", raw)
        length = hypot(*numbers)
        return [number / length for number in numbers]


class Recorder:
    """Embeds with the packaged model and records what it gave."""

    name = "recorded"

    def __init__(self) -> None:
        from research_agent.models.adapters.minilm import MiniLM

        self._model, self.vectors = MiniLM(), dict[str, str]()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        for text, vector in zip(texts, self._model.embed(texts), strict=True):
            scale = 127 / max(abs(number) for number in vector)
            numbers = [round(scale * number) for number in vector]
            self.vectors[_key(text)] = b64encode(pack(f"{len(numbers)}b", *numbers)).decode()
        return RecordedEmbedder(self.vectors).embed(texts)


def search(embedder: Embedder, folder: Path) -> dict[str, list[str]]:
    """Index the documents in `folder` and return the hits of each question, best first."""
    settings, location = Settings(), str(folder / "index")
    with reader(settings.documents) as documents:
        Indexer(
            settings=settings,
            embedder=embedder,
            files=local_files(settings.documents),
            reader=documents,
        ).update(location, [str(FOLDER / "documents")])
    with open_index(location, settings, embedder=embedder) as index:
        ports = replace(
            fakes.ports(fakes.ScriptedChat(fakes.YES)),
            embedder=embedder,
            vectors=index.vectors,
            lexical=index.lexical,
            chunks=index.chunks,
        )
        return {
            question: [
                _line(hit)
                for hit in rank(question, ports=ports, settings=settings.retrieval).hits[:KEPT]
            ]
            for question in QUESTIONS
        }


def record() -> None:
    """Write vectors and hits anew."""
    recorder = Recorder()
    with TemporaryDirectory() as folder:
        os.environ["RESEARCH_AGENT_HOME"] = folder
        hits = search(recorder, Path(folder))
    VECTORS.write_text(f"{json.dumps(recorder.vectors, indent=0)}\n", encoding="utf-8")
    EXPECTED.write_text(f"{json.dumps(hits, indent=1)}\n", encoding="utf-8")


def _line(hit: Hit) -> str:
    return f"{hit.chunk.chunk_id} {hit.chunk.doc_id}: {' > '.join(hit.chunk.section)}"


def _key(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


if __name__ == "__main__":
    record()
