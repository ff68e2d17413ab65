"""API descriptions with odd names, odd references and values of the wrong kind."""

import pytest

from research_agent.documents.openapi.reading import api_document
from research_agent.types.references import Link
from tests.documents.test_reading import OK, block, lines, read, targets


def test_names_with_signs() -> None:
    """Spaces, "#", "/", "%" and "~" in names are found however a reference writes them."""
    names = ["A b", "a/b", "50%", "x~y"]
    written = ["A%20b", "a~1b", "50%25", "x~0y"]
    schemas: dict[str, object] = {name: {"type": "string"} for name in names}
    schemas["All"] = {"allOf": [{"$ref": f"#/components/schemas/{name}"} for name in written]}
    document = read(
        components={"schemas": schemas},
        paths={
            "/files/{id}#share me": {"get": {"operationId": "s"}},
            "/b": {"$ref": "#/paths/~1files~1{id}%23share%20me"},
        },
    )

    anchors = [
        "#/components/schemas/A b",
        "#/components/schemas/a~1b",
        "#/components/schemas/50%",
        "#/components/schemas/x~0y",
    ]
    assert anchors == [target for target, _ in targets(document, "#/components/schemas/All")]
    assert all(block(document, anchor) for anchor in anchors)
    assert block(document, "#/paths/~1files~1{id}#share me/get")
    assert "GET /b s" == lines(document, "#/paths/~1b/get")[0]


def test_references_elsewhere() -> None:
    """Those to files are links; those to servers and to nothing are warnings; circles end."""
    wanted = ["other.yaml#/Pet", "../a b.json", "https://x.org/a#/P", "#/components/no", "#/gone"]
    parameters = [{"$ref": "#/a"}, {"$ref": "p.yaml#/Q"}]
    document = read(
        paths={"/a": {"get": {"parameters": parameters}}},
        components={"schemas": {"A": {"anyOf": [{"$ref": name} for name in wanted]}}},
        a={"$ref": "#/b"},
        b={"$ref": "#/a"},
    )

    assert [("other.yaml#/Pet", "schema"), ("../a b.json", "schema")] == targets(
        document, "#/components/schemas/A"
    )
    assert [("p.yaml#/Q", "schema")] == targets(document, "#/paths/~1a/get")
    assert (
        "2 references lead nowhere: #/components/no, #/gone",
        "1 reference is not followed to other servers: https://x.org/a#/P",
    ) == document.warnings


def test_circles_of_schemas_are_links() -> None:
    """A schema may hold itself."""
    node = {"properties": {"next": {"$ref": "#/components/schemas/Node"}}}
    document = read(paths={"/a": {"get": OK}}, components={"schemas": {"Node": node}})

    assert [("#/components/schemas/Node", "schema")] == targets(
        document, "#/components/schemas/Node"
    )
    assert () == document.warnings


def test_examples_are_no_references() -> None:
    """Data is not looked into, but a property may have any name."""
    schema = {
        "example": {"$ref": "#/no"},
        "properties": {"$ref": {"type": "string"}, "example": {"$ref": "#/components/schemas/A"}},
    }
    document = read(components={"schemas": {"A": schema}})

    assert [("#/components/schemas/A", "schema")] == targets(document, "#/components/schemas/A")
    assert ("it describes no operation",) == document.warnings


@pytest.mark.parametrize(
    "root",
    [
        {"paths": None},
        {"paths": []},
        {},
        {"paths": {"/a": None, "/b": [], "/c": {"get": None, "put": "x", "x-y": {}}}},
        {"components": None, "tags": {}, "servers": "x", "security": 5},
        {"components": {"schemas": [], "securitySchemes": None}, "info": None},
    ],
)
def test_nothing_to_call(root: dict[str, object]) -> None:
    """What is missing, null or of the wrong type is nothing; there is a block about the whole."""
    document = api_document({"openapi": "3.1.0", **root})

    assert ["text"] == [block.kind for block in document.blocks]
    assert ("it describes no operation",) == document.warnings


@pytest.mark.parametrize("wrong", [None, 5, "text", [], [None], {}, {"a": None}, True])
def test_wrong_values_everywhere(wrong: object) -> None:
    """No value at no place stops the reading of the rest."""
    keys = (
        "parameters",
        "requestBody",
        "responses",
        "tags",
        "summary",
        "description",
        "callbacks",
        "servers",
        "operationId",
        "externalDocs",
        "deprecated",
    )
    schema_keys = (
        "type",
        "properties",
        "items",
        "allOf",
        "oneOf",
        "required",
        "enum",
        "format",
        "discriminator",
        "additionalProperties",
        "not",
        "default",
        "example",
        "title",
        "$defs",
        "then",
        "minimum",
        "exclusiveMinimum",
        "$ref",
    )
    paths = {f"/{key}": {"get": {key: wrong}} for key in keys}
    document = read(
        paths=paths,
        components={
            "schemas": {key: {key: wrong} for key in schema_keys} | {"whole": wrong},
            "parameters": {"a": wrong},
            "responses": {"a": {"content": wrong, "headers": wrong, "links": wrong}},
            "securitySchemes": {"a": wrong, "b": {"type": wrong, "flows": wrong}},
        },
    )

    assert len(keys) == sum(block.kind == "operation" for block in document.blocks)
    assert len(schema_keys) + 1 == sum(block.kind == "schema" for block in document.blocks)


def test_ids_that_stand_twice() -> None:
    """Both operations are read, and the name is told."""
    same = {"operationId": "same"}
    document = read(paths={"/a": {"get": same}, "/b": {"get": same}})

    assert ("1 operationId stands more than once: same",) == document.warnings


def test_long_lines_are_cut_between_sentences() -> None:
    """Each piece says what it goes on with; the reference stays with the first one."""
    about = " ".join(f"Sentence number {i} says something." for i in range(60))
    schema = {
        "properties": {"a": {"allOf": [{"$ref": "#/components/schemas/A"}, {"description": about}]}}
    }
    document = read(components={"schemas": {"A": schema}})
    found = lines(document, "#/components/schemas/A")[1:]

    assert found[0].startswith("a (A): Sentence number 0")
    assert all(line.startswith("a (continued): Sentence") for line in found[1:])
    assert all(line.endswith("something.") and len(line) <= 600 for line in found)
    assert (Link("#/components/schemas/A", "schema"),) == block(
        document, "#/components/schemas/A"
    ).links
