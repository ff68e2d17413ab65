"""What the best operations and schemas of an API description bring into the ranking."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from research_agent.ports import Ports
from research_agent.retrieval.search import ranking
from research_agent.types import Chunk, ChunkKind
from research_agent.types.references import Edge
from research_agent.types.scope import EVERYTHING, Scope
from tests.retrieval import searching

QUERY = "lock a folder"


def part(name: str, text: str, kind: ChunkKind, item: str = "") -> Chunk:
    return Chunk(name, "box", text, section=("API", item or name), kind=kind, source="box.json")


CHUNKS = [
    part("lock", "lock a folder and lock it", "operation"),
    part("lock-2", "responses of the call", "operation", "lock"),
    part("user", "who did something", "schema"),
    part("size", "how large a thing is", "schema"),
    part("error", "what went wrong", "schema"),
    part("auth", "how to log in", "security"),
    *(part(f"x{i}", f"a folder of kind {i}", "schema") for i in range(8)),
]
EDGES = [
    Edge("lock", "lock-2", "part"),
    Edge("lock", "user", "schema"),
    Edge("lock-2", "error", "schema"),
    Edge("lock", "auth", "schema"),
    Edge("size", "x0", "schema"),
    Edge("lock", "x7", "mention"),
]


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "RELATED_INSERT_RANK", 3)
    monkeypatch.setattr(ranking, "RELATED_EVERY", 2)


def ports(chunks: Sequence[Chunk] = CHUNKS, edges: Sequence[Edge] = EDGES) -> Ports:
    return searching.ports(chunks, edges)


def found(
    given: Ports, scope: Scope = EVERYTHING, *, top_k: int = 6, mode: str = "lexical"
) -> list[str]:
    kept = {"top_k": top_k, "mode": mode, "question_kinds": False}
    return searching.ids(searching.search(QUERY, given, scope=scope, **kept))  # type: ignore[arg-type]


def test_schemas_of_the_best_hits_have_reserved_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    with_related = found(ports())
    assert "user" not in found(ports(), Scope(exclude=frozenset({"user"})))
    monkeypatch.setattr(ranking, "RELATED_TO", 0)
    own = found(ports())

    assert own[:3] == with_related[:3]
    assert not {"user", "error", "size"} & set(own)
    assert {"user", "error", "size"} == {with_related[3], with_related[5], with_related[7]}
    assert "auth" not in with_related
    assert set(own) <= set(with_related)


def test_nearest_come_first() -> None:
    """Where meaning is known, the order is by similarity, and hits have one."""
    hits = searching.search(QUERY, ports(), top_k=4, question_kinds=False).hits
    first, second = (hits[place].similarity for place in (3, 5))

    assert all(hit.similarity is not None for hit in hits)
    assert (first or 0.0) > (second or 0.0)


def test_common_schema_does_not_bring_what_uses_it() -> None:
    users = [part(f"op{i}", "another call", "operation") for i in range(31)]
    edges = [Edge(user.chunk_id, "x0", "schema") for user in users]
    many, few = (found(ports([*CHUNKS, *users], some)) for some in (edges, edges[:2]))

    assert not {user.chunk_id for user in users} & set(many)
    assert {"op0", "op1"} <= set(few)


def test_texts_without_api_parts_are_ranked_as_ever() -> None:
    plain = [replace(chunk, kind="text") for chunk in CHUNKS]

    assert found(ports(plain), mode="hybrid") == found(ports(plain, []), mode="hybrid")
