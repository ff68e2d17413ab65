"""Everything an answer needs, looked at. Nothing is changed or repaired, and no error escapes."""

import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shlex import quote

from research_agent.assembly.calibration import calibration_file, command, stale
from research_agent.assembly.diagnosis.findings import MB, Finding, fault_of
from research_agent.assembly.diagnosis.index import index_findings
from research_agent.assembly.diagnosis.models import embedding_findings, model_findings
from research_agent.assembly.diagnosis.network import network_findings
from research_agent.assembly.embedding_choice import as_indexed
from research_agent.assembly.index import index_header
from research_agent.assembly.models.endpoints import reply_file
from research_agent.assembly.models.report import weight_statuses
from research_agent.errors import ConfigError, IndexingError, PathError, ResearchAgentError
from research_agent.index.adapters.folders import home
from research_agent.model_settings import ReplyCacheSettings
from research_agent.models.adapters.weights import cache_directory
from research_agent.settings import Settings
from research_agent.verification.adapters.calibration_file import read_calibration

OnBytes = Callable[[int, int], None]
"""Bytes done and bytes in all, while weights are joined."""
LIBRARIES = (
    "langgraph", "langchain-core", "langchain-openai", "langchain-aws", "chromadb", "onnxruntime",
    "xllamacpp", "pypdfium2", "tiktoken", "pydantic",
)  # fmt: skip
LOW_BYTES, NO_BYTES = 500_000_000, 20_000_000
"""Less free space than this is a warning, and a fault."""


def diagnose(
    location: str,
    load: Callable[[], Settings],
    environment: Mapping[str, str],
    *,
    ask: bool,
    on_bytes: OnBytes = lambda _done, _of: None,
) -> tuple[Finding, ...]:
    """Return what is found about the index at `location` and about all that it is used with.

    With `ask` each model is sent one short question, which joins weights that are not joined yet
    and starts the embedded model. Where `load` cannot read the settings, the defaults are looked
    at and no model is asked.
    """
    wrong: list[Finding] = []
    settings = Settings()
    try:
        settings = load()
    except ResearchAgentError as error:
        wrong.append(fault_of("settings", error, "research-agent config show"))
        ask = False
    models = settings.models
    with suppress(ResearchAgentError):  # (what is wrong with the index is found below)
        models = as_indexed(location, models)
    embedding = embedding_findings(models, environment, ask=ask)
    return (
        *software_findings(),
        *wrong,
        *model_findings(models, environment, ask=ask, on_bytes=on_bytes),
        embedding.finding,
        *index_findings(location, embedding, settings),
        *calibration_findings(location, settings),
        *weight_findings(environment),
        disk_finding("indexes", home(), "RESEARCH_AGENT_HOME"),
        disk_finding("weights and replies", cache_directory(environment), "RESEARCH_AGENT_CACHE"),
        reply_finding(models.reply_cache, environment),
        *network_findings(settings, environment),
    )


def software_findings() -> Iterator[Finding]:
    """Yield what runs: versions of this program, Python and the libraries."""
    python, system = platform.python_version(), f"{platform.system()} {platform.machine()}"
    ours = f"research-agent {_version('research-agent')}, Python {python}, {system}"
    yield Finding("ok", "versions", ours)
    found = ((name, _version(name)) for name in LIBRARIES)
    yield Finding("ok", "libraries", ", ".join(f"{n} {number}" for n, number in found if number))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def calibration_findings(location: str, settings: Settings) -> Iterator[Finding]:
    """Yield what was fitted to the index, and whether it is out of date or cannot be read."""
    part, cure = "calibration", command(location)
    try:
        kept = read_calibration(calibration_file(location))
    except (IndexingError, PathError) as error:
        yield Finding("warning", part, str(error), cure)
        return
    if kept is None:
        return
    try:
        problem = stale(kept, index_header(location, offline=settings.models.offline), settings)
    except (IndexingError, ConfigError):  # (told of the index itself)
        return
    if problem:
        yield Finding("warning", part, problem, cure)
        return
    fitted = [
        f"{name} {limit.value:g}, fitted to {limit.questions} questions ({limit.source}) "
        f"at {kept.made}: share of errors below {limit.bound:.1%}"
        for name, limit in kept.thresholds.items()
    ]
    yield from (Finding("ok", part, line) for line in fitted)


def weight_findings(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what is here of the packaged weights."""
    for found in weight_statuses(environment):
        title, parts = found.weights.title, len(found.weights.packages)
        if found.joined:
            how = " and verified" if found.verified else ", verified at the next question"
            size = f"{found.weights.size / MB:,.0f} MB"
            yield Finding("ok", "weights", f"{title}: joined{how}, {size}")
            if found.verified and found.installed_bytes:
                what = f"its installed copies are not needed, {found.installed_bytes / MB:,.0f} MB"
                cure = "research-agent models prune-parts"
                yield Finding("note", "weights", f"{title}: {what}", cure)
        elif found.installed:
            yield Finding("ok", "weights", f"{title}: installed, joined at the next question")
        elif found.installed_parts:
            what = f"{title}: {found.installed_parts} of {parts} parts are installed"
            cure = f"{found.weights.install} --force-reinstall"
            yield Finding("warning", "weights", what, cure)


def disk_finding(name: str, folder: Path, variable: str) -> Finding:
    """Return how much space is left in a folder, and whether it can be written to.

    A folder that is not there yet is judged by the nearest one above it; `variable` moves it.
    """
    there = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    try:
        with tempfile.TemporaryFile(dir=there):
            free = shutil.disk_usage(there).free
    except OSError:
        cure = f"Set {variable} to a folder that you may write to."
        return Finding("fault", "disk", f"{name} in {folder}: cannot be written to", cure)
    what = f"{name} in {folder}: {free / MB:,.0f} MB free"
    if free < LOW_BYTES:
        cure = f"Set {variable} to a folder on another disk."
        return Finding("fault" if free < NO_BYTES else "warning", "disk", what, cure)
    return Finding("ok", "disk", what)


def reply_finding(settings: ReplyCacheSettings, environment: Mapping[str, str]) -> Finding:
    """Return whether replies are kept, how much they take, and where."""
    file, size = reply_file(environment), 0
    for path in file.parent.glob(f"{file.name}*"):
        with suppress(OSError):  # (another process may delete files meanwhile)
            size += path.stat().st_size
    kept = f"{size / MB:,.1f} MB in {file}"
    if settings.mode == "on":
        return Finding("ok", "replies", f"replies of models are kept: {kept}")
    if size:
        what = f"replies of models are not kept; older ones take {kept}"
        return Finding("note", "replies", what, f"rm {quote(str(file))}")
    return Finding("ok", "replies", "replies of models are not kept")
