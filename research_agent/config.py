"""`config.yaml`, the environment and the prompt files to values: the only reader of them."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from research_agent.errors import ConfigError
from research_agent.old_names import gone_keys, notes, old_values
from research_agent.presets import check_preset, laid_under
from research_agent.private_files import read_regular
from research_agent.prompts import VARIABLES, Prompts, PromptTemplate
from research_agent.setting_fields import leaves, values
from research_agent.settings import Settings
from research_agent.trust import guarded_keys, own_folder, trust_of
from research_agent.yaml_text import read_yaml

if TYPE_CHECKING:
    from pydantic import TypeAdapter

PREFIX = "RESEARCH_AGENT_"
PRESET = f"{PREFIX}PRESET"
FILE = "research-agent.yaml"
PROJECT_BYTES = 1 << 17
"""A folder's file has no more: every setting with its meaning takes a quarter of that."""
DATA = Path(__file__).parent / "data"
SOURCE = Path(__file__).parent.parent
"""The project's folder where it runs from a checkout."""


def packaged(name: str) -> Path:
    """Return a file or folder that comes with the package: from the wheel, else the checkout."""
    inside = DATA / name
    return inside if inside.exists() else SOURCE / name


@dataclass(frozen=True, slots=True)
class Configured:
    """The settings, and the files that they were read from."""

    settings: Settings
    files: tuple[Path, ...] = ()
    """A later one lies over an earlier one."""
    notes: tuple[str, ...] = ()
    """Notes about old variables of the environment (`research_agent.old_names`)."""


def configured(named: str | None, environment: Mapping[str, str] = os.environ) -> Configured:
    """Read the settings: defaults, then files, then the environment.

    A variable names its key like this: RESEARCH_AGENT_RETRIEVAL__TOP_K=20. A file that is named,
    here or by RESEARCH_AGENT_CONFIG, is the only one. Without one it is the user's own, and over it
    `research-agent.yaml` of the current folder. Unless the user trusts that one it sets no guarded
    key: whoever has made the folder does not choose whom to ask.
    Raises ConfigError, also for a named file that does not exist.
    """
    if file := named_file(named, environment):
        return _laid(_read(file), environment, str(file), (file.absolute(),))
    own, project = own_folder(environment) / FILE, Path(FILE)
    files = [own] if own.is_file() else []
    data = _read(own) if files else {}
    if project.is_file() and not (files and project.samefile(own)):
        files.append(project.absolute())
        data = _merged(data, _project(files[-1], _settings(data, str(own)), environment))
    return _laid(data, environment, str((own, *files)[-1]), tuple(files))


def named_file(named: str | None, environment: Mapping[str, str]) -> Path | None:
    """Return the file that is named, here or in the environment; raises ConfigError without it."""
    wanted = named or environment.get(f"{PREFIX}CONFIG")
    if not wanted:
        return None
    path = Path(wanted).expanduser()
    if not path.is_file():
        raise ConfigError(
            f"no such configuration file: {wanted}",
            hint=f"Make one: research-agent config init {shlex.quote(wanted)}",
        )
    return path


def guarded_of(path: Path, content: bytes) -> dict[str, object]:
    """Return what a project file sets that it has to be trusted for; raises ConfigError."""
    return dict(guarded_keys(_parsed(path, content), Settings()))


def changed_settings(recorded: Mapping[str, object], given: Sequence[str]) -> Settings:
    """Return settings that were recorded, with changes such as "filter.mode=off".

    Recorded keys that this version does not have are passed over (`unknown_keys`). Raises
    ConfigError, which names what is wrong.

    >>> changed_settings({"filter": {"mode": "llm"}, "gone": 1}, ["filter.mode=off"]).filter.mode
    'off'
    """
    tree: dict[str, object] = {}
    for change in given:
        tree = _merged(tree, _set(change)[2])
    settings = _settings(_merged(recorded, tree), "--set" if given else "trace")
    own = (*settings.laid.own, *(key for key, _ in leaves(tree, Settings())))
    return laid_under(settings, settings.preset, own) if "preset" in tree else settings


