"""Hostile files: each is read in a child process with limits of memory and time."""

from research_agent.documents.adapters.sandbox.ahead import EagerReader
from research_agent.documents.adapters.sandbox.reader import SandboxedFunction, SandboxedReader

__all__ = ["EagerReader", "SandboxedFunction", "SandboxedReader"]
