"""Workbooks and tables in text: their rows, heads and quotes."""

import re
from datetime import timedelta
from io import BytesIO

import pytest
import xlsxwriter

from research_agent.assembly.parsing import parse_bytes
from tests.documents import made_files as made
from tests.documents.test_formats import places, unpacked


def test_quotes_within_cells_of_a_text() -> None:
    """Doubled quotes are one, wherever the first of them is, and single quotes are none."""
    text = b'id,size,city\n1,"a, b",Oslo\n2,"5"" pipe, long",Rome\n3,\'tis so,\'large\'\n'
    found = [cells for _, cells in places(text, "a.csv")]

    rows = ["1; size = a, b; city = Oslo", '2; size = 5" pipe, long; city = Rome']
    rows += ["3; size = 'tis so; city = 'large'"]
    assert [f"row {n}: id = {row}" for n, row in enumerate(rows, 2)] == found[0].splitlines()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('1,"12 inch,5\n2,ok,6\n3,"a\nb",7\n', ['1 | "12 inch | 5', "2 | ok | 6", "3 | a b | 7"]),
        ('1,"12 inch,5\n2,ok,6', ['1 | "12 inch | 5', "2 | ok | 6"]),
        ('1,"a" ,5\n2,"b "c" d",6', ["1 | a | 5", '2 | b c" d" | 6']),
        ('1,a","b\n' * 3, ['1 | a" | "b'] * 3),
    ],
)
def test_a_stray_quote_costs_no_other_row(text: str, rows: list[str]) -> None:
    """A cell over several lines ends before a delimiter; else its first line is read alone."""
    (block,) = parse_bytes(f"id,name,size\n{text}".encode(), ".csv").blocks
    assert rows == [row.partition(" | ")[2] for row in block.text.splitlines()[1:]]


XML_2003 = """<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"
 xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="Costs"><Table><Row>
<Cell ss:MergeAcross="1"><Data>Item</Data></Cell><Cell><Data>Price</Data></Cell></Row>
<Row ss:Index="4"><Cell ss:Index="2"><Data>Rye</Data></Cell><Cell><Data>3</Data></Cell></Row>
</Table></Worksheet></Workbook>"""


@pytest.mark.parametrize(
    ("data", "where", "text"),
    [
        (
            b"\xef\xbb\xbf <table><tr><th>Item<th>Price<tr><td>Rye<td>3</table>",
            "b",
            "Item Rye: Price = 3",
        ),
        ("Item\tPrice\nRye\t3".encode("utf-16"), "b, row 2", "row 2: Item = Rye; Price = 3"),
        (XML_2003.encode(), "b, sheet Costs, row 4", "row 4: Item = Rye; Price = 3"),
        (made.workbook(), "b, sheet Costs, rows 4-9", "row 4: Item = Rye; Price = 3; Day = 7.5"),
    ],
)
def test_what_programs_export_as_old_workbooks(data: bytes, where: str, text: str) -> None:
    """Pages, texts, XML of 2003 and new workbooks are read by what they are."""
    assert (where, text) in [(at, said.split("\n")[0]) for at, said in places(data, "b.xls")]


def test_a_row_of_a_workbook_can_be_found_by_its_number() -> None:
    """A merged title is no head, a merged cell is in every row that it covers."""
    title, (where, rows) = places(made.workbook(), "b.xlsx")

    assert ("b, sheet Costs", "Costs of bread") == title
    assert "b, sheet Costs, rows 4-9" == where
    assert [
        "row 4: Item = Rye; Price = 3; Day = 7.5",
        "row 6: Item = Salt; Price = 1",
        "row 8: Item = Wheat; Price = 4",
        "row 9: Item = Wheat; Price = 5",
    ] == rows.splitlines()


def test_formulas_that_no_program_has_computed_are_told() -> None:
    """Programs that write workbooks leave values out; an empty text is a value."""
    parts = unpacked(made.workbook())
    sheet = "xl/worksheets/sheet1.xml"
    for value, told in (("<v/>", 1), ("<v></v>", 1), ("", 1), ("<v>3</v>", 0)):
        cell = b'<c r="B4"%s><f>SUM(B6:B9)</f>%s</c>'
        for kind, count in ((b"", told), (b' t="str"', 0)):
            new = re.sub(rb'<c r="B4"[^>]*>.*?</c>', cell % (kind, value.encode()), parts[sheet])
            warnings = parse_bytes(made.archive({**parts, sheet: new}), ".xlsx").warnings
            assert count == sum("1 formulas have no stored value" in one for one in warnings)


def test_numbers_are_written_as_programs_show_them() -> None:
    """No faults of arithmetic, and hours of a duration over a day."""
    stream = BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        sheet = book.add_worksheet("A")
        sheet.write_row(0, 0, ("Name", "Sum", "Small", "Worked"))
        sheet.write_row(1, 0, ("Ann", 59.970000000000006, 1e-7))
        sheet.write(1, 3, timedelta(hours=30, minutes=5), book.add_format({"num_format": "[h]:mm"}))
    (block,) = parse_bytes(stream.getvalue(), ".xlsx").blocks
    assert "2 | Ann | 59.97 | 1e-07 | 30:05:00" == block.text.split("\n")[-1]


