"""The command `index`, and the index that `ask --docs` keeps for a folder."""

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import click

from research_agent.assembly.copying import copy_index
from research_agent.assembly.embedding_choice import as_indexed, to_index, with_model
from research_agent.assembly.index import list_documents, list_indexes, remove_index
from research_agent.assembly.known_vectors import embedding_cache
from research_agent.assembly.models.connecting import connect_embedder
from research_agent.assembly.scanned_pages import INSTALL, can_read_scans
from research_agent.assembly.shared import compact as compact_index
from research_agent.assembly.sources import sources
from research_agent.assembly.updating import Indexer, preview_index
from research_agent.assembly.workers import workers as opened_workers
from research_agent.errors import PathError
from research_agent.interfaces.cli.options import INDEX, JSON, OFFLINE, SETTINGS
from research_agent.interfaces.cli.process import exits, start
from research_agent.interfaces.cli.terminal import Progress, progress_bar, say, say_json
from research_agent.model_settings import ENGLISH, MULTILINGUAL
from research_agent.settings import Settings
from research_agent.text.addresses import is_web
from research_agent.text.paths import is_bucket
from research_agent.types.documents import SCANNED, TEXTLESS, FileReport, IndexReport
from research_agent.types.records import IndexProgress

SOME_FAILED = 3
"""Exit status where some files could not be read, or no document is in the index."""
SHOWN_SKIPPED = 20
NAMED = 5
"""Skipped files that are named where a folder is asked."""


@click.command("index")
@click.argument("paths", nargs=-1, metavar="PATH_OR_URL_OR_@LIST...")
@INDEX
@SETTINGS
@click.option("--rebuild", is_flag=True, help="Empty the index, then read everything again.")
@click.option("--refresh", is_flag=True, help="Read the indexed files again, and no others.")
@click.option("--dry-run", is_flag=True, help="Print what would be done; write nothing.")
@click.option("--prune", is_flag=True, help="Also remove documents of folders that are empty now.")
@click.option("--list", "list_", is_flag=True, help="List all indexes.")
@click.option("--remove", metavar="NAME_OR_PATH", help="Remove an index (never the documents).")
@click.option(
    "--embedding",
    type=click.Choice(["english", "multilingual"]),
    help="The embedding model of a new index. Default: by the documents' language.",
)
@click.option("--copy", nargs=2, metavar="FROM TO", help="Copy an index. X.sqlite3 is a backup.")
@click.option("--compact", is_flag=True, help="Merge a shared index's files, delete old ones.")
@click.option("--on", metavar="ADDRESS", help="Read and embed on a Ray cluster: ray://HOST:PORT.")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Read and embed in N workers.")
@JSON
@OFFLINE
@exits
def index_command(  # noqa: PLR0913 (one argument an option)
    *,
    paths: tuple[str, ...],
    index: str,
    config: str | None,
    rebuild: bool,
    refresh: bool,
    dry_run: bool,
    prune: bool,
    list_: bool,
    remove: str | None,
    embedding: str | None,
    copy: tuple[str, str] | None,
    compact: bool,
    on: str | None,
    workers: int | None,
    as_json: bool,
) -> int:
    """Add documents to an index: PDF, office files, web pages, text, code and more."""
    if list_:
        return show_indexes(as_json=as_json)
    if remove:
        say(f"removed {remove_index(remove)}")
        return 0
    if compact:
        compact_index(index)
        say(f"compacted {index}")
        return 0
    if copy:
        with progress_bar() as show:
            held = copy_index(*copy, start(config), lambda n: show(f"document {n}", n, n))
        documents = f"{held.documents} documents, {held.chunks} chunks"
        say(f"copied {copy[0]} to {copy[1]}: {documents}")
        return 0
    paths = _named(paths, index, refresh=refresh)
    settings = start(config)
    if embedding:
        if settings.models.embedding.provider != "local":
            raise click.UsageError("--embedding is for packaged models: models.embedding is none")
        model = MULTILINGUAL if embedding == "multilingual" else ENGLISH
        settings = replace(settings, models=with_model(settings.models, model))
    by_workers = partial(update, on=on or "", workers=workers or 0)
    act = preview if dry_run else by_workers
    report = act(index, paths, settings, rebuild=rebuild, prune=prune)
    if as_json:
        say_json(asdict(report))
    else:
        say("\n".join(preview_lines(report) if dry_run else report_lines(report)))
    holds = report.documents or report.count("added")
    return SOME_FAILED if report.count("failed") or not holds else 0


