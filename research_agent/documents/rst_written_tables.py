"""Tables that reStructuredText writes as lists or with commas, each a directive."""

import csv
import re
from collections.abc import Mapping, Sequence
from textwrap import dedent

from research_agent.text.tables import Cell, joined_cells

_DIRECTIVE = re.compile(r"(.*?)\.\. (list|csv)-table::(.*)", re.DOTALL)
_OPTION = re.compile(r"\n\s*:([\w-]+):(?=\s)")
_BULLET = re.compile(r"[-*+\u2022\u2023\u2043](?:\s|$)")
_NAMED = {"tab": "\t", "space": " "}


def written_table(head: Sequence[str], body: Sequence[str]) -> str:
    r"""Return the table of a directive below its title; "" where its lines are none.

    `head` has its name, title and options, `body` what stands below.

    >>> head = [".. list-table:: Prices", "   :header-rows: 1"]
    >>> print(written_table(head, ["   * - Item", "     - Price", "   * - Rye", "     - 3"]))
    Prices
    Item | Price
    --- | ---
    Rye | 3
    """
    _, kind, text = _DIRECTIVE.findall("\n".join([*head, ""]))[0]
    title, *fields = _OPTION.split(text)
    options = {name: value.strip() for name, value in zip(fields[::2], fields[1::2], strict=True)}
    names = _csv_rows(options.get("header", ""), options) if kind == "csv" else []
    content = dedent("\n".join(body)).strip("\n")
    rows = _csv_rows(content, options) if kind == "csv" else _list_rows(content)
    number = options.get("header-rows", "")
    heads = len(names) + (int(number) if number.isdecimal() else 0)
    cells = [[Cell(text) for text in row] for row in [*names, *rows]]
    return joined_cells(cells, heads=heads, caption=" ".join(title.split())) if rows else ""


def _list_rows(text: str) -> list[list[str]]:
    """Return the rows of a list of lists; none for other text."""
    rows = [_items(row) for row in _items(text)]
    return rows if all(rows) else []


def _items(text: str) -> list[str]:
    """Return the items of a list without their marks; none for other text."""
    items: list[list[str]] = []
    for line in text.expandtabs().split("\n"):
        if _BULLET.match(line):
            items.append([f" {line[1:]}"])
        elif items and line[:1] in ("", " "):
            items[-1].append(line)
        else:
            return []
    return [dedent("\n".join(item)).strip("\n") for item in items]


def _csv_rows(text: str, options: Mapping[str, str]) -> list[list[str]]:
    """Return the rows of a text; none where it is not written as its options say."""
    mark = options.get("delim", ",")
    try:
        reader = csv.reader(
            text.splitlines(keepends=True),
            delimiter=_NAMED.get(mark, mark),
            quotechar=options.get("quote", '"'),
            escapechar=options.get("escape"),
            skipinitialspace=True,
            strict=True,
        )
        return [row for row in reader if row]
    except (csv.Error, TypeError, ValueError):
        return []
