"""Where conversations are listed, and which process has one open."""

from research_agent.conversation.adapters.sessions.postgres import postgres_table
from research_agent.conversation.adapters.sessions.sqlite import sqlite_table
from research_agent.conversation.adapters.sessions.table import SessionTable

__all__ = ["SessionTable", "postgres_table", "sqlite_table"]
