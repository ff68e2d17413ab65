"""Mutated files of every format, and files made to fill the memory or to take for ever."""

import json
import re
import resource
import time
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random
from zipfile import ZIP_DEFLATED, ZipFile

from research_agent.assembly.parsing import READABLE, parse_file
from research_agent.documents.adapters.sandbox import SandboxedReader
from research_agent.documents.chunking import linked_chunks
from research_agent.errors import DocumentError
from research_agent.index.numbered_references import linked
from tests.documents import made_files
from tests.documents.small_pdf import small_pdf
from tests.documents.test_docx import guide, saved
from tests.torture.harness import Part, holds

MB = 1_000_000
SECONDS, MEMORY = 20, 1024
"""Limits of the child that reads; the program itself gets as many seconds, and ROOM MB."""
ROOM = 600
PAGE = "# Bread\n\nBread is *baked* at [230](#x) degrees.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n"
WEB = f"<html><head><title>T</title></head><body><h1 id=x>A</h1><p>{PAGE}</p><table><tr><td>1</table></body>"
API = {
    "openapi": "3.1.0", "info": {"title": "T", "version": "1"},
    "paths": {"/a/{b}": {"get": {"operationId": "x", "parameters": [{"name": "b", "in": "path", "schema": {"$ref": "#/components/schemas/B"}}], "responses": {"200": {"description": "ok"}}}}},
    "components": {"schemas": {"B": {"type": "object", "properties": {"c": {"$ref": "#/components/schemas/B"}}}}},
}  # fmt: skip
CODE = "import os\n\n\nclass A:\n    def f(self):\n        '''Doc.'''\n        return 1\n"
LINES: list[tuple[float, float, float, str]] = [
    (50, 700 - 20 * i, 12, f"Line {i} of rye bread") for i in range(9)
]
GOOD: dict[str, bytes] = {
    ".pdf": small_pdf([LINES, LINES], outline=[("One", 0, 700), ("Two", 1, 700)]),
    ".docx": saved(guide), ".pptx": made_files.deck(), ".xlsx": made_files.workbook(),
    ".epub": made_files.epub(), ".eml": made_files.mail(("a.md", PAGE.encode())),
    ".ipynb": made_files.notebook(), ".md": PAGE.encode(), ".html": WEB.encode(),
    ".json": json.dumps(API).encode(), ".yaml": json.dumps(API, indent=1).encode(),
    ".csv": b"name,key\nA,800\nB,1184\n", ".py": CODE.encode(), ".txt": b"Bread.\n\nIs baked.\n",
}  # fmt: skip
ENDINGS = [*GOOD, *sorted(READABLE - set(GOOD))]
WEDGES = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"<" * 99, b"[" * 999, b"{" * 999, b"]]>", b"<!DOCTYPE x [",
    b"%PDF-1.7", b"PK\x03\x04", b"obj <<", b"99999999999999", b"-1", b"1e999", b"\r", b"&#x0;", b"\xed\xa0\x80",
    b"---\n", b"&a [*a,*a]", b"`" * 500, b"|" * 500, b"#" * 500, b"> " * 500, b"=\n", b"\xc0\x80",
)  # fmt: skip


def mutated(data: bytes, random: Random) -> bytes:
    """Return a file with a few places of it changed, cut, doubled or moved."""
    made = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 5, 30))):
        at, size = random.randrange(len(made) + 1), random.choice((1, 2, 8, 100, 1000))
        match random.randrange(7):
            case 0 if made:
                made[min(at, len(made) - 1)] ^= 1 << random.randrange(8)
            case 1:
                made[at : at + size] = random.randbytes(len(made[at : at + size]))
            case 2:
                del made[at : at + size]
            case 3:
                made[at:at] = random.choice(WEDGES)
            case 4:
                made[at:at] = made[at : at + size] * random.choice((2, 20))
            case 5:
                other = random.choice(list(GOOD.values()))
                made[at : at + size] = other[:size]
            case _:
                numbers = [m.span() for m in re.finditer(rb"\d+", bytes(made))] or [(at, at)]
                start, end = random.choice(numbers)
                made[start:end] = random.choice((b"0", b"-1", b"2147483648", b"9" * 30))
    return bytes(made[: 10 * MB])


