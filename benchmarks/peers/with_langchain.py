"""A plain LangChain RAG: pages of pypdfium2, BM25 and vectors in an ensemble, its hub's prompt.

Run as `python -m benchmarks.peers.with_langchain search|answer TASK OUT` in an environment that has
it. What it cites are the pages of the chunks that it shows the model; a refusal cites nothing.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from langchain_classic.retrievers import (  # type: ignore[import-not-found]  # (in its own environment)
    EnsembleRetriever,
)
from langchain_community.retrievers import (  # type: ignore[import-not-found]  # (in its own environment)
    BM25Retriever,
)
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import (  # type: ignore[import-not-found]  # (in its own environment)
    RecursiveCharacterTextSplitter,
)

from benchmarks.peers import exchange
from benchmarks.peers.exchange import Answering, AnswerTask, Hit, Retriever, Task, Written
from research_agent.models.adapters.minilm import MiniLM

WIDE = 30
"""Candidates of each retriever in the wide variant, as many as the product takes."""
SHOWN = 4
"""Chunks in its prompt."""
HUB = (
    "You are an assistant for question-answering tasks. Use the following pieces of retrieved "
    "context to answer the question. If you don't know the answer, just say that you don't know. "
    "Use three sentences maximum and keep the answer concise.\n"
    "Question: {question} \nContext: {context} \nAnswer:"
)
"""rlm/rag-prompt, as published on LangChain's hub."""
REFUSED = "not found in provided docs"
STRICT = (
    "{context}\n\nQuestion: {question}\n\n"
    "Answer the question from the text above, in at most three sentences, with the exact numbers "
    f"and names that it gives. If it does not state exactly what is asked, say: {REFUSED}"
)
"""What we would write for it: evidence first, and words to refuse with."""


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


WAYS = {"default": Way(), "best": Way(prompt=STRICT, lower_words=True)}


class OurEmbeddings(Embeddings):
    """Our embedding model behind LangChain's interface."""

    def __init__(self) -> None:
        """Load the model."""
        self._model = MiniLM()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector a text."""
        return self._model.embed(texts)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return self._model.embed([text])[0]


def lower_words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return re.findall(r"\w+", text.lower())


def chunks_of(task: Task, way: Way) -> list[Document]:
    """Return the chunks of the pages, as LangChain's loaders read them; a text is one page."""
    splitter = RecursiveCharacterTextSplitter(chunk_size=way.chunk_size, chunk_overlap=way.overlap)
    chunks: list[Document] = splitter.split_documents(list(_pages(task.documents)))
    return chunks


def _pages(documents: Sequence[tuple[str, str]]) -> Iterator[Document]:
    import pypdfium2

    for doc_id, path in documents:
        if not path.endswith(".pdf"):
            place = {"doc_id": doc_id, "page": 1}
            yield Document(Path(path).read_text(encoding="utf-8"), metadata=place)
            continue
        pdf = pypdfium2.PdfDocument(path)
        for number, page in enumerate(pdf, start=1):
            place = {"doc_id": doc_id, "page": number}
            yield Document(page.get_textpage().get_text_range(), metadata=place)
        pdf.close()


def search(task: Task, out: Path) -> None:
    """Write what each way of searching finds."""
    from langchain_community.vectorstores import (  # type: ignore[import-not-found]  # (in its own environment)
        FAISS,
    )

    chunks = chunks_of(task, Way())
    store = FAISS.from_documents(chunks, OurEmbeddings())

    def ensemble(wide: int, **words: object) -> Retriever:
        by_words = BM25Retriever.from_documents(chunks, k=wide, **words)
        by_vector = store.as_retriever(search_kwargs={"k": wide})
        both = EnsembleRetriever(retrievers=[by_words, by_vector], weights=[0.5, 0.5])
        return lambda question: [_hit(found) for found in both.invoke(question)]

    lower: dict[str, object] = {"preprocess_func": lower_words}
    ways: dict[str, Retriever] = {
        "LangChain similarity": lambda question: [
            _hit(found) for found in store.similarity_search(question, k=WIDE)
        ],
        "LangChain ensemble": ensemble(task.first),
        "LangChain ensemble, word tokens": ensemble(task.first, **lower),
        f"LangChain ensemble, word tokens, {WIDE} candidates": ensemble(WIDE, **lower),
    }
    arms = {name: (len(chunks), exchange.asked(way, task)) for name, way in ways.items()}
    exchange.write_answers(arms, out)


def _hit(found: Document) -> Hit:
    return found.metadata["doc_id"], found.metadata["page"], found.metadata["page"]


def build(task: AnswerTask, way: Way, base_url: str) -> Answering:
    """Index the documents and return what answers from them."""
    from langchain_chroma import (  # type: ignore[import-not-found]  # (in its own environment)
        Chroma,
    )
    from langchain_openai import ChatOpenAI
    from openai import APITimeoutError

    chunks = chunks_of(task, way)
    store = Chroma.from_documents(chunks, OurEmbeddings())
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
        found: list[Document] = both.invoke(question)[: way.chunks]
        context = "\n\n".join(document.page_content for document in found)
        try:
            reply = model.invoke([("human", way.prompt.format(question=question, context=context))])
        except APITimeoutError as error:
            raise TimeoutError from error
        text = str(reply.content)
        shown = tuple(dict.fromkeys(map(_hit, found)))
        return Written(text, () if REFUSED in text.lower() else shown)

    return answer


if __name__ == "__main__":
    what, given, written = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if what == "search":
        search(exchange.read_task(given, Task), written)
    else:
        asked = exchange.read_task(given, AnswerTask)
        chosen = WAYS[asked.arm]
        exchange.answer_all(asked, partial(build, asked, chosen), asdict(chosen), written)
