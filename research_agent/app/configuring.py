"""`research-agent config`."""

import os
from pathlib import Path

from research_agent.app.terminal import say
from research_agent.config import config_file, lines, load_settings, packaged
from research_agent.errors import ConfigError
from research_agent.settings import Settings


def show(config: str | None) -> int:
    """Print every key with its value; those that differ from the default say so."""
    path = config_file(config, os.environ)
    settings, defaults = load_settings(path, os.environ), dict(lines(Settings()))
    say(f"# {path or 'no file: defaults'}")
    for key, value in lines(settings):
        default = defaults[key]
        say(f"{key}: {value!r}" + ("" if value == default else f"  # default {default!r}"))
    return 0


def init(path: str) -> int:
    """Write the commented defaults to a new file."""
    target, text = Path(path), packaged("config.yaml").read_text(encoding="utf-8")
    try:
        if target.exists():
            raise ConfigError(
                f"{path} exists already", hint="Name another file, or remove it first."
            )
        if not target.absolute().parent.is_dir():
            raise ConfigError(f"no such folder: {target.parent}", hint="Make the folder first.")
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error.strerror or error}",
            hint="Name a file in a folder that you may write to: research-agent config init PATH",
        ) from error
    say(f"wrote {path}")
    return 0