def set_variable(change: str) -> tuple[str, str]:
    """Return a change such as "filter.mode=off" as a variable of the environment.

    Raises ConfigError for a key that is not there and for what is no YAML.
    """
    key, text, _ = _set(change)
    return PREFIX + key.upper().replace(".", "__"), text


def _set(change: str) -> tuple[str, str, dict[str, object]]:
    key, equals, text = change.partition("=")
    if not equals:
        hint = "Write a key, =, and its value, such as --set filter.mode=off"
        raise ConfigError(f"--set {change}: no value is given", hint=hint)
    key = key.strip()
    tree = _grown({}, key.split("."), _value(f"--set {key}", text))
    _refuse_unknown(tree, Settings(), "--set")
    return key, text, tree


def unknown_keys(
    recorded: Mapping[str, object], known: object = Settings(), section: str = ""
) -> tuple[str, ...]:
    """Return the recorded keys that this version does not have."""
    found: list[str] = []
    for key, value in recorded.items():
        below = getattr(known, key, None)
        if not hasattr(known, key):
            found.append(f"{section}{key}")
        elif isinstance(value, Mapping) and values(below) and key != "laid":
            found += unknown_keys(value, below, f"{section}{key}.")
    return tuple(found)


def load_prompts() -> Prompts:
    """Read one file a prompt; a missing file or variable, or one too many, is an error."""
    folder, texts = packaged("prompts"), {}
    for name in VARIABLES:
        file = folder / f"{name}.md"
        if not file.is_file():
            raise ConfigError(f"no prompt file {file}", hint="Each prompt has a file of its own.")
        texts[name] = PromptTemplate(name, file.read_text(encoding="utf-8"))
    return Prompts(**texts)


def read_bytes(path: Path, most: int = 0) -> bytes:
    """Return the bytes of a configuration file, a regular one of at most `most`; 0: any.

    Raises ConfigError.
    """
    try:
        return read_regular(path, most) if most else path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror or error}",
            hint="Is it a file that you may read? Or make one: research-agent config init",
        ) from error


def file_keys(path: Path) -> Mapping[str, object]:
    """Return what a file sets, by keys such as "budget.rounds"; raises ConfigError."""
    return dict(leaves(_read(path), Settings()))


def check_content(path: Path, content: bytes) -> None:
    """Raise ConfigError for a file's content that holds no good settings."""
    _settings(_parsed(path, content), str(path))


def _read(path: Path) -> dict[str, object]:
    return _parsed(path, read_bytes(path))


def _parsed(path: Path, content: bytes) -> dict[str, object]:
    try:
        data = read_yaml(content.decode())
    except (yaml.YAMLError, ValueError) as error:  # (ValueError: no UTF-8, or no date)
        message = f"{path} is not YAML: {' '.join(str(error).split())}"
        raise ConfigError(message, hint="Mend the file.") from error
    if not isinstance(data or {}, dict):
        raise ConfigError(f"{path} must hold sections", hint="See: research-agent config show")
    known = values(Settings())
    filled = {key: v for key, v in (data or {}).items() if v is not None or key not in known}
    _refuse_unknown(filled, Settings(), str(path))
    return filled


def _project(path: Path, below: Settings, environment: Mapping[str, str]) -> dict[str, object]:
    """Read the file of the current folder; raises ConfigError where it has to be trusted first."""
    content = read_bytes(path, PROJECT_BYTES)
    data = _parsed(path, content)
    keys = [key for key, _ in guarded_keys(data, below)]
    trust = trust_of(path, content, environment) if keys else "trusted"
    if trust == "trusted":
        return data
    why = " (it has changed since it was trusted)" if trust == "changed" else ""
    raise ConfigError(
        f"{path} is not trusted{why}, and sets {', '.join(keys)}",
        hint="Read the file. If it shall choose these for you: research-agent config trust",
    )