def zipped_change(data: bytes, random: Random) -> bytes:
    """Return an archive with one of its parts mutated: a mutated archive is seldom opened."""
    stream = BytesIO()
    with ZipFile(BytesIO(data)) as old, ZipFile(stream, "w", ZIP_DEFLATED) as new:
        chosen = random.choice(old.namelist())
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, mutated(part, random) if name == chosen else part)
    return stream.getvalue()


def prepared(_: Path) -> SandboxedReader:
    reader = SandboxedReader(
        f"{parse_file.__module__}:parse_file", seconds=SECONDS, memory_mb=MEMORY
    )
    return reader.__enter__()


def read(reader: SandboxedReader, path: Path) -> str:
    """Read and cut a file as indexing does; return what came of it."""
    before, began = memory(), time.monotonic()
    try:
        document = reader.read(str(path))
    except DocumentError as error:
        holds(str(error), "a file is refused without a reason")
        took = time.monotonic() - began
        holds(took < 2 * SECONDS + 10, f"{path.name}: {took:.0f} s: {error}", "hung")
        return "parser's fault" if "the parser failed" in str(error) else "refused"
    linked(linked_chunks("k", "d", document, source=str(path), chunk_chars=1000))
    took, grown = time.monotonic() - began, memory() - before
    holds(took < 2 * SECONDS + 10, f"{path.name}: read and cut in {took:.0f} s", "hung")
    holds(grown < ROOM, f"{path.name}: the program grew by {grown:.0f} MB", "leaked")
    return "read"


