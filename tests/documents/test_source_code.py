"""Source code: definitions as sections, and every line of it."""

from pathlib import Path

import pytest

from research_agent.documents.adapters import source_code
from research_agent.documents.adapters.source_code import parse_code
from research_agent.types.documents import Block

BODY = "\n".join(f"    a = a + {i}" for i in range(15))
PYTHON = f"""import os

class Lock:
    \"\"\"A lock.\"\"\"

    key = 1

    # How it is opened.
    @property
    def open(self):
{BODY.replace("    a", "        a")}

    def close(self): ...

def main():
{BODY}
"""


def paths(blocks: tuple[Block, ...]) -> list[tuple[str, ...]]:
    return [block.section for block in blocks]


def test_python_definitions() -> None:
    """Methods stand below their class, with their decorators and comments; no line is lost."""
    blocks = parse_code(PYTHON, ending=".py").blocks

    assert [(), ("Lock", "open"), ("Lock", "close"), ("main",)] == paths(blocks)
    assert blocks[1].text.startswith("    # How it is opened.\n    @property\n    def open(self):")
    assert PYTHON.split() == "\n".join(block.text for block in blocks).split()


@pytest.mark.parametrize(
    ("ending", "text", "path"),
    [
        (".js", f"export default class A {{\n  async run(a) {{\n{BODY}\n  }}\n}}\n", ("A", "run")),
        (".ts", f"export const get = async (a: A): B<C> => {{\n{BODY}\n}};\n", ("get",)),
        (".js", f"exports.get = function (a) {{\n{BODY}\n}};\n", ("exports.get",)),
        (".go", f"func (a *Lock) Open() {{\n{BODY}\n}}\n", ("Open",)),
        (".rs", f"pub(crate) fn open<T>(a: T) {{\n{BODY}\n}}\n", ("open",)),
        (".rs", f"impl<T> fmt::Display for A<T> {{\n{BODY}\n}}\n", ("A",)),
        (".kt", f"enum class A: B {{\n{BODY}\n}}\n", ("A",)),
        (".h", f"class LIB_EXPORT A : public B {{\n{BODY}\n}};\n", ("A",)),
        (".c", f"static int open(int a)\n{{\n{BODY}\n}}\n", ("open",)),
        (".cpp", f"class A {{\npublic:\n  void open()\n{BODY}\n}};\n", ("A", "open")),
        (".c", f"struct key *open(int a)\n{{\n  each(a) {{\n{BODY}\n  }}\n}}\n", ("open",)),
        (".c", f"int open(int a)\n{{\n#ifdef A\n  a();\n#endif\n{BODY}\n}}\n", ("open",)),
        (".rb", f"module A\n  def open\n{BODY}\n  end\nend\n", ("A", "open")),
        (".py", f"def open(:\n{BODY}\n", ("open",)),
    ],
)
def test_other_languages(ending: str, text: str, path: tuple[str, ...]) -> None:
    """A definition is known by its first line, and ends where its indentation does."""
    blocks = parse_code(f"{text}\nx = 1\n", ending=ending).blocks

    assert [path] == [block.section for block in blocks if BODY in block.text]
    assert text.split() == "\n".join(block.text for block in blocks).split()[: len(text.split())]


@pytest.mark.parametrize(
    ("ending", "lead", "first"),
    [
        (".java", "/**\n * Opens.\n */\n@Deprecated", "public class Lock {"),
        (".c", "/*\n   The\n   struct for locks.\n*/", "int open(int a) {"),
        (".rs", "/// Opens.\n#[inline]", "pub fn open() {"),
        (".cs", "// Opens.\n[Obsolete]", "public class Lock {"),
        (".cpp", "/// Opens.\ntemplate <typename T>", "class Lock {"),
        (".lua", "-- Opens.", "function open()"),
    ],
)
def test_comments_above_a_definition(ending: str, lead: str, first: str) -> None:
    """Comments and annotations directly above a definition belong to it."""
    before, after = "class Key {\n" + BODY + "\n}\n", f"{lead}\n{first}\n{BODY}\n}}"
    blocks = parse_code(f"{before}// A note.\n\n{after}\n", ending=ending).blocks

    assert after == blocks[-1].text
    assert [[("Key",), ()], 1] == [paths(blocks)[:-1], len(blocks[-1].section)]


