"""paper-qa's reading and chunking with its defaults (5000/250), searched by similarity.

Run as `python -m benchmarks.peers.with_paperqa TASK ANSWERS` in an environment that has it.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from paperqa.readers import (  # type: ignore[import-not-found]  # (in its own environment)
    chunk_pdf,
    chunk_text,
    parse_text,
)
from paperqa.types import (  # type: ignore[import-not-found]  # (in its own environment)
    Doc,
)
from paperqa_pypdf import (  # type: ignore[import-not-found]  # (in its own environment)
    parse_pdf_to_pages,
)

from benchmarks.peers.embedding import KeptVectors
from benchmarks.peers.exchange import Answers, Hit, Task, asked, read_task, write_answers

CHUNK_CHARS, OVERLAP = 5000, 250
WIDE = 30
_PAGES = re.compile(r"pages (\d+)-(\d+)$")


def chunks(task: Task) -> Iterator[tuple[Hit, str]]:
    """Yield each chunk of paper-qa with its place."""
    for doc_id, path in task.documents:
        doc = Doc(docname=doc_id, dockey=doc_id, citation=doc_id)
        if path.endswith(".pdf"):
            parsed = parse_pdf_to_pages(path, parse_media=False)
            texts = chunk_pdf(parsed, doc, CHUNK_CHARS, OVERLAP)
        else:  # (its default tokenizer cuts at the same lengths, but has to be downloaded)
            texts = chunk_text(parse_text(path), doc, CHUNK_CHARS, OVERLAP, use_tiktoken=False)
        for text in texts:
            named = _PAGES.search(text.name)
            start, end = (int(named[1]), int(named[2])) if named else (1, 1)
            yield Hit(doc_id, start, end, len(text.text)), text.text


def run(task: Task) -> dict[str, tuple[int, Answers]]:
    """Return the answers of a search by similarity."""
    found = list(chunks(task))
    vectors = KeptVectors(task.vectors)
    matrix = np.asarray(vectors.texts([text for _, text in found]), dtype=np.float32)

    def similar(question: str) -> list[Hit]:
        values = matrix @ np.asarray(vectors.query(question), dtype=np.float32)
        best = np.argsort(-values, kind="stable")[:WIDE]
        return [found[int(i)][0] for i in best]

    return {"paper-qa chunks, similarity": (len(found), asked(similar, task))}


if __name__ == "__main__":
    write_answers(run(read_task(Path(sys.argv[1]))), Path(sys.argv[2]))
