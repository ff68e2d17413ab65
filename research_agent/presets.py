"""Presets: YAML files that say which stages act, and the settings that they give.

The order is: defaults, then the preset, then the user's own keys. `Settings.laid` tells the last
two apart, so that another preset can be chosen for one question.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

from research_agent.errors import ConfigError
from research_agent.setting_fields import leaves, lines
from research_agent.settings import Laid, Preset, Settings
from research_agent.yaml_text import read_yaml

FOLDER = Path(__file__).parent / "data/presets"
NAMES: tuple[str, ...] = get_args(Preset)
MOST_UNREADABLE = 2
"""Replies that could not be read, in one question, after which "auto" goes on without them."""
FRAME_TOKENS = 1500
"""Tokens of a prompt beside the evidence or the hits: its instructions, question and marks."""


def check_preset(name: str) -> None:
    """Raise ConfigError where there is no preset of that name."""
    if name not in NAMES:
        raise ConfigError(f"there is no preset {name!r}", hint=f"Presets: {', '.join(NAMES)}")


def preset_text(name: str) -> str:
    """Return the file of a preset that has one."""
    return (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


@cache
def preset_values(name: str) -> Mapping[str, object]:
    """Return what a preset sets, by keys such as "budget.rounds".

    >>> preset_values("full")["budget.rounds"], preset_values("local")["budget.rounds"]
    (3, 2)
    """
    return dict(leaves(read_yaml(preset_text(name)), Settings()))


def resolved(settings: Settings, name: str) -> str:
    """Return the preset that `name` means; raises ConfigError. "auto" goes by `models.chat`."""
    check_preset(name)
    if name != "auto":
        return name
    return "local" if settings.models.chat.provider == "local" else "full"


def with_preset(settings: Settings, name: str) -> Settings:
    """Return settings with another preset below the user's own keys; raises ConfigError.

    Of settings that were made without a preset, what differs from the defaults is the user's own.

    >>> full = with_preset(Settings(), "full")
    >>> full.budget.rounds, full.laid.name, with_preset(full, "local").budget.rounds
    (3, 'full', 2)
    """
    own = settings.laid.own
    if not settings.laid.name:
        plain = dict(lines(Settings()))
        own = tuple(key for key, value in lines(settings) if value != plain[key])
    return laid_under(settings, name, own)


def laid_under(settings: Settings, name: str, own: tuple[str, ...]) -> Settings:
    """Return settings with a preset below the keys that are the user's `own`."""
    chosen = resolved(settings, name)
    before = preset_values(settings.laid.name) if settings.laid.name else {}
    wanted = {**dict(lines(Settings())), **preset_values(chosen)}
    changes = {key: wanted[key] for key in (*before, *preset_values(chosen)) if key not in own}
    rounds = changes.get("budget.rounds")
    if isinstance(rounds, int):
        changes["budget.rounds"] = min(rounds, settings.budget.max_rounds)
    return _fitting(changed(settings, {**changes, "preset": name, "laid": Laid(chosen, own)}))


def with_readable_stages(settings: Settings, unreadable: int) -> Settings:
    """Return settings whose search and filter are those of "local", where nobody chose "full".

    That is after `MOST_UNREADABLE` replies of a question in which the model wrote no call that
    could be run, or no verdict on any hit.

    >>> from research_agent.model_settings import ModelSettings, RoleSettings
    >>> server = ModelSettings(chat=RoleSettings(provider="openai"))
    >>> full = with_preset(Settings(models=server), "auto")
    >>> with_readable_stages(full, 1).filter.mode, with_readable_stages(full, 2).filter.mode
    ('llm', 'score')
    """
    by_nobody = settings.preset == "auto" and settings.laid.name == "full"
    if unreadable < MOST_UNREADABLE or not by_nobody:
        return settings
    changes = {
        key: value
        for key, value in preset_values("local").items()
        if key.startswith(("search.", "filter.")) and key not in settings.laid.own
    }
    changes["laid"] = replace(settings.laid, gave_way=True)
    return changed(settings, changes)


def described(settings: Settings) -> str:
    """Return which preset is in settings, in words; empty where none is."""
    if not settings.laid.name:
        return ""
    if settings.preset != "auto":
        return f"preset {settings.laid.name}"
    provider = settings.models.chat.provider
    model = "embedded model" if provider == "local" else provider
    return f"preset {settings.laid.name} (auto: {model})"


def _fitting(settings: Settings) -> Settings:
    """Return settings whose prompts fit into the embedded model's context, own keys apart."""
    if settings.models.chat.provider != "local":
        return settings
    room = settings.models.local.context - FRAME_TOKENS - settings.answer.max_tokens
    most = {
        "evidence.max_tokens": (settings.evidence.max_tokens, room // settings.budget.rounds),
        "filter.max_prompt_tokens": (settings.filter.max_prompt_tokens, room),
    }
    smaller = {
        key: max(limit, 200)
        for key, (now, limit) in most.items()
        if key not in settings.laid.own and now > limit
    }
    return changed(settings, smaller)


def changed(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Return settings with other values at keys such as "budget.rounds", or of whole sections."""
    whole: dict[str, Any] = {key: value for key, value in changes.items() if "." not in key}
    for key, value in changes.items():
        section, dot, name = key.partition(".")
        if dot:
            now = whole.get(section, getattr(settings, section))
            whole[section] = replace(now, **{name: value})
    return replace(settings, **whole)
