"""An API description as a tree of plain values, and where its references lead (RFC 6901).

Descriptions break their format in every way; what cannot be meant is taken for empty. A target has
one spelling: percent signs are decoded, `~` and `/` inside a name are `~0` and `~1`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from research_agent.text.addresses import decoded
from research_agent.types.documents import Block
from research_agent.types.references import Link

METHODS = ("get", "put", "post", "patch", "delete", "head", "options", "trace", "query")
"""The keys of a path that are operations."""
WEBHOOKS = ("webhooks", "x-webhooks")  # where webhooks are; the second one before OpenAPI 3.1
SCHEMAS = (("components", "schemas"), ("definitions",))  # where schemas are: OpenAPI 3, Swagger 2.0
SCHEMES = (("components", "securitySchemes"), ("securityDefinitions",))
"""Where security schemes are."""
LONGEST_CHAIN = 50  # references that are followed one after the other
MISSING = object()  # what `find` returns where a pointer leads nowhere

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_NAMED = frozenset({
    "$defs", "callbacks", "content", "definitions", "dependentSchemas", "encoding", "headers",
    "links", "parameters", "pathItems", "paths", "patternProperties", "properties",
    "requestBodies", "responses", "schemas", "securityDefinitions", "securitySchemes",
    "variables", "webhooks",
})  # fmt: skip
"""Keys whose value maps names to things, so that its own keys mean nothing."""
_DATA = frozenset({"const", "default", "enum", "example", "examples", "value"})
"""Keys whose value is the user's data."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATORS = re.compile(r"[\s\-_./{}:,()$#]+")

Place = tuple[str, ...]  # the keys that lead from the root to a value
Values = Mapping[str, object]
Markdown = Callable[[str], Sequence[Block]]
"""Reads a text in Markdown."""


@dataclass(frozen=True, slots=True)
class Api:
    """An API description, as a tree of plain values."""

    root: Mapping[str, object]
    markdown: Markdown = lambda _: ()
    """Reads descriptions; without it all are plain text."""

    def place(self, above: Sequence[Place], name: str) -> Place | None:
        """Return where something of that name is (`SCHEMAS`, `SCHEMES`); None if nowhere."""
        found = ((*keys, name) for keys in above)
        return next((place for place in found if find(self.root, place) is not MISSING), None)

    def locate(self, reference: str) -> Place | None:
        """Return the keys a local reference, or a schema's bare name, leads to; None if nowhere."""
        path, fragment = split_reference(reference)
        if path:
            return None if is_remote(path) or fragment else self.place(SCHEMAS, path)
        tokens = tokens_of(fragment)
        if find(self.root, tokens) is not MISSING:
            return tokens
        for above in SCHEMAS:
            if tokens[: len(above)] == above:
                return self.place(SCHEMAS, "/".join(tokens[len(above) :]))
        return None

    def followed(self, value: object) -> Mapping[str, object]:
        """Return a value, or the target of its reference overridden by the keys beside it."""
        beside: dict[str, object] = {}
        for _ in range(LONGEST_CHAIN):
            here = mapping(value)
            beside = {key: item for key, item in here.items() if key != "$ref"} | beside
            reference = here.get("$ref")
            place = self.locate(reference) if isinstance(reference, str) else None
            if place is None:
                return {**here, **beside}
            value = find(self.root, place)
        return {}

    def links(self, value: object) -> tuple[Link, ...]:
        """Return the targets of all references inside a value, each once, in reading order.

        Parts without a chunk of their own, such as shared parameters, are followed.
        """
        found: dict[str, None] = {}
        seen: set[str] = set()
        pending = list(references(value))[::-1]
        while pending:
            reference = pending.pop()
            if reference in seen:
                continue
            seen.add(reference)
            place = self.locate(reference)
            if place is None:
                if target := outside(reference):
                    found[target] = None
            elif above := owner(place):
                found[pointer(*above)] = None
            else:
                pending += list(references(find(self.root, place)))[::-1]
        return tuple(Link(target, "schema") for target in found)

    def dangling(self) -> Counter[str]:
        """Return the references that lead nowhere, those to other documents not counted."""
        return Counter(
            reference
            for reference in references(self.root)
            if self.locate(reference) is None
            and not outside(reference)
            and not is_remote(reference)
        )


