"""Replies of models and input of people, normalised for reading and comparing."""

import json
from collections.abc import Mapping

from research_agent.errors import QuestionError


def reply_object(reply: str) -> Mapping[str, object]:
    """Return the JSON object in a model's reply, with any text around it; empty for none."""
    try:
        value = json.loads(reply[reply.find("{") : reply.rfind("}") + 1])
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def object_schema(properties: Mapping[str, object]) -> dict[str, object]:
    """Return the JSON schema of an object that has all of these properties, and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def plain_query(query: str) -> str:
    """Return a query without what makes no difference: case, space, punctuation at its end."""
    return " ".join(query.lower().split()).rstrip(" ?.!\u3002\uff1f\uff01\u061f")


MAX_CHARS = 4000
"""A longer text is a document, not a question: no small model reads it beside its evidence."""


def check_question(question: str) -> str:
    r"""Return `question` without surrounding space and without control characters.

    Raises QuestionError where nothing is left, or more than `MAX_CHARS` characters are, and for
    what is no text.

    >>> check_question("  what is\x00 ML-KEM?\n")
    'what is ML-KEM?'
    """
    if not isinstance(question, str):
        raise QuestionError(
            f"the question is {question!r:.80}, no text", hint='Ask like this: "What is ML-KEM?"'
        )
    text = question
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)
    text = " ".join(text.split())
    if not any(c.isalnum() for c in text):
        raise QuestionError("the question is empty", hint='Ask like this: ask "What is ML-KEM?"')
    if len(text) > MAX_CHARS:
        raise QuestionError(
            f"the question has {len(text):,} characters; at most {MAX_CHARS:,} are read",
            hint="Index long texts as documents and ask a short question about them.",
        )
    return text
