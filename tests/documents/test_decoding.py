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


CYRILLIC = "Договор поставки. Цена 420 рублей за мешок. Срок поставки десять дней."
CHINESE = "试用期为三个月。 Version 2 of the handbook, 员工应当遵守各项规章制度。"
JAPANESE = "就業時間は午前九時から午後六時までとする。"


@pytest.mark.parametrize(
    ("text", "written", "read"),
    [
        (CYRILLIC, "cp1251", "cp1251"),
        (CYRILLIC, "koi8-r", "koi8_r"),
        (CHINESE, "gbk", "gb18030"),
        (f"{CHINESE}\n" * 2000, "gbk", "gb18030"),
        (JAPANESE, "shift-jis", "cp932"),
    ],
)
def test_text_of_other_writing_is_guessed(text: str, written: str, read: str) -> None:
    """And a warning says so; also where the file is long."""
    found, (warning,) = decode(text.encode(written))
    assert text == found
    assert warning.startswith(f"not UTF-8: read as {read}, a guess")


LATIN = "not UTF-8: read as Windows-1252 (Latin-1)"


@pytest.mark.parametrize(
    ("data", "declared", "text", "warnings"),
    [
        (WESTERN.encode("utf-16-le"), "", WESTERN, ()),
        (WESTERN.encode("utf-16-be"), "", WESTERN, ()),
        (WESTERN.encode("latin-1"), "", WESTERN, (LATIN,)),
        (b"\x81\xe9", "", "\x81é", (LATIN,)),
        ("Привет, мир".encode("koi8-r"), "koi8-r", "Привет, мир", ()),
        (WESTERN.encode(), "no-such-encoding", WESTERN, ()),
        (b"one\0 two\fth\x07ree", "", "one two\fthree", ("NUL bytes were left out",)),
        (b"\x1b[1;32mOK\x1b(B\x1b[m\n" * 9, "", "OK\n" * 9, ()),
        (b"\x1b[2K\x1b[1Gdone [1;32m] \x1b[?25h", "", "done [1;32m] ", ()),
        (
            TEXT.encode() + b"\xff",
            "",
            TEXT + "\ufffd",
            ("damaged UTF-8: some characters are lost",),
        ),
    ],
)
def test_what_is_guessed_is_told(
    data: bytes, declared: str, text: str, warnings: tuple[str, ...]
) -> None:
    """NUL bytes at every other place are UTF-16's; what a file declares counts where it fits.

    What a terminal takes for colours or moves of its cursor is neither text nor binary data.
    """
    assert (text, warnings) == decode(data, declared=declared)


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
