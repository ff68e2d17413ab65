"""Names of encodings as web pages and mails use them."""

_WIDER = {
    "ascii": "cp1252", "us-ascii": "cp1252", "iso-8859-1": "cp1252", "latin1": "cp1252",
    "iso-8859-9": "cp1254", "iso-8859-11": "cp874", "tis-620": "cp874", "windows-874": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "big5": "big5hkscs",
    "shift_jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932",
    "euc-kr": "cp949", "ks_c_5601-1987": "cp949",
}  # fmt: skip
"""What is meant by a name (WHATWG, Encoding Standard, section 4.2): the encoding that has more."""


def meant(name: str) -> str:
    """Return the encoding that is read where a page names this one.

    >>> meant("ISO-8859-1"), meant("utf-8")
    ('cp1252', 'utf-8')
    """
    return _WIDER.get(name.lower().replace("_", "-"), _WIDER.get(name.lower(), name))
