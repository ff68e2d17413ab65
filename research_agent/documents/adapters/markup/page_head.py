"""What the head of a page states: its encoding and its date."""

import re

from selectolax.lexbor import LexborHTMLParser

from research_agent.text.dates import iso_date

HEAD = 4096  # characters, or bytes, in which a page says how it is written

_CHARSET = re.compile(
    rb"<(?:meta[^>]{0,200}?charset|\?xml[^>]{0,200}?encoding)\s*=\s*[\"']?\s*([\w.:-]{1,40})",
    re.IGNORECASE,
)
_DATES = (
    "article:published_time", "date", "dc.date", "dcterms.date", "datepublished",
    "citation_publication_date",
)  # fmt: skip
"""Names of a page's day in its `meta` elements, in small letters."""
_PUBLISHED = re.compile(r'"datePublished"\s*:\s*"([^"]*)"')


def declared_charset(data: bytes) -> str:
    """Return the encoding that an HTML file's head names; "" where it names none.

    >>> old = b'<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'
    >>> declared_charset(old), declared_charset(b"<p>charset=no")
    ('koi8-r', '')
    """
    match = _CHARSET.search(data[:HEAD])
    return match[1].decode("ascii") if match else ""


def stated_date(tree: LexborHTMLParser) -> str:
    """Return the date of a page, as ISO 8601 has it; "" where it states none."""
    named: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        named.setdefault((name or "").lower(), attributes["content"] or "")
    dates = [named.get(name, "") for name in _DATES]
    for node in tree.css('script[type="application/ld+json"]'):
        dates += _PUBLISHED.findall(node.text())
    dates += [node.attributes["datetime"] or "" for node in tree.css("time[datetime]")]
    return next(filter(None, map(iso_date, dates)), "")
