"""A question set as a table that a spreadsheet edits, and back."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from research_agent.errors import QuestionSetError

Row = Mapping[str, Any]
FIRST = ("keep", "qid", "kind", "answerable", "question", "gold_answer", "required_facts")
PLACE = ("document", "pages", "quote")
"""Columns of each gold, with its number behind them."""
LAST = ("why", "left_out")
NO = ("no", "n", "false", "0")
OR = " | "
"""Between the wordings of one fact; each fact has a line of its cell."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet reads a cell that begins so as a formula."""


class _Lines(list[str]):
    write = list.append


def csv_text(rows: Sequence[Row]) -> str:
    """Return a question set as CSV, a question a line; "keep" says which stay."""
    count = max((len(row["gold"]) for row in rows), default=0)
    places = [f"{name} {at}" for at in range(1, count + 1) for name in PLACE]
    lines = _Lines()
    writer = csv.writer(lines)
    writer.writerow([*FIRST, *places, *LAST])
    for row in rows:
        golds = [cell for gold in row["gold"] for cell in _gold_cells(gold)]
        golds += [""] * (len(places) - len(golds))
        facts = "\n".join(OR.join(fact) for fact in row.get("required_facts", ()))
        first = ("yes", row["qid"], row["kind"], "yes" if row["answerable"] else "no")
        cells = [*first, row["question"], row.get("gold_answer", ""), facts, *golds]
        cells += [row.get("why", ""), " ".join(row.get("left_out", ()))]
        writer.writerow([f"'{one}" if one.startswith(FORMULA) else one for one in cells])
    return "".join(lines)


def _gold_cells(gold: Row) -> tuple[str, str, str]:
    start, end = gold.get("start_page"), gold.get("end_page")
    pages = f"{start}" if start == end else f"{start} to {end}"
    return gold["doc_id"], pages if start else "", gold["quote"]


def json_lines(text: str, name: str) -> str:
    r"""Return a table that `csv_text` made, and people edited, as JSON Lines.

    Line n is row n of the table; one that is not kept is empty. Semicolons and tabs between cells
    do too. Raises QuestionSetError.

    >>> json_lines("keep;question\nno;Why?\nyes;Who?", "a.csv").split("\n")
    ['', '', '{"question": "Who?", "gold": []}']
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
    return "\n".join(("", *_read(columns, cells, name)))


def _read(columns: Sequence[str], cells: Iterator[list[str]], name: str) -> Iterator[str]:
    for line, row in enumerate(cells, start=2):
        if len(row) > len(columns) and any(row[len(columns) :]):
            raise QuestionSetError(f"{name}, row {line}: more cells than columns", hint=PLAIN)
        given = {key: _plain(cell) for key, cell in zip(columns, row, strict=False)}
        kept = any(given.values()) and given.get("keep", "").casefold() not in NO
        yield json.dumps(_row(given, f"{name}, row {line}"), ensure_ascii=False) if kept else ""


PLAIN = "Save the table as CSV, with quotation marks around texts that hold a comma."


def _plain(cell: str) -> str:
    return (cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell).strip()


def _row(given: Mapping[str, str], where: str) -> dict[str, object]:
    row: dict[str, object] = {
        name: given[name]
        for name in ("qid", "kind", "question", "gold_answer", "why")
        if given.get(name)
    }
    if "answerable" in given:
        row["answerable"] = given["answerable"].casefold() not in NO
    facts = given.get("required_facts", "").splitlines()
    if facts:
        row["required_facts"] = [[x.strip() for x in fact.split(OR.strip())] for fact in facts]
    if left_out := given.get("left_out", "").split():
        row["left_out"] = left_out
    numbers = sorted(int(key[9:]) for key in given if key.startswith("document ") and given[key])
    row["gold"] = [_gold(given, at, where) for at in numbers]
    return row


def _gold(given: Mapping[str, str], at: int, where: str) -> dict[str, object]:
    start, _, end = given.get(f"pages {at}", "").replace(" ", "").partition("to")
    if not (start + end).isdecimal() and start:
        raise QuestionSetError(
            f"{where}: pages {at} is {given[f'pages {at}']!r}", hint='Pages are "4", or "4 to 5".'
        )
    pages = {"start_page": int(start), "end_page": int(end or start)} if start else {}
    quote = given.get(f"quote {at}", "")
    return {"doc_id": given[f"document {at}"], **pages, **({"quote": quote} if quote else {})}
