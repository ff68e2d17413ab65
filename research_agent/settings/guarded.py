"""Settings that a stranger's file may not choose: whom to ask, with which key, and files."""

from collections.abc import Iterator, Mapping

from research_agent.settings.ranges import values

_ROLES = ("chat", "answer", "planner", "filter", "verifier", "embedding")
_KEYS = ("provider", "model", "base_url", "api_key_env", "region")
GUARDED = frozenset(f"models.{role}.{key}" for role in _ROLES for key in _KEYS) | {
    "models.local.path",
    "models.offline",
    "rerank.base_url",
    "rerank.model",
    "rerank.api_key_env",
    "blend.diagnostics",
    "sessions.path",
    "sessions.postgres_env",
    "sessions.retention_days",
}
"""Hosts, models, variables that hold keys, paths, and how soon conversations are deleted."""


def guarded_keys(
    data: Mapping[str, object], below: object, prefix: str = ""
) -> Iterator[tuple[str, object]]:
    """Yield the guarded keys of a file with their values, where they change the settings `below`.

    To go offline is always allowed. Keys that no setting has are passed over.

    >>> from research_agent.settings import Settings
    >>> rerank = {"mode": "http", "model": "", "base_url": "https://example.org"}
    >>> list(guarded_keys({"rerank": rerank, "models": {"offline": True}}, Settings()))
    [('rerank.base_url', 'https://example.org')]
    """
    known = values(below)
    for name, value in data.items():
        key, now = f"{prefix}{name}", known.get(name)
        if isinstance(value, dict) and values(now):
            yield from guarded_keys(value, now, f"{key}.")
        elif key in GUARDED and value != now and (key, value) != ("models.offline", True):
            yield key, value
