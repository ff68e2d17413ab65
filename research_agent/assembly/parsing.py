"""Which parser reads a file, and the reader that calls it in a child process."""

from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path, PurePath

from research_agent.documents.adapters.decoding import decode
from research_agent.documents.adapters.files import LocalFiles
from research_agent.documents.adapters.latex import LATEX_ENDINGS, parse_latex
from research_agent.documents.adapters.plain_text import TEXT_ENDINGS, parse_rst, parse_text
from research_agent.documents.adapters.sandbox import SandboxedReader
from research_agent.documents.adapters.source_code import CODE_ENDINGS, parse_code
from research_agent.errors import DocumentError
from research_agent.settings import DocumentSettings
from research_agent.types.documents import ParsedDocument

MARKDOWN_ENDINGS = frozenset({".md", ".markdown", ".mdown", ".mkd"})
HTML_ENDINGS = frozenset({".html", ".htm", ".xhtml"})
TABLE_ENDINGS = frozenset({".csv", ".tsv"})
API_ENDINGS = frozenset({".json", ".yaml", ".yml"})
PDF_MAGIC = b"%PDF-"
WORKBOOK_MAGIC = (b"\xd0\xcf\x11\xe0", b"PK")
"""How workbooks begin; with their old ending there are also pages, texts, and XML of 2003."""
HEAD = 4096  # bytes by which these are told apart
DEPTH = 3  # a document within more others than this is not read
OFFICE_ENDINGS = {".docx": "docx", ".pptx": "pptx"} | dict.fromkeys(
    (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "python_calamine"
)
"""Endings of files that need the extra `office`, and the package that reads them."""
OFFICE_NEEDED = "reading it needs a package: pip install 'research-agent[office]'"

READABLE: frozenset[str] = frozenset({".pdf", *OFFICE_ENDINGS, ".epub", ".eml", ".ipynb"}) | (
    MARKDOWN_ENDINGS | HTML_ENDINGS | TABLE_ENDINGS | TEXT_ENDINGS | LATEX_ENDINGS | CODE_ENDINGS
)
"""The endings of files that can be read, in small letters."""


def parse_file(path: str, *, scans: bool = False) -> ParsedDocument:
    """Return the document in a file, by its ending; raises DocumentError.

    A file that begins as a PDF does is read as one, whatever its name; JSON and YAML that describe
    an API are read by their operations. An empty file is a document without blocks.
    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise DocumentError("it has vanished") from error
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror or error}") from error
    return parse_bytes(data, PurePath(path).suffix.lower(), scans=scans)


def parse_for_ocr(path: str) -> ParsedDocument:
    """Return the document in a file as `parse_file` does, also one of pictures alone."""
    return parse_file(path, scans=True)


def parse_bytes(data: bytes, ending: str, *, depth: int = 0, scans: bool = False) -> ParsedDocument:
    """Return the document in the bytes of a file with an ending; raises DocumentError.

    `depth` is how many documents they are within, as what is attached to a mail is. With `scans`,
    OCR will read the pages of a PDF that have no text.
    """
    if depth > DEPTH:
        raise DocumentError(f"it is within more than {DEPTH} other documents")
    if data.startswith(PDF_MAGIC) or ending == ".pdf":
        from research_agent.documents.adapters.pdf import parse_pdf

        return parse_pdf(data, scans=scans)
    if ending == ".xls" and not data.startswith(WORKBOOK_MAGIC):
        return _parse_export(data)
    if ending in OFFICE_ENDINGS:
        return _parse_office(data, ending)
    below = partial(parse_bytes, depth=depth + 1)
    if ending == ".epub":
        from research_agent.documents.adapters.office.epub import parse_epub

        return parse_epub(data, below)
    if ending == ".eml":
        from research_agent.documents.adapters.mail import parse_mail

        return parse_mail(data, below)
    if ending not in READABLE:
        raise DocumentError(f"no reader for {ending or 'names without an ending'}")
    return _parse_text(data, ending)


def local_files(settings: DocumentSettings) -> LocalFiles:
    """Return the finder of files that can be read with the packages that are installed."""
    missing = {package for package in OFFICE_ENDINGS.values() if not find_spec(package)}
    needed = {e: OFFICE_NEEDED for e, package in OFFICE_ENDINGS.items() if package in missing}
    return LocalFiles(settings, READABLE, needed=needed)


def reader(settings: DocumentSettings, *, scans: bool = False) -> SandboxedReader:
    """Return the reader of files, with the limits of `settings`; the caller closes it.

    With `scans`, it leaves pages of PDFs that have no text to a `ScanReader`.
    """
    parse = parse_for_ocr if scans else parse_file
    return SandboxedReader(
        f"{__name__}:{parse.__name__}",
        seconds=settings.parse_seconds,
        memory_mb=settings.parse_memory_mb,
    )


def _parse_office(data: bytes, ending: str) -> ParsedDocument:
    if not find_spec(OFFICE_ENDINGS[ending]):
        raise DocumentError(OFFICE_NEEDED)
    if ending == ".docx":
        from research_agent.documents.adapters.office.docx import parse_docx

        return parse_docx(data)
    if ending == ".pptx":
        from research_agent.documents.adapters.office.pptx import parse_pptx

        return parse_pptx(data)
    from research_agent.documents.adapters.office.sheets import parse_workbook

    return parse_workbook(data, ending)


def _parse_export(data: bytes) -> ParsedDocument:
    """Return the tables in what programs export under the ending of old workbooks."""
    if b"<Workbook" in data[:HEAD]:
        from research_agent.documents.adapters.office.sheets import parse_xml_workbook

        return parse_xml_workbook(data)
    is_page = data.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n").startswith(b"<")
    return _parse_text(data, ".html" if is_page else ".csv")


def _parse_text(data: bytes, ending: str) -> ParsedDocument:
    declared = ""
    if ending in HTML_ENDINGS:
        from research_agent.documents.adapters.markup.html import parse_html
        from research_agent.documents.adapters.markup.page_head import declared_charset

        declared, parse = declared_charset(data), parse_html
    elif ending in MARKDOWN_ENDINGS:
        from research_agent.documents.adapters.markup.markdown import parse_markdown

        parse = parse_markdown
    elif ending == ".ipynb":
        from research_agent.documents.adapters.markup.notebook import parse_notebook

        parse = parse_notebook
    elif ending in TABLE_ENDINGS:
        from research_agent.documents.adapters.office.sheets import parse_delimited

        parse = parse_delimited
    elif ending in LATEX_ENDINGS:
        parse = parse_latex
    elif ending == ".rst":
        parse = parse_rst
    else:
        code = partial(parse_code, ending=ending)
        parse = code if ending in CODE_ENDINGS else parse_text
    text, warnings = decode(data, declared=declared)
    document = _api(text, ending) or parse(text)
    return replace(document, warnings=(*warnings, *document.warnings))


def _api(text: str, ending: str) -> ParsedDocument | None:
    if ending not in API_ENDINGS:
        return None
    from research_agent.documents.adapters.markup.markdown import markdown_blocks
    from research_agent.documents.adapters.openapi import is_api, parse_api

    return parse_api(text, markdown_blocks, ending=ending) if is_api(text) else None
