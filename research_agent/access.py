"""The token of a door: who sends it is let in."""

import secrets
from collections.abc import Mapping

from research_agent.errors import ConfigError

SHORTEST = 16
"""Characters of a token."""


def access_token(variable: str, environment: Mapping[str, str]) -> str:
    """Return the token that `variable` holds, a new one where it is not set.

    Raises ConfigError where it is too short to keep anybody out.
    """
    token = environment.get(variable, "")
    if not token:
        return secrets.token_urlsafe(32)
    if len(token) < SHORTEST or not token.isascii() or not token.isprintable():
        raise ConfigError(
            f"{variable} has to be {SHORTEST} or more plain characters",
            hint="Leave it unset: a new one is made then, and told on stderr.",
        )
    return token
