"""Settings of a role: what its provider needs, and its key from the environment."""

import string
from collections.abc import Mapping
from dataclasses import fields
from typing import Literal
from urllib.parse import urlsplit

from research_agent.adapters.openai import OPENAI_URL, is_loopback
from research_agent.errors import ConfigError
from research_agent.settings import RoleSettings

ChatRole = Literal["answer", "planner", "filter", "verifier"]
CHAT_ROLES: tuple[ChatRole, ...] = ("answer", "planner", "filter", "verifier")
DEFAULT_KEY = "OPENAI_API_KEY"
KEY_CHARACTERS = set(string.ascii_letters + string.digits + string.punctuation)


def check_role(key: str, role: RoleSettings) -> None:
    """Raise ConfigError for a role without a provider, or with what its provider cannot use.

    `key` is the role's section in the configuration, such as "models.answer".
    """
    if role.provider == "openai":
        _check_remote(key, role)
        return
    if not role.provider:
        raise ConfigError(f"{key}.provider is empty", hint="Use local or openai.")
    for name in (item.name for item in fields(role) if item.name != "provider"):
        if getattr(role, name):
            raise ConfigError(
                f"{key}.{name} has no meaning with provider local",
                hint="Set provider: openai for a server; models.local chooses the embedded model.",
            )


def _check_remote(key: str, role: RoleSettings) -> None:
    if not role.model:
        raise ConfigError(
            f"{key}.model is empty",
            hint=f"Name the server's model in {key}.model"
            + ("." if key == "models.embedding" else " or models.chat.model."),
        )
    if not _is_address(role.base_url or OPENAI_URL):
        raise ConfigError(
            f"{key}.base_url is no http:// or https:// address, or has a user name in it",
            hint="For example http://127.0.0.1:8080/v1; a key belongs into an environment "
            f"variable, named in {key}.api_key_env.",
        )


def _is_address(text: str) -> bool:
    """Return whether `text` is a web address without a user name or a query.

    >>> [_is_address(text) for text in ("http://[::1]:80/v1", "localhost:80", "http://a:b@c")]
    [True, False, False]
    """
    try:
        url = urlsplit(text)
        _ = url.port
    except ValueError:
        return False
    plain = "@" not in url.netloc and not url.query
    return url.scheme in ("http", "https") and bool(url.hostname) and plain


def api_key(key: str, role: RoleSettings, environment: Mapping[str, str]) -> str:
    """Return the key for a checked role; raises ConfigError where there is none.

    A server on this machine needs none, and is sent one only where the settings name it.
    """
    own = is_loopback(role.base_url)
    named = role.api_key_env or ("" if own else DEFAULT_KEY)
    found = environment.get(named, "").strip()
    if not set(found) <= KEY_CHARACTERS:
        raise ConfigError(
            f"the environment variable {named} holds no key: keys have no spaces and only ASCII",
            hint="Set it to the key alone.",
        )
    if not found and not own:
        raise ConfigError(
            f"the environment variable {named} is not set",
            hint=f"Put the key for {role.base_url or OPENAI_URL} into it, or name another "
            f"variable in {key}.api_key_env.",
        )
    return found or "none"
