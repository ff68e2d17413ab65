"""Plain text."""

import pytest

from research_agent.assembly.parsing import parse_bytes
from research_agent.documents.adapters.plain_text import parse_rst, parse_text
from research_agent.types.references import Link


def test_paragraphs_pages_and_lists() -> None:
    """Blank lines part paragraphs, form feeds pages, marks list items."""
    document = parse_text("One\nwrapped.\n\n- a\n  more\n- b\n\f\n2. two\n\nEnd.")

    assert [
        ("One\nwrapped.", 1, "text"),
        ("- a\n  more", 1, "list"),
        ("- b", 1, "list"),
        ("2. two", 2, "list"),
        ("End.", 2, "text"),
    ] == [(block.text, block.page, block.kind) for block in document.blocks]
    assert ("", "") == document.page_labels


def test_only_the_indent_that_all_lines_have_is_left_out() -> None:
    """The columns of a table stay in line, and items below the item that has them."""
    document = parse_text(
        "    Name  Price\n    Rye       3\n\n    Price\n  - 3\n\n  1. a\n     - b\n       c\n  2. d"
    )

    assert [
        "Name  Price\nRye       3", "  Price", "- 3", "1. a", "   - b\n     c", "2. d",
    ] == [block.text for block in document.blocks]  # fmt: skip


def test_underlined_headings() -> None:
    """Titles as reStructuredText writes them become sections, by their marks."""
    document = parse_text("Guide\n=====\n\nA\n---\ntext\n\nB\n---\n\nmore\n\nNext\n====\nend")

    assert [("Guide", ("Guide",)), ("A", ("Guide", "A")), ("text", ("Guide", "A"))] == [
        (block.text, block.section) for block in document.blocks[:3]
    ]
    assert [("Guide", "B"), ("Guide", "B"), ("Next",), ("Next",)] == [
        block.section for block in document.blocks[3:]
    ]
    assert "Guide" == document.title


def test_headings_between_two_lines() -> None:
    """A line above and below is another mark than a line below."""
    document = parse_text("====\n Guide\n====\n\nA\n===\ntext\n\n====\nB\n====\nmore\n\nx\n---\nx")

    assert [
        ("Guide", ("Guide",)),
        ("A", ("Guide", "A")),
        ("text", ("Guide", "A")),
        ("B", ("B",)),
        ("more", ("B",)),
        ("x", ("B", "x")),
        ("x", ("B", "x")),
    ] == [(block.text, block.section) for block in document.blocks]


@pytest.mark.parametrize("above", ["", "-----------------\n"])
def test_a_rule_below_the_head_of_a_table_makes_no_heading(above: str) -> None:
    """Its columns are set with spaces; a single gap may stand in a heading."""
    table = f"{above}Item   Qty  Price\n-----------------\nRye      3   1.20"
    (whole,) = parse_text(f"{table}\n").blocks

    assert (table, ()) == (whole.text, whole.section)
    assert "1.  Rye bread" == parse_text("1.  Rye bread\n-------------\n").title


def test_empty_and_long() -> None:
    """White space has no blocks; a line of 400 kB is one."""
    assert () == parse_text(" \n\n\t").blocks
    assert 400_000 == len(parse_text("x" * 400_000).blocks[0].text)


@pytest.mark.parametrize("above", [".. _Use It:\n.. _b:\n\n", ":orphan:\n\n.. _`use it`:\n"])
def test_labels_of_restructuredtext_are_no_text(above: str) -> None:
    """They are anchors of what follows, and the title is still the first section's."""
    document = parse_bytes(f"{above}Guide\n=====\n\n.. _c:\n\n- one\n- two".encode(), ".rst")

    assert "Guide" == document.title
    guide, one, two = document.blocks[-3:]
    assert ("Guide", ("Guide",), "#use it") == (guide.text, guide.section, guide.anchors[0])
    assert [("#c",), ()] == [one.anchors, two.anchors]


def test_roles_of_restructuredtext_are_links() -> None:
    """Their text stays; addresses behind a name are no anchors, and text has neither."""
    text = (
        "See :ref:`Use\nit`, :std:ref:`the *b*\n<b>` and :doc:`../a b`.\n\n.. _P: https://p.example"
    )
    labelled = f"{text}\n\n.. _b:\n.. _use it:\n\nEnd :ref:`elsewhere`."
    see, address, end = parse_rst(labelled).blocks

    assert () == end.links  # (the label of another file)
    assert text == f"{see.text}\n\n{address.text}"
    assert (
        Link("#use it", "link"),
        Link("#b", "link"),
        Link("../a b", "link"),
    ) == see.links
    assert ["Use\nit", "the *b*", "../a b"] == [link.text for link in see.links]
    assert ((), ()) == (address.anchors, parse_text(text).blocks[0].links)


@pytest.mark.parametrize(
    ("lead", "indent"),
    [
        ("Run this::", ""),
        ("::", ""),
        (".. code-block:: console\n   :linenos:", ""),
        (".. _run:\n.. sourcecode::", ""),
        (".. note::\n\n   Run this::", "   "),
        ("1. Run\n   this::", "   "),
        ("- .. code:: sh", "  "),
    ],
)
def test_indented_code_in_restructuredtext(lead: str, indent: str) -> None:
    """It is one block with its empty lines, and what looks like a heading or item is none."""
    code = "   count\n   -----\n\n\n     - 42\n\n   .. _a:"
    lines = "\n".join(indent + line if line else "" for line in code.split("\n"))
    *_, block, after = parse_rst(f"{lead}\n\n{lines}\n\n{indent}Then::").blocks

    assert ("count\n-----\n\n\n  - 42\n\n.. _a:", "code") == (block.text, block.kind)
    assert ("Then::", "text") == (after.text, after.kind)


