"""`research-agent config`."""

import os
from pathlib import Path

from research_agent.app.terminal import say
from research_agent.config import FILE, configured, guarded_of, lines, packaged, read_bytes
from research_agent.errors import ConfigError
from research_agent.settings import Settings
from research_agent.trust import forget, trust


def show(config: str | None) -> int:
    """Print every key with its value; those that differ from the default say so."""
    found, defaults = configured(config, os.environ), dict(lines(Settings()))
    say(f"# {', '.join(map(str, found.files)) or 'no file: defaults'}")
    for key, value in lines(found.settings):
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


def trust_file(path: str, *, remove: bool) -> int:
    """Trust a project file as it is now, and print what that lets it choose; or trust it no more.

    Raises ConfigError where there is no such file, or it is no configuration.
    """
    file = Path(path or FILE).expanduser().absolute()
    if remove:
        known = forget(file, os.environ)
        say(f"{'no longer trusted' if known else 'was not trusted'}: {file}")
        return 0
    content = read_bytes(file)
    chosen = guarded_of(file, content)
    trust(file, content, os.environ)
    say(f"trusted as it is now: {file}")
    for key, value in chosen.items():
        say(f"{key}: {value!r}")
    return 0
