"""The modes of a search: both indexes, vectors alone, words alone."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from research_agent.errors import ModelTimeoutError
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import Ranked, rank
from research_agent.retrieval.search.retrieve import retrieve
from research_agent.settings import RetrievalSettings
from research_agent.types import ScoredId
from research_agent.types.verification import Check
from tests import fakes
from tests.retrieval.test_ranking import chunks, ports

DENSE = RetrievalSettings(mode="dense")
LEXICAL = RetrievalSettings(mode="lexical")
QUERIES = ["What is LAT?", "Is PX-200 or PX-300 the better one for water?", "gauge levels"]


class Closed:
    """An index or a model that must not be asked."""

    name = "closed"

    def search(self, _: object, *, k: int) -> list[ScoredId]:
        raise AssertionError(k)

    def similarities(self, _: Sequence[float], chunk_ids: Sequence[str]) -> list[float]:
        raise AssertionError(chunk_ids)

    def embed(self, _: Sequence[str]) -> list[list[float]]:
        raise ModelTimeoutError("no reply within 2 s", hint="ask again")


class OnlyExact(fakes.MemoryVectors):
    """Vectors that are compared where asked for by id, and not searched."""

    def search(self, _: object, *, k: int) -> list[ScoredId]:
        raise AssertionError(k)


def found(query: str, given: Ports, settings: RetrievalSettings) -> Ranked:
    return rank(query, ports=given, settings=settings)


def stages(ranked: Ranked) -> set[str]:
    return {name for name, _ in ranked.stages}


@pytest.mark.parametrize("query", QUERIES)
def test_dense_asks_no_word_index(query: str) -> None:
    """Not for the question, what is compared, definitions or overviews either."""
    ranked = found(query, replace(ports(chunks()), lexical=Closed()), DENSE)

    assert "meaning" in stages(ranked)
    assert "words" not in stages(ranked)
    assert {None} == {hit.lexical for hit in ranked.hits}
    assert ranked.hits


@pytest.mark.parametrize("query", QUERIES)
def test_lexical_searches_no_vectors(query: str) -> None:
    """The ranking is that of the words; similarities are exact, one text is embedded."""
    given = replace(ports(chunks()), vectors=OnlyExact(chunks()))
    ranked = found(query, given, LEXICAL)

    assert "words" in stages(ranked)
    assert "meaning" not in stages(ranked)
    known = fakes.MemoryVectors(chunks())
    ids = [hit.chunk.chunk_id for hit in ranked.hits]
    assert known.similarities(fakes.embedding(query), ids) == [h.similarity for h in ranked.hits]
    assert isinstance(given.embedder, fakes.WordEmbedder)
    assert [query] == given.embedder.asked


def test_one_index_alone_gives_its_own_order() -> None:
    """Without a plan, and with pages as they rank, nothing changes what the index says."""
    given, query = ports(chunks()), "pump water LAT"
    plain = {"planner": "off", "pages": "together"}
    words = found(query, given, replace(LEXICAL, **plain))  # type: ignore[arg-type] # (by name)
    dense = found(query, given, replace(DENSE, **plain))  # type: ignore[arg-type] # (by name)
    wanted = [
        given.lexical.search(query, k=30),
        given.vectors.search(fakes.embedding(query), k=30),
    ]

    assert [[item.chunk_id for item in ranking] for ranking in wanted] == [
        [hit.chunk.chunk_id for hit in ranked.hits] for ranked in (words, dense)
    ]


def test_lexical_works_without_an_embedding_model() -> None:
    """Its failure costs the similarities and is told; the other modes cannot do without."""
    given = replace(ports(chunks()), embedder=Closed(), vectors=Closed())
    ranked = found("What is LAT?", given, LEXICAL)

    assert found("What is LAT?", ports(chunks()), LEXICAL).stages == ranked.stages
    assert {None} == {hit.similarity for hit in ranked.hits}
    assert ("search: no reply within 2 s; the hits have no similarity",) == ranked.notes
    for settings in (DENSE, RetrievalSettings()):
        with pytest.raises(ModelTimeoutError):
            found("What is LAT?", given, settings)


def test_known_chunks_need_no_embedding_model_either() -> None:
    """A follow-up by words alone keeps its hits, and what is known, without similarities."""
    given = replace(ports(chunks()), embedder=Closed(), vectors=Closed())
    known = [chunk.chunk_id for chunk in chunks()][-2:]
    probe = retrieve("What is LAT?", Check(), ports=given, settings=LEXICAL, known=known)

    assert set(known) <= {hit.chunk.chunk_id for hit in probe.value.hits}
    assert {None} == {hit.similarity for hit in probe.value.hits}


def test_the_query_is_embedded_once() -> None:
    """What is known from before is compared with the vector that was searched with."""
    given = ports(chunks())
    known = [chunk.chunk_id for chunk in chunks()][-2:]
    retrieve("gauge levels", Check(), ports=given, settings=RetrievalSettings(), known=known)

    assert isinstance(given.embedder, fakes.WordEmbedder)
    assert 1 == given.embedder.asked.count("gauge levels")


def test_the_failure_is_in_the_trace() -> None:
    """The probe has its hits, and the result a warning."""
    given = replace(ports(chunks()), embedder=Closed(), vectors=Closed())
    probe = retrieve("What is LAT?", Check(), ports=given, settings=LEXICAL)

    assert probe.value.hits
    assert ("search: no reply within 2 s; the hits have no similarity",) == probe.event.notes


def test_hybrid_is_the_default() -> None:
    """Both indexes are asked where nothing is said."""
    ranked = found("gauge levels", ports(chunks()), RetrievalSettings())

    assert {"meaning", "words", "fused", "result"} == stages(ranked)