def memory() -> float:
    """Return the most memory that this process ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def mutant(reader: SandboxedReader, number: int, random: Random, folder: Path) -> str:
    """Read a mutated file."""
    ending = ENDINGS[number % len(ENDINGS)]
    near = {
        ".xls": ".xlsx",
        ".xlsm": ".xlsx",
        ".ods": ".xlsx",
        ".xlsb": ".xlsx",
        ".htm": ".html",
        ".xhtml": ".html",
    }
    data = (
        GOOD.get(ending)
        or GOOD.get(near.get(ending, ""))
        or GOOD[random.choice([".md", ".py", ".csv"])]
    )
    inner = data.startswith(b"PK") and random.random() < 0.7
    path = folder / f"m{ending}"
    path.write_bytes(zipped_change(data, random) if inner else mutated(data, random))
    said = read(reader, path)
    holds(said != "parser's fault", f"{ending}: {reason(reader, path)}", "traceback")
    return said


def reason(reader: SandboxedReader, path: Path) -> str:
    try:
        reader.read(str(path))
    except DocumentError as error:
        return str(error)
    return "it passed at the second time"


def office(part: str, content: str | bytes, base: str = ".docx") -> bytes:
    """Return an office file with one of its parts replaced, or one more."""
    stream = BytesIO()
    with ZipFile(BytesIO(GOOD[base])) as old, ZipFile(stream, "w", ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name != part:
                new.writestr(name, old.read(name))
        new.writestr(part, content)
    return stream.getvalue()


def flate(content: bytes) -> bytes:
    """Return a PDF whose page is a compressed stream."""
    packed = zlib.compress(content)
    plain = small_pdf([[]])
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)
    return plain.replace(b"<< /Length 0 >>\nstream\n\nendstream", stream)


LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True)
) + "]><x>&j;</x>"  # fmt: skip
WORD = "word/document.xml"
ANCHORS = "a: &a [x]\n" + "".join(
    f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "zeros in a part": (".docx", lambda: office(WORD, b"\0" * 600 * MB)),
    "spaces in a part": (".docx", lambda: office(WORD, b" " * 400 * MB)),
    "a part more": (".docx", lambda: office("word/more.xml", b"\0" * 600 * MB)),
    "entities": (".docx", lambda: office(WORD, LAUGHS)),
    "deep elements": (".docx", lambda: office(WORD, "<a>" * 1_000_000)),
    "an outside entity": (".docx", lambda: office(WORD, '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>')),
    "many parts": (".docx", lambda: made_files.archive({f"p{i}": b"" for i in range(60_000)})),
    "zeros in a slide": (".pptx", lambda: office("ppt/slides/slide1.xml", b"\0" * 600 * MB, ".pptx")),
    "entities in a slide": (".pptx", lambda: office("ppt/slides/slide1.xml", LAUGHS, ".pptx")),
    "zeros in a sheet": (".xlsx", lambda: office("xl/worksheets/sheet1.xml", b"\0" * 600 * MB, ".xlsx")),
    "entities in a sheet": (".xlsx", lambda: office("xl/worksheets/sheet1.xml", LAUGHS, ".xlsx")),
    "a far cell": (".xlsx", made_files.far_workbook),
    "shared strings": (".xlsx", lambda: office("xl/sharedStrings.xml", b"<sst>" + b"<si><t>a</t></si>" * 9_000_000, ".xlsx")),
    "zeros in a book": (".epub", lambda: office("x.xhtml", b"\0" * 600 * MB, ".epub")),
    "an archive in an archive": (".epub", lambda: made_files.archive({"a.zip": office("x", b"\0" * 300 * MB)})),
    "a compressed page": (".pdf", lambda: flate(b"BT ET " * 50 * MB)),
    "a page of text": (".pdf", lambda: flate(b"BT /F 12 Tf 9 9 Td " + b"(a) Tj " * 3_000_000 + b"ET")),
    "deep brackets in a page": (".pdf", lambda: flate(b"[" * 9 * MB)),
    "many pages": (".pdf", lambda: small_pdf([[]] * 30_000)),
    "pages in a circle": (".pdf", lambda: GOOD[".pdf"].replace(b"/Kids [5 0 R 7 0 R]", b"/Kids [2 0 R 2 0 R]")),
    "deep objects": (".pdf", lambda: GOOD[".pdf"].replace(b"/Type /Catalog", b"/Type /Catalog /X " + b"[" * 100_000)),
    "an outline in a circle": (".pdf", lambda: re.sub(rb"/First \d+ 0 R", b"/First 1 0 R", GOOD[".pdf"])),
    "deep HTML": (".html", lambda: b"<div>" * 500_000),
    "deep tables": (".html", lambda: b"<table><tr><td>" * 100_000),
    "attributes": (".html", lambda: b"<p " + b"a=1 " * 2_000_000 + b">"),
    "open comments": (".html", lambda: b"<!--" * 1_000_000),
    "wide spans": (".html", lambda: b"<table>" + b"<tr><td colspan=1000 rowspan=60000>1" * 2000),
    "backticks": (".md", lambda: b"`" * 405_000),
    "backticks in turn": (".md", lambda: b"".join(b"`" * i + b" " for i in range(1500))),
    "brackets": (".md", lambda: b"[" * 300_000),
    "quotes": (".md", lambda: b"> " * 200_000 + b"a"),
    "stars": (".md", lambda: b"*a_" * 300_000),
    "links without ends": (".md", lambda: b"[a](" * 200_000),
    "one-letter paragraphs": (".txt", lambda: b"a\n\n" * 1_000_000),
    "a line": (".txt", lambda: b"a" * 30 * MB),
    "commas": (".csv", lambda: b"," * 5_000_000),
    "deep JSON": (".json", lambda: b'{"openapi": "3.1.0", "a": ' + b"[" * 1_000_000),
    "references in a circle": (".json", lambda: json.dumps(API | {"paths": {f"/{i}": {"$ref": f"#/paths/~1{(i + 1) % 999}"} for i in range(999)}}).encode()),
    "aliases": (".yaml", f"openapi: 3.1.0\ninfo: {{title: x, version: x}}\n{ANCHORS}".encode),
    "deep YAML": (".yaml", lambda: b"openapi: 3.1.0\na: " + b"{a: " * 20_000),
    "deep code": (".py", lambda: b"(" * 500_000),
    "mails within mails": (".eml", lambda: b"Content-Type: message/rfc822\n\n" * 5000),
    "parts of a mail": (".eml", lambda: b"Content-Type: multipart/mixed; boundary=a\n\n" + b"--a\n\nx\n" * 200_000),
    "a notebook's cells": (".ipynb", lambda: json.dumps({"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "# a"}] * 200_000}).encode()),
}  # fmt: skip


def bomb(reader: SandboxedReader, number: int, _random: Random, folder: Path) -> str:
    """Read a file that wants too much of everything."""
    name = list(BOMBS)[number]
    ending, made = BOMBS[name]
    path = folder / f"{name}{ending}"
    path.write_bytes(made())
    return read(reader, path)


PARTS = (
    Part("files", f"mutated files of {len(ENDINGS)} endings, read and cut", 2000, 54, prepared, mutant, by="bytes"),
    Part("bombs", "files that want too much memory, time or depth", len(BOMBS), 3, prepared, bomb, by="bytes", seconds=120),
)  # fmt: skip