def _named(paths: tuple[str, ...], index: str, *, refresh: bool) -> tuple[str, ...]:
    if refresh and paths:
        raise click.UsageError("--refresh reads what is in the index: leave out the paths")
    if refresh:
        return tuple(kept.record.path for kept in list_documents(index))
    paths = tuple(one for path in paths for one in _listed(path))
    if not paths:
        raise click.UsageError("name at least one file or folder: research-agent index PATH")
    return paths


def _listed(path: str) -> list[str]:
    """Return a path, or those that are listed in a file, a line each, as `@FILE` names it."""
    if not path.startswith("@"):
        return [path]
    try:
        return [line for line in Path(path[1:]).read_text("utf-8-sig").splitlines() if line]
    except (OSError, ValueError) as error:
        hint = f"A file whose name begins with @ is written ./{path}"
        raise PathError(f"the list {path[1:]} cannot be read: {error}", hint=hint) from error


def update(  # noqa: PLR0913 (what `Indexer` takes)
    location: str,
    paths: Sequence[str],
    settings: Settings,
    *,
    shown: Progress | None = None,
    rebuild: bool = False,
    prune: bool = False,
    checked: bool = True,
    on: str = "",
    workers: int = 0,
) -> IndexReport:
    """Bring an index up to date; how far it is, `shown` is told, else a bar in a terminal."""
    hosts = sorted({urlsplit(path).hostname or path for path in paths if is_web(path)})
    if hosts and not settings.models.offline:
        say(f"outside this machine: {', '.join(hosts)} (pages to index)", dim=True, error=True)
    with ExitStack() as stack:
        # (Ray's processes come first: they are forked, and LanceDB has threads.)
        by = stack.enter_context(
            opened_workers(on, workers, location=location, paths=paths, settings=settings)
        )
        show = shown or stack.enter_context(progress_bar())
        found, scans = stack.enter_context(sources(paths, settings, os.environ))
        cache = stack.enter_context(embedding_cache(os.environ))
        scans.on_page = lambda done, of: show(f"OCR, page {done} of {of}", 0, 1)
        models, note = to_index(
            location, paths, settings.models, files=found, reader=found, rebuild=rebuild
        )
        if note:
            say(note, error=True)
        embedder = stack.enter_context(connect_embedder(models, environment=os.environ))

        def on_progress(progress: IndexProgress) -> None:
            texts = f" {progress.embedded}/{progress.texts}" if progress.texts else ""
            name, place = Path(progress.path).name, (progress.number - 1, progress.total)
            scans.on_page = lambda done, of: show(f"{name} (OCR, page {done} of {of})", *place)
            show(f"{name}{texts}", *place)

        return Indexer(
            settings=replace(settings, models=models),
            embedder=embedder,
            files=found,
            reader=found,
            cache=cache,
            on_progress=on_progress,
            workers=by,
            checked=checked,
        ).update(location, paths, rebuild=rebuild, prune=prune)


def preview(
    location: str, paths: Sequence[str], settings: Settings, *, rebuild: bool, prune: bool
) -> IndexReport:
    """Return what `update` would do; nothing is written, and nothing fetched."""
    if any(is_web(path) or is_bucket(path) for path in paths):
        raise click.UsageError("--dry-run takes files and folders: it would have to fetch the rest")
    models = settings.models if rebuild else as_indexed(location, settings.models)
    with connect_embedder(models, environment=os.environ) as embedder:
        return preview_index(
            location, paths, settings, model=embedder.name, rebuild=rebuild, prune=prune
        )


