"""What the best operations and schemas of an API description bring into the ranking."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import RetrievalSettings
from research_agent.types import Chunk, ChunkKind
from research_agent.types.references import Edge
from research_agent.types.scope import EVERYTHING, Scope
from tests import fakes

QUERY = "lock a folder"
SETTINGS = RetrievalSettings(top_k=12, related_after=3, related_every=2, planner="off")


def part(name: str, text: str, kind: ChunkKind, item: str = "") -> Chunk:
    return Chunk(name, "box", text, section=("API", item or name), kind=kind, source="box.json")


CHUNKS = [
    part("lock", "lock a folder and lock it", "operation"),
    part("lock-2", "responses of the call", "operation", "lock"),
    part("user", "who did something", "schema"),
    part("size", "how large something is", "schema"),
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


def ports(chunks: Sequence[Chunk] = CHUNKS, edges: Sequence[Edge] = EDGES) -> Ports:
    return replace(
        fakes.ports(fakes.ScriptedChat(fakes.YES)),
        vectors=fakes.MemoryVectors(chunks),
        lexical=fakes.MemoryWords(chunks),
        chunks=fakes.MemoryChunks(chunks, edges),
    )


def found(
    settings: RetrievalSettings = SETTINGS, scope: Scope = EVERYTHING, made: Ports | None = None
) -> list[str]:
    hits = rank(QUERY, ports=made or ports(), settings=settings, scope=scope).hits
    assert sorted({hit.score for hit in hits}, reverse=True) == [hit.score for hit in hits]
    return [hit.chunk.chunk_id for hit in hits]


def test_schemas_of_the_best_hits_stand_in_reserved_places() -> None:
    """In both directions, through other parts of an operation; never a security scheme."""
    narrow = replace(SETTINGS, top_k=6, mode="lexical")
    own, with_related = found(replace(narrow, related_every=0)), found(narrow)

    assert own[:3] == with_related[:3]
    assert not {"user", "error", "size"} & set(own)
    assert {"user", "error", "size"} == {with_related[3], with_related[5], with_related[7]}
    assert "auth" not in with_related
    assert set(own) <= set(with_related)


def test_nearest_come_first() -> None:
    """Where meaning is known, the order is by similarity, and hits have one."""
    hits = rank(QUERY, ports=ports(), settings=replace(SETTINGS, top_k=4)).hits
    placed = [hits[place] for place in (3, 5)]

    assert all(hit.similarity is not None for hit in hits)
    assert placed[0].similarity >= placed[1].similarity  # type: ignore[operator]  # (checked above)


def test_scope_holds_for_relatives() -> None:
    """What is excluded does not come back through a reference."""
    narrow = replace(SETTINGS, top_k=6, mode="lexical")

    assert "user" not in found(narrow, Scope(exclude=frozenset({"user"})))


def test_common_schema_does_not_bring_what_uses_it() -> None:
    """A schema that everything refers to, such as that of errors, leads nowhere."""
    users = [part(f"op{i}", "another call", "operation") for i in range(31)]
    edges = [Edge(user.chunk_id, "x0", "schema") for user in users]
    narrow = replace(SETTINGS, top_k=6, mode="lexical")
    many = found(narrow, made=ports([*CHUNKS, *users], edges))
    few = found(narrow, made=ports([*CHUNKS, *users], edges[:2]))

    assert not {user.chunk_id for user in users} & set(many)
    assert {"op0", "op1"} <= set(few)


def test_texts_without_api_parts_are_ranked_as_ever() -> None:
    """Other kinds of chunks have no relatives, whatever they refer to."""
    plain = [replace(chunk, kind="text") for chunk in CHUNKS]
    without = replace(SETTINGS, related_every=0)

    assert found(without, made=ports(plain)) == found(made=ports(plain))
