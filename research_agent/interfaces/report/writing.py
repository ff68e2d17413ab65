"""A report's file: written whole or not at all, and never over somebody's own file."""

import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from research_agent.assembly.page_pictures import PagePictures
from research_agent.interfaces.report.gathering import report_of
from research_agent.interfaces.report.recording import UNWATCHED, RunRecord
from research_agent.interfaces.report.rendering import report_html
from research_agent.interfaces.report.target import check_target, unwritable
from research_agent.ports import ChunkStore
from research_agent.settings import Settings
from research_agent.types.result import ResearchResult


def write_report(
    result: ResearchResult,
    path: str,
    *,
    chunks: ChunkStore,
    settings: Settings,
    record: RunRecord = UNWATCHED,
    force: bool = False,
) -> None:
    """Write the report on a result to a file that is new, or a report.

    `chunks` is the index that the result comes from, `record` what else was seen of the run. With
    `force` any file is replaced. Raises PathError where the file cannot be written.
    """
    check_target(path, force=force)
    with PagePictures(settings.documents) as pictures:
        html = report_html(report_of(result, record, settings, chunks, pictures.draw))
    _replace(Path(path), html.encode("utf-8"))


def _replace(target: Path, data: bytes) -> None:
    """Put `data` in place of the file at once; a fault leaves the old one as it was."""
    try:
        with NamedTemporaryFile(dir=target.absolute().parent, delete=False) as file:
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).replace(target)
            except BaseException:
                with suppress(OSError):
                    Path(file.name).unlink()
                raise
    except OSError as error:
        raise unwritable(str(target), error) from error
