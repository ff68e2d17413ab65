"""Hostile files: each is read in a child process with limits of memory and time."""

from research_agent.adapters.sandbox.reader import SandboxedReader

__all__ = ["SandboxedReader"]
