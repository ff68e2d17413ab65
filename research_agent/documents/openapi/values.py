"""Values of an API description, whatever they are, as text and as containers.

Real descriptions break their format in every way: a list where a mapping belongs, a number where
a text does. What cannot be meant is taken for empty.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_TAG = re.compile(
    r"</?(?:a|b|br|code|div|em|h[1-6]|i|li|ol|p|pre|span|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul)"
    r"\b[^<>]*>",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<(?:br|p|li|div|tr|h[1-6]|/p|/div)\b[^<>]*>", re.IGNORECASE)
_OWN_LINE = re.compile(r"\s*(?:[-*+\u2022]\s|\d{1,3}[.)]\s|#{1,6}\s|\||```|~~~|>)")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATORS = re.compile(r"[\s\-_./{}:,()$#]+")


def mapping(value: object) -> Mapping[str, object]:
    """Return a mapping as it is, and an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> Sequence[object]:
    """Return a list as it is, and an empty one for anything else."""
    return value if isinstance(value, list) else ()


def plain(value: object) -> str:
    """Return a text or number in one line; "" for null and for containers."""
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def sample(value: object) -> str:
    """Return a value as it may be sent: a default, an example, a member of an enumeration."""
    if value is None:
        return "null"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return plain(value) or '""'


def paragraphs(value: object) -> tuple[str, ...]:
    r"""Return a description line by line: wrapped lines are joined, lists and code stay lines.

    Addresses of Markdown links and tags of HTML are left out.

    >>> paragraphs("One\nline, see [it](https://x).\n\n* a\n* b")
    ('One line, see it.', '* a', '* b')
    """
    if not isinstance(value, str):
        return tuple(line for line in [plain(value)] if line)
    bare = html.unescape(_TAG.sub("", _BREAK.sub("\n\n", _LINK.sub(r"\1", value))))
    return tuple(_unwrapped(bare.split("\n")))


def one_line(value: object) -> str:
    """Return a description in one line."""
    return " ".join(paragraphs(value))


def named(value: object, key: str) -> str:
    """Return the text or number that a mapping has under a key; "" where there is none."""
    return plain(mapping(value).get(key))


def in_brackets(text: str, inside: str) -> str:
    """Return a text with a remark in brackets behind it, where there is one."""
    return f"{text} ({inside})" if inside else text


def name_words(name: str) -> str:
    """Return the words of a name written in camel case; "" where the index splits it anyway.

    >>> name_words("CreateVerificationCheck"), name_words("getOAuth2URL"), name_words("get_file")
    ('create verification check', 'get o auth2 url', '')
    """
    if not _CAMEL.search(name):
        return ""
    return _SEPARATORS.sub(" ", _CAMEL.sub(" ", name)).strip().lower()


def _unwrapped(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines without those ends that only wrap them."""
    current = ""
    fenced = False
    for line in lines:
        fence = line.lstrip().startswith(("```", "~~~"))
        fenced ^= fence
        text = " ".join(line.split())
        if current and (fenced or not text or _OWN_LINE.match(line)):
            yield current
            current = ""
        if not fence:
            current = f"{current} {text}".strip()
    if current:
        yield current