def test_methods() -> None:
    """Functions directly below a class are its methods, and calls within them are not."""
    method = "  public List<A> {}(int a = 1) {{\n    if (a) {{\n      f(a) {{\n"
    methods = [f"{method.format(name)}{BODY}\n      }}\n    }}\n  }}" for name in ("get", "set")]
    text = "\n\n".join(["class A\n      extends B {\n\n  private int b = f(1);", *methods, "}"])
    blocks = parse_code(text, ending=".java").blocks

    assert [("A",), ("A", "get"), ("A", "set")] == paths(blocks)


def test_every_file_of_ours_is_read_line_by_line() -> None:
    """No line of a real program is lost or moved, in Python or taken for another language."""
    for file in sorted(Path(source_code.__file__).parent.glob("*.py")):
        text = file.read_text(encoding="utf-8")
        for ending in (".py", ".js", ".json"):
            blocks = parse_code(text, ending=ending).blocks
            assert text.split() == "\n".join(block.text for block in blocks).split()


def test_code_keeps_its_lines() -> None:
    """Code is cut at blank lines only, or after eighty lines without one."""
    text = "\n".join(f"  line {i}" if i % 10 else "" for i in range(1, 200))
    blocks = parse_code(text).blocks
    dense = parse_code("\n".join(f"x{i}" for i in range(200))).blocks

    assert text.split() == "\n".join(block.text for block in blocks).split()
    assert all(block.text.startswith("  line") for block in blocks)
    assert [5, "code"] == [len(blocks), blocks[0].kind]
    assert [80, 80, 40] == [len(block.text.split("\n")) for block in dense]
    assert () == parse_code("\n\n").blocks


@pytest.mark.parametrize(
    ("ending", "text", "sections"),
    [
        (".yaml", "# A.\nkind: A\nparts:\n- name: 'b'\n  of:\n{}", ["parts", "name: b", "of"]),
        (".json", '{{\n  "parts": {{\n    "of": [\n{}    ]\n  }}\n}}', ["parts", "of"]),
        (".toml", "[a]\nb = 1\n[parts]\n{}", ["parts"]),
        (".sql", "-- A.\nCREATE TABLE parts (\n{});\n", ["CREATE TABLE parts"]),
    ],
)
def test_data(ending: str, text: str, sections: list[str]) -> None:
    """A part of a data file has the less indented lines around it as section."""
    depth = 0 if ending == ".toml" else 8
    lines = "".join(f"{' ' * depth}'a key {i}': 'of a value',\n" for i in range(60))
    text = text.format(lines)
    blocks = parse_code(text, ending=ending).blocks

    assert [(), tuple(sections)] == [blocks[0].section, blocks[1].section]
    assert text.split() == "\n".join(block.text for block in blocks).split()
    assert all(len(block.text) <= 1500 for block in blocks)


def test_data_is_cut_where_it_is_least_indented() -> None:
    """A block holds whole entries where they fit, and no parts of two YAML documents."""
    entry = "  a:\n" + "    - of a list\n" * 50
    blocks = parse_code("top:\n" + "  # A.\n".join([entry] * 5), ending=".yaml").blocks
    documents = parse_code("a: 1\n---\na: 2\n", ending=".yml").blocks

    assert ["top:", *["  # A."] * 4] == [block.text.partition("\n")[0] for block in blocks]
    assert ["a: 1", "---\na: 2"] == [block.text for block in documents]


def test_json_on_one_line() -> None:
    """It has an entry a line; nothing is added, left out or changed but white space."""
    item = '{"name":"A, \\"{b","prices":[1.10,2],"of":{"a":[1,{"long":"' + "a " * 60 + '"}]}}'
    text = f'{{"items":[{",".join([item] * 20)}]}}'
    blocks = parse_code(text, ending=".json").blocks
    lines = "\n".join(block.text for block in blocks).split("\n")

    assert "".join(text.split()) == "".join("".join(lines).split())
    assert ["{", '  "items": [', "    {", '      "name": "A, \\"{b",'] == lines[:4]
    assert '      "prices": [1.10,2],' == lines[4]
    assert {(), ("items",)} == set(paths(blocks))


@pytest.mark.parametrize("text", ["a" * 5000, "[" * 5000, '{"a' * 2000, "]}" * 2000, "\n" * 3000])
def test_data_that_is_none(text: str) -> None:
    """No line is too long and no bracket or quote without its fellow for data to be read."""
    for ending in (".json", ".yaml", ".toml"):
        blocks = parse_code(text, ending=ending).blocks
        assert text.strip() == "".join("".join(block.text for block in blocks).split())
