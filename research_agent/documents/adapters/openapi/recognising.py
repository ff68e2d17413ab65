"""Whether a file of JSON or YAML describes an API; told without reading it as a whole."""

import re

_YAML_KEY = re.compile(
    r"""^\ufeff?["']?(?:openapi|swagger)["']?[ \t]*:[ \t]+["']?[23](?!\d)""", re.MULTILINE
)
_JSON_VERSION = re.compile(r'\s*:\s*"?[23](?!\d)')
_JSON_PIECE = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
_KEYS = ('"openapi"', '"swagger"')


def is_api(text: str) -> bool:
    """Say whether the top level of a text has `openapi` or `swagger` with a version we read.

    >>> is_api('{"info": {}, "openapi": "3.1.0"}'), is_api("swagger: '2.0'")
    (True, True)
    >>> is_api('{"dependencies": {"openapi": "3.1.0"}}'), is_api("swagger: '1.2'")
    (False, False)
    """
    if text.lstrip("\ufeff \t\n").startswith("{"):
        return any(key in text for key in _KEYS) and _in_object(text)
    return _YAML_KEY.search(text) is not None


def _in_object(text: str) -> bool:
    """Say whether one of the keys stands in the outermost object; the text may be damaged."""
    depth = 0
    for match in _JSON_PIECE.finditer(text):
        piece = match[0]
        if piece in {"{", "["}:
            depth += 1
        elif piece in {"}", "]"}:
            depth -= 1
        elif depth == 1 and piece in _KEYS and _JSON_VERSION.match(text, match.end()):
            return True
    return False
