"""Which texts describe an API, and what is said of those that are broken."""

import json
import time

import pytest

from research_agent.documents.adapters.markup.markdown import markdown_blocks
from research_agent.documents.adapters.openapi import is_api, parse_api
from research_agent.errors import DocumentError
from research_agent.types.documents import ParsedDocument

HEAD = "openapi: 3.0.0\ninfo: {title: Pets}\n"


def parsed(text: str, ending: str = ".yaml") -> ParsedDocument:
    document = parse_api(text, markdown_blocks, ending=ending)
    assert document is not None
    return document


def texts(document: ParsedDocument) -> str:
    return "\n".join(block.text for block in document.blocks)


def lines(document: ParsedDocument) -> list[str]:
    """Return the lines below the title."""
    return texts(document).split("\n")[1:]


def fault(text: str, ending: str = ".yaml") -> str:
    with pytest.raises(DocumentError) as caught:
        parse_api(text, markdown_blocks, ending=ending)
    assert caught.value.hint
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ('{"info": {"openapi": []}, "a": ["}"], "swagger" : "2.0"}', True),
        ('{"openapi": 3.1', True),
        ("# Comment\n---\ninfo:\n  title: x\n'openapi': \"3.0.0\"", True),
        ("\ufeffopenapi: 3", True),
        ("", False),
        ('{"dependencies": {"openapi": "3.0.0"}}', False),
        ('["openapi", "3.0.0"]', False),
        ('{"a": "openapi", "b": "3.0.0"}', False),
        ('{"swagger": "1.2"}', False),
        ('{"a": "\\"openapi\\": \\"3.0.0\\""}', False),
        ("info:\n  openapi: 3.0.0", False),
        ("openapi:\n  enabled: true", False),
        ("openapi: 30", False),
    ],
)
def test_descriptions_are_known_by_their_content(text: str, *, known: bool) -> None:
    """The key may be anywhere at the top, with a version that is read; the rest may be damaged."""
    assert known == is_api(text)


def test_a_hostile_text_is_told_quickly() -> None:
    """Unclosed strings and brackets take no time that grows with their square."""
    start = time.process_time()
    for text in ('{"openapi' + '\\"' * 500_000, "{" * 500_000 + '"openapi"', '{"a' * 300_000):
        assert not is_api(text)

    assert time.process_time() - start < 5


PAY = """
paths:
  /pay:
    post:
      requestBody: {content: {application/json: {example: {to: LONG}}}}
      responses:
        200: {content: {application/json: {examples: {few: {value: 4}, long: {value: LONG}},
          schema: {type: integer, minimum: 0, exclusiveMinimum: true}}}}
        402: {content: {application/json: {examples: {
          declined: {summary: No money, value: {code: 7}}, late: {$ref: "#/late"}}}}}
late: {value: [1]}
"""
OLD = (
    "swagger: '2.0'\npaths: {/p: {get: {responses: {200: {examples: {application/json: {a: 1}}}}}}}"
)


def test_examples_tell_the_fields_of_what_has_no_schema() -> None:
    """They are written as they are sent, with their names; beside a schema long ones are not."""
    long = "Bo" * 200

    assert [
        "POST /pay",
        "request body application/json",
        f"request body example: {{to: {long}}}",
        "response 200 application/json (integer, above 0)",
        "response 200 example few: 4",
        "response 402 application/json",
        "response 402 example declined (No money): {code: 7}",
        "response 402 example late: [1]",
    ] == lines(parsed(HEAD + PAY.replace("LONG", long)))
    assert ["GET /p", "response 200", "response 200 example application/json: {a: 1}"] == lines(
        parsed(OLD)
    )


