"""Mail as files (EML): heading, text, and what is attached."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from pathlib import PurePath

from research_agent.errors import DocumentError
from research_agent.types.documents import Block, ParsedDocument

SHOWN = ("From", "To", "Cc", "Date", "Subject")
ATTACHMENTS = 100  # of a mail with more the others are named, and not read
_MARK = b"\xef\xbb\xbf"  # says that a text is UTF-8, whatever its HTML says

Parse = Callable[[bytes, str], ParsedDocument]
"""Reads the bytes of a file with an ending; raises DocumentError."""


def parse_mail(data: bytes, parse: Parse) -> ParsedDocument:
    """Return the mail in an EML file's bytes; `parse` reads its text and its attachments.

    The plain text is taken, or HTML where there is none. An attachment is a section; one that
    cannot be read is a warning. Raises DocumentError for what is no mail.
    """
    message = message_from_bytes(data, policy=policy.default)
    if not isinstance(message, EmailMessage) or not any(name in message for name in SHOWN):
        raise DocumentError("not a readable mail: it has neither sender nor subject")
    blocks, warnings = [_heading(message)], []
    blocks += _plain(_body(message, parse))
    for number, part in enumerate(message.iter_attachments(), start=1):
        name = _name(part, number)
        try:
            found = _attached(part, PurePath(name).suffix.lower(), number, parse)
        except (DocumentError, MessageError, LookupError, ValueError) as error:
            warnings.append(f"attachment {name}: {error}")
            blocks.append(Block(f"Attachment: {name} (not read)"))
            continue
        warnings += [f"attachment {name}: {warning}" for warning in found.warnings]
        blocks += _plain(found, f"attachment {name}")
    title = _header(message, "Subject")
    return ParsedDocument(tuple(blocks), title=title, date=_day(message), warnings=tuple(warnings))


def _heading(message: EmailMessage) -> Block:
    said = {name: _header(message, name) for name in SHOWN}
    return Block("\n".join(f"{name}: {text}" for name, text in said.items() if text))


def _header(message: EmailMessage, name: str) -> str:
    """Return a header on one line; empty where there is none, or the library cannot read it."""
    try:
        return " ".join(str(message[name] or "").split())
    except (ValueError, OverflowError, LookupError, AttributeError):
        return ""


def _body(message: EmailMessage, parse: Parse) -> ParsedDocument:
    """Return the text of a mail; of one without text an empty document."""
    for kind, ending in (("plain", ".txt"), ("html", ".html")):
        part = message.get_body((kind,))
        text = str(part.get_content()) if part is not None else ""
        if text.strip():
            return parse(_MARK + text.encode("utf-8", "replace"), ending)
    return ParsedDocument()


def _plain(document: ParsedDocument, *above: str) -> Iterator[Block]:
    """Yield blocks below a section, without links: a mail is beside no other file."""
    for block in document.blocks:
        yield replace(block, section=(*above, *block.section), anchors=(), links=())


def _name(part: EmailMessage, number: int) -> str:
    mail = part.get_content_type() == "message/rfc822"
    return part.get_filename() or (f"mail {number}.eml" if mail else f"part {number}")


def _attached(part: EmailMessage, ending: str, number: int, parse: Parse) -> ParsedDocument:
    if number > ATTACHMENTS:
        raise DocumentError(f"only {ATTACHMENTS} attachments are read")
    return parse(_content(part), ending)


def _content(part: EmailMessage) -> bytes:
    content = part.get_content()
    if isinstance(content, EmailMessage):
        return content.as_bytes()
    return content if isinstance(content, bytes) else _MARK + str(content).encode("utf-8")


def _day(message: EmailMessage) -> str:
    try:
        return parsedate_to_datetime(str(message["Date"])).date().isoformat()
    except (TypeError, ValueError, OverflowError):
        return ""
