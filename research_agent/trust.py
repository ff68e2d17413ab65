"""What a stranger's configuration file may not choose, and which files their user trusts."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Literal

from research_agent.errors import ConfigError
from research_agent.private_files import make_folder, replace_text
from research_agent.setting_fields import leaves, lines

_STORE = "trusted.json"
Trust = Literal["trusted", "changed", "unknown"]

_ROLES = ("chat", "answer", "planner", "filter", "verifier", "embedding")
_KEYS = ("provider", "model", "base_url", "api_key_env", "region")
GUARDED = frozenset(f"models.{role}.{key}" for role in _ROLES for key in _KEYS) | {
    "models.local.path",
    "models.offline",
    "index.vectors",
    "rerank.base_url",
    "rerank.model",
    "rerank.api_key_env",
    "blend.diagnostics",
    "sessions.path",
    "sessions.postgres_env",
    "sessions.retention_days",
}
"""Hosts, models, variables that hold keys, paths, and how soon conversations are deleted."""


def guarded_keys(data: Mapping[str, object], below: object) -> Iterator[tuple[str, object]]:
    """Yield the guarded keys of a file with their values, where they change the settings `below`.

    To go offline is always allowed. Keys that no setting has are passed over.

    >>> from research_agent.settings import Settings
    >>> rerank = {"mode": "http", "model": "", "base_url": "https://example.org"}
    >>> list(guarded_keys({"rerank": rerank, "models": {"offline": True}}, Settings()))
    [('rerank.base_url', 'https://example.org')]
    """
    now = dict(lines(below))
    for key, value in leaves(data, below):
        is_new = (value or None) != (now.get(key) or None)  # (0 is the null of earlier versions)
        if is_new and key in GUARDED and (key, value) != ("models.offline", True):
            yield key, value


def own_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of the user's own configuration: RESEARCH_AGENT_HOME, or the system's."""
    if named := environment.get("RESEARCH_AGENT_HOME"):
        return Path(named).expanduser().absolute()
    from platformdirs import user_config_path

    return user_config_path("research-agent", appauthor=False)


def trust_of(file: Path, content: bytes, environment: Mapping[str, str]) -> Trust:
    """Return whether `file` was trusted as it is now, or with another content."""
    digest = _known(environment).get(str(file.resolve()))
    if digest is None:
        return "unknown"
    return "trusted" if digest == sha256(content).hexdigest() else "changed"


def trust(file: Path, content: bytes, environment: Mapping[str, str]) -> None:
    """Trust `file` from now on, with exactly this content; raises ConfigError."""
    digest = sha256(content).hexdigest()
    _write({**_known(environment), str(file.resolve()): digest}, environment)


def forget(file: Path, environment: Mapping[str, str]) -> bool:
    """Trust `file` no longer, and return whether it was; raises ConfigError."""
    known = _known(environment)
    if known.pop(str(file.resolve()), None) is None:
        return False
    _write(known, environment)
    return True


def _known(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the digests by place; none where they cannot be read: nothing is trusted then."""
    try:
        known = json.loads((own_folder(environment) / _STORE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _write(known: Mapping[str, str], environment: Mapping[str, str]) -> None:
    store = own_folder(environment) / _STORE
    try:
        make_folder(store.parent)
        replace_text(store, json.dumps(known, indent=2, sort_keys=True) + "\n")
    except OSError as error:
        raise ConfigError(
            f"{store} cannot be written: {error.strerror or error}",
            hint="Let RESEARCH_AGENT_HOME name a folder that you may write to.",
        ) from error