def test_examples_of_values() -> None:
    """Short ones are in brackets; lists and those with a summary have lines, long texts none."""
    long = "x" * 61
    text = f"""
paths:
  /a:
    get:
      parameters:
      - {{in: query, name: a, example: [id, type]}}
      - {{in: query, name: b, example: {long}, schema: {{example: 5}}}}
      - in: query
        name: c
        examples: {{no: {{value: 0, summary: None.}}, max: {{value: 9}}, late: {{$ref: "#/late"}}}}
      - {{in: query, name: d, schema: {{type: array, items: {{type: string, example: z}}}}}}
      - {{in: query, name: e, content: {{a/b: {{example: {{k: 1}}}}}}}}
      - {{in: query, name: f, schema: {{type: string, examples: [x, y, '', {long}]}}}}
      responses: {{200: {{headers: {{H: {{examples: {{x: {{externalValue: "https://x"}}}}}}}}}}}}
late: {{value: 7, description: Later.}}
components:
  schemas:
    A: {{example: [{long}], properties: {{p: {{example: {{id: {long}}}}}, q: {{example: null}}}}}}
"""

    assert [
        "GET /a",
        "query parameter a (e.g. [id, type])",
        "query parameter b",
        "query parameter c (e.g. 9)",
        "query parameter c example no (None.): 0",
        "query parameter c example late (Later.): 7",
        "query parameter d (array of string, each e.g. z)",
        "query parameter e (e.g. {k: 1})",
        "query parameter f (string, e.g. x or y)",
        "response 200",
        "response 200 header H (e.g. https://x)",
        "Schema A",
        "p",
        f"p example: {{id: {long}}}",
        "q",
        f"example: [{long}]",
    ] == lines(parsed(HEAD + text))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("style: form, explode: false", "array of string, separated by commas"),
        ("style: pipeDelimited", "array of string, separated by |"),
        ("collectionFormat: ssv", "array of string, separated by spaces"),
        ("style: spaceDelimited, explode: true", "array of string"),
        ("collectionFormat: multi", "array of string, sent once for each item"),
        ("style: deepObject, explode: true", "array of string, sent as name[field]=value"),
        ("style: [csv], explode: no", "array of string"),
    ],
)
def test_how_several_values_are_sent(written: str, said: str) -> None:
    """It is told where the description tells it."""
    value = f"{{in: query, name: q, schema: {{type: array, items: {{type: string}}}}, {written}}}"
    text = f"{HEAD}paths: {{/a: {{get: {{parameters: [{value}]}}}}}}"

    assert f"query parameter q ({said})" in lines(parsed(text))


def test_values_stay_as_they_are_written() -> None:
    """Dates, numbers, yes and no are texts; codes may be numbers; odd numbers are no error."""
    text = """
paths: {/a: {get: {
  responses: {200: {description: Fine.}, default: {description: ~}}, parameters: [
    {in: query, name: day, schema: {type: string, default: 2020-01-01}},
    {in: query, name: zone, schema: {enum: [no, 010, 1e400, .nan, 12:30:00]}},
    {in: query, name: 5, required: true}]}}}
"""

    assert [
        "GET /a",
        "query parameter day (string, default 2020-01-01)",
        "query parameter zone (one of: no, 010, 1e400, .nan, 12:30:00)",
        "query parameter 5 (required)",
        "response 200: Fine.",
        "response default",
    ] == lines(parsed(HEAD + text))
    numbers = '{"openapi": "3.0.0", "definitions": {"A": {"enum": [NaN, 1.10, 1e999]}}}'
    assert "one of: NaN, 1.10, 1e999" in texts(parsed(numbers, ".json"))


def test_yaml_bombs() -> None:
    """A billion laughs, long texts and merged mappings are refused before they are made."""
    laughs = "a0: &a0 [lol, lol]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 30)
    )
    long = f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 10_000)}]\n"
    merged = "m0: &m0 {a: 1}\n" + "".join(
        f"m{i}: &m{i} {{a{i}: [{', '.join([f'*m{i - 1}'] * 9)}]}}\n" for i in range(1, 30)
    )
    start = time.process_time()
    for bomb in (laughs, long, merged):
        assert fault(HEAD + bomb).startswith("its aliases stand for more than 1,000,000 values (")

    assert time.process_time() - start < 5


