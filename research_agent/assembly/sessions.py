"""Where conversations are kept, as the settings say."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from research_agent.conversation.adapters.sessions import (
    FILE,
    SessionTable,
    postgres_table,
    sqlite_table,
)
from research_agent.errors import ConfigError
from research_agent.index.adapters.folders import home
from research_agent.settings import SessionSettings

__all__ = ["SessionPlace", "SessionTable", "session_place"]


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """A folder with an SQLite file, or the address of a PostgreSQL database."""

    folder: Path
    postgres: str = ""

    @property
    def file(self) -> Path:
        """The SQLite file."""
        return self.folder / FILE

    def table(self) -> SessionTable:
        """Open the list of the sessions; raises SessionError."""
        return postgres_table(self.postgres) if self.postgres else sqlite_table(self.folder)


def session_place(settings: SessionSettings, environment: Mapping[str, str]) -> SessionPlace:
    """Return where the sessions are; raises ConfigError for a variable that holds no address."""
    folder = Path(settings.path).expanduser() if settings.path else home() / "sessions"
    if not settings.postgres_env:
        return SessionPlace(folder)
    address = environment.get(settings.postgres_env, "")
    if not address:
        raise ConfigError(
            f"the variable {settings.postgres_env} is empty (sessions.postgres_env)",
            hint="Put the address in it: postgresql://user@host/database",
        )
    return SessionPlace(folder, address)
