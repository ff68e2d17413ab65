"""Text in any encoding, and data that is none."""

import codecs

import pytest

from research_agent.documents.adapters.decoding import decode
from research_agent.errors import DocumentError

TEXT = "Grüße, 鍵 and “quotes”\nof 100 €."
WESTERN = "Größe, façade and naïve: plain words around them."


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
    ],
)
def test_unicode(data: bytes) -> None:
    """With or without a mark, whatever the line ends, the text is the same, without warning."""
    assert (TEXT, ()) == decode(data)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_mark(encoding: str) -> None:
    """NUL bytes at every other place tell UTF-16."""
    assert (WESTERN, ()) == decode(WESTERN.encode(encoding))


def test_latin_1() -> None:
    """What is not UTF-8 is read as Windows-1252, and the warning says so."""
    text, warnings = decode(WESTERN.encode("latin-1"))

    assert WESTERN == text
    assert ("not UTF-8: read as Windows-1252 (Latin-1)",) == warnings
    assert "\x81é" == decode(b"\x81\xe9")[0]


def test_declared_encoding_counts() -> None:
    """What a file says of itself is believed where it fits; an unknown name is not."""
    assert "Привет, мир" == decode("Привет, мир".encode("koi8-r"), declared="koi8-r")[0]
    assert WESTERN == decode(WESTERN.encode(), declared="no-such-encoding")[0]


def test_damaged_utf_8_stays_utf_8() -> None:
    """One wrong byte does not turn a long text into another encoding."""
    text, warnings = decode(TEXT.encode() * 9 + b"\xff")

    assert text.startswith(TEXT)
    assert ("damaged UTF-8: some characters are lost",) == warnings


def test_nul_bytes_are_left_out() -> None:
    """Some NUL bytes in a text are dropped, with a warning; form feeds stay."""
    assert ("one two\fthree", ("NUL bytes were left out",)) == decode(b"one\0 two\fth\x07ree")


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF" + bytes(100),
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        b"PK\x03\x04" + bytes(100),
        bytes(range(256)) * 20,
        bytes(1000),
        b"%PDF-1.7",
    ],
)
def test_binary_data_is_refused(data: bytes) -> None:
    """Known formats and many control characters are no text."""
    with pytest.raises(DocumentError, match="binary data in a text file"):
        decode(data)
