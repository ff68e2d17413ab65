"""What the documents of the question sets are cut into, for `replay-all`; nothing is embedded."""

from collections.abc import Iterator, Sequence

from benchmarks import sought
from benchmarks.datasets import data_set, documents
from benchmarks.places import PDFS
from benchmarks.replay_sets import Indexes
from benchmarks.replaying import Line, digest
from research_agent.assembly.index import open_index
from research_agent.assembly.parsing import local_files, reader
from research_agent.assembly.updating import Indexer
from research_agent.settings import Settings


class NoVectors:
    """An embedder that knows nothing of texts; implements Embedder."""

    name = "none"

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return the same vector for every text."""
        return [(1.0, 0.0) for _ in texts]


def parsed(indexes: Indexes) -> Iterator[Line]:
    """Index the PDFs, the API descriptions and some texts, and yield a line a document.

    Its digest is of all its chunks with all that they hold.
    """
    settings, own = Settings(), indexes.own
    texts = sorted(documents(data_set("hotpotqa"), own).glob("*.txt"))[::40]
    folders = [PDFS, sought.documents(sought.question_set("openapi"), own), *texts]
    with reader(settings.documents) as documents_of:
        Indexer(
            settings=settings,
            embedder=NoVectors(),
            files=local_files(settings.documents),
            reader=documents_of,
        ).update(str(own / "parsed"), [str(folder) for folder in folders])
    with open_index(str(own / "parsed"), settings, embedder=NoVectors()) as index:
        for outline in sorted(index.documents, key=lambda one: one.doc_id):
            chunks = index.contents(outline.doc_id)
            words = [hit.chunk_id for hit in index.lexical.search(outline.doc_id, k=20)]
            yield {"set": "documents", "id": outline.doc_id} | {
                "hits": digest(chunks),
                "verdicts": digest(words),
            }
