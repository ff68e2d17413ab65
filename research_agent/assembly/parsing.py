"""Which parser reads a file, and the reader that calls it in a child process."""

from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path, PurePath

from research_agent.documents.adapters.decoding import decode
from research_agent.documents.adapters.files import LocalFiles
from research_agent.documents.adapters.plain_text import TEXT_ENDINGS, parse_text
from research_agent.documents.adapters.sandbox import EagerReader, SandboxedReader
from research_agent.documents.adapters.source_code import CODE_ENDINGS, parse_code
from research_agent.errors import DocumentError
from research_agent.settings import DocumentSettings
from research_agent.types.documents import ParsedDocument

MARKDOWN_ENDINGS = frozenset({".md", ".markdown", ".mdown", ".mkd"})
HTML_ENDINGS = frozenset({".html", ".htm", ".xhtml"})
DOCX_ENDINGS = frozenset({".docx"})
API_ENDINGS = frozenset({".json", ".yaml", ".yml"})
PDF_MAGIC = b"%PDF-"
DOCX_NEEDED = "reading it needs a package: pip install 'research-agent[docx]'"

READABLE: frozenset[str] = (
    frozenset({".pdf"})
    | DOCX_ENDINGS
    | MARKDOWN_ENDINGS
    | HTML_ENDINGS
    | TEXT_ENDINGS
    | CODE_ENDINGS
)
"""The endings of files that can be read, in small letters; DOCX files need the extra `docx`."""


def parse_file(path: str) -> ParsedDocument:
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
    ending = PurePath(path).suffix.lower()
    if data.startswith(PDF_MAGIC) or ending == ".pdf":
        from research_agent.documents.adapters.pdf import parse_pdf

        return parse_pdf(data)
    if ending in DOCX_ENDINGS:
        if not find_spec("docx"):
            raise DocumentError(DOCX_NEEDED)
        from research_agent.documents.adapters.docx import parse_docx

        return parse_docx(data)
    return _parse_text(data, ending)


def local_files(settings: DocumentSettings) -> LocalFiles:
    """Return the finder of files that can be read with the packages that are installed."""
    needed = {} if find_spec("docx") else dict.fromkeys(DOCX_ENDINGS, DOCX_NEEDED)
    return LocalFiles(settings, READABLE, needed=needed)


def reader(settings: DocumentSettings) -> EagerReader:
    """Return the reader of files, with the limits of `settings`; the caller closes it."""
    return EagerReader(
        SandboxedReader(
            f"{__name__}:{parse_file.__name__}",
            seconds=settings.parse_seconds,
            memory_mb=settings.parse_memory_mb,
        )
    )


def _parse_text(data: bytes, ending: str) -> ParsedDocument:
    declared = ""
    if ending in HTML_ENDINGS:
        from research_agent.documents.adapters.html import declared_charset, parse_html

        declared, parse = declared_charset(data), parse_html
    elif ending in MARKDOWN_ENDINGS:
        from research_agent.documents.adapters.markdown import parse_markdown

        parse = parse_markdown
    else:
        code = partial(parse_code, ending=ending)
        parse = code if ending in CODE_ENDINGS else parse_text
    text, warnings = decode(data, declared=declared)
    document = _api(text, ending) or parse(text)
    return replace(document, warnings=(*warnings, *document.warnings))


def _api(text: str, ending: str) -> ParsedDocument | None:
    """Return what a text describes of an API; None where it describes none."""
    if ending not in API_ENDINGS:
        return None
    from research_agent.documents.adapters.openapi import is_api, parse_api

    return parse_api(text, ending=ending) if is_api(text) else None
