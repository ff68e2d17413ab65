"""A report -> one HTML file: no scripts, no network, every word of others escaped.

It is written whole or not at all, and never over somebody's own file.
"""

import os
import stat
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research_agent.answering.result_lines import lacking_lines, quoted_words
from research_agent.assembly.page_pictures import PagePictures
from research_agent.errors import PathError
from research_agent.interfaces.report.content import Report, report_of
from research_agent.interfaces.report.recording import RunRecord
from research_agent.ports import ChunkStore
from research_agent.private_files import replace_text
from research_agent.settings import Settings
from research_agent.text.visible import visible
from research_agent.types.result import ResearchResult
from research_agent.types.uncertainty import in_words, measured

if TYPE_CHECKING:
    from jinja2 import Environment

PACKAGE = "research_agent.interfaces.report"
LONGEST = 20_000
"""Characters of one text of others in a report."""


MADE_BY = '<meta name="generator" content="research-agent report">'
"""By this a report is known."""
BEGINNING = 2000
"""Bytes of a file that are read to see whether it is a report."""


def check_target(path: str, *, force: bool = False) -> None:
    """Raise PathError where a report cannot be written to `path`, or must not be."""
    if "\0" in path:
        raise unwritable(ascii(path), ValueError("no file has such a name"))
    target = Path(path)
    try:
        folder = target.absolute().parent
        if not folder.is_dir():
            raise PathError(f"no such folder: {folder}", hint="Make the folder first.")
        if target.is_dir():
            raise PathError(f"{path} is a folder", hint=f"Name a file: {path}/answer.html")
        if target.exists() or target.is_symlink():
            _check_old(target, force=force)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PathError(f"{folder} may not be written to", hint="Name another folder.")
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from error


def _check_old(target: Path, *, force: bool) -> None:
    if not stat.S_ISREG(target.lstat().st_mode):
        raise PathError(f"{target} is no ordinary file", hint="Name another file.")
    with target.open("rb") as file:
        ours = MADE_BY.encode("ascii") in file.read(BEGINNING)
    if not (ours or force):
        raise PathError(
            f"{target} is there already, and is no report",
            hint="Name another file, or replace it with --force.",
        )


def unwritable(path: str, error: OSError | ValueError) -> PathError:
    """Return the error of a file that cannot be written."""
    reason = getattr(error, "strerror", None) or str(error)
    return PathError(
        f"{path} cannot be written: {reason}",
        hint="Name a file in a folder that you may write to: research-agent ask … --report FILE",
    )


def write_report(
    result: ResearchResult,
    path: str,
    *,
    chunks: ChunkStore,
    settings: Settings,
    record: RunRecord | None = None,
    force: bool = False,
) -> None:
    """Write the report to a new file, or over an older report; raises PathError."""
    check_target(path, force=force)
    with PagePictures(settings.documents) as pictures:
        html = report_html(report_of(result, record or RunRecord(), chunks, pictures.draw))
    try:
        replace_text(Path(path).absolute(), html)
    except OSError as error:
        raise unwritable(path, error) from error


def report_html(report: Report) -> str:
    """Return the HTML of a report; the same report gives the same text."""
    return page_html("report.html.jinja", report=report, result=report.result)


def page_html(template: str, *, package: str = PACKAGE, style: str = "", **values: object) -> str:
    """Return a page of a package's template in the style of reports, and `style` of its own."""
    style = (files(PACKAGE) / "templates" / "report.css").read_text(encoding="utf-8") + style
    made = environment(package).get_template(template)
    html = made.render(policy=policy(style), made_by=MADE_BY, **values)
    return html.replace("/*STYLE*/", style, 1)


def policy(style: str) -> str:
    """Return a Content-Security-Policy that allows this style and pictures in the file itself.

    >>> policy("").split("; ")[:2]
    ["default-src 'none'", 'img-src data:']
    """
    digest = b64encode(sha256(style.encode("utf-8")).digest()).decode("ascii")
    own = f"style-src 'sha256-{digest}'"
    return f"default-src 'none'; img-src data:; {own}; base-uri 'none'; form-action 'none'"


@cache
def environment(package: str = PACKAGE) -> "Environment":
    """Return the engine of a package's templates: values are escaped, unknown names errors."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(PACKAGE)]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": number,
        "measured": measured,
        "in_words": in_words,
        "lacking": lacking_lines,
        "words": quoted_words,
        "flat": lambda text: " ".join(text.split()),
    }
    return made


def harmless(value: Any) -> Any:  # noqa: ANN401 (whatever a template writes)
    r"""Return a value with a text's hidden characters made visible, and its end cut off.

    >>> harmless("gpj.\u202eexe\r\nok")
    'gpj.\\u202eexe\nok'
    """
    if type(value) is not str:
        return value
    cut = value if len(value) <= LONGEST else value[:LONGEST] + "\u2026"
    return visible(cut.replace("\r\n", "\n").replace("\u00ad", ""))


def number(value: float | None, digits: int = 2) -> str:
    """Return a number as text; a dash where it is not known.

    >>> number(0.126), number(None), number(12, 0)
    ('0.13', '\u2013', '12')
    """
    return "\u2013" if value is None else f"{value:,.{digits}f}"
