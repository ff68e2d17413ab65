"""Examples in an API description: short ones in brackets, others on lines of their own."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from research_agent.documents.openapi.descriptions import one_line
from research_agent.documents.openapi.lines import Line
from research_agent.documents.openapi.tree import Api, in_brackets, mapping, sample, sequence

SHORT = 60  # characters of examples, or of a default, in brackets at most
LONG = 300
"""Characters of an example beside a schema at most: longer ones repeat what its fields say."""


class _Example(NamedTuple):
    text: str
    name: str = ""
    about: str = ""
    parted: bool = False  # whether it has fields or items


def short_examples(api: Api, holder: object) -> tuple[str, ...]:
    """Return the first examples of which nothing is said, as many as fit in brackets."""
    plain = (one.text for one in _examples(api, holder) if not one.about)
    texts = list(dict.fromkeys(plain))[:SHORT]
    while len(" or ".join(texts)) > SHORT:
        texts.pop()
    return tuple(texts)


def value_examples(api: Api, label: str, holder: object) -> Iterator[Line]:
    """Yield the examples of a value that do not fit in brackets; long texts are left out."""
    found = (one for one in _examples(api, holder) if one.about or one.parted)
    yield from _lines(label, found, short_examples(api, holder))


def message_examples(
    api: Api, label: str, holders: Iterable[object], schema: object
) -> Iterator[Line]:
    """Yield the examples of a message; long ones too where no schema tells its fields."""
    found = (one for holder in (*holders, schema) for one in _examples(api, holder))
    yield from _lines(label, found, short_examples(api, schema), LONG if schema else None)


def _lines(
    label: str, examples: Iterable[_Example], known: Iterable[str], most: int | None = LONG
) -> Iterator[Line]:
    seen = set(known)
    for one in examples:
        if one.text not in seen and (most is None or len(one.text) <= most):
            seen.add(one.text)
            said = " ".join(filter(None, (label, "example", in_brackets(one.name, one.about))))
            yield Line(f"{said}: {one.text}", label=said)


def _examples(api: Api, holder: object) -> Iterator[_Example]:
    here = mapping(holder)
    several = here.get("examples")
    for value in (here.get("example"), *sequence(several)):
        if value not in (None, ""):
            yield _Example(sample(value), parted=isinstance(value, dict | list))
    for name, value in mapping(several).items():
        # (Swagger 2.0 has the example itself here)
        known = mapping(None) if "swagger" in api.root else api.followed(value)
        about = one_line(known.get("summary")) or one_line(known.get("description"))
        shown = known.get("value", known.get("externalValue", value))
        yield _Example(sample(shown), name, about, parted=isinstance(shown, dict | list))
