"""API descriptions into blocks: what they say, where they lead, and what is wrong with them."""

from textwrap import dedent

import pytest

from research_agent.documents.adapters.markup.markdown import markdown_blocks
from research_agent.documents.adapters.openapi import parse_api
from research_agent.documents.openapi.reading import api_document
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.references import Link

OK = {"responses": {"200": {"description": "Fine."}}}


def read(**root: object) -> ParsedDocument:
    return api_document({"openapi": "3.0.3", "info": {"title": "Pets"}, **root}, markdown_blocks)


def written(text: str, head: str = "openapi: 3.0.3") -> ParsedDocument:
    """Return the document of a description in YAML."""
    document = parse_api(f"{head}\n{dedent(text)}", markdown_blocks, ending=".yaml")
    assert document is not None
    return document


def block(document: ParsedDocument, anchor: str) -> Block:
    (found,) = (block for block in document.blocks if anchor in block.anchors)
    return found


def lines(document: ParsedDocument, anchor: str) -> list[str]:
    return block(document, anchor).text.split("\n")


def targets(document: ParsedDocument, anchor: str) -> list[tuple[str, str]]:
    return [(link.target, link.kind) for link in block(document, anchor).links]


def test_an_operation_in_full() -> None:
    """Method, path and id come first; every parameter, field and answer has its line."""
    document = written("""
        paths:
          /pets/{id}:
            parameters: [{in: path, name: id}]
            put:
              operationId: putPet
              tags: [Pet care]
              summary: Change a pet
              description: "Wrapped\\nlines, see [help](https://x.org).\\n\\n* one\\n* two"
              parameters:
              - {in: query, name: dry, schema: {type: boolean, default: false}}
              - {in: path, name: id, required: true, schema: {type: integer}}
              requestBody:
                required: true
                content: {application/json: {schema: {required: [name], properties: {
                  name: {type: string, maxLength: 9, description: Its name.},
                  owner: {properties: {id: {type: string}}}}}}}
              responses:
                200:
                  description: The pet.
                  content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}
                  headers: {X-Left: {schema: {type: integer}, description: Calls.}}
                  links: {again: {operationId: putPet}}
              security: [{key: []}]
        components:
          schemas: {Pet: {type: object}}
          securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
    """)
    anchor = "#/paths/~1pets~1{id}/put"

    assert [
        "PUT /pets/{id} putPet (put pet)",
        "Change a pet",
        "Wrapped lines, see help.",
        "* one",
        "* two",
        "security: key",
        "path parameter id (integer, required)",
        "query parameter dry (boolean, default false)",
        "request body application/json (object, required)",
        "body name (string, required, at most 9 characters): Its name.",
        "body owner (object)",
        "body owner.id (string)",
        "response 200 application/json (Pet): The pet.",
        "response 200 header X-Left (integer): Calls.",
        "response 200 link again: putPet",
    ] == lines(document, anchor)
    found = block(document, "operationId:putPet")
    assert (("Pet care", "PUT /pets/{id}"), "operation") == (found.section, found.kind)
    assert [
        ("#/components/securitySchemes/key", "schema"),
        ("#/components/schemas/Pet", "schema"),
        ("operationId:putPet", "link"),
    ] == targets(document, anchor)
    assert () == document.warnings


def test_tags_lead_to_their_operations() -> None:
    """A tag is a list of operations; an operation stands below its first tag."""
    tagged = {**OK, "tags": ["pets", "Rare"], "operationId": "a", "summary": "One."}
    document = read(
        tags=[{"name": "Pets", "description": "All of them."}, None, {"name": 5}],
        paths={"/a": {"get": tagged}, "/b": {"get": OK}},
    )

    assert ["Operations of Pets", "All of them.", "GET /a a: One."] == lines(document, "tag:Pets")
    assert [("#/paths/~1a/get", "link")] == targets(document, "tag:Rare")
    assert ("Pets", "GET /a") == block(document, "operationId:a").section
    assert ("Operations", "GET /b") == block(document, "#/paths/~1b/get").section
    assert "tags: pets, Rare" in lines(document, "operationId:a")


def test_long_tags_are_linked_parts() -> None:
    """Each part has the heading and leads to the first, the one before and the next."""
    paths = {f"/path/{i}": {"get": {"tags": ["T"], "summary": "x" * 60}} for i in range(40)}
    parts = [b for b in read(paths=paths).blocks if b.kind == "list"]

    assert len(parts) > 3
    assert all(part.text.startswith("Operations of T\n") for part in parts)
    assert max(len(part.text) for part in parts) <= 1000
    assert ("part 3 of tag:T",) == parts[2].anchors
    assert ["tag:T", "part 2 of tag:T", "part 4 of tag:T"] == [
        link.target for link in parts[2].links if link.kind == "part"
    ]


