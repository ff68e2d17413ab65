"""Keys that are gone, and variables of the systems that this project unites, as today's keys."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from research_agent.errors import ConfigError
from research_agent.setting_fields import number_range
from research_agent.settings import Settings
from research_agent.yaml_text import read_yaml

ON, OFF = ("1", "true"), ("0", "false")
"""How old switches are written."""


@dataclass(frozen=True, slots=True)
class Today:
    """What became of a variable."""

    key: str = ""
    """Today's key; empty: it has no counterpart."""
    words: Mapping[str, object] = field(default_factory=dict)
    """Values by the words that were written; empty: a number."""
    is_rest: bool = False
    """The key's value is what is missing to 1."""
    gone: str = ""
    """Why it has no counterpart, and what to do."""


@cache
def gone_keys() -> Mapping[str, str]:
    """Return what became of keys of earlier versions, "is now ..." or "is gone: ..."."""
    return {str(key): str(told) for key, told in _data("gone.yaml").items()}


def _data(name: str) -> Any:  # noqa: ANN401 (a file of ours)
    return read_yaml((Path(__file__).parent / "data" / name).read_text(encoding="utf-8"))


def _today(told: str | Mapping[str, Mapping[str, object]]) -> Today:
    if not isinstance(told, str):
        ((key, words),) = told.items()
        if "on" in words:
            words = dict.fromkeys(ON, words["on"]) | dict.fromkeys(OFF, words["off"])
        return Today(key, words)
    if told.startswith("gone: "):
        return Today(gone=told.removeprefix("gone: "))
    return Today(told.removeprefix("1 - "), is_rest=told.startswith("1 - "))


OLD = {name: _today(told) for name, told in _data("old_variables.yaml").items()}
"""Every old variable."""


def old_values(environment: Mapping[str, str]) -> Mapping[str, tuple[str, object]]:
    """Return what old variables say: today's keys, each with its variable and its value.

    Raises ConfigError for a value that the key cannot have, and for two variables that set one
    key differently.

    >>> old_values({"TMD_ALPHA": "0.2"})
    {'blend.alpha': ('TMD_ALPHA', 0.8)}
    """
    found: dict[str, tuple[str, object]] = {}
    for name, today in OLD.items():
        key, text = today.key, environment.get(name, "")
        if not key or not text.strip():
            continue
        value = _read(name, text, today)
        before, known = found.setdefault(key, (name, value))
        if known != value:
            raise ConfigError(
                f"{before} and {name} set {key} differently: {known} and {value}",
                hint=f"Unset one of them, or set {key} alone.",
            )
    return found


def notes(environment: Mapping[str, str], found: Mapping[str, object]) -> tuple[str, ...]:
    """Return a line for each old variable that is set; `found` are the keys set by their names.

    >>> notes({"TMD_ALPHA": "0.2", "TMD_DIAG": "1"}, {})
    ('TMD_ALPHA is an old name, read as blend.alpha: 0.8', 'TMD_DIAG has no counterpart: \
let blend.diagnostics name a file')
    """
    told = []
    values = old_values(environment)
    for name, today in OLD.items():
        if not environment.get(name, "").strip():
            continue
        if not today.key:
            told.append(f"{name} has no counterpart: {today.gone}")
        elif today.key in found:
            told.append(f"{name} is not used: {today.key} is set")
        else:
            now = values[today.key][1]
            told.append(f"{name} is an old name, read as {today.key}: {now}")
    return tuple(told)


def _read(name: str, text: str, today: Today) -> object:
    """Return the value of a key; raises ConfigError, which names the variable."""
    section, _, leaf = today.key.partition(".")
    owner = getattr(Settings(), section)
    limits, value, must_be = number_range(type(owner), leaf), _value(text, today), ""
    if value is None:
        must_be = f"one of {', '.join(today.words)}" if today.words else "a number"
    elif limits and isinstance(value, int | float) and not limits.low <= value <= limits.high:
        must_be = f"such that {today.key} is {limits.low:g} to {limits.high:g}"
    elif isinstance(getattr(owner, leaf), int) and isinstance(value, float):
        must_be = "a whole number"
    if must_be:
        raise ConfigError(
            f"the environment variable {name} must be {must_be}, got {text!r}",
            hint=f"It is an old name; today's is {today.key}.",
        )
    return value


def _value(text: str, today: Today) -> object:
    """Return what a text says; None for what the variable cannot hold."""
    if today.words:
        return today.words.get(text.strip().lower())
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    number = round(1 - number, 9) if today.is_rest else number
    return int(number) if number.is_integer() and not today.is_rest else number
