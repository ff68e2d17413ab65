"""LlamaIndex's query engine over its vector index in memory, as published.

Run as `python -m benchmarks.peers.with_llamaindex search|answer TASK OUT` in an environment that
has it. What it cites are the places of the chunks that it shows the model; a refusal cites nothing.
Its tokenizer and its sentence splitter read files of its own package, nothing is downloaded.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llama_index.core import PromptTemplate, QueryBundle, SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.node_parser import SentenceSplitter

from benchmarks.peers import exchange
from benchmarks.peers.exchange import AnswerTask, Embedding, Hit, Task, Written

OURS = ["doc_id", "page"]
"""What we note of a chunk; neither the embedding model nor the chat model reads it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of answering; as published where nothing is given."""

    prompt: str = ""
    chunks: int = 2
    chunk_size: int = 1024
    overlap: int = 200


WAYS = {
    "default": Way(),
    "best": Way(prompt=exchange.STRICT, chunks=5, chunk_size=256, overlap=50),
    "equal": Way(chunks=exchange.WIDE),
}
""""best": chunks that the embedding model reads whole; "equal": see the task."""


class OurEmbedding(BaseEmbedding):  # type: ignore[misc]  # (the class has no types here)
    """Our embedding models behind LlamaIndex's interface."""

    own: Any

    def _get_query_embedding(self, query: str) -> Any:  # noqa: ANN401 (a field has no type)
        return self.own.embed_query(query)

    async def _aget_query_embedding(self, query: str) -> Any:  # noqa: ANN401 (see above)
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> Any:  # noqa: ANN401 (see above)
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> Any:  # noqa: ANN401 (see above)
        return self.own.embed_documents(texts)


def indexed(task: Task, way: Way) -> VectorStoreIndex:
    """Return the documents as LlamaIndex reads, cuts and embeds them."""
    pages = []
    for doc_id, path in task.documents:
        for number, page in enumerate(SimpleDirectoryReader(input_files=[path]).load_data(), 1):
            page.metadata |= {"doc_id": doc_id, "page": number}
            page.excluded_embed_metadata_keys += OURS
            page.excluded_llm_metadata_keys += OURS
            pages.append(page)
    splitter = SentenceSplitter(chunk_size=way.chunk_size, chunk_overlap=way.overlap)
    own = Embedding(multilingual=task.multilingual)
    return VectorStoreIndex.from_documents(
        pages, transformations=[splitter], embed_model=OurEmbedding(own=own)
    )


def _hit(found: Any) -> Hit:  # noqa: ANN401 (a node of LlamaIndex)
    of = found.node.metadata
    return of["doc_id"], of["page"], of["page"], found.node.text


def search(task: Task, out: Path) -> None:
    """Write what each way of searching finds."""

    def arm(way: Way) -> tuple[int, exchange.Answers]:
        index = indexed(task, way)
        retriever = index.as_retriever(similarity_top_k=task.first)
        found = exchange.asked(lambda text: [_hit(one) for one in retriever.retrieve(text)], task)
        return len(index.docstore.docs), found

    arms = {f"LlamaIndex, {name}": arm(WAYS[name]) for name in ("default", "best")}
    exchange.write_answers(arms, out)


def build(task: AnswerTask, way: Way, base_url: str) -> exchange.Answering:
    """Index the documents and return what answers from them."""
    from llama_index.llms.openai_like import OpenAILike
    from openai import APITimeoutError

    model = OpenAILike(
        model=task.model,
        api_base=base_url,
        api_key=task.key,
        temperature=0.0,
        timeout=task.seconds,
        max_retries=0,
        is_chat_model=True,
        context_window=8192,
    )
    engine = indexed(task, way).as_query_engine(llm=model, similarity_top_k=way.chunks)
    if way.prompt:
        prompt = way.prompt.format(context="{context_str}", question="{query_str}")
        engine.update_prompts({"response_synthesizer:text_qa_template": PromptTemplate(prompt)})

    def answer(question: str) -> Written:
        asked = QueryBundle(question)
        nodes = engine.retrieve(asked)
        texts = [node.node.get_content() for node in nodes]
        shown, tokens = exchange.enough(texts, way.chunks, task.evidence_tokens)
        try:
            text = str(engine.synthesize(asked, nodes[:shown]))
        except APITimeoutError as error:
            raise TimeoutError from error
        places = () if exchange.REFUSED in text.lower() else tuple(map(_hit, nodes[:shown]))
        return Written(text, places, evidence_tokens=tokens)

    return answer


if __name__ == "__main__":
    exchange.run(search, build, WAYS)
