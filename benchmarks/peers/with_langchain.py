"""A plain LangChain RAG: pages of pypdfium2, BM25 and vectors in an ensemble, its hub's prompt.

Run as `python -m benchmarks.peers.with_langchain search|answer TASK OUT` in an environment that has
it. What it cites are the pages of the chunks that it shows the model; a refusal cites nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.retrievers import BM25Retriever
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter

from benchmarks.peers import exchange
from benchmarks.peers.exchange import AnswerTask, Embedding, Hit, Task, Written

SHOWN = 4
"""Chunks in its prompt."""
HUB = (
    "You are an assistant for question-answering tasks. Use the following pieces of retrieved "
    "context to answer the question. If you don't know the answer, just say that you don't know. "
    "Use three sentences maximum and keep the answer concise.\n"
    "Question: {question} \nContext: {context} \nAnswer:"
)
"""rlm/rag-prompt, as published on LangChain's hub."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of answering."""

    prompt: str = HUB
    chunks: int = SHOWN
    lower_words: bool = False
    """BM25 over words in lower case, not over what is between blanks."""
    chunk_size: int = 1000
    overlap: int = 200
    temperature: float = 0.0


WAYS = {
    "default": Way(),
    "best": Way(prompt=exchange.STRICT, lower_words=True),
    "equal": Way(chunks=exchange.WIDE),
}
""""equal": as published, but with as much evidence as the task says."""


class OurEmbeddings(Embedding, Embeddings):
    """Our embedding models behind LangChain's interface."""


def lower_words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return re.findall(r"\w+", text.lower())


def chunks_of(task: Task, way: Way) -> list[Document]:
    """Return the chunks of the pages, as LangChain's loaders read them; others are one page."""
    splitter = RecursiveCharacterTextSplitter(chunk_size=way.chunk_size, chunk_overlap=way.overlap)
    chunks: list[Document] = splitter.split_documents(list(_pages(task.documents)))
    return chunks


def _pages(documents: Sequence[tuple[str, str]]) -> Iterator[Document]:
    import pypdfium2
    from bs4 import BeautifulSoup

    for doc_id, path in documents:
        if not path.endswith(".pdf"):
            place = {"doc_id": doc_id, "page": 1}
            text = Path(path).read_text(encoding="utf-8")
            if path.endswith((".html", ".htm")):
                text = BeautifulSoup(text, "html.parser").get_text()
            yield Document(text, metadata=place)
            continue
        pdf = pypdfium2.PdfDocument(path)
        for number, page in enumerate(pdf, start=1):
            place = {"doc_id": doc_id, "page": number}
            yield Document(page.get_textpage().get_text_range(), metadata=place)
        pdf.close()


def search(task: Task, out: Path) -> None:
    """Write what each way of searching finds."""
    from langchain_community.vectorstores import FAISS

    chunks = chunks_of(task, Way())
    store = FAISS.from_documents(chunks, OurEmbeddings(multilingual=task.multilingual))

    def ensemble(wide: int, **words: object) -> exchange.Retriever:
        by_words = BM25Retriever.from_documents(chunks, k=wide, **words)
        by_vector = store.as_retriever(search_kwargs={"k": wide})
        both = EnsembleRetriever(retrievers=[by_words, by_vector], weights=[0.5, 0.5])
        return lambda question: [_hit(found) for found in both.invoke(question)]

    lower: dict[str, object] = {"preprocess_func": lower_words}
    ways: dict[str, exchange.Retriever] = {
        "LangChain similarity": lambda question: [
            _hit(found) for found in store.similarity_search(question, k=exchange.WIDE)
        ],
        "LangChain ensemble": ensemble(task.first),
        "LangChain ensemble, word tokens": ensemble(task.first, **lower),
        f"LangChain ensemble, word tokens, {exchange.WIDE} candidates": ensemble(
            exchange.WIDE, **lower
        ),
    }
    arms = {name: (len(chunks), exchange.asked(way, task)) for name, way in ways.items()}
    exchange.write_answers(arms, out)


def _hit(found: Document) -> Hit:
    page = found.metadata["page"]
    return found.metadata["doc_id"], page, page, found.page_content


def build(task: AnswerTask, way: Way, base_url: str) -> exchange.Answering:
    """Index the documents and return what answers from them."""
    from langchain_chroma import Chroma
    from langchain_openai import ChatOpenAI
    from openai import APITimeoutError

    chunks = chunks_of(task, way)
    store = Chroma.from_documents(chunks, OurEmbeddings(multilingual=task.multilingual))
    words = {"preprocess_func": lower_words} if way.lower_words else {}
    by_words = BM25Retriever.from_documents(chunks, k=way.chunks, **words)
    by_vector = store.as_retriever(search_kwargs={"k": way.chunks})
    both = EnsembleRetriever(retrievers=[by_words, by_vector], weights=[0.5, 0.5])
    model = ChatOpenAI(
        model=task.model,
        base_url=base_url,
        api_key=task.key,
        temperature=way.temperature,
        timeout=task.seconds,
        max_retries=0,
    )

    def answer(question: str) -> Written:
        found: list[Document] = both.invoke(question)
        shown, tokens = exchange.enough(
            [d.page_content for d in found], way.chunks, task.evidence_tokens
        )
        found = found[:shown]
        context = "\n\n".join(document.page_content for document in found)
        try:
            reply = model.invoke([("human", way.prompt.format(question=question, context=context))])
        except APITimeoutError as error:
            raise TimeoutError from error
        text = str(reply.content)
        places = () if exchange.REFUSED in text.lower() else tuple(dict.fromkeys(map(_hit, found)))
        return Written(text, places, evidence_tokens=tokens)

    return answer


if __name__ == "__main__":
    exchange.run(search, build, WAYS)
