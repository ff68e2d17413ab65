"""A question set as a table that a spreadsheet edits, and back."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence

from research_agent.errors import QuestionSetError
from research_agent.evaluation.making import Row

TEXTS = ("qid", "kind", "question", "gold_answer", "why")
COLUMNS = ("keep", "answerable", *TEXTS, "required_facts", "gold", "left_out")
NO = ("no", "n", "false", "0")
BAR = " | "
"""Between the wordings of a fact, and between document, pages and quote of a gold; each fact and
each gold has a line of its cell."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet reads a cell that begins so as a formula."""


class _Lines(list[str]):
    write = list.append


def csv_text(rows: Sequence[Row]) -> str:
    """Return a question set as CSV, a question a row; "keep" says which stay."""
    lines = _Lines()
    writer = csv.writer(lines)
    writer.writerow(COLUMNS)
    for row in rows:
        cells = {name: str(row.get(name, "")) for name in TEXTS}
        cells |= {"keep": "yes", "answerable": "yes" if row["answerable"] else "no"}
        cells["required_facts"] = "\n".join(map(BAR.join, row.get("required_facts", ())))
        cells["gold"] = "\n".join(map(_told, row["gold"]))
        cells["left_out"] = " ".join(row.get("left_out", ()))
        shown = (cells[name] for name in COLUMNS)
        writer.writerow([f"'{one}" if one.startswith(FORMULA) else one for one in shown])
    return "".join(lines)


def _told(gold: Row) -> str:
    pages = "-".join(str(gold[name]) for name in ("start_page", "end_page") if name in gold)
    return BAR.join((gold["doc_id"], pages, gold["quote"]))


def json_lines(text: str, name: str) -> str:
    r"""Return a table that `csv_text` made, and people edited, as JSON Lines.

    Line n is row n of the table, empty where it is not kept; semicolons or tabs may be between
    cells. Raises QuestionSetError.

    >>> json_lines("keep;question\nno;Why?\nyes;Who?", "a.csv").split("\n")
    ['', '', '{"question": "Who?"}']
    """
    rows = text.lstrip("\ufeff").splitlines(keepends=True)
    head = rows[0] if rows else ""
    cells = csv.reader(rows, delimiter=max(",;\t", key=head.count))
    columns = [one.strip().casefold() for one in next(cells, [])]
    if "question" not in columns:
        raise QuestionSetError(
            f"{name} has no column named question",
            hint="Keep the first row of the table that eval make writes.",
        )
    given = (dict(zip(columns, map(_plain, row), strict=False)) for row in cells)
    return "\n".join(("", *_kept(given, name)))


def _kept(rows: Iterator[dict[str, str]], name: str) -> Iterator[str]:
    for number, row in enumerate(rows, start=2):
        kept = any(row.values()) and row.get("keep", "").casefold() not in NO
        try:
            yield json.dumps(_row(row), ensure_ascii=False) if kept else ""
        except ValueError as error:
            hint = 'A gold is a line such as "guide | 4-5 | words of the page".'
            raise QuestionSetError(f"{name}, row {number}: gold: {error}", hint=hint) from error


def _plain(cell: str) -> str:
    return (cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell).strip()


def _row(given: Mapping[str, str]) -> Row:
    row: Row = {name: given[name] for name in TEXTS if given.get(name)}
    if given.get("answerable"):
        row["answerable"] = given["answerable"].casefold() not in NO
    facts = [line.split(BAR) for line in given.get("required_facts", "").splitlines()]
    lists = {"required_facts": facts, "left_out": given.get("left_out", "").split()}
    lists["gold"] = [_gold(line) for line in given.get("gold", "").splitlines()]
    return row | {name: found for name, found in lists.items() if found}


def _gold(line: str) -> Row:
    doc_id, pages, quote = (*line.split(BAR, 2), "", "")[:3]
    numbers = [int(page) for page in pages.split("-") if pages]
    found = dict(zip(("start_page", "end_page"), numbers, strict=False))
    return {"doc_id": doc_id, **found} | ({"quote": quote} if quote else {})
