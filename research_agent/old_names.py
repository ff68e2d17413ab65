"""Keys that are gone, and variables of the systems that this project unites, as today's keys."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from research_agent.errors import ConfigError
from research_agent.yaml_text import read_yaml

SWITCHES = {"1": "on", "true": "on", "0": "off", "false": "off"}
"""How old switches are written."""


@cache
def gone_keys() -> Mapping[str, str]:
    """Return what became of keys of earlier versions, "is now ..." or "is gone: ..."."""
    return {str(key): str(what) for key, what in _data("gone.yaml").items()}


@cache
def old_variables() -> Mapping[str, str | Mapping[str, Mapping[str, object]]]:
    """Return today's key of each old variable; with values by words where they have others now."""
    found: Mapping[str, Any] = _data("old_variables.yaml")
    return found


def _data(name: str) -> Any:  # noqa: ANN401 (a file of ours)
    return read_yaml((Path(__file__).parent / "data" / name).read_text(encoding="utf-8"))


def old_values(environment: Mapping[str, str]) -> Mapping[str, tuple[str, object]]:
    """Return what old variables say: today's keys, each with its variable and its value.

    Raises ConfigError for a value that the key cannot have, and for two variables that set one
    key differently.

    >>> old_values({"TMD_ALPHA": "0.2"})
    {'blend.alpha': ('TMD_ALPHA', 0.8)}
    """
    found: dict[str, tuple[str, object]] = {}
    for name in old_variables():
        if not (text := environment.get(name, "").strip()):
            continue
        key, value = _read(name, text)
        before, known = found.setdefault(key, (name, value))
        if known != value:
            raise ConfigError(
                f"{before} and {name} set {key} differently: {known} and {value}",
                hint=f"Unset one of them, or set {key} alone.",
            )
    return found


def notes(environment: Mapping[str, str], found: Mapping[str, object]) -> tuple[str, ...]:
    """Return a line for each old variable that is set; `found` are the keys set by their names.

    >>> notes({"TMD_ALPHA": "0.2"}, {})
    ('TMD_ALPHA is an old name, read as blend.alpha: 0.8',)
    """
    return tuple(
        f"{name} is not used: {key} is set"
        if key in found
        else f"{name} is an old name, read as {key}: {value}"
        for key, (name, value) in old_values(environment).items()
    )


def _read(name: str, text: str) -> tuple[str, object]:
    """Return a variable's key and value; "1 - key" is the rest to 1."""
    target, value = old_variables()[name], read_yaml(text)
    if not isinstance(target, str):
        ((key, values),) = target.items()
        word = text.lower()
        value, must_be = values.get(SWITCHES.get(word, word)), f"one of {', '.join(values)}"
    else:
        key, must_be = target.removeprefix("1 - "), "a number"
        if isinstance(value, bool) or not isinstance(value, int | float):
            value = None
        elif key != target:
            value = round(1 - value, 9)
    if value is None:
        raise ConfigError(
            f"the environment variable {name} must be {must_be}, got {text!r}",
            hint=f"It is an old name; today's is {key}.",
        )
    return key, value