def test_schemas_by_property() -> None:
    """Nested fields have their whole name; references are named and linked, not followed."""
    document = written("""
        components:
          schemas:
            Base: {type: string}
            BigBox:
              title: A box
              description: Holds things.
              allOf: [{$ref: '#/components/schemas/Base'}, {required: [size]}]
              properties:
                size: {type: [integer, 'null'], enum: [1, 2, null], default: 1}
                things: {type: array, minItems: 1, items: {properties: {
                  owner: {$ref: '#/components/schemas/Base'}}}}
                labels: {type: object, additionalProperties: {type: string}}
                notes: {additionalProperties: {type: string, description: A note.}}
                either: {oneOf: [{$ref: '#/components/schemas/Base'}, {type: string}]}
                anything: true
                wrong: no schema
    """)

    assert [
        "Schema BigBox (A box)",
        "Holds things.",
        "type: Base",
        "size (integer or null, required, one of: 1, 2, null, default 1)",
        "things (array of object, at least 1 items)",
        "things[].owner (Base)",
        "labels (map of string)",
        "notes (map of string)",
        "notes.{key} (string): A note.",
        "either (Base or string)",
        "anything (anything)",
        "wrong",
    ] == lines(document, "#/components/schemas/BigBox")
    assert {("#/components/schemas/Base", "schema")} == set(
        targets(document, "#/components/schemas/BigBox")
    )
    assert ["Schema Base", "type: string"] == lines(document, "#/components/schemas/Base")


def test_choices_and_discriminators() -> None:
    """Inline choices have their fields; a discriminator's names are references."""
    pet = {
        "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"properties": {"bark": {}}}],
        "discriminator": {"propertyName": "kind", "mapping": {"c": "Cat", "d": "#/gone"}},
    }
    document = read(components={"schemas": {"Pet": pet, "Cat": {}}})

    assert [
        "Schema Pet",
        "type: Cat or object",
        "told apart by kind: c is Cat, d is gone",
        "option 2 (object)",
        "option 2.bark",
    ] == lines(document, "#/components/schemas/Pet")
    assert (
        "references that lead nowhere (1): #/gone",
        "it describes no operation",
    ) == document.warnings


def test_choices_of_required_fields() -> None:
    """Alternatives that only require fields are one line; others say what else they require."""
    either = [{"required": ["a"]}, {"type": "object", "required": ["c", "b"]}]
    other = {"title": "By b", "required": ["b", "d"], "properties": {"d": {}}}
    inner = {"properties": {"a": {}}, "oneOf": either}
    body = {"properties": {"in": inner}, "anyOf": either}
    content = {"application/json": {"schema": body}}
    document = read(
        paths={"/a": {"put": {"requestBody": {"content": content}}}},
        components={"schemas": {"A": {"oneOf": [either[0], other]}, "B": {"anyOf": [None, {}]}}},
    )

    assert [
        "PUT /a",
        "request body application/json (object)",
        "body requires at least one of: a; b and c",
        "body in (object)",
        "body in requires exactly one of: a; b and c",
        "body in.a",
    ] == lines(document, "#/paths/~1a/put")
    assert [
        "Schema A",
        "option 1 requires a",
        "option 2 requires b",
        "option 2 (object): By b",
        "option 2.d (required)",
    ] == lines(document, "#/components/schemas/A")
    assert ["Schema B"] == lines(document, "#/components/schemas/B")


def test_security() -> None:
    """An empty list needs nothing, none takes the whole description's, scopes are named."""
    document = written("""
        security: [{oauth: [read]}, {}]
        paths:
          /a: {get: {security: []}, put: {}}
          /b: {get: {security: [{'no': []}]}}
        components: {securitySchemes: {oauth: {type: oauth2, flows: {implicit: {
          authorizationUrl: 'https://x', scopes: {read: Reads.}}}}}}
    """)

    assert "security: none, no authorization is needed" in lines(document, "#/paths/~1a/get")
    assert "security: oauth (scopes: read) or nothing" in lines(document, "#/paths/~1a/put")
    assert [] == targets(document, "#/paths/~1a/get")
    assert [
        "Security scheme oauth",
        "requests to the API are authenticated by OAuth 2 authorization",
        "required by every operation that does not say otherwise",
        "flow implicit: authorization at https://x",
        "scope read: Reads.",
    ] == lines(document, "#/components/securitySchemes/oauth")
    assert ("references that lead nowhere (1): security scheme no",) == document.warnings