@pytest.mark.parametrize(
    ("shown_as", "value", "said"),
    [
        (9, 0.25, "25%"),
        (10, 0.07, "7%"),
        ('0.0 %;[Red]-0.0 %;"none"', -0.305, "-30.5%"),
        ("0%", "half", "half"),
        ('0.00"%"', 7.5, "7.5"),
        ("0.00\\%", 7.5, "7.5"),
        ("0.00", 0.25, "0.25"),
    ],
)
def test_a_percentage_is_read_as_one(shown_as: str | int, value: float | str, said: str) -> None:
    """By the format of its cell; a sign that a format only adds leaves the number as it is."""
    stream = BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        book.add_worksheet("None")
        sheet = book.add_worksheet("Tom & Co")
        sheet.write_row("C3", ("Name", "Part", "Size"))
        sheet.write_row("C4", ("Ann", value), book.add_format({"num_format": shown_as}))
        sheet.write("E4", 0.25)
        sheet.write("A1", None, book.add_format({"num_format": 9}))
    (block,) = parse_bytes(stream.getvalue(), ".xlsx").blocks
    assert f"4 | Ann | {said} | 0.25" == block.text.split("\n")[-1]


def test_struck_out_cells_are_marked() -> None:
    """A price that is crossed out holds no longer."""
    stream = BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        struck = book.add_format({"font_strikeout": True})
        sheet = book.add_worksheet()
        sheet.write_row("A1", ("Part", "Price"))
        sheet.write_row("A2", ("Old valve", 12.5), struck)
        sheet.write_row("A3", ("New valve", 14.5))
        sheet.write("C3", None, struck)
    (block,) = parse_bytes(stream.getvalue(), ".xlsx").blocks
    assert ["2 | ~~Old valve~~ | ~~12.5~~", "3 | New valve | 14.5"] == block.text.split("\n")[-2:]


def test_two_rows_of_names_are_one_head() -> None:
    """A row below joined names tells their columns apart; other rows are rows of the table."""
    (_, text), (_, plain) = (
        places(data, "t.csv")[0]
        for data in (b"Zone,Price,Price\n,Child,Adult\nA,1,2", b"a,b,b\nx,y,z\n1,2,3")
    )

    assert "row 3: Zone = A; Price Child = 1; Price Adult = 2" == text
    assert "row 2: a = x; b = y; b = z\nrow 3: a = 1; b = 2; b = 3" == plain


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("name,city\nAnn,Rome", ["row 5: name = Ann; city = Rome"]),
        ("Costs\nname,city\nAnn,Rome", ["Costs", "row 6: name = Ann; city = Rome"]),
        ("Costs\n,\nname,7,8\nAnn,3,4", ["Costs", "row 7: name = Ann; 7 = 3; 8 = 4"]),
        ("name,,,city\nAnn,,,Rome", ["row 5: name = Ann; city = Rome"]),
        ("name,7,8\nAnn,3,4", ["row 5: name = Ann; 7 = 3; 8 = 4"]),
        ("Note that all is guessed", ["Note that all is guessed"]),
        ("Change\nx,-8.4%\ny,12.7%", ["Change", "row 5: x; -8.4%\nrow 6: y; 12.7%"]),
    ],
)
def test_what_begins_another_table_below_an_empty_row(rows: str, said: list[str]) -> None:
    """A head of words, or one that comes again, after its title: no row of the table above."""
    found = [text for _, text in places(f"one,7,8\nx,1,2\n,\n{rows}".encode(), "t.csv")]
    assert ["row 2: one = x; 7 = 1; 8 = 2", *said] == found


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        ("Ann,Rome,\n,,\nBob,Oslo,\nCid,Bonn,", "row 5: name = Cid; city = Bonn"),
        ("Ann,Rome,1\n,,\nGuests\nBob,Oslo,\nCid,Bonn,", "row 6: name = Cid; city = Bonn"),
        ("Ann,Rome,1\n,,\n,,7\n,,\nBob,Oslo,2", "row 6: name = Bob; city = Oslo; age = 2"),
        ("Ann,Rome,1\n,,\nBob,-8.4%", "row 4: name = Bob; city = -8.4%"),
        ("Ann,Rome,1\n,,\nGuests\nBob,Oslo,2", "row 5: name = Bob; city = Oslo; age = 2"),
        ("Ann,Rome,1\n,,\na\nb\nc\nd\nBob,Oslo,\nx,y,", "row 9: name = x; city = y"),
    ],
)
def test_an_empty_row_between_groups_of_rows(rows: str, last: str) -> None:
    """The head holds on for records in words, and below names of groups and sums."""
    ((_, said),) = places(f"name,city,age\n{rows}".encode(), "t.csv")
    assert last == said.split("\n")[-1]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_rows_of_a_table_in_text_have_numbers_and_names(mark: str) -> None:
    """The delimiter is recognised; a long table is cut between rows, each part with its rows."""
    lines = [mark.join(("name", "price", "day"))]
    lines += [mark.join((f"loaf {n}", str(n), f'"a, {n}"')) for n in range(2, 120)]

    found = places("\n".join(lines).encode(), "t.csv")

    assert "t, rows 2-41" == found[0][0]
    assert found[0][1].startswith("row 2: name = loaf 2; price = 2; day = a, 2\n")
    assert "row 119: name = loaf 119; price = 119; day = a, 119" == found[-1][1].splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("Konto;Nr. 5\n\nTag;Text;Betrag\n2.1.;Miete;-850,00\n3.1.;Lohn;3.200,00", "3.200,00"),
        ("A;1,5;2,5\nB;3,5;4,5", "4,5"),
        ("id,text\n1,a; b\n2,c; d", "c; d"),
        ("\ufeffsep=|\nname|size\nrye|1,5", "1,5"),
    ],
)
def test_the_delimiter_is_what_makes_rows_alike(text: str, row: str) -> None:
    """Commas of numbers and marks in texts are none; what names it to a program is no row."""
    found = places(text.encode(), "t.csv")
    assert found[-1][1].endswith(f"= {row}")
    assert "sep=" not in str(found)
