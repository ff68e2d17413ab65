"""Bytes of a text file -> text, whatever it was written with."""

import codecs
import re

from research_agent.errors import DocumentError
from research_agent.text.encodings import meant
from research_agent.text.visible import without_colours

SAMPLE = 65_536  # bytes that are looked at to tell the encoding, and text from binary data
CONTROLS = 0.1  # share of control characters from which a file is no text; a few more are forgiven
FEW = 4
WIDE = 0.7  # share of NUL bytes, at even or at odd places, that tells UTF-16 without a mark

_MARKS = (  # UTF-32 first: its little-endian mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BINARY = (
    b"\x7fELF", b"\x89PNG", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"PK\x03\x04", b"PK\x05\x06",
    b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf\x27\x1c", b"Rar!", b"%PDF-", b"SQLite format 3",
    b"\xd0\xcf\x11\xe0", b"OggS", b"fLaC", b"ID3", b"RIFF", b"MZ\x90", b"\xca\xfe\xba\xbe",
    b"\xcf\xfa\xed\xfe", b"\x00asm", b"wOFF", b"wOF2", b"OTTO", b"GGUF", b"PAR1",
    b"\x28\xb5\x2f\xfd",
)  # fmt: skip
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_HIGH = bytes(range(128, 256))
_FOREIGN = re.compile(rb"[\x80-\xff]{3,}")
_WHOLE = re.compile(rb".*[ \n]", re.DOTALL)
"""A text up to a byte that is no part of a character in any encoding."""
_CONVERT = "convert the file to UTF-8 if it reads wrong"
_NO_TEXT = "binary data in a text file"


def decode(data: bytes, *, declared: str = "") -> tuple[str, tuple[str, ...]]:
    r"""Return the text of a file and warnings about what was guessed or left out.

    A byte order mark decides, then `declared` (what the file says of itself), then UTF-8, then
    UTF-16 without a mark. What is left is read as Windows-1252, the superset of Latin-1; where
    most letters outside ASCII follow one another, as in no Western language, charset-normalizer
    guesses the encoding. Line ends become "\n"; colours of terminals are left out. Raises
    DocumentError for data that is no text.

    >>> decode("grün\r\n".encode("latin-1"))
    ('grün\n', ('not UTF-8: read as Windows-1252 (Latin-1)',))
    """
    if data.startswith(_BINARY):
        raise DocumentError(_NO_TEXT)
    text, warnings = _decoded(data, declared)
    text = without_colours(text)
    controls = len(_CONTROL_TEXT.findall(text[:SAMPLE]))
    if controls or "\0" in text:
        if controls > FEW + CONTROLS * min(len(text), SAMPLE):
            raise DocumentError(_NO_TEXT)
        if "\0" in text:
            warnings.append("NUL bytes were left out")
        text = _CONTROL_TEXT.sub("", text)
    return text.replace("\r\n", "\n").replace("\r", "\n"), tuple(warnings)


def _decoded(data: bytes, declared: str) -> tuple[str, list[str]]:
    marked = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "")
    if known := marked or _without_mark(data[:SAMPLE]):
        try:
            return data.decode(known), []
        except UnicodeError:
            name = known.removesuffix("-sig").upper()
            return data.decode(known, "replace"), [f"damaged {name}: some characters are lost"]
    for encoding in (meant(declared), "utf-8"):
        try:
            return data.decode(encoding or "utf-8"), []
        except (LookupError, UnicodeError):
            continue
    if len(_CONTROL.findall(data[:SAMPLE])) > FEW + CONTROLS * min(len(data), SAMPLE):
        raise DocumentError(_NO_TEXT)
    mended = data.decode("utf-8", "replace")
    if 5 * mended.count("\ufffd") < sum(char > "\x7f" for char in mended):
        return mended, ["damaged UTF-8: some characters are lost"]
    return _of_bytes(data)


def _of_bytes(data: bytes) -> tuple[str, list[str]]:
    """Return a text in which a character is a byte or two, and a warning."""
    foreign = sum(map(len, _FOREIGN.findall(data)))
    if 2 * foreign > len(data) - len(data.translate(None, _HIGH)):
        from charset_normalizer import from_bytes

        sample = _WHOLE.match(data[:SAMPLE])
        if guess := from_bytes(sample[0] if sample else data).best():
            warning = f"not UTF-8: read as {guess.encoding}, a guess: {_CONVERT}"
            return data.decode(guess.encoding, "replace"), [warning]
    warning = "not UTF-8: read as Windows-1252 (Latin-1)"
    try:
        return data.decode("cp1252"), [warning]
    except UnicodeError:
        return data.decode("latin-1"), [warning]


def _without_mark(sample: bytes) -> str:
    pairs = len(sample) // 2
    even, odd = sample[0 : 2 * pairs : 2].count(0), sample[1 : 2 * pairs : 2].count(0)
    if not pairs or not even + odd:
        return ""
    if odd >= WIDE * pairs and even < odd / 4:
        return "utf-16-le"
    return "utf-16-be" if even >= WIDE * pairs and odd < even / 4 else ""
