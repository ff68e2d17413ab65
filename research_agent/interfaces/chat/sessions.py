"""The sessions there are: listed, renamed, deleted."""

from collections.abc import Sequence
from datetime import UTC, datetime

from research_agent.conversation.sessions import SessionInfo, check_name
from research_agent.errors import SessionError, SessionLockedError
from research_agent.interfaces.chat.conversation import Opened
from research_agent.interfaces.cli.terminal import say

SETTING = "sessions.retention_days"


def sessions(opened: Opened, mine: SessionInfo, given: Sequence[str]) -> None:
    """List the sessions, or rename or delete one; raises SessionError."""
    match given:
        case []:
            for session in opened.table.all():
                say(session_line(session, mine.thread))
        case ["rename", old, new]:
            _existing(opened, old)
            opened.table.rename(old, check_name(new))
            say(f"{old} is {new} now")
        case ["delete", name]:
            session = _existing(opened, name)
            if session.thread == mine.thread:
                raise SessionError("this session is open", hint="Delete it from another one.")
            opened.delete(session)
            say(f"deleted {name}")
        case ["retention"]:
            if days := opened.connection.settings.sessions.retention_days:
                say(f"deleted when nobody has used them for {days:g} days ({SETTING})")
            else:
                say(f"kept until you delete them ({SETTING} is null)")
        case _:
            raise SessionError(
                f"/sessions does not know {' '.join(given)}",
                hint="/sessions, /sessions rename OLD NEW, /sessions delete NAME",
            )


def session_line(session: SessionInfo, thread: str) -> str:
    """Return a session's line in the list; `thread` is the open one's."""
    used = datetime.fromtimestamp(session.used, UTC).strftime("%Y-%m-%d %H:%M UTC")
    mark = "*" if session.thread == thread else " "
    return f"{mark} {session.name}: {session.turns} turns, last used {used}, index {session.index}"


def expire(opened: Opened, days: float | None, but: str) -> list[str]:
    """Delete the sessions that were not used for `days`, not `but`; return their names.

    One that another process has open stays.
    """
    gone = []
    for session in opened.table.unused(days) if days else ():
        try:
            if session.name != but:
                opened.delete(session)
                gone.append(session.name)
        except SessionLockedError:
            continue
    return gone


def _existing(opened: Opened, name: str) -> SessionInfo:
    session = opened.table.get(name)
    if session is None:
        names = ", ".join(item.name for item in opened.table.all())
        raise SessionError(f"there is no session {name}", hint=f"There are: {names}")
    return session
