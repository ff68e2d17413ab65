"""Mail as files (EML): heading, text, and what is attached."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage, MIMEPart
from email.utils import parsedate_to_datetime
from functools import cache, partial
from mimetypes import guess_extension
from pathlib import PurePath

from research_agent.errors import DocumentError
from research_agent.text.encodings import meant
from research_agent.types.documents import Block, ParsedDocument

SHOWN = ("From", "To", "Cc", "Date", "Subject")
ATTACHMENTS = 100  # of a mail with more the others are named, and not read
MUCH_MORE = 3
"""So many times as long as the plain text is HTML that is taken in its place. Where both say the
same, their lengths differ by less: by addresses of links, or by names that a table repeats."""
_TEXTS = {"text/plain": ".txt", "text/html": ".html"}
_MARK = b"\xef\xbb\xbf"  # says that a text is UTF-8, whatever its HTML says
_FAULTS = (MessageError, LookupError, ValueError, TypeError, AttributeError, OverflowError)
"""What the library raises for the parts of a damaged mail."""

Parse = Callable[[bytes, str], ParsedDocument]
Read = Callable[[MIMEPart], ParsedDocument]
"""Reads the bytes of a file with an ending; raises DocumentError."""


def parse_mail(data: bytes, parse: Parse) -> ParsedDocument:
    """Return the mail in an EML file's bytes; `parse` reads its text and its attachments.

    Of alternatives the plain text is taken, or HTML where it says much more. An attachment is a
    section; one that cannot be read is a warning. Raises DocumentError for what is no mail.
    """
    message = message_from_bytes(data.removeprefix(_MARK), policy=policy.default)
    if not isinstance(message, EmailMessage) or not any(name in message for name in SHOWN):
        raise DocumentError("not a readable mail: it has neither sender nor subject")
    headers = {name: _header(message, name) for name in SHOWN}
    blocks = [Block("\n".join(f"{name}: {text}" for name, text in headers.items() if text))]
    warnings: list[str] = []
    attached = 0
    read = cache(partial(_text, parse=parse))  # (of alternatives all are read, to compare them)
    for part in _leaves(message, read):
        if _text_ending(part):
            blocks += _plain(read(part))
            continue
        attached += 1
        kind = part.get_content_type()
        own = ".eml" if kind == "message/rfc822" else guess_extension(kind) or ""
        name = part.get_filename() or f"{'mail' if own == '.eml' else 'part'} {attached}{own}"
        try:
            if attached > ATTACHMENTS:
                raise DocumentError(f"only {ATTACHMENTS} attachments are read")  # noqa: TRY301
            document = parse(_content(part), PurePath(name).suffix.lower() or own)
        except (DocumentError, *_FAULTS) as error:
            warnings.append(f"attachment {name}: {error}")
            blocks.append(Block(f"Attachment: {name} (not read)"))
            continue
        warnings += [f"attachment {name}: {warning}" for warning in document.warnings]
        blocks += _plain(document, f"attachment {name}")
    day = ""
    with suppress(*_FAULTS):
        day = parsedate_to_datetime(headers["Date"]).date().isoformat()
    return ParsedDocument(
        tuple(blocks), title=headers["Subject"], date=day, warnings=tuple(warnings)
    )


def _leaves(part: MIMEPart, read: Read) -> list[MIMEPart]:
    """Return the parts that have no others in them; of alternatives the text in one form."""
    if part.get_content_maintype() != "multipart" or not part.is_multipart():
        return [part]
    leaves = [leaf for below in part.iter_parts() for leaf in _leaves(below, read)]
    if part.get_content_type() != "multipart/alternative":
        return leaves
    plain, html = (
        sum(_length(leaf, read) for leaf in leaves if _text_ending(leaf) == ending)
        for ending in (".txt", ".html")
    )
    other = ".txt" if html > MUCH_MORE * plain else ".html"
    return [leaf for leaf in leaves if _text_ending(leaf) != other]


def _length(part: MIMEPart, read: Read) -> int:
    with suppress(DocumentError):
        return sum(len(block.text) for block in read(part).blocks)
    return 0


def _text(part: MIMEPart, parse: Parse) -> ParsedDocument:
    body = _content(part)
    if not body.removeprefix(_MARK).strip():
        return ParsedDocument()
    return parse(body, _text_ending(part))


def _text_ending(part: MIMEPart) -> str:
    """Return the ending of files that are as a part of the mail's own text is; "" for others."""
    own = not part.is_attachment() and not part.get_filename()
    return _TEXTS.get(part.get_content_type(), "") if own else ""


def _header(message: EmailMessage, name: str) -> str:
    with suppress(*_FAULTS):
        return " ".join(str(message[name] or "").split())
    return ""


def _plain(document: ParsedDocument, *above: str) -> Iterator[Block]:
    for block in document.blocks:
        yield replace(block, section=(*above, *block.section), anchors=(), links=())


def _content(part: MIMEPart) -> bytes:
    try:
        charset = part.get_content_charset()
        if charset:
            part.set_param("charset", meant(charset))
        bare = not charset and part.get_content_maintype() == "text"  # (not always ASCII)
        content = part.get_payload(decode=True) if bare else part.get_content()
    except (LookupError, ValueError):  # no character set that is known: its bytes are looked at
        content = part.get_payload(decode=True)
        if content is None:  # it has parts of its own
            raise
    if isinstance(content, EmailMessage):
        content = content.as_bytes()
    return content if isinstance(content, bytes) else _MARK + str(content).encode(errors="replace")