def _laid(
    data: Mapping[str, object],
    environment: Mapping[str, str],
    where: str,
    files: tuple[Path, ...] = (),
) -> Configured:
    """Return the settings of a file with those of the environment over them, and a preset below.

    Old variables are below both, above the preset.
    """
    given = _from_environment(environment)
    _refuse_unknown(given, Settings(), "environment")
    named = _merged(data, given)
    old: dict[str, object] = {}
    for key, (_, value) in old_values(environment).items():
        old = _grown(old, key.split("."), value)
    whole = _merged(old, named)
    settings = _settings(whole, where, given)
    laid = laid_under(settings, settings.preset, tuple(key for key, _ in leaves(whole, Settings())))
    return Configured(laid, files, notes(environment, dict(leaves(named, Settings()))))


def _from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    tree: dict[str, object] = {}
    for name, text in sorted(environment.items()):
        if name == PRESET or (name.startswith(PREFIX) and "__" in name):
            path = name.removeprefix(PREFIX).lower().split("__")
            tree = _grown(tree, path, _value(f"the environment variable {name}", text))
    return tree


def _grown(tree: dict[str, object], path: Sequence[str], value: object) -> dict[str, object]:
    for part in reversed(path):
        value = {part: value}
    return _merged(tree, value) if isinstance(value, dict) else tree


def _value(name: str, text: str) -> object:
    try:
        value: object = read_yaml(text)
    except (yaml.YAMLError, ValueError) as error:  # (ValueError: what looks like a date)
        message = f"{name} is not YAML: {' '.join(str(error).split())}"
        raise ConfigError(message, hint="Put text with such characters in quotes.") from error
    return value


def _merged(under: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    result = dict(under)
    for key, value in over.items():
        below = result.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            result[key] = _merged(below, value)
        else:
            result[key] = value
    return result


def _refuse_unknown(data: object, defaults: object, where: str, section: str = "") -> None:
    known = values(defaults)
    if not isinstance(data, dict):
        raise ConfigError(
            f"{where}: {section.rstrip('.')} must be a section with keys below it",
            hint=f"Keys: {', '.join(known)}",
        )
    for key, value in data.items():
        if key not in known:
            if gone := gone_keys().get(f"{section}{key}"):
                hint = f"Take it out of {where}." if where.endswith("yaml") else "Unset it."
                raise ConfigError(f"{where}: {section}{key} {gone}", hint=hint)
            near = get_close_matches(str(key), known, n=1)
            hint = f"Did you mean {section}{near[0]}?" if near else f"Keys: {', '.join(known)}"
            raise ConfigError(f"{where}: unknown key {section}{key}", hint=hint)
        if values(known[key]):
            _refuse_unknown(value, known[key], where, f"{section}{key}.")


def _settings(
    data: Mapping[str, object], where: str, given: Mapping[str, object] | None = None
) -> Settings:
    """Return settings; raises ConfigError, which says `where` a value is: in a file, or `given`."""
    from pydantic import ValidationError

    check_preset(str(data.get("preset", "auto")))
    try:
        return _codec().validate_python(data)
    except (ValidationError, ConfigError) as error:
        if isinstance(error, ConfigError):  # (which begins with its key)
            message, hint = str(error), error.hint
            key = message.partition(" ")[0]
        else:
            first, hint = error.errors()[0], "See: research-agent config show"
            key = ".".join(map(str, first["loc"]))
            message = f"{key}: {first['msg'].replace('tuple', 'list')}"
        if any(f"{key}.".startswith(f"{name}.") for name, _ in leaves(given or {}, Settings())):
            where = f"an option or {PREFIX}{key.upper().replace('.', '__')}"
        raise ConfigError(f"{where}: {message}", hint=hint) from error


@cache
def _codec() -> "TypeAdapter[Settings]":
    from pydantic import TypeAdapter

    return TypeAdapter(Settings)
