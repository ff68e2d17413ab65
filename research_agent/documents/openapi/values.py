"""What a schema of an API description says of its values, in a few words."""

from collections.abc import Iterator, Mapping

from research_agent.documents.openapi.descriptions import remark
from research_agent.documents.openapi.examples import SHORT, short_examples
from research_agent.documents.openapi.tree import (
    Api,
    Values,
    mapping,
    owner,
    plain,
    sample,
    sequence,
    split_reference,
    tokens_of,
)

_FLAGS = {"readOnly": "read-only", "writeOnly": "write-only", "deprecated": "deprecated"}
_SEPARATED = {
    "spaceDelimited": "spaces",
    "pipeDelimited": "|",
    "csv": "commas",
    "ssv": "spaces",
    "tsv": "tabs",
    "pipes": "|",
}
"""What stands between items that are sent as one text: styles, and as Swagger 2.0 names them."""
_SHOWN = {"items": "array", "properties": "object", "additionalProperties": "object"}
"""What a schema without a type is by its keys."""
_RANGES = (
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
    ("minProperties", "maxProperties", " fields"),
)


def described(api: Api, schema: object, extra: Values, *, required: bool) -> str:
    """Return type and facts in a few words, as they are written in brackets behind a name."""
    said = facts(api, schema, extra, required=required)
    return ", ".join(filter(None, [type_text(schema), *said]))


def facts(api: Api, schema: object, extra: Values, *, required: bool) -> tuple[str, ...]:
    """Return what holds of the values in a few words each; `extra` is written beside the schema."""
    here = {**stated(schema), **extra}
    found = ["required"] if required else []
    found += [text for key, text in _FLAGS.items() if here.get(key) is True]
    found += _sent(here)
    found += _values(here, "")
    found += _values(stated(here.get("items")), "each ")
    found += _limits(here)
    if "default" in here and len(text := sample(here["default"])) <= SHORT:
        found.append(f"default {text}")
    for each, holder in (("", here), ("each ", stated(here.get("items")))):
        if examples := short_examples(api, holder):
            found.append(f"{each}e.g. {' or '.join(examples)}")
            break
    return tuple(found)


def meaning(api: Api, schema: object, extra: Values) -> tuple[str, ...]:
    """Return the description of a value as a remark, or its title; nothing without either."""
    here = stated(schema)
    inner = stated(here.get("items"))
    said = (extra.get("description"), here.get("description"), inner.get("description"))
    titles = (here.get("title"), extra.get("summary"))
    return next(filter(None, (remark(api, text) for text in (*said, *titles))), ())


def stated(schema: object) -> Mapping[str, object]:
    """Return what a schema states itself or in parts that it consists of."""
    here = mapping(schema)
    merged: dict[str, object] = {}
    for part in sequence(here.get("allOf")):
        if "$ref" not in mapping(part):
            merged = {**stated(part), **merged}
    return {**merged, **here}


def required_names(schema: object) -> frozenset[str]:
    """Return the fields that a schema requires, itself or in parts that it consists of."""
    here = mapping(schema)
    own = {plain(name) for name in sequence(here.get("required"))}
    parts = (part for part in sequence(here.get("allOf")) if "$ref" not in mapping(part))
    return frozenset(own).union(*map(required_names, parts))


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
        text = reference_name(reference)
    else:
        text = _combined(here)
        if "not" in here and (excluded := type_text(here["not"])):
            text = f"{text} but not {excluded}".strip()
    return f"{text} or null" if here.get("nullable") is True and text else text


def reference_name(reference: str) -> str:
    """Return the name by which people know what a reference leads to."""
    path, fragment = split_reference(reference)
    tokens = tokens_of(fragment)
    if not tokens:
        return path or reference
    above = owner(tokens)
    return f"{above[-1]}.{tokens[-1]}" if above and len(tokens) > len(above) else tokens[-1]


def _combined(here: Mapping[str, object]) -> str:
    said = [_own(here)]
    for key, between in (("allOf", " and "), ("oneOf", " or "), ("anyOf", " or ")):
        texts = filter(None, map(type_text, sequence(here.get(key))))
        said.append(between.join(dict.fromkeys(texts)))
    said = [text for text in said if text]
    named = [text for text in said if text != "object"]
    return " and ".join(dict.fromkeys(named or said))


def _own(here: Mapping[str, object]) -> str:
    kind = here.get("type")
    names = [plain(name) for name in (kind if isinstance(kind, list) else [kind])]
    if not any(names):
        names = [name for key, name in _SHOWN.items() if mapping(here.get(key))][:1]
    return " or ".join(_one(name, here) for name in names if name)


def _one(name: str, here: Mapping[str, object]) -> str:
    if name == "array" and (inner := type_text(here.get("items"))):
        return f"array of ({inner})" if " or " in inner else f"array of {inner}"
    if name == "object" and not mapping(here.get("properties")):
        values = type_text(mapping(here.get("additionalProperties")))
        return f"map of {values}" if values else name
    style = plain(here.get("format")) if name not in {"null", "object", "array"} else ""
    return f"{name} {style}".strip()


def _values(here: Mapping[str, object], each: str) -> Iterator[str]:
    if members := sequence(here.get("enum")):
        yield f"{each}one of: {', '.join(map(sample, members))}"
    if "const" in here:
        yield f"{each}always {sample(here['const'])}"
    if pattern := plain(here.get("pattern")):
        yield f"{each}like {pattern}"


_STRICT = (("exclusiveMinimum", "minimum", "above"), ("exclusiveMaximum", "maximum", "below"))
"""A limit of its own, or, up to OpenAPI 3.0, true: the other one is meant so."""


def _limits(here: Mapping[str, object]) -> Iterator[str]:
    whole = dict(here)
    strict = []
    for key, bound, words in _STRICT:
        limit = whole.pop(bound, None) if here.get(key) is True else here.get(key)
        if text := plain(limit).replace("false", ""):
            strict.append(f"{words} {text}")
    yield from (*_range(whole, "minimum", "maximum", ""), *strict)
    if factor := plain(here.get("multipleOf")):
        yield f"a multiple of {factor}"
    for low, high, unit in _RANGES:
        yield from _range(here, low, high, unit)
    if here.get("uniqueItems") is True:
        yield "no item twice"


def _sent(here: Values) -> Iterator[str]:
    style = plain(here.get("style", here.get("collectionFormat")))
    joined = here.get("explode") is False and "items" in here
    between = _SEPARATED.get(style, "commas" if joined else "")
    if between and here.get("explode") is not True:
        yield f"separated by {between}"
    elif style == "deepObject":
        yield "sent as name[field]=value"
    elif style == "multi":
        yield "sent once for each item"


def _range(here: Mapping[str, object], low: str, high: str, unit: str) -> Iterator[str]:
    least, most = plain(here.get(low)), plain(here.get(high))
    if least and most:
        yield f"{least}{unit}" if least == most else f"{least} to {most}{unit}"
    elif least:
        yield f"at least {least}{unit}"
    elif most:
        yield f"at most {most}{unit}"
