"""A question set as a table that a spreadsheet edits, and back."""

import csv
import json
from collections.abc import Sequence

from research_agent.errors import QuestionSetError
from research_agent.evaluation.making import Row

TEXTS = ("qid", "kind", "question", "gold_answer", "why")
COLUMNS = ("answerable", *TEXTS, "required_facts", "gold", "left_out")
YES, NO = ("yes", "y", "true", "1"), ("no", "n", "false", "0")
FORM = "Keep the columns of the table that eval make writes, and its yes and no."
BAR = " | "
"""Between the wordings of a fact, and between document, pages and quote of a gold; each fact and
each gold has a line of its cell."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet reads a cell that begins so as a formula."""


class _Lines(list[str]):
    write = list.append


def csv_text(rows: Sequence[Row]) -> str:
    """Return a question set as CSV, a question a row."""
    lines = _Lines()
    writer = csv.writer(lines)
    writer.writerow(COLUMNS)
    for row in rows:
        cells = {name: str(row.get(name, "")) for name in TEXTS}
        cells["answerable"] = "yes" if row["answerable"] else "no"
        cells["required_facts"] = "\n".join(map(BAR.join, row.get("required_facts", ())))
        cells["gold"] = "\n".join(map(_told, row["gold"]))
        cells["left_out"] = " ".join(row.get("left_out", ()))
        shown = (cells[name] for name in COLUMNS)
        writer.writerow([f"'{one}" if _like_formula(one) else one for one in shown])
    return "".join(lines)


def _told(gold: Row) -> str:
    pages = "-".join(str(gold[name]) for name in ("start_page", "end_page") if name in gold)
    return BAR.join((gold["doc_id"], pages, gold["quote"]))


def json_lines(text: str, name: str) -> str:
    r"""Return a table that `csv_text` made, and people edited, as JSON Lines.

    Line n is row n of the table; semicolons or tabs may be between cells. Raises QuestionSetError.

    >>> json_lines("question;why\nWho?;", "a.csv").split("\n")
    ['', '{"question": "Who?"}']
    """
    text = text.lstrip("\ufeff")
    # (a line ends at a line feed alone: other separators may stand within a cell)
    rows = [f"{line}\n" for line in text.split("\n")]
    reader = csv.reader(rows, delimiter=max(",;\t", key=rows[0].count))
    try:
        cells = [*reader]
    except csv.Error as error:
        raise QuestionSetError(f"{name}, line {reader.line_num}: {error}", hint=FORM) from error
    columns = [one.strip().casefold() for one in cells[0]]
    if "question" not in columns:
        raise QuestionSetError(f"{name} has no column named question", hint=FORM)
    lines = [""]
    for number, row in enumerate(cells[1:], start=2):
        try:
            lines.append(json.dumps(_row(columns, row), ensure_ascii=False) if any(row) else "")
        except ValueError as error:
            raise QuestionSetError(f"{name}, row {number}: {error}", hint=FORM) from error
    return "\n".join(lines)


def _like_formula(cell: str) -> bool:
    """Say whether a cell begins as a formula, also behind quotation marks of its own."""
    return cell.lstrip("'").startswith(FORMULA)


def _plain(cell: str) -> str:
    return (cell[1:] if cell.startswith("'") and _like_formula(cell) else cell).strip()


def _row(columns: Sequence[str], cells: Sequence[str]) -> Row:
    if any(cells[len(columns) :]):
        raise ValueError("more cells than columns; a cell with commas needs quotes")
    given = dict(zip(columns, map(_plain, cells), strict=False))
    row: Row = {name: given[name] for name in TEXTS if given.get(name)}
    if given.get("answerable"):
        answer = given["answerable"].casefold()
        if answer not in (*YES, *NO):
            raise ValueError(f"answerable is {answer!r}, and has to be yes or no")
        row["answerable"] = answer in YES
    facts = [line.split(BAR) for line in given.get("required_facts", "").splitlines()]
    lists = {"required_facts": facts, "left_out": given.get("left_out", "").split()}
    lists["gold"] = [_gold(line) for line in given.get("gold", "").splitlines()]
    return row | {name: found for name, found in lists.items() if found}


def _gold(line: str) -> Row:
    doc_id, pages, quote = (*line.split(BAR, 2), "", "")[:3]
    try:
        numbers = [int(page) for page in pages.split("-") if pages]
    except ValueError as error:
        example = '"guide | 4-5 | words of the page"'
        raise ValueError(f"gold: pages {pages!r}; a gold is a line such as {example}") from error
    found = dict(zip(("start_page", "end_page"), numbers, strict=False))
    return {"doc_id": doc_id, **found} | ({"quote": quote} if quote else {})
