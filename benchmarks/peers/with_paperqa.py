"""paper-qa's `Docs.aquery`, as published and with its own bundle "fast".

Run as `python -m benchmarks.peers.with_paperqa answer TASK OUT` in an environment that has it.
 What cannot be as published: documents are not looked up at services in the network, pictures
are not described (the model sees none), requests go one at a time (the server has one place) and
may take as long as the question. Its agent is left out: the embedded model does not call tools.
"""

import asyncio
import re
from dataclasses import dataclass
from functools import partial

from lmi import EmbeddingModel
from paperqa import Docs, Settings
from paperqa.types import PQASession

from benchmarks.peers import exchange
from benchmarks.peers.exchange import Answering, AnswerTask, Hit, Written
from research_agent.models.adapters.minilm import MiniLM

_PAGES = re.compile(r"(.+) pages (\d+)-(\d+)$")
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
}
""""best": its bundle for speed, and chunks half as long."""


class OurEmbeddings(EmbeddingModel):  # type: ignore[misc]  # (the class has no types here)
    """Our embedding model behind paper-qa's interface."""

    name: str = "all-MiniLM-L6-v2"

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector a text."""
        return MiniLM().embed(texts)


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
    settings = settings_of(way, task, base_url)
    vectors = OurEmbeddings()
    docs = runner.run(indexed(task, settings, vectors))

    async def asked(question: str) -> PQASession:
        asking = docs.aquery(question, settings=settings, embedding_model=vectors)
        return await asyncio.wait_for(asking, task.seconds)

    def answer(question: str) -> Written:
        session = runner.run(asked(question))
        return Written(_KEYS.sub("", session.raw_answer).strip(), _places(session))

    return answer


def _places(session: PQASession) -> tuple[Hit, ...]:
    """Return the pages of the chunks whose keys the answer names, each once."""
    used = session.used_contexts
    texts = [context.text for context in session.contexts if context.id in used]
    found = [(match, of.text) for of in texts if (match := _PAGES.match(of.name))]
    return tuple(dict.fromkeys((m[1], int(m[2]), int(m[3]), text) for m, text in found))


if __name__ == "__main__":
    with asyncio.Runner() as made:
        exchange.run(None, partial(build, made), WAYS)
