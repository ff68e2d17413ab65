"""API descriptions as files: how they are told, and two real ones."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from research_agent.assembly.parsing import parse_file, reader
from research_agent.documents.adapters.openapi import parse_api
from research_agent.documents.adapters.sandbox import EagerReader
from research_agent.documents.chunking import linked_chunks
from research_agent.errors import DocumentError
from research_agent.settings import DocumentSettings
from research_agent.text.words import index_words
from research_agent.types import Chunk
from research_agent.types.documents import ParsedDocument
from research_agent.types.references import ChunkLinks
from tests.data_sets import data_set

SPECS = ("box.json", "twilio_verify_v2.json")
API = '{"openapi": "3.0.0", "info": {"title": "Pets"}, "paths": {"/pets": {"get": {}}}}'


@pytest.fixture(scope="module")
def sandbox() -> Iterator[EagerReader]:
    with reader(DocumentSettings()) as found:
        yield found


@cache
def real(name: str) -> ParsedDocument:
    return parse_file(str(data_set("openapi", name)))


def chunks(document: ParsedDocument, size: int = 1000) -> tuple[tuple[Chunk, ChunkLinks], ...]:
    return linked_chunks("key", "doc", document, source="/x.json", chunk_chars=size)


@pytest.mark.parametrize(
    ("name", "data", "kinds"),
    [
        ("a.json", API.encode(), {"text", "operation"}),
        ("a.JSON", b"\xef\xbb\xbf" + API.encode(), {"text", "operation"}),
        ("a.json", API.encode("utf-16"), {"text", "operation"}),
        ("a.yml", b"swagger: '2.0'\r\npaths:\r\n  /a:\r\n    get: {}\r\n", {"text", "operation"}),
        ("a.yaml", b"openapi: 3.1.0\npaths: null\n", {"text"}),
        ("package.json", b'{"dependencies": {"openapi": "3.0.0"}}', {"code"}),
        ("values.yaml", b"api:\n  openapi: 3.0.0\n", {"code"}),
        ("two.yaml", b"a: 1\n---\nopenapi: 3.0.0\n", {"code"}),
        ("broken.json", b'{"a": ', {"code"}),
        ("a.txt", API.encode(), {"text"}),
    ],
)
def test_files_are_told_by_their_content(
    sandbox: EagerReader, tmp_path: Path, name: str, data: bytes, kinds: set[str]
) -> None:
    """JSON and YAML that describe an API are read as that, all other data as lines."""
    (tmp_path / name).write_bytes(data)

    assert kinds == {block.kind for block in sandbox.read(str(tmp_path / name)).blocks}


def test_links_come_through_the_child(sandbox: EagerReader) -> None:
    """What the child has read is what is read here."""
    path = str(data_set("openapi", SPECS[1]))

    assert parse_file(path) == sandbox.read(path)


def test_broken_files_have_a_reason_and_a_hint(sandbox: EagerReader, tmp_path: Path) -> None:
    """The place of the fault comes through, and the next file is read."""
    (tmp_path / "bad.json").write_text(API[:-1], encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        sandbox.read(str(tmp_path / "bad.json"))

    place = f"(line 1, column {len(API)})"
    assert f"not valid JSON: Expecting ',' delimiter {place}" == str(caught.value)
    assert "mend that place and index the file again" == caught.value.hint


def test_every_gold_name_is_a_heading() -> None:
    """Operations, schemas and security schemes that the questions ask for head a chunk."""
    heads = {
        (name, chunk.kind, word)
        for name in SPECS
        for chunk, _ in chunks(real(name))
        for word in chunk.text.split("\n")[0].split()
    }
    lines = data_set("openapi", "questions.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = []
    for question in map(json.loads, lines):
        gold = question["gold"]
        wanted += [
            (question["spec"], "operation", one["operationId"]) for one in gold["operations"]
        ]
        wanted += [(question["spec"], "schema", name) for name in gold["schemas"]]
        wanted += [(question["spec"], "security", name) for name in gold["security"]]

    assert 35 == len(wanted)
    assert [] == [name for name in wanted if name not in heads]


def test_numbers_of_the_real_ones() -> None:
    """Every operation, schema and scheme is a chunk; no reference dangles; it is quick."""
    start = time.process_time()
    documents = [parse_file(str(data_set("openapi", name))) for name in SPECS]
    seconds = time.process_time() - start
    kinds = [Counter(block.kind for block in document.blocks) for document in documents]

    assert seconds < 5
    assert [(296, 305, 1), (57, 45, 1)] == [
        (kind["operation"], kind["schema"], kind["security"]) for kind in kinds
    ]
    assert ["Box Platform API", "Twilio - Verify"] == [document.title for document in documents]
    assert [(), ()] == [document.warnings for document in documents]


def test_chunks_of_a_real_one() -> None:
    """Parts have the heading of the whole and lead to each other; every link leads somewhere."""
    found = chunks(real("box.json"))
    anchors = Counter(anchor for _, links in found for anchor in links.anchors)
    heads: dict[tuple[str, ...], set[str]] = {}
    for chunk, _ in found:
        heads.setdefault(chunk.section, set()).add(chunk.text.split("\n")[0])

    assert {1} == set(anchors.values())
    assert [] == [link for _, links in found for link in links.links if not anchors[link.target]]
    assert {1} == {len(names) for section, names in heads.items() if section != ("About",)}
    assert 1500 >= max(len(chunk.text) for chunk, _ in found)
    assert {"operation", "schema", "security", "list", "text"} == {c.kind for c, _ in found}


def test_every_reference_of_a_real_one_is_a_link() -> None:
    """The schemas that an operation refers to, at whatever depth, are linked from its parts."""
    root = json.loads(data_set("openapi", "box.json").read_text(encoding="utf-8"))
    found: dict[str, set[str]] = {}
    for block in real("box.json").blocks:
        for anchor in block.anchors[:1]:
            found[anchor] = {link.target for link in block.links if link.kind == "schema"}
    for path, methods in root["paths"].items():
        for method, operation in methods.items():
            anchor = f"#/paths/{path.replace('/', '~1')}/{method}"
            wanted = set(json.dumps(operation).split('"$ref": "')[1:])
            assert {part.partition('"')[0] for part in wanted} <= found[anchor]
    for name, schema in root["components"]["schemas"].items():
        wanted = {part.partition('"')[0] for part in json.dumps(schema).split('"$ref": "')[1:]}
        assert wanted == found[f"#/components/schemas/{name}"]


def test_yaml_says_the_same() -> None:
    """A real description is the same document in YAML."""
    root = json.loads(data_set("openapi", SPECS[1]).read_text(encoding="utf-8"))
    text = yaml.safe_dump(root, sort_keys=False, allow_unicode=True)
    assert real(SPECS[1]) == parse_api(text, ending=".yaml")


def test_three_megabytes(tmp_path: Path) -> None:
    """A description of 3 MB takes a few seconds of the processor, in YAML too."""
    about = "A field with some words that say what it is, and why it is there."
    field = {"type": "string", "description": about}
    schemas = {f"S{i}": {"properties": {f"f{j}": field for j in range(20)}} for i in range(1400)}
    root = {"openapi": "3.1.0", "components": {"schemas": schemas}}
    (tmp_path / "large.json").write_text(json.dumps(root), "utf-8")
    one = "".join(f"        f{j}: {{type: string, description: '{about}'}}\n" for j in range(20))
    all_of_them = "".join(f"    {name}:\n      properties:\n{one}" for name in schemas)
    text = f"openapi: 3.1.0\ncomponents:\n  schemas:\n{all_of_them}"
    (tmp_path / "large.yaml").write_text(text, "utf-8")
    start = time.process_time()
    first, second = (parse_file(str(tmp_path / name)) for name in ("large.json", "large.yaml"))

    assert time.process_time() - start < 10
    assert min(len(json.dumps(root)), len(text)) > 2_900_000
    assert first == second
    assert 1401 == len(first.blocks)


def test_names_are_found_by_their_words() -> None:
    """An operationId in camel case is spelled out; the index splits the others."""
    found = {chunk.text.split("\n")[0] for chunk, _ in chunks(real(SPECS[1]))}
    (head,) = (head for head in found if "CreateVerificationCheck" in head)

    assert {"create", "verification", "check", "createverificationcheck"} <= set(index_words(head))


@pytest.mark.parametrize("size", [200, 4000])
def test_other_lengths_of_chunks(size: int) -> None:
    """Parts of operations and schemas follow `documents.chunk_chars`."""
    found = [c for c, _ in chunks(real(SPECS[1]), size) if c.kind in {"operation", "schema"}]

    assert 1.5 * size >= max(len(chunk.text) for chunk in found)
    assert size < 1000 or Counter(c.kind for c in found)["operation"] < 70