def test_webhooks_and_callbacks() -> None:
    """Calls that the other side makes are operations; a callback is linked from its operation."""
    hook = {"post": {"requestBody": {"content": {"a/b": {}}}, "operationId": "told"}}
    hook["put"] = {"operationId": "told"}
    caller = {"callbacks": {"done": {"{$request.body#/url}": {"post": {"summary": "Done."}}}}}
    document = read(webhooks={"newPet": hook}, paths={"/a": {"post": caller}})

    assert "POST webhook newPet told" == lines(document, "#/webhooks/newPet/post")[0]
    called = "#/paths/~1a/post/callbacks/done/{$request.body#~1url}/post"
    assert ["POST callback done {$request.body#/url}", "Done."] == lines(document, called)
    assert [(called, "link")] == targets(document, "#/paths/~1a/post")
    assert ("operationIds that stand more than once (1): told",) == document.warnings


def test_swagger_2() -> None:
    """Definitions, body and form parameters, and schemes of Swagger 2.0 are read the same way."""
    document = written(
        """
        info: {title: Old, version: 1}
        host: x.org
        basePath: /v1
        consumes: [application/json]
        produces: [application/json]
        paths:
          /a:
            post:
              parameters:
              - {in: body, name: b, required: true, schema: {$ref: '#/definitions/A'}}
              - {in: query, name: tags, type: array, items: {type: string, enum: [x]}}
              responses: {200: {description: Done., schema: {$ref: A}}}
            put: {parameters: [{in: formData, name: file, type: file}]}
        definitions: {A: {properties: {id: {type: string}}}}
        securityDefinitions: {basic: {type: basic}}
        """,
        head="swagger: '2.0'",
    )

    assert [
        "POST /a",
        "query parameter tags (array of string, each one of: x)",
        "request body application/json (A, required)",
        "response 200 application/json (A): Done.",
    ] == lines(document, "#/paths/~1a/post")
    assert [("#/definitions/A", "schema")] * 2 == targets(document, "#/paths/~1a/post")
    assert "body file (file)" in lines(document, "#/paths/~1a/put")
    assert ["Old, version 1 (Swagger 2.0)", "server: https://x.org/v1"] == lines(document, "#/info")
    assert "requests to the API are authenticated by HTTP basic authentication" in lines(
        document, "#/securityDefinitions/basic"
    )
    assert () == document.warnings


def test_the_description_of_the_whole() -> None:
    """It is read as Markdown is; "#" in code is no heading. Plain text stays as it is written."""
    text = "First.\n\n# Signing in\nWith *a* key:\n```\n# comment\n  more\n```\n"
    more = "## More\n- one\n  - two\n\n|A|B|C|\n|-|-|-|\n|1|2|3|"
    document = read(
        info={"title": "Pets", "version": "1.10", "description": text + more},
        servers=[
            {"url": "https://{r}", "variables": {"r": {"default": "eu", "enum": ["eu", "us"]}}}
        ],
    )

    assert [
        (
            "Pets, version 1.10 (OpenAPI 3.0.3)\nserver: https://{r} (r: eu by default, of eu, us)",
            ("About",),
            "text",
        ),
        ("First.", ("About",), "text"),
        ("Signing in", ("About", "Signing in"), "text"),
        ("With a key:", ("About", "Signing in"), "text"),
        ("# comment\n  more", ("About", "Signing in"), "code"),
        ("More", ("About", "Signing in", "More"), "text"),
        ("- one", ("About", "Signing in", "More"), "list"),
        ("  - two", ("About", "Signing in", "More"), "list"),
        ("A | B | C\n1 | 2 | 3", ("About", "Signing in", "More"), "table"),
    ] == [(block.text, block.section, block.kind) for block in document.blocks]
    plain = read(info={"description": "Use `k`,\nor *x*.\n\nSee [it](https://x)."})
    assert ["Use `k`, or *x*.", "See it."] == [block.text for block in plain.blocks[1:]]


