"""`research-agent config`."""

import os
from pathlib import Path

from research_agent.config import FILE, configured, guarded_of, read_bytes
from research_agent.config_text import config_text
from research_agent.errors import ConfigError
from research_agent.interfaces.cli.terminal import say
from research_agent.presets import NAMES, described, preset_text, preset_values, resolved
from research_agent.setting_fields import lines
from research_agent.settings import Settings
from research_agent.trust import forget, trust


def show(config: str | None) -> int:
    """Print every key with its value, and what it comes from where it is not the default."""
    found, defaults = configured(config, os.environ), dict(lines(Settings()))
    settings = found.settings
    say(f"# {', '.join(map(str, found.files)) or 'no file: defaults'}; {described(settings)}")
    own, laid = settings.laid.own, preset_values(settings.laid.name)
    for key, value in lines(settings):
        default = defaults[key]
        by = f"preset {settings.laid.name}; " if key in laid and key not in own else ""
        say(f"{key}: {value!r}" + ("" if value == default else f"  # {by}default {default!r}"))
    return 0


def show_preset(name: str, config: str | None) -> int:
    """Print the file of a preset, "auto" being the one it means, and the keys that win over it."""
    settings = configured(config, os.environ).settings
    chosen = resolved(settings, name)
    if name == "auto":
        say(f"# auto: {chosen}, by models.chat.provider {settings.models.chat.provider}")
    say(preset_text(chosen).rstrip())
    own = [key for key in preset_values(chosen) if key in settings.laid.own]
    for key, value in lines(settings):
        if key in own:
            say(f"# your own, which wins: {key}: {value!r}")
    return 0


def init(path: str) -> int:
    """Write the commented defaults to a new file; what a preset sets is no key of the file yet."""
    target = Path(path)
    text = config_text({key for name in NAMES if name != "auto" for key in preset_values(name)})
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
