"""API descriptions as files: how they are told, and two real ones."""

import json
import time
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import yaml

from research_agent.assembly.parsing import parse_file, reader
from research_agent.documents.adapters.markup.markdown import markdown_blocks
from research_agent.documents.adapters.openapi import parse_api
from research_agent.documents.chunking import linked_chunks
from research_agent.settings import DocumentSettings
from research_agent.text.boilerplate_sections import boilerplate_kind
from research_agent.types import ChunkKind
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.references import LinkedChunk
from tests.data_sets import data_set

SPECS = ("box.json", "twilio_verify_v2.json")
API = '{"openapi": "3.0.0", "info": {"title": "Pets"}, "paths": {"/pets": {"get": {}}}}'


@cache
def real(name: str) -> ParsedDocument:
    return parse_file(str(data_set("openapi", name)))


def chunks(document: ParsedDocument, size: int = 1000) -> tuple[LinkedChunk, ...]:
    return linked_chunks("key", "doc", document, source="/x.json", chunk_chars=size)


@pytest.mark.parametrize(
    ("name", "data", "kinds"),
    [
        ("a.JSON", b"\xef\xbb\xbf" + API.encode(), {"text", "operation"}),
        ("a.json", API.encode("utf-16"), {"text", "operation"}),
        ("a.yml", b"swagger: '2.0'\r\npaths:\r\n  /a:\r\n    get: {}\r\n", {"text", "operation"}),
        ("a.yaml", b"openapi: 3.1.0\npaths: null\n", {"text"}),
        ("package.json", b'{"dependencies": {"openapi": "3.0.0"}}', {"code"}),
        ("two.yaml", b"a: 1\n---\nopenapi: 3.0.0\n", {"code"}),
        ("broken.json", b'{"a": ', {"code"}),
        ("a.txt", API.encode(), {"text"}),
    ],
)
def test_files_are_told_by_their_content(
    tmp_path: Path, name: str, data: bytes, kinds: set[str]
) -> None:
    """JSON and YAML that describe an API are read as that, all other data as lines."""
    (tmp_path / name).write_bytes(data)

    assert kinds == {block.kind for block in parse_file(str(tmp_path / name)).blocks}


def test_numbers_of_the_real_ones() -> None:
    """Every operation, schema and scheme is a chunk; no reference dangles; it is quick."""
    start = time.process_time()
    documents = [real(name) for name in SPECS]
    seconds = time.process_time() - start
    kinds = [Counter(block.kind for block in document.blocks) for document in documents]

    assert seconds < 5
    assert [(296, 305, 1), (57, 45, 1)] == [
        (kind["operation"], kind["schema"], kind["security"]) for kind in kinds
    ]
    assert ["Box Platform API", "Twilio - Verify"] == [document.title for document in documents]
    assert [(), ()] == [document.warnings for document in documents]


@pytest.mark.parametrize("size", [200, 1000, 4000])
def test_chunks_of_a_real_one(size: int) -> None:
    """Parts have the heading of the whole and lead to each other; every link leads somewhere."""
    found = chunks(real("box.json"), size)
    anchors = Counter(anchor for _, links in found for anchor in links.anchors)
    heads: dict[tuple[str, ...], set[str]] = {}
    for chunk, _ in found:
        if chunk.kind in {"operation", "schema"}:
            heads.setdefault(chunk.section, set()).add(chunk.text.split("\n")[0])
            assert len(chunk.text) <= 1.5 * size

    assert {1} == set(anchors.values())
    assert [] == [link for _, links in found for link in links.links if not anchors[link.target]]
    assert size < 1000 or {1} == {len(names) for names in heads.values()}
    assert {"operation", "schema", "security", "list", "text"} == {c.kind for c, _ in found}


def test_a_real_one_in_yaml_and_through_the_child() -> None:
    """It is the same document, however it is written and wherever it is read."""
    path = data_set("openapi", SPECS[1])
    root = json.loads(path.read_text(encoding="utf-8"))
    text = yaml.dump(root, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)

    assert real(SPECS[1]) == parse_api(text, markdown_blocks, ending=".yaml")
    with reader(DocumentSettings()) as sandbox:
        assert real(SPECS[1]) == sandbox.read(str(path))


@pytest.mark.parametrize("kind", ["operation", "schema", "security"])
def test_they_are_chunks_of_their_own(kind: ChunkKind) -> None:
    """However short, none joins another one or text; lines with numbers are no contents there."""
    numbered = "Size\n" + "\n".join(f"1.{i} Width … {i}" for i in range(6))
    parts = [("One.", "text"), ("GET /a", kind), (numbered, kind), ("Two.", "text")]
    found = chunks(ParsedDocument(tuple(Block(text, kind=kind) for text, kind in parts)))

    assert parts == [(chunk.text, chunk.kind) for chunk, _ in found]
    assert "contents" == boilerplate_kind(numbered, last_page=5)