def test_aliases_and_merges_are_read() -> None:
    """What stands twice by an alias is there twice; a merge adds what is not there."""
    text = HEAD + (
        "x-limit: &limit {in: query, name: limit, schema: &int {type: integer}}\n"
        "paths:\n  /a: {get: {parameters: [*limit, {<<: *limit, name: offset}]}}\n"
        "components: {schemas: {A: {<<: [*int, {type: string, title: T}]}}}\n"
    )

    assert [
        "GET /a",
        "query parameter limit (integer)",
        "query parameter offset (integer)",
        "Schema A (T)",
        "type: integer",
    ] == lines(parsed(text))


def test_keys_that_stand_twice() -> None:
    """The last one counts, and they are told."""
    yaml = parsed(HEAD + "paths:\n  /a: {get: {summary: One.}}\n  /a: {get: {summary: Two.}}\n")
    data = parsed('{"openapi": "3.0.0", "paths": {"/a": {}, "/a": {"get": {}}}}', ".json")

    assert "Two." in texts(yaml)
    assert ("keys that stand twice, the last one counts (1): /a in line 5",) == yaml.warnings
    assert ("keys that stand twice, the last one counts (1): /a",) == data.warnings


def test_odd_characters() -> None:
    """Control characters and halves of characters do no harm, escaped or not."""
    summary = "a\\u0000\\ud83d\\ude00"
    text = f'{{"openapi": "3.0.0", "paths": {{"/\\ud800": {{"get": {{"summary": "{summary}"}}}}}}}}'

    assert "GET /\ufffd\na\U0001f600" in texts(parsed(text, ".json"))
    assert "a bc" in texts(parsed(HEAD + 'paths: {/a: {get: {summary: "a\x80b\\0c"}}}'))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"openapi": "3.0.0",\n "a" 1}', "Expecting ':' delimiter (line 2, column 6)"),
        ('{"openapi": "3.0.0"} {}', "Extra data (line 1, column 22)"),
        ('{"a": ' + "[" * 150 + "]" * 150 + "}", "nested more than 100 levels deep"),
        ('{"a": ' + "[" * 200_000, "nested more than 100 levels deep"),
        (HEAD + "a: [1, 2", "did not find expected ',' or ']' (line 4, column 1)"),
        (HEAD + "a: *gone", "the alias *gone stands for nothing (line 3, column 4)"),
        (HEAD + "a: &a [*a]", "the alias *a stands for what it is in (line 3, column 8)"),
        (HEAD + "? [a, b]\n: c", "a key is no plain text (line 3, column 3)"),
        (HEAD + "a: " + "{b: " * 200_000, "nested more than 100 levels deep (line 3, column 400)"),
    ],
)
def test_broken_texts(text: str, said: str) -> None:
    """The place is named, or what is too much of it."""
    ending = ".json" if text.startswith("{") else ".yaml"
    assert said == fault(text, ending).partition(": ")[2] or said == fault(text, ending)


def test_what_a_yaml_file_may_hold() -> None:
    """JSON, several documents of which the first counts, and tags, which are not obeyed."""
    tags = HEAD + "paths: {/a: {get: {summary: !!python/object/apply:os.system [exit], x: !y z}}}"

    assert "Pets" == parsed(json.dumps({"openapi": "3.1.0", "info": {"title": "Pets"}})).title
    assert "Pets" == parsed("{openapi: 3.1.0, info: {title: Pets}}").title
    assert "GET /a" in texts(parsed(tags))
    assert parse_api("a: 1\n---\nopenapi: 3.0.0\n", markdown_blocks, ending=".yaml") is None
    more = parsed(HEAD + "---\nopenapi: 3.0.0\n")
    assert "only the first of its YAML documents is read" in more.warnings