def pointer(*tokens: str) -> str:
    """Return the pointer to the value below these keys.

    >>> pointer("paths", "/folder_locks", "post")
    '#/paths/~1folder_locks/post'
    """
    return "#" + "".join(f"/{token.replace('~', '~0').replace('/', '~1')}" for token in tokens)


def tokens_of(fragment: str) -> Place:
    """Return the keys in a reference's fragment, the part behind "#"."""
    parts = decoded(fragment).split("/")[1:]
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)


def split_reference(reference: str) -> tuple[str, str]:
    """Return the path of another document, "" for the same one, and the fragment."""
    path, _, fragment = reference.strip().partition("#")
    return path, fragment


def is_remote(path: str) -> bool:
    """Say whether a reference leads to another server instead of another file."""
    return bool(_SCHEME.match(path))


def find(root: object, tokens: Sequence[str]) -> object:
    """Return the value below some keys; `MISSING` where there is none."""
    value = root
    for token in tokens:
        if isinstance(value, Mapping) and token in value:
            value = value[token]
        elif isinstance(value, list) and token.isdecimal() and int(token[:9]) < len(value):
            value = value[int(token[:9])]
        else:
            return MISSING
    return value


def references(value: object) -> Iterator[str]:
    """Yield every reference inside a value, in reading order; examples are not looked into.

    >>> list(references({"properties": {"default": {"$ref": "#/a"}}, "default": {"$ref": "#/b"}}))
    ['#/a']
    """
    pending: list[tuple[object, bool]] = [(value, False)]
    while pending:
        here, named = pending.pop()
        if isinstance(here, list):
            pending += [(item, False) for item in reversed(here)]
        if not isinstance(here, dict):
            continue
        if not named:
            if isinstance(reference := here.get("$ref"), str):
                yield reference
            chosen = mapping(mapping(here.get("discriminator")).get("mapping"))
            yield from (to_schema(target) for target in chosen.values() if isinstance(target, str))
        pending += [
            (item, not named and key in _NAMED)
            for key, item in reversed(here.items())
            if isinstance(item, dict | list)
            and (named or not (key in _DATA or key.startswith("x-")))
        ]


def owner(place: Place) -> Place | None:
    """Return the operation, schema or security scheme that a place belongs to, if any."""
    for above in (*SCHEMAS, *SCHEMES):
        if place[: len(above)] == above and len(place) > len(above):
            return place[: len(above) + 1]
    called = place[0:1] == ("paths",) or place[0:1] in [(key,) for key in WEBHOOKS]
    return place[:3] if called and place[2:3] and place[2].lower() in METHODS else None


def outside(reference: str) -> str:
    """Return the target of a reference into another file; "" for every other reference."""
    path, fragment = split_reference(reference)
    is_file = path and not is_remote(path) and (fragment or "." in path or "/" in path)
    if not is_file:
        return ""
    return path + pointer(*tokens_of(fragment)) if fragment else path


def to_schema(target: str) -> str:
    """Return the reference that a discriminator means: a name is a schema's."""
    is_name = not any(mark in target for mark in "#/") and not target.endswith((".json", ".yaml"))
    return pointer("components", "schemas", target) if is_name else target


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
    """Return a value that may be sent: a default, an example, a member of an enumeration.

    Texts have no quotes: whether `5` is a text or a number, the schema says.

    >>> sample({"id": "5", "of": ["a", None]})
    '{id: 5, of: [a, null]}'
    """
    if value is None:
        return "null"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {sample(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(sample, value))}]"
    return plain(value) or '""'


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