@pytest.mark.parametrize("lead", [".. note::", "Run this", "Run this::\n\nNow"])
def test_other_indented_text_is_no_code(lead: str) -> None:
    """Other directives and quotations hold text."""
    assert {"text"} == {block.kind for block in parse_rst(f"{lead}\n\n   Rye.").blocks}
    assert "text" == parse_text("Run::\n\n   Rye.").blocks[1].kind


SIMPLE = """\
=====  =====  ======
       Child  Adult
=====  =====  ======
Rye    1.20   2.50
              to 3
\\             a | b and more
\u9eb5\u5305   9
=====  =====  ======"""
GRID = """\
+------+-------+-------+
|      | Child | Adult |
+======+=======+=======+
| Rye  | 1.20  | 2.50  |
|      |       | to 3  |
+------+-------+-------+
| \u9eb5\u5305 |  ||   | 9     |
+------+-------+-------+"""
ROWS = "| Child | Adult\nRye | 1.20 | 2.50 to 3\n"


@pytest.mark.parametrize(
    ("drawn", "rows"),
    [
        (SIMPLE, f"{ROWS}|  | a \\| b and more\n\u9eb5\u5305 | 9 |"),
        (GRID, f"{ROWS}\u9eb5\u5305 | \\|\\| | 9"),
        ("==  ==\na   b\n==  ==", "a | b"),
    ],
)
def test_tables_of_restructuredtext(drawn: str, rows: str) -> None:
    """Their rows have their cells below one head, also within a directive."""
    indented = drawn.replace("\n", "\n   ")
    document = parse_rst(f"A\n=\n\nB:\n\n{drawn}\n\n.. table:: C\n\n   {indented}\n\nEnd")

    assert [rows, rows] == [block.text for block in document.blocks if block.kind == "table"]
    assert "End" == document.blocks[-1].text
    assert {"text"} == {block.kind for block in parse_text(drawn).blocks}


LIST = """\
.. _price:
.. list-table:: Prices of
                bread
   :header-rows: 1
   :widths: 1 2
            3

   * - Loaf
     - Child
     - Adult

   * - Rye

       - dark
     -
     - a | b
   * - Oat
     - 2::

         3"""
CSV = """\
.. _price:
.. csv-table:: Prices of bread
   :header: Loaf; "Child"; "Ad
            ult"
   :delim: ;

   "Rye"; 1,20;a | b
   Oat;2

   Spelt;"3;
   4";9"""


@pytest.mark.parametrize("indent", ["", "   "])
@pytest.mark.parametrize(
    ("written", "rows"),
    [
        (LIST, "Loaf | Child | Adult\nRye - dark |  | a \\| b\nOat | 2:: 3"),
        (CSV, "Loaf | Child | Ad ult\nRye | 1,20 | a \\| b\nOat | 2\nSpelt | 3; 4 | 9"),
    ],
)
def test_tables_that_restructuredtext_writes_out(written: str, rows: str, indent: str) -> None:
    """Lists of lists and CSV are tables below their titles, also within a directive."""
    lines = f"{written}\n\nThen::\n\n   x".replace("\n", f"\n{indent}")
    *_, table, then, code = parse_rst(f".. note::\n\n{indent}{lines}").blocks

    assert (f"Prices of bread\n{rows}", "table") == (table.text, table.kind)
    assert (("#price",), "Then::", "code") == (table.anchors, then.text, code.kind)
    _, sample = parse_rst(f"Write::\n\n{written}".replace("\n", "\n ")).blocks
    assert "code" == sample.kind


@pytest.mark.parametrize(
    "written",
    [
        ".. list-table:: A\n   :widths: 1\nno option\n\n   * - a",
        ".. list-table:: A\n\n   a\n\n   * - b",
        ".. list-table::\n\n   * - a\n   * b",
        '.. csv-table:: A\n\n   a,"b\n\n   c',
        ".. csv-table:: A\n   :file: a.csv",
    ],
)
def test_what_is_no_table_of_its_directive_stays_text(written: str) -> None:
    """Nothing of it is lost, and what follows is read as ever."""
    *text, end, code = parse_rst(f"{written}\n\nEnd::\n\n   x").blocks

    assert written.split() == " ".join(block.text for block in text).split()
    assert ("End::", "x", "code") == (end.text, code.text, code.kind)
    assert "table" not in {block.kind for block in text}


@pytest.mark.parametrize(
    "drawn",
    [
        GRID[:-1],
        GRID.rpartition("\n")[0],
        GRID.replace("Child |", "Child  "),
        GRID.replace("+-------+\n| \u9eb5", "|       |\n| \u9eb5"),
        "==  ==\na   b\nlong c\n==  ==",
        "==  ==\n==  ==",
        "==  ==\na   b\n\nText that goes on.",
        "==  ==\na   b",
    ],
)
def test_tables_that_are_not_understood_stay_as_they_are(drawn: str) -> None:
    """Nothing of them is lost, and what follows is read as ever."""
    document = parse_rst(f"{drawn}\n\nRun::\n\n   x")

    *text, code = document.blocks
    assert f"{drawn}\n\nRun::" == "\n\n".join(block.text for block in text)
    assert ("x", "code") == (code.text, code.kind)
