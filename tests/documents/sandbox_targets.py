"""Parsers that misbehave, for the child process of the sandbox's tests."""

import ctypes
import os
import sys
import time

from research_agent.errors import DocumentError
from research_agent.types.documents import Block, ParsedDocument


def read(path: str) -> ParsedDocument:
    """Do what the path says."""
    sys.stdout.write("a stray line on standard output\n")
    os.write(1, b"and one from below")
    misbehave(path)
    if path == "memory":
        return ParsedDocument((Block("x" * (1 << 40)),))
    if path == "input":
        return ParsedDocument((Block(sys.stdin.read()),))
    block = Block(path, section=("A",), page=os.getpid())
    return ParsedDocument((block,), title="\ud800", warnings=("w",), page_labels=("i",))


def misbehave(path: str) -> None:
    match path:
        case "crash":
            ctypes.string_at(0)
        case "exit":
            os._exit(3)
        case "sleep":
            time.sleep(60)
        case "refuse":
            raise DocumentError("encrypted; a password is needed", hint="ask its author")
        case "bug":
            raise RecursionError("too deep")
        case "missing":
            raise FileNotFoundError(2, "No such file or directory")
