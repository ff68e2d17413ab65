"""`docs/api.md`: every public name with its signature, fields and docstring, as text."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import get_args

import research_agent
from research_agent import errors
from research_agent.setting_fields import descriptions

HEAD = """# Public names

All of them are imported from `research_agent`; errors from `research_agent.errors`. What is not
here may change without notice. Versions follow semantic versioning: until 1.0 a new minor version
may change a public name, and CHANGELOG.md says so.

This page is generated: `python -m research_agent.interfaces.api_page > docs/api.md`.
"""


def api_page() -> str:
    """Return the page."""
    lines = [HEAD]
    for name in research_agent.__all__:
        lines += ["", f"## {name}", "", *_described(getattr(research_agent, name))]
    lines += ["", "## Errors", ""]
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        above = next(base.__name__ for base in kind.__bases__)
        lines.append(f"- `{name}({above})`: {_doc(kind)}")
    return "\n".join(lines) + "\n"


def _described(item: object) -> Iterator[str]:
    if inspect.isfunction(item):
        yield from (f"`{item.__name__}{_signature(item)}`", "", _doc(item))
    elif not inspect.isclass(item):
        yield "One of the events below and above, told apart by `event`."
    else:
        yield _doc(item)
        owners = [owner for owner in item.__mro__ if is_dataclass(owner)]
        told = {
            name: text for owner in reversed(owners) for name, text in descriptions(owner).items()
        }
        if owners:
            yield ""
        for field in fields(item) if is_dataclass(item) else ():
            about = f": {told[field.name]}" if field.name in told else ""
            yield f"- `{field.name}: {_annotation(item, field.name)}`{about}"
        for name, member in _members(item):
            if isinstance(member, property):
                yield from ("", f"### {item.__name__}.{name}", "", _doc(member))
                continue
            call = f"`{item.__name__}.{name}{_signature(member)}`"
            yield from ("", f"### {item.__name__}.{name}", "", call, "", _doc(member))


def _members(item: type) -> Iterator[tuple[str, object]]:
    """Yield the public methods and properties of ours, in the order in which they are written."""
    seen: set[str] = set()
    for owner in item.__mro__:
        if owner.__module__.startswith(("pydantic", "builtins", "abc", "typing")):
            continue
        for name, member in vars(owner).items():
            inner = member.__func__ if isinstance(member, classmethod) else member
            known = name.startswith("_") or name in seen
            if not known and (inspect.isfunction(inner) or isinstance(inner, property)):
                seen.add(name)
                yield name, inner


class _Default:
    """How a default value is shown: a dataclass or a class by its name alone."""

    def __init__(self, value: object) -> None:
        named = value if inspect.isclass(value) else type(value)
        by_name = named is value or is_dataclass(value)
        self._text = (
            f"{named.__name__}{'()' * (named is not value)}"
            if by_name
            else repr(value).replace("'", '"')
        )

    def __repr__(self) -> str:
        return self._text


def _signature(item: object) -> str:
    if not callable(item):
        return ""
    given = inspect.signature(item)
    own = [
        one if one.default is one.empty else one.replace(default=_Default(one.default))
        for one in given.parameters.values()
        if one.name not in ("self", "cls")
    ]
    return _short(str(given.replace(parameters=own)))


def _annotation(item: type, name: str) -> str:
    kinds = (vars(owner).get("__annotations__", {}).get(name) for owner in item.__mro__)
    return _short(inspect.formatannotation(next(filter(None, kinds))))


def _short(annotation: str) -> str:
    """Return an annotation without modules and quotes.

    >>> _short("(path: 'pathlib.Path' | None) -> collections.abc.Iterator[str]")
    '(path: Path | None) -> Iterator[str]'
    """
    events = " | ".join(one.__name__ for one in get_args(research_agent.Event))
    short = re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Za-z])", "", annotation.replace("'", ""))
    return short.replace(events, "Event")


def _doc(item: object) -> str:
    return (inspect.getdoc(item) or "").partition("\n>>> ")[0].strip()


if __name__ == "__main__":
    print(api_page(), end="")  # noqa: T201 (the page itself)
