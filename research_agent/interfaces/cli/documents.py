"""`research-agent documents`: what an index holds, and how well each file could be read."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from research_agent.assembly.index import list_documents
from research_agent.interfaces.cli.terminal import say, say_json
from research_agent.text.boilerplate_sections import APPARATUS
from research_agent.types.documents import SCANNED, ParseQuality
from research_agent.types.records import DocumentRecord, KeptDocument
from research_agent.types.references import unresolved_words

INDENT = "    "
OCR = "ocrmypdf IN.pdf OUT.pdf"
"""A command that gives scanned pages a text."""
MANY = 0.2
"""Share of pages without text from which OCR is worth its time."""


def documents(location: str, *, as_json: bool) -> int:
    """List the documents of an index; raises IndexMissingError where there is none."""
    found = list_documents(location)
    if as_json:
        say_json([_as_json(item) for item in found])
        return 0
    say("\n".join(line for item in found for line in document_lines(item)))
    say("\n".join(_totals(found)))
    return 0


def document_lines(item: KeptDocument) -> Iterator[str]:
    """Yield a line with name, title and date of a document, and below what is known of it."""
    record = item.record
    about = " \N{MIDDLE DOT} ".join(part for part in (record.title, record.date) if part)
    name = record.doc_id or record.path
    yield f"{name}: {about}" if about else name
    if record.doc_id:
        yield f"{INDENT}{record.path}"
    if record.status == "indexed":
        yield from (f"{INDENT}{line}" for line in _of_indexed(item))
    else:
        yield f"{INDENT}{record.status}: {record.reason}"
    if hint := _ocr_hint(record):
        yield f"{INDENT}hint: {hint}"
    if not record.published:
        yield f"{INDENT}not shown yet: the run that read it was interrupted; give it again"


def _of_indexed(item: KeptDocument) -> Iterator[str]:
    """Yield how much there is of a document, and what was left out."""
    record, quality = item.record, item.record.quality
    yield _size(item)
    if quality is None:
        yield "read by an older version, which kept no more; index it again to know more"
    left = _left_out(quality) if quality else []
    kept = [f"{count} chunks of {kind}" for kind, count in item.kinds.items() if kind in APPARATUS]
    if left:
        yield f"dropped: {', '.join(left)}"
    if kept:
        yield f"kept, but not searched: {', '.join(kept)}"
    if record.reason:
        yield f"warning: {record.reason}"
    yield from (f"warning: {told}" for told in unresolved_words(record.unresolved))


def _size(item: KeptDocument) -> str:
    """Return pages, tables and chunks of a document in one line."""
    record, quality = item.record, item.record.quality
    parts = []
    if quality and quality.pages:
        textless = f", {quality.textless} of them without text" if quality.textless else ""
        parts.append(f"{quality.pages} pages{textless}")
    if quality:
        parts.append(f"{quality.tables} tables")
    searched = {kind: count for kind, count in item.kinds.items() if kind not in APPARATUS}
    kinds = ", ".join(f"{count} {kind}" for kind, count in searched.items())
    parts.append(f"{record.chunks} chunks ({kinds})" if kinds else f"{record.chunks} chunks")
    return "; ".join(parts)


def _left_out(quality: ParseQuality) -> list[str]:
    found = {"running heads": quality.running_heads, "line numbers": quality.line_numbers}
    return [f"{count} {name}" for name, count in found.items() if count]


def _ocr_hint(record: DocumentRecord) -> str:
    """Say how to get at the text of a scanned document; empty where that does not help."""
    quality = record.quality or ParseQuality()
    scanned = record.status == "failed" and record.reason.startswith(SCANNED)
    if scanned or quality.textless > MANY * max(quality.pages, 1):
        return f"give it a text with OCR ({OCR}), and index it again"
    return ""


def _totals(found: Sequence[KeptDocument]) -> Iterator[str]:
    """Yield how many documents there are, and how many could not be read."""
    indexed = [item for item in found if item.record.status == "indexed"]
    chunks = sum(item.record.chunks for item in indexed)
    other = len(found) - len(indexed)
    yield f"{len(indexed)} documents, {chunks} chunks" + (
        f"; {other} without text" if other else ""
    )


def _as_json(item: KeptDocument) -> dict[str, object]:
    record = asdict(item.record)
    about = {key: value for key, value in record.items() if key not in {"key", "mtime_ns"}}
    return about | {"kinds": dict(item.kinds), "hint": _ocr_hint(item.record)}
