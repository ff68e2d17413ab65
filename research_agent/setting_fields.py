"""What is known of a setting beside its value: its range, its unit and its description."""

import ast
import inspect
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, lru_cache
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from research_agent.errors import ConfigError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Range:
    """The hard range of a number, both ends included, and what is counted."""

    low: float
    high: float
    unit: str = ""


def constant(value: T) -> T:
    """Return a field that programs and tests may set, and that is no key of a file."""
    made: T = field(default=value, metadata={"hidden": True})
    return made


@cache
def _hints(owner: type) -> Mapping[str, Any]:
    return get_type_hints(owner, include_extras=True)


def number_range(owner: type, name: str) -> Range | None:
    """Return the hard range of a field, None where it has none."""
    hint = _hints(owner)[name]
    if get_origin(hint) is not Annotated:
        return None
    return next(extra for extra in get_args(hint) if isinstance(extra, Range))


def choices(owner: type, name: str) -> tuple[str, ...]:
    """Return the words that a field may hold; empty where it is free."""
    hint = _hints(owner)[name]
    return tuple(filter(None, get_args(hint))) if get_origin(hint) is Literal else ()


def descriptions(owner: type) -> Mapping[str, str]:
    """Return the texts below the fields of a section, in one line each."""
    return _descriptions(owner)


@cache
def _descriptions(owner: type) -> Mapping[str, str]:
    body = ast.parse(inspect.getsource(owner)).body[0]
    found: dict[str, str] = {}
    name = ""
    for line in getattr(body, "body", ()):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            name = line.target.id
        elif name and isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
            found[name] = " ".join(str(line.value.value).split())
    return found


def values(section: object) -> Mapping[str, object]:
    """Return the fields of a section by name; nothing for a value that is no section."""
    if not is_dataclass(section):
        return {}
    shown = (item.name for item in fields(section) if not item.metadata.get("hidden"))
    return {name: getattr(section, name) for name in shown}


def lines(settings: object, prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield every key with its value, as `section.key`."""
    for name, value in values(settings).items():
        if values(value):
            yield from lines(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def leaves(
    data: Mapping[str, object], known: object, prefix: str = ""
) -> Iterator[tuple[str, object]]:
    """Yield the keys of a tree of settings with their values, as `lines` those of `known`."""
    for name, value in data.items():
        section = values(known).get(name)
        if isinstance(value, Mapping) and values(section):
            yield from leaves(value, section, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


@lru_cache(maxsize=128)
def check_ranges(section: Hashable, prefix: str = "") -> None:
    """Raise ConfigError for the first number outside its range, in `section` or below it.

    Settings are changed for single questions; a section that was found good is not read again.
    """
    for key, value in values(section).items():
        name = f"{prefix}{key}"
        for section_below in value if isinstance(value, tuple) else (value,):
            if values(section_below):
                check_ranges(section_below, f"{name}.")
        limits = number_range(type(section), key)
        if limits and isinstance(value, int | float) and not limits.low <= value <= limits.high:
            wanted = f"{limits.low:g} to {limits.high:g} {limits.unit}".rstrip()
            message = f"{name} must be {wanted}, got {value}"
            raise ConfigError(message, hint=f"Change {name} in the configuration.")
