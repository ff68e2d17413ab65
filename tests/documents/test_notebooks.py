"""Notebooks: their headings and what a reader sees of their outputs."""

import json

import pytest

from research_agent.documents.adapters.markup.notebook import parse_notebook


def test_headings_of_a_notebook_keep_their_levels() -> None:
    """Headings of one level in several cells are beside each other, not below."""
    cells = [{"cell_type": "markdown", "source": f"## {name}\n\nText."} for name in ("A", "B")]
    blocks = parse_notebook(json.dumps({"cells": cells})).blocks
    assert [("A",), ("A",), ("B",), ("B",)] == [block.section for block in blocks]


@pytest.mark.parametrize(
    ("output", "text", "kind"),
    [
        ({"data": {"text/html": ["<table><tr><th>a<th>b<tr>", "<td>1<td>2</table>"]}},
         "a | b\n--- | ---\n1 | 2", "table"),
        ({"data": {"text/plain": "   a\n0  1", "text/html": "<p>a"}}, "   a\n0  1", "code"),
        ({"data": {"text/plain": "<HTML object>", "text/html": "<p>a<p>b"}}, "a\nb", "code"),
        ({"data": {"text/plain": "<Figure>", "text/html": "<script>x()</script>"}}, "<Figure>",
         "code"),
        ({"data": {"text/plain": "<display.Latex object>", "text/latex": "$x$"}}, "$x$", "code"),
        ({"text": ["\x1b[31mred\x1b[0m 50 %\r", "done\r\n", "end\x1b(B"]}, "done\r\nend", "code"),
    ],
)  # fmt: skip
def test_what_a_reader_sees_of_an_output(output: dict[str, object], text: str, kind: str) -> None:
    """A page where there is no text; neither colours nor what was written over."""
    cell = {"cell_type": "code", "source": "x", "outputs": [output]}
    block = parse_notebook(json.dumps({"cells": [cell]})).blocks[-1]
    assert (f"Output:\n{text}", kind) == (block.text, block.kind)
