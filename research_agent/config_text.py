"""`config.yaml`: every setting with its description, range and default, as text."""

import inspect
import json
import re
import textwrap
from collections.abc import Collection

from research_agent.setting_fields import choices, descriptions, number_range, values
from research_agent.settings import Settings

HEAD = """\
# Every key of research_agent, with its default. A file of yours needs only what differs.
# An unknown key or a number outside its range is an error that names the key.
# Any key can be set in the environment too: RESEARCH_AGENT_RETRIEVAL__TOP_K=20
"""
SHORT_HEAD = """\
# Settings of research_agent: take the "# " away before a key, and change its value.
# Every key: research-agent config show; a file with all of them: config init --full PATH
"""
EVERYDAY = {
    "": ("preset",),
    "models": ("chat", "embedding", "offline"),
    "documents": ("include", "exclude"),
    "evidence": ("max_chunks",),
    "answer": ("max_tokens", "unconfirmed"),
    "budget": ("rounds", "seconds", "cost"),
    "sessions": ("retention_days",),
}
"""The keys of a file that is not full."""


def config_text(hidden: Collection[str] = ()) -> str:
    """Return a file with every key; those that are `hidden`, such as "budget.rounds", as comments.

    `config.yaml` is this text without hidden keys.
    """
    settings, lines, described_types = Settings(), [HEAD], set[str]()
    for name, value in values(settings).items():
        if not values(value):
            lines += [*_comment(_described(settings, name)), f"{name}: {yaml_value(value)}"]
            continue
        lines += ["", *_comment(inspect.cleandoc(type(value).__doc__ or "")), f"{name}:"]
        for key, now in values(value).items():
            about = _comment(_described(value, key))
            if type(now).__name__ not in described_types:
                about += [line for of in values(now) for line in _below(now, of)]
                described_types.add(type(now).__name__)
            mark = "# " if f"{name}.{key}" in hidden else ""
            lines += (f"  {line}" for line in (*about, f"{mark}{key}: {yaml_value(now)}"))
    return "\n".join(lines) + "\n"


def short_text() -> str:
    """Return a file with the keys that people change most, as comments to fill in."""
    settings, lines = Settings(), [SHORT_HEAD]
    for section, names in EVERYDAY.items():
        owner = getattr(settings, section) if section else settings
        lines += ["", f"{section}:"] if section else [""]
        for name in names:
            value, indent = values(owner)[name], "  " * bool(section)
            below = [one for of in values(value) for one in _below(value, of)]
            about = [*_comment(_described(owner, name)), *below]
            lines += (f"{indent}{line}" for line in (*about, f"# {name}: {yaml_value(value)}"))
    return "\n".join(lines) + "\n"


def _described(section: object, key: str) -> str:
    owner = type(section)
    parts, limits = [descriptions(owner).get(key, "")], number_range(owner, key)
    if limits:
        parts.append(f"{limits.low:.12g} to {limits.high:.12g} {limits.unit}".rstrip() + ".")
    if allowed := choices(owner, key):
        parts.append(f"One of: {', '.join(allowed)}.")
    return " ".join(filter(None, parts))


def _below(section: object, key: str) -> list[str]:
    return _comment(f"{key}: {_described(section, key)}", "#   ")


def _comment(text: str, mark: str = "# ") -> list[str]:
    return textwrap.wrap(text, 98, initial_indent=mark, subsequent_indent=mark)


def yaml_value(value: object) -> str:
    """Return a value as YAML writes it in one line; `off` is a word here (yaml_text.py)."""
    if isinstance(value, str):
        return value if re.fullmatch(r"[a-z][\w.-]*", value) else json.dumps(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(yaml_value, value))}]"
    if below := values(value):
        return f"{{{', '.join(f'{name}: {yaml_value(of)}' for name, of in below.items())}}}"
    return json.dumps(value)


if __name__ == "__main__":  # (what writes the project's own config.yaml)
    import sys

    sys.stdout.write(config_text())
