"""Tables of the benchmark's pages as another library finds them; run in an environment of its own.

`python with_tables.py FOLDER FILE pdfplumber|camelot-lattice|camelot-stream|camelot-network`
FOLDER holds the parts of documents that `python -m benchmarks tables --cache` has made in `pdfs`.
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

AROUND = 2  # as in benchmarks/pdf_files.py


def tables(path: Path, page: int, way: str) -> list[Sequence[Sequence[str]]]:
    """Return the cells of the tables of one page."""
    if way == "pdfplumber":
        import pdfplumber

        with pdfplumber.open(path) as document:
            found = document.pages[page - 1].extract_tables()
        return [[[cell or "" for cell in row] for row in table] for table in found]
    import camelot

    read = camelot.read_pdf(str(path), pages=str(page), flavor=way.removeprefix("camelot-"))
    return [table.df.to_numpy().tolist() for table in read]


def main(folder: str, file: str, way: str) -> None:
    """Write the tables of all parts."""
    found = {}
    for path in sorted(Path(folder).glob("*-*.pdf")):
        if match := re.fullmatch(r"(.*)-(\d+)", path.stem):
            page = int(match[2]) - max(int(match[2]) - 1 - AROUND, 0)
            found[path.stem] = tables(path, page, way)
    Path(file).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
