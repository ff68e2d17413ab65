"""paper-qa: its reading and chunking searched by similarity, and `Docs.aquery`.

Run as `python -m benchmarks.peers.with_paperqa search|answer TASK OUT` in an environment that has
it. What cannot be as published: documents are not looked up at services in the network, pictures
are not described (the model sees none), requests go one at a time (the server has one place) and
may take as long as the question. Its agent is left out: the embedded model does not call tools.
"""

import asyncio
import pickle
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from lmi import EmbeddingModel  # type: ignore[import-not-found]  # (in its own environment)
from paperqa import (  # type: ignore[import-not-found]  # (in its own environment)
    Docs,
    Settings,
)
from paperqa.readers import (  # type: ignore[import-not-found]  # (in its own environment)
    chunk_pdf,
    chunk_text,
    parse_text,
)
from paperqa.types import (  # type: ignore[import-not-found]  # (in its own environment)
    Doc,
    PQASession,
)
from paperqa_pypdf import (  # type: ignore[import-not-found]  # (in its own environment)
    parse_pdf_to_pages,
)

from benchmarks.peers import exchange
from benchmarks.peers.embedding import KeptVectors
from benchmarks.peers.exchange import Answering, AnswerTask, Hit, Place, Task, Written

CHUNK_CHARS, OVERLAP = 5000, 250
WIDE = 30
_PAGES = re.compile(r"(?:(.+) )?pages (\d+)-(\d+)$")
_KEYS = re.compile(r"\s*\([^()]*pqac-[^()]*\)|\s*pqac-[0-9a-f]{8}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of answering; as published where nothing is given."""

    bundle: str = "default"
    evidence_k: int = 10
    evidence_summary_length: str = "about 100 words"
    answer_max_sources: int = 5
    answer_length: str = "about 200 words, but can be longer"
    use_json: bool = True
    chunk_chars: int = CHUNK_CHARS
    overlap: int = OVERLAP


WAYS = {
    "default": Way(),
    "best": Way(
        bundle="fast",
        evidence_k=5,
        evidence_summary_length="25 to 50 words",
        answer_max_sources=3,
        answer_length="50 to 100 words",
        use_json=False,
        chunk_chars=2500,
    ),
}
""""best": its bundle for speed, and chunks half as long."""


class OurEmbeddings(EmbeddingModel):  # type: ignore[misc]  # (the class has no types here)
    """Our embedding model behind paper-qa's interface."""

    name: str = "all-MiniLM-L6-v2"
    path: str

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector a text."""
        return KeptVectors(self.path).texts(texts)


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
            start, end = (int(named[2]), int(named[3])) if named else (1, 1)
            yield Hit(doc_id, start, end, len(text.text)), text.text


def search(task: Task, out: Path) -> None:
    """Write what a search by similarity finds."""
    found = list(chunks(task))
    vectors = KeptVectors(task.vectors)
    matrix = np.asarray(vectors.texts([text for _, text in found]), dtype=np.float32)

    def similar(question: str) -> list[Hit]:
        values = matrix @ np.asarray(vectors.query(question), dtype=np.float32)
        best = np.argsort(-values, kind="stable")[:WIDE]
        return [found[int(i)][0] for i in best]

    arms = {"paper-qa chunks, similarity": (len(found), exchange.asked(similar, task))}
    exchange.write_answers(arms, out)


def settings_of(way: Way, task: AnswerTask, base_url: str) -> Settings:
    """Return paper-qa's settings for a way of answering."""
    model = f"openai/{task.model}"
    params = {
        "model": model,
        "temperature": 0.0,
        "api_base": base_url,
        "api_key": task.key,
        "timeout": task.seconds,
        "max_retries": 0,
    }
    router = {"name": model, "model_list": [{"model_name": model, "litellm_params": params}]}
    prompts: dict[str, object] = {"use_json": way.use_json}
    if not way.use_json:
        prompts["context_inner"] = "{name}: {text}"
    return Settings(
        llm=model,
        llm_config=router,
        summary_llm=model,
        summary_llm_config=router,
        answer={
            "evidence_k": way.evidence_k,
            "evidence_summary_length": way.evidence_summary_length,
            "answer_max_sources": way.answer_max_sources,
            "answer_length": way.answer_length,
            "max_concurrent_requests": 1,
        },
        parsing={
            "use_doc_details": False,
            "multimodal": False,
            "reader_config": {"chunk_chars": way.chunk_chars, "overlap": way.overlap},
        },
        prompts=prompts,
    )


async def indexed(task: AnswerTask, way: Way, settings: Settings, vectors: EmbeddingModel) -> Docs:
    """Return the documents as paper-qa reads and cuts them; kept between runs."""
    kept = Path(task.vectors).with_name(f"paperqa-{way.chunk_chars}-{way.overlap}.pickle")
    if kept.exists():
        return pickle.loads(kept.read_bytes())  # noqa: S301 (our own file)
    docs = Docs()
    for doc_id, path in task.documents:
        await docs.aadd(
            path, citation=doc_id, docname=doc_id, settings=settings, embedding_model=vectors
        )
    kept.write_bytes(pickle.dumps(docs))
    return docs


def build(task: AnswerTask, way: Way, base_url: str, runner: asyncio.Runner) -> Answering:
    """Index the documents and return what answers from them."""
    settings = settings_of(way, task, base_url)
    vectors = OurEmbeddings(path=task.vectors)
    docs = runner.run(indexed(task, way, settings, vectors))

    async def asked(question: str) -> PQASession:
        asking = docs.aquery(question, settings=settings, embedding_model=vectors)
        return await asyncio.wait_for(asking, task.seconds)

    def answer(question: str) -> Written:
        session = runner.run(asked(question))
        return Written(_KEYS.sub("", session.raw_answer).strip(), _places(session))

    return answer


def _places(session: PQASession) -> tuple[Place, ...]:
    """Return the pages of the chunks whose keys the answer names, each once."""
    used = session.used_contexts
    names = [context.text.name for context in session.contexts if context.id in used]
    found = [match for name in names if (match := _PAGES.match(name))]
    return tuple(dict.fromkeys(Place(m[1], int(m[2]), int(m[3])) for m in found))


if __name__ == "__main__":
    what, given, written = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if what == "search":
        search(exchange.read_task(given, Task), written)
    else:
        asked = exchange.read_task(given, AnswerTask)
        chosen = WAYS[asked.arm]
        with asyncio.Runner() as runner:
            exchange.answer_all(
                asked, lambda url: build(asked, chosen, url, runner), asdict(chosen), written
            )
