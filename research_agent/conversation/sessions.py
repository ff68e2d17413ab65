"""What is known of a conversation beside its turns."""

import re
from dataclasses import dataclass

from research_agent.errors import SessionError

FORMAT = 1
"""How turns are kept; it counts up only where an older version could not read them."""
ASKED = "(ask)"
"""What `ask` keeps for `history` has a line too; no conversation can have this name."""
_NAME = re.compile(r"\w[\w .-]{0,99}")


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One line of the list of sessions."""

    name: str
    thread: str
    """Its id, which stays when it is renamed."""
    format: int = FORMAT
    index: str = ""
    created: float = 0.0
    """Seconds since 1970, as `used`."""
    used: float = 0.0
    turns: int = 0


def check_name(name: str) -> str:
    """Return a session's name; raises SessionError for what is none."""
    plain = name.strip()
    if not _NAME.fullmatch(plain):
        raise SessionError(
            f"{name!r} is no name of a session",
            hint="Use up to 100 letters, digits, spaces, dots, dashes and underscores.",
        )
    return plain


def check_format(session: SessionInfo) -> None:
    """Raise SessionError for a session that a newer version has written."""
    if session.format > FORMAT:
        raise SessionError(
            f"the session {session.name} was written by a newer version (format {session.format}, "
            f"this one reads up to {FORMAT}); nothing was changed",
            hint="Update research-agent, or begin another one: research-agent chat --session NAME",
        )
