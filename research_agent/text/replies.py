"""Replies of models and input of people, normalised for reading and comparing."""

import json
from collections.abc import Mapping


def reply_object(reply: str) -> Mapping[str, object]:
    """Return the JSON object in a model's reply, with any text around it; empty for none.

    >>> reply_object('Sure: {"query": "keys"}.'), reply_object("no idea")
    ({'query': 'keys'}, {})
    """
    try:
        value = json.loads(reply[reply.find("{") : reply.rfind("}") + 1])
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def plain_query(query: str) -> str:
    """Return a query without what makes no difference: case, space, punctuation at its end.

    >>> plain_query("Key  size?")
    'key size'
    """
    return " ".join(query.lower().split()).rstrip(" ?.!\u3002\uff1f\uff01\u061f")
