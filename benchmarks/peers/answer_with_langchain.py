"""A plain LangChain RAG: ensemble of BM25 and Chroma, chunks of 1000/200, its hub's prompt.

Run as `python -m benchmarks.peers.answer_with_langchain TASK RECORDINGS` in an environment that
has it. What it cites are the pages of the chunks that it shows the model; a refusal cites nothing.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from langchain_chroma import (  # type: ignore[import-not-found]  # (in its own environment)
    Chroma,
)
from langchain_classic.retrievers import (  # type: ignore[import-not-found]  # (in its own environment)
    EnsembleRetriever,
)
from langchain_community.retrievers import (  # type: ignore[import-not-found]  # (in its own environment)
    BM25Retriever,
)
from langchain_core.documents import Document
from langchain_openai import ChatOpenAI
from langchain_text_splitters import (  # type: ignore[import-not-found]  # (in its own environment)
    RecursiveCharacterTextSplitter,
)
from openai import APITimeoutError

from benchmarks.peers.answering import (
    Answering,
    AnswerTask,
    Place,
    Written,
    answer_all,
    first_places,
    key,
    read_task,
)
from benchmarks.peers.embedding import KeptVectors
from benchmarks.peers.langchain_documents import OurEmbeddings, lower_words, pages

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
    chunks: int = 4
    lower_words: bool = False
    """BM25 over words in lower case, not over what stands between blanks."""
    chunk_size: int = 1000
    overlap: int = 200
    temperature: float = 0.0


WAYS = {
    "default": Way(),
    "best": Way(prompt=STRICT, lower_words=True),
}


def build(task: AnswerTask, way: Way, base_url: str) -> Answering:
    """Index the documents and return what answers from them."""
    splitter = RecursiveCharacterTextSplitter(chunk_size=way.chunk_size, chunk_overlap=way.overlap)
    chunks = splitter.split_documents(list(pages(task.documents)))
    store = Chroma.from_documents(chunks, OurEmbeddings(KeptVectors(task.vectors)))
    words = {"preprocess_func": lower_words} if way.lower_words else {}
    by_words = BM25Retriever.from_documents(chunks, k=way.chunks, **words)
    by_vector = store.as_retriever(search_kwargs={"k": way.chunks})
    both = EnsembleRetriever(retrievers=[by_words, by_vector], weights=[0.5, 0.5])
    model = ChatOpenAI(
        model=task.model,
        base_url=base_url,
        api_key=key(),
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
        return Written(text, () if REFUSED in text.lower() else _places(found))

    return answer


def _places(found: Sequence[Document]) -> tuple[Place, ...]:
    shown = [(str(d.metadata["doc_id"]), int(d.metadata["page"])) for d in found]
    return first_places([Place(doc_id, page, page) for doc_id, page in shown])


def main(task: AnswerTask, recordings: Path) -> None:
    """Answer the questions of a task."""
    way = WAYS[task.arm]
    answer_all(task, lambda url: build(task, way, url), asdict(way), recordings)


if __name__ == "__main__":
    main(read_task(Path(sys.argv[1])), Path(sys.argv[2]))
