"""The command `config`: settings shown, changed, written to a file, trusted."""

import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

import click

from research_agent import private_files
from research_agent.config import (
    FILE,
    Configured,
    configured,
    file_keys,
    guarded_of,
    named_file,
    read_bytes,
    set_variable,
)
from research_agent.config_edit import edited
from research_agent.config_text import config_text, short_text, yaml_value
from research_agent.errors import ConfigError
from research_agent.interfaces.cli.options import CONFIG, SETTINGS
from research_agent.interfaces.cli.process import exits
from research_agent.interfaces.cli.terminal import say
from research_agent.presets import (
    NAMES,
    described,
    preset_text,
    preset_values,
    resolved,
    with_preset,
)
from research_agent.setting_fields import lines
from research_agent.settings import Settings
from research_agent.text.addresses import without_passwords
from research_agent.trust import forget, own_folder, trust


@click.group("config")
def config_command() -> None:
    """Show or write the settings."""


@config_command.command("show")
@SETTINGS
@click.option("--preset", metavar="NAME", help="Print a preset file: local, full or seed.")
@click.option("--changed", is_flag=True, help="Print only keys that differ from the default.")
@exits
def show_command(*, config: str | None, preset: str | None, changed: bool) -> int:
    """Print every key with its value and its source, or a preset's file.

    Where a setting is wrong, the defaults and the error.
    """
    problem = None
    try:
        found = configured(config, os.environ)
    except ConfigError as error:
        found, problem = Configured(with_preset(Settings(), "auto")), error
    if preset:
        say(preset_text(resolved(found.settings, preset)).rstrip())
    else:
        say(f"# {described(found.settings)}")
        say(f"# files: {', '.join(map(str, found.files)) or 'none'}")
        say("# Where nothing is said behind a value, it is the default.")
        say("\n".join(yaml_lines(found, changed=changed)))
    if problem:
        raise problem
    return 0


def yaml_lines(found: Configured, *, changed: bool) -> Iterator[str]:
    """Yield settings as YAML, section by section, with where each value comes from."""
    defaults, sources = dict(lines(Settings())), _sources(found)
    above: tuple[str, ...] = ()
    for key, value in lines(found.settings):
        if changed and key not in sources:
            continue
        *sections, name = key.split(".")
        for depth, section in enumerate(sections):
            if above[: depth + 1] != tuple(sections[: depth + 1]):
                yield f"{'  ' * depth}{section}:"
        above = tuple(sections)
        line = f"{'  ' * len(sections)}{name}: {without_passwords(yaml_value(value))}"
        source = sources.get(key, "")
        instead = f"; default {yaml_value(defaults[key])}" if value != defaults[key] else ""
        yield f"{line}  # {source}{instead}" if source else line


def _sources(found: Configured) -> Mapping[str, str]:
    laid = found.settings.laid
    keys = (key for key in preset_values(laid.name) if key not in laid.own)
    sources = dict.fromkeys(keys, f"preset {laid.name}")
    for file in found.files:
        sources |= dict.fromkeys(file_keys(file), str(file))
    known = dict(lines(found.settings))
    for key in laid.own:
        variable = set_variable(f"{key}=null")[0] if key in known else ""
        sources[key] = variable if variable in os.environ else sources.get(key, "old variable")
    return sources


@config_command.command("get")
@click.argument("key")
@SETTINGS
@exits
def get_command(*, key: str, config: str | None) -> int:
    """Print the value of a key such as retrieval.top_k, or all keys of a section."""
    values = dict(lines(configured(config, os.environ).settings))
    below = {name: value for name, value in values.items() if name.startswith(f"{key}.")}
    if key not in values and not below:
        names = {*values, *(name.rpartition(".")[0] for name in values)}
        near = get_close_matches(key, filter(None, names), n=1)
        hint = f"Did you mean {near[0]}?" if near else "research-agent config show lists every key"
        raise ConfigError(f"unknown key {key}", hint=hint)
    lines_below = [f"{name}: {yaml_value(value)}" for name, value in below.items()]
    say("\n".join(lines_below) if below else yaml_value(values[key]))
    return 0


@config_command.command("set")
@click.argument("key")
@click.argument("value")
@CONFIG
@exits
def set_command(*, key: str, value: str, config: str | None) -> int:
    """Set a key such as models.chat.model in your own settings file, or in --config FILE.

    Everything else in the file stays as it is, comments included.
    """
    set_variable(f"{key}={value}")
    file = named_file(config, os.environ) or own_folder(os.environ) / FILE
    before = ""
    if file.exists():
        file_keys(file)  # (raises what is wrong with it, but for values, which may be set right)
        before = read_bytes(file).decode()
    _write(file, edited(before, key, value, file), replaces=True)
    say(f"{file}: {key} is {value}")
    return 0


@config_command.command("init")
@click.argument("path", default="")
@click.option("--full", is_flag=True, help="Write every key with its meaning, range and default.")
@exits
def init_command(*, path: str, full: bool) -> int:
    """Write a settings file to fill in: your own, which applies everywhere, or PATH."""
    laid = {key for name in NAMES if name != "auto" for key in preset_values(name)}
    file = Path(path).expanduser() if path else own_folder(os.environ) / FILE
    _write(file, config_text(laid) if full else short_text(), replaces=False)
    say(f"wrote {file}")
    return 0


def _write(file: Path, text: str, *, replaces: bool) -> None:
    hint = "Name a file in a folder that you may write to: research-agent config init PATH"
    try:
        if file.exists() and not replaces:
            raise ConfigError(f"{file} exists already", hint="Name another file.")
        if file.parent == own_folder(os.environ):
            private_files.make_folder(file.parent)
        private_files.replace_text(file.resolve(), text)
    except OSError as error:
        problem = error.strerror or error
        raise ConfigError(f"{file} cannot be written: {problem}", hint=hint) from error


@config_command.command("trust")
@click.argument("path", default="")
@click.option("--forget", "remove", is_flag=True, help="Stop trusting the file.")
@exits
def trust_command(*, path: str, remove: bool) -> int:
    """Let this folder's research-agent.yaml, as it is now, set hosts, keys and paths."""
    file = Path(path or FILE).expanduser().absolute()
    if remove:
        say(f"{'no longer' if forget(file, os.environ) else 'was not'} trusted: {file}")
        return 0
    content = read_bytes(file)
    chosen = guarded_of(file, content)
    trust(file, content, os.environ)
    say(f"trusted as it is now: {file}")
    for key, value in chosen.items():
        say(f"{key}: {value!r}")
    return 0
