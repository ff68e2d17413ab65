"""References in the ledger: made into edges at publication, whatever moves, changes or leaves."""

from dataclasses import replace
from pathlib import Path

from research_agent.index.adapters.ledger.documents import all_documents
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.types.documents import SourceFile
from research_agent.types.records import IndexedChunk, Window
from research_agent.types.references import ChunkLinks, Edge, Link, LinkKind, Unresolved
from tests.indexing import change, indexed, record


def said(
    chunk_id: str, *links: str, anchors: str = "", links_as: LinkKind = "link", **fields: object
) -> IndexedChunk:
    """Return a chunk with links to `links` and some anchors, parted by spaces."""
    text = str(fields.pop("text", chunk_id))
    written = ChunkLinks(tuple(anchors.split()), tuple(Link(target, links_as) for target in links))
    return replace(indexed(chunk_id, text, **fields), links=written)


def edges(path: Path, *chunk_ids: str) -> list[tuple[str, str, str]]:
    with LedgerReader(path, "mine") as ledger:
        return [(edge.source, edge.target, edge.kind) for edge in ledger.edges(chunk_ids)]


def unresolved(path: Path, key: str) -> Unresolved:
    return next(d.record.unresolved for d in all_documents(path, "mine") if d.record.key == key)


def test_links_within_and_between_documents(path: Path, writer: LedgerWriter) -> None:
    """Anchors of one document, paths with and without anchors, spaces and marks in names."""
    here = ["#there", "b%20c.md#x", "sub/", "b%20c", "../other/%23d.md"]
    writer.put(record("a"), [said("a0", *here), said("a1", "#there", anchors="#there", order=1)])
    writer.put(record("b", "/docs/b c.md"), [said("b0"), said("b1", anchors="#x", order=1)])
    writer.put(record("s", "/docs/sub/README.md"), [said("s0", "../a.txt")])
    writer.put(record("d", "/other/#d.md"), [said("d0", "../docs/a.txt#there")])
    writer.publish({}, [])
    assert [
        ("a0", "a1", "link"),
        ("a0", "b1", "link"),
        ("a0", "s0", "link"),
        ("a0", "b0", "link"),
        ("a0", "d0", "link"),
        ("s0", "a0", "link"),
    ] == edges(path, "a0")
    assert [("a0", "a1", "link"), ("d0", "a1", "link")] == edges(path, "a1", "unknown")
    assert Unresolved() == unresolved(path, "a")


def test_edges_from_and_to_many_chunks_come_once_in_reading_order(
    path: Path, writer: LedgerWriter
) -> None:
    """Both ends asked for: one edge. The order is that of the texts, not that of the ids."""
    writer.put(record("b"), [said("1", "#z", "#y"), said("0", anchors="#y #z", order=1)])
    writer.put(record("a"), [said("9", "b.txt#y", links_as="schema")])
    writer.publish({}, [])
    expected = [("9", "0", "schema"), ("1", "0", "link")]
    assert expected == edges(path, "0", "1", "9") == edges(path, "9", "0", "0")


def test_what_leads_nowhere_is_counted_and_named(path: Path, writer: LedgerWriter) -> None:
    """Missing anchors dangle, missing files lie outside; words that name a number are no links."""
    names = ["#1", "#2", "#3", "#4", "#1", "gone.md", "https://example.org/api.yaml#/x"]
    writer.put(record("a"), [said("a0", *names), said("a1", "table 9", links_as="see", order=1)])
    writer.put(record("b"), [said("b0", "a.txt#nothing")])
    writer.publish({}, [])
    assert [] == edges(path, "a0", "a1", "b0")
    outside = ("gone.md", "https://example.org/api.yaml#/x")
    assert Unresolved(
        dangling=4, dangling_names=("#1", "#2", "#3"), outside=2, outside_names=outside
    ) == unresolved(path, "a")
    assert Unresolved(dangling=1, dangling_names=("a.txt#nothing",)) == unresolved(path, "b")


def test_a_later_document_mends_what_led_nowhere_and_leaving_breaks_it(
    path: Path, writer: LedgerWriter
) -> None:
    """Edges follow what readers see: a new document, a moved one, a changed one, a removed one."""
    writer.put(record("a"), [said("a0", "b.txt#x")])
    writer.publish({}, [])
    assert ([], 1) == (edges(path, "a0"), unresolved(path, "a").outside)
    writer.put(record("b"), [said("b0", anchors="#x")])
    assert [] == edges(path, "a0")
    writer.publish({}, [])
    assert ([("a0", "b0", "link")], 0) == (edges(path, "a0"), unresolved(path, "a").outside)
    writer.publish({"b": SourceFile("/docs/c.txt", "/docs", 1, 1)}, [])
    assert [] == edges(path, "a0")
    writer.publish({"b": SourceFile("/docs/b.txt", "/docs", 1, 1)}, [])
    writer.put(record("b"), [said("b0"), said("b1", anchors="#x", order=1)])
    assert [("a0", "b0", "link")] == edges(path, "a0")
    writer.publish({}, [])
    assert [("a0", "b1", "link")] == edges(path, "a0")
    writer.publish({}, ["b"])
    assert ([], 1) == (edges(path, "a0"), unresolved(path, "a").outside)


