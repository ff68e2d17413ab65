"""paper-qa's `Docs.aquery`, as published and with its own bundle "fast".

Run as `python -m benchmarks.peers.with_paperqa answer TASK OUT` in an environment that has it.
What cannot be as published: documents are not looked up at services in the network, pictures
are not described (the model sees none), requests go one at a time (the server has one place) and
may take as long as the question. Its agent is left out: the embedded model does not call tools.
"""

import asyncio
import os
import re
import tempfile
from dataclasses import dataclass
from functools import partial
from hashlib import sha1
from importlib.resources import files
from pathlib import Path
from typing import Any

from lmi import EmbeddingModel
from lmi.embeddings import EmbeddingModes
from paperqa import Docs, Settings
from paperqa.types import PQASession

from benchmarks.peers import exchange
from benchmarks.peers.exchange import Answering, AnswerTask, Embedding, Hit, Written

RANKS = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
"""From where tiktoken would load what it cuts texts with; its cache is given ours."""
_PAGES = re.compile(r" pages (\d+)-(\d+)$")
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
    chunk_chars: int = 5000
    overlap: int = 250


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
    "equal": Way(evidence_k=exchange.WIDE),
}
""""best": its bundle for speed, and chunks half as long; "equal": see the task."""


class OurEmbeddings(EmbeddingModel):  # type: ignore[misc]  # (the class has no types here)
    """Our embedding models behind paper-qa's interface."""

    name: str = "ours"
    own: Any
    queries: bool = False

    def set_mode(self, mode: EmbeddingModes) -> None:
        """Embed queries, or documents, from now on."""
        self.queries = mode == EmbeddingModes.QUERY

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector a text."""
        if self.queries:
            return [self.own.embed_query(text) for text in texts]
        vectors: list[list[float]] = self.own.embed_documents(texts)
        return vectors


def settings_of(way: Way, task: AnswerTask, base_url: str, chunks: int) -> Settings:
    """Return paper-qa's settings for a way of answering from so many chunks."""
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
            "evidence_k": chunks,
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


async def indexed(task: AnswerTask, settings: Settings, vectors: EmbeddingModel) -> Docs:
    """Return the documents as paper-qa reads and cuts them."""
    docs = Docs()
    for doc_id, path in task.documents:
        await docs.aadd(
            path, citation=doc_id, docname=doc_id, settings=settings, embedding_model=vectors
        )
    return docs


def build(runner: asyncio.Runner, task: AnswerTask, way: Way, base_url: str) -> Answering:
    """Index the documents and return what answers from them."""
    vectors = OurEmbeddings(own=Embedding(multilingual=task.multilingual))
    of_chunks = partial(settings_of, way, task, base_url)
    given = of_chunks(way.evidence_k)
    docs = runner.run(indexed(task, given, vectors))

    async def asked(question: str) -> tuple[PQASession, int]:
        found = await docs.retrieve_texts(question, way.evidence_k, given, vectors)
        texts = [one.text for one in found]
        chunks, tokens = exchange.enough(texts, way.evidence_k, task.evidence_tokens)
        return await docs.aquery(
            question, settings=of_chunks(chunks), embedding_model=vectors
        ), tokens

    def answer(question: str) -> Written:
        session, tokens = runner.run(asyncio.wait_for(asked(question), task.seconds))
        text = _KEYS.sub("", session.raw_answer).strip()
        return Written(text, _places(session), evidence_tokens=tokens)

    return answer


def _places(session: PQASession) -> tuple[Hit, ...]:
    """Return the chunks whose keys the answer names, each once; a text without pages is one."""
    used = session.used_contexts
    texts = [context.text for context in session.contexts if context.id in used]
    pages = [(match := _PAGES.search(of.name)) and map(int, match.groups()) for of in texts]
    hits = [
        (of.doc.docname, *(where or (1, 1)), of.text)
        for of, where in zip(texts, pages, strict=True)
    ]
    return tuple(dict.fromkeys(hits))


def keep_ranks(folder: str) -> None:
    """Put the packaged ranks where tiktoken looks for them before it asks the network."""
    ranks = (files("research_agent") / "data" / "cl100k_base.tiktoken").read_bytes()
    (Path(folder) / sha1(RANKS.encode()).hexdigest()).write_bytes(ranks)  # noqa: S324 (its name)
    os.environ["TIKTOKEN_CACHE_DIR"] = folder


if __name__ == "__main__":
    with asyncio.Runner() as made, tempfile.TemporaryDirectory() as ranks:
        keep_ranks(ranks)
        exchange.run(None, partial(build, made), WAYS)