def test_descriptions_keep_code_tables_and_levels_of_lists() -> None:
    """Their lines stand below what they describe; plain text, flat lists and headings stay."""
    code = "Send:\n\n```\n{\n  `a`: 1,\n\n  b: <p>\n}\n}\n```\n\nOr\nnot."
    table = "With `k`:\n\n|A|B|\n|-|-|\n|1|2|"
    operation = {
        "summary": "Send:",
        "description": code,
        "parameters": [
            {"name": "q", "in": "query", "description": code},
            {"name": "r", "in": "query", "description": "```one``` line\n* `a`\n  * b\n"},
        ],
        "responses": {"200": {"description": "<table><tr><td>1<td>2</table>"}},
    }
    document = read(
        tags=[{"name": "T", "description": f"Of T.\n# More\n{table}"}],
        paths={"/a": {"description": table, "post": operation}},
        components={
            "schemas": {
                "A": {"description": "For\n\n\ttype A {\n\t  b\n\t}\n", "title": "x"},
                "B": {"description": "Of `a`:\n1. a\n   * b"},
                "C": {"description": "# Of `a`\n* a\n* b"},
                "D": {"description": "  An indent\n    that is none."},
            }
        },
    )
    shown = ["{", "  `a`: 1,", "  b: <p>", "}", "}", "Or not."]

    assert [
        "POST /a",
        "Send:",
        *shown,
        "path: With k:",
        *("A | B", "--- | ---", "1 | 2"),
        "query parameter q: Send:",
        *shown,
        "query parameter r: ```one``` line * `a` * b",
        "response 200",
        "1 | 2",
    ] == lines(document, "#/paths/~1a/post")
    assert [
        ["Schema A (x)", "For", "type A {", "  b", "}"],
        ["Schema B", "Of a:", "1. a", "  * b"],
        ["Schema C", "# Of `a`", "* a", "* b"],
        ["Schema D", "An indent that is none."],
    ] == [lines(document, f"#/components/schemas/{name}") for name in "ABCD"]
    assert [
        ("Of T.", ("T",), "text"),
        ("More", ("T", "More"), "text"),
        ("With k:", ("T", "More"), "text"),
        ("A | B\n--- | ---\n1 | 2", ("T", "More"), "table"),
        ("Operations of T", ("T",), "list"),
    ] == [(block.text, block.section, block.kind) for block in document.blocks[1:6]]


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
    """Those to files are links, those to nothing warnings; circles end; data is not looked into."""
    wanted = ["other.yaml#/Pet", "../a b.json", "https://x.org/a#/P", "#/components/no", "#/gone"]
    parameters = [{"$ref": "#/a"}, {"$ref": "p.yaml#/Q"}]
    document = read(
        paths={"/a": {"get": {"parameters": parameters}}},
        components={
            "schemas": {
                "A": {"anyOf": [{"$ref": name} for name in wanted], "example": {"$ref": "#/data"}},
                "Self": {"properties": {"example": {"$ref": "#/components/schemas/Self"}}},
            }
        },
        a={"$ref": "#/b"},
        b={"$ref": "#/a"},
    )

    assert [("other.yaml#/Pet", "schema"), ("../a b.json", "schema")] == targets(
        document, "#/components/schemas/A"
    )
    assert [("p.yaml#/Q", "schema")] == targets(document, "#/paths/~1a/get")
    assert 1 == len(targets(document, "#/components/schemas/Self"))
    assert (
        "references that lead nowhere (2): #/components/no, #/gone",
        "references to other servers, not followed (1): https://x.org/a#/P",
    ) == document.warnings


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


@pytest.mark.parametrize("wrong", [None, 5, "text", [], [None], {}, {"a": None}, True])
def test_wrong_values_everywhere(wrong: object) -> None:
    """No value at no place stops the reading of the rest."""
    keys = [
        "parameters", "requestBody", "responses", "tags", "summary", "description", "callbacks",
        "servers", "operationId", "externalDocs", "deprecated",
    ]  # fmt: skip
    schema_keys = [
        "type", "properties", "items", "allOf", "oneOf", "required", "enum", "format", "not",
        "discriminator", "additionalProperties", "default", "example", "title", "$defs", "then",
        "minimum", "exclusiveMinimum", "$ref",
    ]  # fmt: skip
    document = read(
        paths={f"/{key}": {"get": {key: wrong}} for key in keys} | {"/none": wrong},
        tags=wrong,
        servers=wrong,
        components={
            "schemas": {key: {key: wrong} for key in schema_keys} | {"whole": wrong},
            "parameters": {"a": wrong},
            "responses": {"a": {"content": wrong, "headers": wrong, "links": wrong}},
            "securitySchemes": {"a": wrong, "b": {"type": wrong, "flows": wrong}},
        },
    )
    whole = read(openapi="3.1.0", paths=wrong, info=wrong, components=wrong)

    assert len(keys) == sum(block.kind == "operation" for block in document.blocks)
    assert len(schema_keys) + 1 == sum(block.kind == "schema" for block in document.blocks)
    assert "it describes no operation" in whole.warnings
