"""The type of a schema in a few words."""

from collections.abc import Mapping

from research_agent.documents.openapi.pointers import split_reference, tokens_of
from research_agent.documents.openapi.references import owner
from research_agent.documents.openapi.values import mapping, plain, sequence


def type_text(schema: object) -> str:
    """Return the type of a schema, its references by name; "" where it says none.

    >>> type_text({"type": "array", "items": {"$ref": "#/components/schemas/File"}})
    'array of File'
    >>> type_text({"type": ["string", "null"], "format": "date"})
    'string date or null'
    >>> type_text({"allOf": [{"$ref": "#/definitions/File"}, {"description": "d"}]})
    'File'
    """
    if isinstance(schema, bool):
        return "anything" if schema else "nothing"
    here = mapping(schema)
    reference = here.get("$ref", here.get("$dynamicRef"))
    if isinstance(reference, str):
        return _or_null(here, reference_name(reference))
    text = _combined(here)
    if "not" in here and (excluded := type_text(here["not"])):
        text = f"{text} but not {excluded}".strip()
    return _or_null(here, text)


def reference_name(reference: str) -> str:
    """Return the name by which people know what a reference leads to.

    >>> reference_name("#/components/schemas/User--Base"), reference_name("a.yaml#/Pet")
    ('User--Base', 'Pet')
    >>> reference_name("#/components/schemas/File/properties/owner")
    'File.owner'
    """
    path, fragment = split_reference(reference)
    tokens = tokens_of(fragment)
    if not tokens:
        return path or reference
    above = owner(tokens)
    if above and len(tokens) > len(above):
        return f"{above[-1]}.{tokens[-1]}"
    return tokens[-1]


def _combined(here: Mapping[str, object]) -> str:
    """Return what a schema is itself, and what it is put together from."""
    texts = [_own(here), _joined(here, "allOf", " and ")]
    texts += [_joined(here, choice, " or ") for choice in ("oneOf", "anyOf")]
    said = [text for text in texts if text]
    named = [text for text in said if text != "object"]
    return " and ".join(dict.fromkeys(named or said))


def _joined(here: Mapping[str, object], key: str, between: str) -> str:
    """Return the types of the parts of a schema; those without one only describe."""
    texts = [type_text(part) for part in sequence(here.get(key))]
    return between.join(dict.fromkeys(text for text in texts if text))


def _own(here: Mapping[str, object]) -> str:
    """Return the type that a schema states or shows."""
    stated = here.get("type")
    names = [plain(name) for name in (stated if isinstance(stated, list) else [stated])]
    shown = {"items": "array", "properties": "object", "additionalProperties": "object"}
    if not any(names):
        names = [name for key, name in shown.items() if mapping(here.get(key))][:1]
    return " or ".join(_one(name, here) for name in names if name)


def _one(name: str, here: Mapping[str, object]) -> str:
    """Return one type with what it is made of, or its format."""
    if name == "array" and (inner := type_text(here.get("items"))):
        return f"array of ({inner})" if " or " in inner else f"array of {inner}"
    if name == "object" and not mapping(here.get("properties")):
        values = type_text(here["additionalProperties"]) if _is_map(here) else ""
        return f"map of {values}" if values else name
    style = plain(here.get("format")) if name not in {"null", "object", "array"} else ""
    return f"{name} {style}".strip()


def _is_map(here: Mapping[str, object]) -> bool:
    return bool(mapping(here.get("additionalProperties")))


def _or_null(here: Mapping[str, object], text: str) -> str:
    return f"{text} or null" if here.get("nullable") is True and text else text
