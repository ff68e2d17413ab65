"""Facts about the program and the machine: versions, folders, weights, kept replies."""

import platform
import shutil
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from research_agent.assembly.diagnosis.facts import (
    PlaceFacts,
    ReplyFacts,
    SoftwareFacts,
    WeightFacts,
)
from research_agent.assembly.model_files import reply_file, weight_statuses
from research_agent.index.adapters.folders import home
from research_agent.model_settings import ReplyCacheSettings
from research_agent.models.adapters.weights import WeightStatus, cache_directory

LIBRARIES = (
    "langgraph",
    "langchain-core",
    "langchain-openai",
    "langchain-aws",
    "chromadb",
    "onnxruntime",
    "xllamacpp",
    "pypdfium2",
    "tiktoken",
    "pydantic",
)


def software_facts() -> SoftwareFacts:
    """Return what runs."""
    return SoftwareFacts(
        program=_version("research-agent"),
        python=sys.version_info[:3],
        system=f"{platform.system()} {platform.machine()}",
        libraries=tuple((name, _version(name)) for name in LIBRARIES),
    )


def weight_facts(environment: Mapping[str, str]) -> tuple[WeightFacts, ...]:
    """Return what is here of the packaged weights."""
    free = _free(_existing(cache_directory(environment)))
    return tuple(_weights(status, free) for status in weight_statuses(environment))


def place_facts(environment: Mapping[str, str]) -> tuple[PlaceFacts, ...]:
    """Return the folders that are written to."""
    return (
        _place("indexes", home(), "RESEARCH_AGENT_HOME"),
        _place("weights and replies", cache_directory(environment), "RESEARCH_AGENT_CACHE"),
    )


def reply_facts(settings: ReplyCacheSettings, environment: Mapping[str, str]) -> ReplyFacts:
    """Return how much the reply cache takes, and where."""
    file = reply_file(environment)
    return ReplyFacts(on=settings.mode == "on", path=str(file), bytes_on_disk=_bytes(file))


def _weights(found: WeightStatus, free: int) -> WeightFacts:
    partial = found.path.with_name(f"{found.path.name}.partial")
    return WeightFacts(
        title=found.weights.title,
        size=found.weights.size,
        parts=len(found.weights.packages),
        installed_parts=found.installed_parts,
        installed_bytes=found.installed_bytes,
        joined=found.joined,
        verified=found.verified,
        install=found.weights.install,
        free=free,
        partial=str(partial) if partial.exists() else "",
    )


def _place(name: str, folder: Path, variable: str) -> PlaceFacts:
    there = _existing(folder)
    return PlaceFacts(
        name=name,
        path=str(folder),
        variable=variable,
        free=_free(there),
        writable=_is_writable(there),
    )


def _existing(folder: Path) -> Path:
    """Return the folder, or the nearest above it that exists."""
    return next((path for path in (folder, *folder.parents) if path.exists()), folder)


def _free(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0


def _is_writable(folder: Path) -> bool:
    """Return whether a file can be made there, by making one that has no name."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _bytes(file: Path) -> int:
    """Return the size of a file and of those beside it that begin with its name."""
    total = 0
    for path in file.parent.glob(f"{file.name}*"):
        with suppress(OSError):  # (another process may delete files meanwhile)
            total += path.stat().st_size
    return total


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