def test_two_files_with_one_content_keep_their_links_apart(
    path: Path, writer: LedgerWriter
) -> None:
    """Each copy has its own chunks; a link leads to the file that it names."""
    for key in ("a", "b"):
        copy = record(key, digest="same", title="Harbour Rules")
        texts = [said(f"{key}0", "#x"), said(f"{key}1", anchors="#x", order=1)]
        writer.put(copy, texts)
    writer.put(record("c"), [said("c0", "b.txt", text="The Harbour Rules hold.")])
    writer.publish({}, [])
    assert [("a0", "a1", "link")] == edges(path, "a0", "a1")[:1]
    assert [("c0", "b0", "link"), ("c0", "a0", "mention")] == edges(path, "c0")


def test_a_path_from_the_root_leads_to_the_only_document_that_fits(
    path: Path, writer: LedgerWriter
) -> None:
    """Where a site begins nobody knows: "/guide/x.md" fits one document or none."""
    writer.put(record("a"), [said("a0", "/guide/x.md", "/y.md")])
    writer.put(record("x", "/docs/guide/x.md"), [said("x0")])
    writer.put(record("y", "/docs/y.md"), [said("y0")])
    writer.put(record("z", "/docs/guide/y.md"), [said("z0")])
    writer.publish({}, [])
    assert [("a0", "x0", "link")] == edges(path, "a0")
    assert ("/y.md",) == unresolved(path, "a").outside_names


def test_mentions_of_titles_headings_and_terms(path: Path, writer: LedgerWriter) -> None:
    """Running text leads to what it names, boilerplate neither leads nor is led to."""
    writer.put(
        record("r", title="Harbour Rules", doc_id="r"),
        [
            said("r0", kind="cover", text="Harbour Rules"),
            said("r1", text="No swell.", order=1),
            said("r2", text="Two.", section=("Mooring Lines",), order=2),
        ],
    )
    glossary = replace(said("t0", text="ebb | out"), links=ChunkLinks(terms=("spring tide",)))
    writer.put(record("t"), [glossary])
    texts = "As the Harbour Rules (Mooring Lines) say, moorings break at spring tide."
    writer.put(record("u"), [said("u0", text=texts), said("u1", text="harbour rules", order=1)])
    writer.publish({}, [])
    found = [("u0", target, "mention") for target in ("r1", "r2", "t0")]
    assert found == edges(path, "u0")
    assert [] == edges(path, "u1")


def test_edges_of_another_version_are_made_anew(path: Path, writer: LedgerWriter) -> None:
    """By the next publication, which readers see."""
    writer.put(record("r", title="Harbour Rules"), [said("r0")])
    writer.put(record("u"), [said("u0", "r.txt", text="See the Harbour Rules.")])
    writer.publish({}, [])
    writer.close()
    other = "UPDATE meta SET value = '0' WHERE key = 'linking'"
    change(path, "DELETE FROM edges", "DELETE FROM links", other)
    with LedgerWriter(path, "mine", model="words") as later:
        assert [] == edges(path, "u0")
        later.publish({}, [])
        assert [("u0", "r0", "mention")] == edges(path, "u0")
        with LedgerReader(path, "mine") as ledger:
            assert 2 == ledger.generation()
        later.publish({}, [])
        with LedgerReader(path, "mine") as ledger:
            assert 2 == ledger.generation()


def test_half_characters_and_cycles_are_kept(path: Path, writer: LedgerWriter) -> None:
    """A link to itself is no edge, one there and back are two; half characters do no harm."""
    writer.put(record("a"), [said("a0", "#b", "#a", "#\ud800", anchors="#a")])
    writer.put(record("b"), [said("b0", "a.txt#a")])
    writer.put(
        record("c"), [said("c0", "#y", anchors="#x"), said("c1", "#x", anchors="#y", order=1)]
    )
    writer.publish({}, [])
    assert [("b0", "a0", "link")] == edges(path, "a0")
    assert [("c0", "c1", "link"), ("c1", "c0", "link")] == edges(path, "c1")
    with LedgerReader(path, "mine") as ledger:
        assert [Edge("b0", "a0", "link")] == ledger.edges(["b0"])


def test_all_that_is_kept_comes_out_again(path: Path, writer: LedgerWriter) -> None:
    """Published documents alone, with their vectors, links, anchors, terms and pages."""
    links = ChunkLinks(("#a", "#b"), (Link("x.md", "link"), Link("table 3", "see")), ("ebb",))
    windows = (Window("w", [0.5, -1.0]), Window("v", [1.0, 0.0]))
    put = [replace(indexed(name), windows=windows, links=links) for name in ("a0", "a1")]
    writer.put(record("a"), put[:1], page_texts=["", "two"])
    writer.publish({}, [])
    writer.put(record("b"), put[1:])
    with LedgerReader(path, "mine") as ledger:
        ((found, chunks, pages),) = ledger.exported()
    assert ("a", put[0].windows, links) == (found.key, chunks[0].windows, chunks[0].links)
    assert ("", "two") == pages
