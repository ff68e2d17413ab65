"""Settings of a role: what its provider needs, and its key, region and price."""

import re
import string
from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlsplit

from research_agent.errors import ConfigError
from research_agent.model_settings import (
    ENGLISH,
    MULTILINGUAL,
    ModelSettings,
    PriceSettings,
    RoleSettings,
)
from research_agent.models.adapters.bedrock import profile_region
from research_agent.models.adapters.openai import OPENAI_URL
from research_agent.settings import Settings
from research_agent.text.loopback import is_loopback

ChatRole = Literal["answer", "planner", "filter", "verifier"]
CHAT_ROLES: tuple[ChatRole, ...] = ("answer", "planner", "filter", "verifier")
DEFAULT_KEY = "OPENAI_API_KEY"
REGION = re.compile(r"[a-z]{2,}(-[a-z0-9]+)+")
KEY_CHARACTERS = set(string.ascii_letters + string.digits + string.punctuation)
UNUSED = {
    "local": ("model", "base_url", "api_key_env", "region"),
    "openai": ("region",),
    "bedrock": ("api_key_env",),
    "langchain": ("region",),
}
"""The settings that a provider does not look at."""
SERVERS = {
    "openai": OPENAI_URL,
    "bedrock": "Amazon Bedrock",
    "langchain": "a provider of LangChain's",
}
"""What is asked where no address is set."""


def check_role(key: str, role: RoleSettings, *, offline: bool = False) -> None:
    """Raise ConfigError for a role without a provider, or with what its provider cannot use.

    `key` is the role's section in the configuration, such as "models.answer". With `offline` a
    server that is not on this machine is refused too.
    """
    if not role.provider:
        raise ConfigError(
            f"{key}.provider is empty", hint="Use local, openai, bedrock or langchain."
        )
    _check_unused(key, role)
    if role.provider == "local":
        return
    if not role.model:
        raise ConfigError(
            f"{key}.model is empty",
            hint=f"Name the server's model in {key}.model or models.chat.model.",
        )
    if role.base_url:
        check_address(key, role.base_url)
    if offline and not is_loopback(role.base_url):
        asked = role.base_url or SERVERS[role.provider]
        raise ConfigError(
            f"models.offline is set, and {key} asks {asked}, which is not on this machine",
            hint=f"Set {key}.provider to local, or {key}.base_url to a server on this machine; or "
            "do without models.offline.",
        )


def _check_unused(key: str, role: RoleSettings) -> None:
    packaged = key == "models.embedding" and role.provider == "local"
    if packaged and role.model not in ("", ENGLISH, MULTILINGUAL):
        raise ConfigError(
            f"models.embedding.model {role.model!r} is no packaged model",
            hint=f"Use {ENGLISH} or {MULTILINGUAL}, or leave it empty; another provider for a "
            "server's.",
        )
    for name in UNUSED[role.provider]:
        if getattr(role, name) and not (packaged and name == "model"):
            raise ConfigError(
                f"{key}.{name} has no meaning with provider {role.provider}",
                hint=f"Take it out, or choose another provider in {key}.provider.",
            )


def check_address(key: str, url: str) -> None:
    """Raise ConfigError for a `base_url` that is no address of a server."""
    if not is_address(url):
        raise ConfigError(
            f"{key}.base_url is no http:// or https:// address, or has a user name in it",
            hint="For example http://127.0.0.1:8080/v1; a key belongs into an environment "
            f"variable, named in {key}.api_key_env.",
        )


def is_address(text: str) -> bool:
    """Return whether `text` is a web address without a user name or a query."""
    try:
        url = urlsplit(text)
        _ = url.port
    except ValueError:
        return False
    plain = "@" not in url.netloc and not url.query
    return url.scheme in ("http", "https") and bool(url.hostname) and plain


def key_variable(role: RoleSettings) -> str:
    """Return the environment variable that holds a role's key, empty where none is sent.

    OPENAI_API_KEY goes to OpenAI's own address alone, unless the settings name it.
    """
    asked, theirs = urlsplit(role.base_url or OPENAI_URL), urlsplit(OPENAI_URL)
    found = (asked.scheme, asked.hostname, asked.port or 443)
    is_openai = found == (theirs.scheme, theirs.hostname, 443)
    return role.api_key_env or (DEFAULT_KEY if is_openai else "")


def api_key(key: str, role: RoleSettings, environment: Mapping[str, str]) -> str:
    """Return the key for a checked role; raises ConfigError where there is none.

    A server on this machine needs none.
    """
    own, named = is_loopback(role.base_url), key_variable(role)
    if not named and not own:
        raise ConfigError(
            f"{key}.api_key_env is empty, and {DEFAULT_KEY} is sent to OpenAI alone",
            hint=f"Name the variable with the key for {role.base_url} in {key}.api_key_env.",
        )
    found = checked_key(named, environment)
    if not found and not own:
        raise ConfigError(
            f"the environment variable {named} is not set",
            hint=f"Put the key for {role.base_url or OPENAI_URL} into it, or name another "
            f"variable in {key}.api_key_env.",
        )
    return found or "none"


def checked_key(name: str, environment: Mapping[str, str]) -> str:
    """Return what the variable `name` holds; raises ConfigError where that cannot be a key."""
    key = environment.get(name, "").strip()
    if not set(key) <= KEY_CHARACTERS:
        raise ConfigError(
            f"the environment variable {name} holds no key: keys have no spaces and only ASCII",
            hint="Set it to the key alone.",
        )
    return key


def bedrock_region(key: str, role: RoleSettings, environment: Mapping[str, str]) -> str:
    """Return the region for a checked role; raises ConfigError where there is none.

    It is the role's own, else that of AWS_REGION or AWS_DEFAULT_REGION, else the AWS profile's.
    """
    named = (role.region, environment.get("AWS_REGION"), environment.get("AWS_DEFAULT_REGION"))
    found = next((text.strip() for text in named if text and text.strip()), "") or profile_region()
    if not found:
        raise ConfigError(
            f"{key}.region is empty, and neither AWS_REGION nor the AWS profile names one",
            hint=f"Name Bedrock's region in {key}.region or AWS_REGION, such as us-east-1.",
        )
    if not REGION.fullmatch(found):
        raise ConfigError(
            f"{key}.region or AWS_REGION is no region of AWS",
            hint="A region is called like us-east-1 or eu-central-1.",
        )
    return found


def price_of(settings: ModelSettings, role: RoleSettings) -> PriceSettings | None:
    """Return what a role's model costs; None where the settings do not say.

    The embedded model costs nothing.
    """
    if role.provider == "local":
        return PriceSettings()
    return next((price for price in settings.prices if price.model == role.model), None)


def check_prices(settings: Settings) -> None:
    """Raise ConfigError where the cost is limited and a model's price is not known."""
    for name in CHAT_ROLES if settings.budget.cost else ():
        role = settings.models.role(name)
        if price_of(settings.models, role) is None:
            raise ConfigError(
                f"budget.cost is set, but models.prices has no price for {role.model!r}, "
                f"the model of models.{name}",
                hint="Add it: models.prices: [{model: …, read: …, written: …}], in money for a "
                "million tokens; or set budget.cost: null.",
            )
