"""A report -> one HTML file: no scripts, no network, every word of others escaped."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from research_agent.answering.result_lines import lacking_lines
from research_agent.interfaces.cli.terminal import visible
from research_agent.interfaces.report.gathering import Report
from research_agent.interfaces.report.target import MADE_BY
from research_agent.types.uncertainty import in_words, measured

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST = 20_000
"""Characters of one text of others in a report."""


def report_html(report: Report) -> str:
    """Return the HTML of a report; the same report gives the same text."""
    style = _read("report.css")
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(report=report, result=report.result, policy=policy(style), made_by=MADE_BY)
        .replace("/*STYLE*/", style, 1)
    )


def policy(style: str) -> str:
    """Return a Content-Security-Policy that allows this style and pictures in the file itself.

    >>> policy("").split("; ")[:2]
    ["default-src 'none'", 'img-src data:']
    """
    digest = b64encode(sha256(style.encode("utf-8")).digest()).decode("ascii")
    own = f"style-src 'sha256-{digest}'"
    return f"default-src 'none'; img-src data:; {own}; base-uri 'none'; form-action 'none'"


def harmless(value: object) -> object:
    r"""Return a value with a text's hidden characters made visible, and its end cut off.

    >>> harmless("gpj.\u202eexe\r\nok")
    'gpj.\\u202eexe\nok'
    """
    if type(value) is not str:
        return value
    cut = value if len(value) <= LONGEST else value[:LONGEST] + "\u2026"
    return visible(cut.replace("\r\n", "\n").replace("\u00ad", ""))


@cache
def _environment() -> "Environment":
    """Return the template engine: every value is escaped, an unknown name is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("research_agent.interfaces.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_final,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = number
    environment.filters["measured"] = measured
    environment.filters["in_words"] = in_words
    environment.filters["lacking"] = lacking_lines
    environment.filters["flat"] = lambda text: " ".join(text.split())
    return environment


def _final(value: Any) -> Any:  # noqa: ANN401 (whatever a template writes)
    return harmless(value)


def number(value: float | None, digits: int = 2) -> str:
    """Return a number as it is shown; a dash where it is not known.

    >>> number(0.126), number(None), number(12, 0)
    ('0.13', '\u2013', '12')
    """
    return "\u2013" if value is None else f"{value:,.{digits}f}"


def _read(name: str) -> str:
    template = files("research_agent.interfaces.report") / "templates" / name
    return template.read_text(encoding="utf-8")