def index_for_docs(
    paths: Sequence[str], settings: Settings, *, verbose: bool, quiet: bool = False
) -> str:
    """Index these paths in an index of their own, named by their hash; return its name.

    What was indexed is told where `verbose`, which files were skipped unless `quiet`.
    """
    if web := next(filter(is_web, paths), ""):
        raise PathError(
            f"{web}: --docs takes files and folders",
            hint=f"Fetch it once: research-agent index {web}",
        )
    absolute = sorted(str(Path(path).expanduser().absolute()) for path in paths)
    whole = "\n".join(absolute).encode("utf-8", "surrogateescape")
    name = f"docs-{sha256(whole).hexdigest()[:10]}"
    report = update(name, absolute, settings, checked=False)
    if verbose:
        changed = report.count("indexed") + report.count("removed")
        what = f"{report.documents} documents, {report.chunks} chunks, {changed} files changed"
        say(f"index: {what}", dim=True, error=True)
    for file in report.files:
        if file.status == "failed":
            say(_line(file), error=True)
    skipped = [Path(file.path).name for file in report.files if file.status == "skipped"]
    if skipped and not quiet:
        more = f" and {len(skipped) - NAMED} more" if len(skipped) > NAMED else ""
        say(f"skipped: {', '.join(skipped[:NAMED])}{more}", dim=True, error=True)
    return name


def report_lines(report: IndexReport) -> list[str]:
    """Return one line a file that needs a word, then the totals."""
    lines = _lines(report, lambda file: file.reason)
    lines.append(
        f"{_counts(report)}; the index holds {report.documents} documents, "
        f"{report.chunks} chunks ({report.embedded} texts embedded)"
    )
    scanned = (SCANNED in file.reason or TEXTLESS in file.reason for file in report.files)
    if any(scanned) and not can_read_scans():
        lines.append(f"OCR reads pages without text: {INSTALL}, and index them again")
    if not report.documents:
        lines.append("no document was indexed; nothing can be asked yet")
    return lines


def preview_lines(report: IndexReport) -> list[str]:
    """Return one line a file that would be touched or needs a word, then the totals."""
    lines = _lines(report, lambda file: file.reason or file.status != "unchanged")
    return [*lines, f"{_counts(report)}; nothing was written: leave out --dry-run to do it"]


def show_indexes(*, as_json: bool) -> int:
    """Print the named indexes."""
    found = list_indexes()
    if as_json:
        say_json([asdict(item) for item in found])
        return 0
    for item in found:
        about = item.problem
        if header := item.header:
            changed = f"{header.model}, changed {header.changed or 'never'}"
            about = f"{header.documents} documents, {header.chunks} chunks, {changed}"
        say(f"{item.name}: {about}, {item.bytes_on_disk / 1e6:.1f} MB, {item.path}")
    if not found:
        say("no index yet; make one: research-agent index PATH")
    return 0


def _line(file: FileReport) -> str:
    return f"{file.status}: {file.path}" + (f": {file.reason}" if file.reason else "")


def _lines(report: IndexReport, shown: Callable[[FileReport], object]) -> list[str]:
    lines = [_line(file) for file in report.files if file.status != "skipped" and shown(file)]
    skipped = [_line(file) for file in report.files if file.status == "skipped"]
    more = len(skipped) - SHOWN_SKIPPED
    rest = [f"… and {more} more skipped (all with --json)"] * (more > 0)
    return [*lines, *skipped[:SHOWN_SKIPPED], *rest]


def _counts(report: IndexReport) -> str:
    order = ("indexed", "added", "changed", "unchanged", "removed", "skipped", "failed")
    counts = [f"{report.count(status)} {status}" for status in order if report.count(status)]
    return ", ".join(counts) or "no files"
