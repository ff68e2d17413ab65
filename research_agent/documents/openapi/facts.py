"""What a schema says of its values beside their type, and what it says they mean."""

from collections.abc import Iterator, Mapping

from research_agent.documents.openapi.values import (
    EXAMPLE_CHARS,
    mapping,
    one_line,
    plain,
    sample,
    sequence,
)

_FLAGS = {"readOnly": "read-only", "writeOnly": "write-only", "deprecated": "deprecated"}


def facts(schema: object, extra: Mapping[str, object], *, required: bool) -> tuple[str, ...]:
    """Return what holds of the values, a few words each.

    `extra` is what stands beside the schema, as in a parameter.

    >>> facts({"enum": ["a", None], "maxLength": 9}, {"deprecated": True}, required=True)
    ('required', 'deprecated', 'one of: a, null', 'at most 9 characters')
    """
    here = {**stated(schema), **extra}
    inner = stated(here.get("items"))
    found = ["required"] if required else []
    found += [text for key, text in _FLAGS.items() if here.get(key) is True]
    found += _values(here, "")
    found += _values(inner, "each ")
    found += _limits(here)
    if "default" in here and len(text := sample(here["default"])) <= EXAMPLE_CHARS:
        found.append(f"default {text}")
    if example := _example(here):
        found.append(f"e.g. {example}")
    return tuple(found)


def meaning(schema: object, extra: Mapping[str, object]) -> str:
    """Return the description of a value in one line, or its title; "" where there is neither.

    >>> meaning({"allOf": [{"$ref": "#/a"}, {"description": "The owner."}]}, {})
    'The owner.'
    """
    here = stated(schema)
    inner = stated(here.get("items"))
    said = (extra.get("description"), here.get("description"), inner.get("description"))
    titles = (here.get("title"), extra.get("summary"))
    return next((text for text in map(one_line, (*said, *titles)) if text), "")


def stated(schema: object) -> Mapping[str, object]:
    """Return what a schema states itself or in parts that it consists of.

    >>> stated({"allOf": [{"enum": ["a"]}, {"$ref": "#/a"}]})["enum"]
    ['a']
    """
    here = mapping(schema)
    merged: dict[str, object] = {}
    for part in sequence(here.get("allOf")):
        if "$ref" not in mapping(part):
            merged = {**stated(part), **merged}
    return {**merged, **here}


def required_names(schema: object) -> frozenset[str]:
    """Return the fields that a schema requires, itself or in parts that it consists of.

    >>> sorted(required_names({"required": ["a"], "allOf": [{"required": ["b"]}]}))
    ['a', 'b']
    """
    here = mapping(schema)
    own = {plain(name) for name in sequence(here.get("required"))}
    parts = (part for part in sequence(here.get("allOf")) if "$ref" not in mapping(part))
    return frozenset(own).union(*map(required_names, parts))


def _values(here: Mapping[str, object], each: str) -> Iterator[str]:
    """Yield which values there are."""
    if members := sequence(here.get("enum")):
        yield f"{each}one of: {', '.join(map(sample, members))}"
    if "const" in here:
        yield f"{each}always {sample(here['const'])}"
    if pattern := plain(here.get("pattern")):
        yield f"{each}like {pattern}"


def _limits(here: Mapping[str, object]) -> Iterator[str]:
    """Yield how large and how many."""
    yield from _range(here, "minimum", "maximum", "")
    for key, words in (("exclusiveMinimum", "above"), ("exclusiveMaximum", "below")):
        if here.get(key) is True:
            yield f"{words} it"
        elif limit := plain(here.get(key)).replace("false", ""):
            yield f"{words} {limit}"
    if factor := plain(here.get("multipleOf")):
        yield f"a multiple of {factor}"
    yield from _range(here, "minLength", "maxLength", " characters")
    yield from _range(here, "minItems", "maxItems", " items")
    yield from _range(here, "minProperties", "maxProperties", " fields")
    if here.get("uniqueItems") is True:
        yield "no item twice"


def _range(here: Mapping[str, object], low: str, high: str, unit: str) -> Iterator[str]:
    least, most = plain(here.get(low)), plain(here.get(high))
    if least and most:
        yield f"{least}{unit}" if least == most else f"{least} to {most}{unit}"
    elif least:
        yield f"at least {least}{unit}"
    elif most:
        yield f"at most {most}{unit}"


def _example(here: Mapping[str, object]) -> str:
    """Return a short example; "" where there is none."""
    several = here.get("examples")
    first = next(iter(mapping(several).values()), None) or next(iter(sequence(several)), None)
    value = here.get("example", mapping(first).get("value", first))
    text = "" if isinstance(value, dict | list) else plain(value)
    return text if len(text) <= EXAMPLE_CHARS else ""
