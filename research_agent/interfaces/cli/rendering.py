"""An answer in a terminal: bold text, numbered citations that open their page, quotes below.

In a pipe, and where NO_COLOR is set, it is the same text without any of that.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from research_agent.answering.result_lines import (
    Reference,
    lacking_lines,
    marks_line,
    numbered,
    references,
)
from research_agent.interfaces.cli.terminal import is_rich, say
from research_agent.interfaces.steps import several, usage_text
from research_agent.text.visible import visible
from research_agent.types.evidence import place
from research_agent.types.result import Citation, Conflict, ResearchResult

if TYPE_CHECKING:
    from rich.text import Text

UNPROVEN = "No answer could be confirmed"
"""What is shown of a refusal whose draft the documents contradict."""
_MARKUP = re.compile(
    r"\*\*(?P<bold>\S(?:.*?\S)?)\*\*|`(?P<code>[^`\n]+)`"
    r"|\[(?P<number>\d+)\]|\[(?P<mark>unconfirmed|contradicted)\]"
)
_STYLES = {"bold": "bold", "code": "cyan", "mark": "yellow"}
INDENT = 4


def address(source: str, page: int) -> str:
    """Return an address that opens a file at a page.

    >>> address("/docs/my guide.pdf", 3), address("/docs/notes.md", 1)
    ('file:///docs/my%20guide.pdf#page=3', 'file:///docs/notes.md')
    """
    path = Path(source)
    plain = path.as_uri() if path.is_absolute() else quote(source)
    return f"{plain}#page={page}" if source.lower().endswith(".pdf") else plain


def citation_address(citation: Citation) -> str:
    """Return an address that opens the page on which a citation's quote begins."""
    page = citation.page_spans[0].page if citation.page_spans else citation.start_page
    return address(citation.source, page)


def shown_answer(result: ResearchResult) -> str:
    """Return an answer as readers see it: with numbers for keys, and in honest words.

    A refusal says that nothing is in the documents; where the model wrote an answer that they
    contradict, what is shown is that none could be confirmed, with the nearest passage.
    """
    if result.status == "refused" and result.refusal_reason == "unsupported_draft":
        nearest = [place(item.hit.chunk) for item in result.evidence[:1]]
        return "; nearest passage: ".join([UNPROVEN, *nearest]) + "."
    given = {one.citation.key: one.number for one in references(result)}
    unnamed = {item.key for item in result.evidence} - given.keys()
    answer = result.answer
    for key in unnamed:  # (the notice names the nearest passage, which may not be cited)
        answer = answer.replace(f"[{key}] ", "")
    return numbered(answer, given)


def print_result(result: ResearchResult) -> None:
    """Print an answer with its citations and quotes, and what it lacks."""
    if not is_rich(sys.stdout):
        say(result_text(result))
        return
    from rich.console import Console
    from rich.padding import Padding

    console = Console(file=sys.stdout, highlight=False)
    links = {one.number: citation_address(one.citation) for one in references(result)}
    console.print(marked_up(visible(shown_answer(result)), links))
    for indent, line in _below(result):
        number = re.match(r"\[(\d+)\] ", line)
        styled = marked_up(visible(line), {} if indent else links)
        styled.stylize("italic" if indent else "bold" if number else "")
        console.print(Padding(styled, (0, 0, 0, indent)))


def marked_up(text: str, links: Mapping[str, str]) -> "Text":
    """Return text with its marks, its Markdown and its citations in a terminal's styles."""
    from rich.text import Text

    made, at = Text(), 0
    for match in _MARKUP.finditer(text):
        kind, inner = match.lastgroup or "", match[match.lastgroup or 0]
        made.append(text[at : match.start()])
        if kind == "number":
            link = links.get(inner)
            made.append(match[0], f"bold blue link {link}" if link else "")
        else:
            made.append(match[0] if kind == "mark" else inner, _STYLES[kind])
        at = match.end()
    return made.append(text[at:])


def result_text(result: ResearchResult) -> str:
    """Return an answer with its citations and quotes, as plain text."""
    lines = (
        f"{' ' * indent}{part}" for indent, line in _below(result) for part in line.split("\n")
    )
    return "\n".join([shown_answer(result), *lines])


def _below(result: ResearchResult) -> Sequence[tuple[int, str]]:
    """Return the lines below an answer, each with its indentation."""
    found = references(result)
    lines: list[tuple[int, str]] = [(0, "")] if found else []
    for one in found:
        lines.append((0, f"[{one.number}] {one.citation.place}"))
        lines += [(INDENT, f'"{quoted}"') for quoted in map(_flat, one.texts)]
    for conflict in result.conflicts:
        lines.append((0, _conflict(conflict, found)))
        lines.append((INDENT, f'"{_flat(conflict.other_quote)}"'))
    lines += [(0, line) for line in lacking_lines(result)]
    return [*lines, *([(0, line)] if (line := marks_line(result)) else [])]


def _flat(text: str) -> str:
    """Return the words of a quote on one line; rows of a table keep theirs."""
    is_table = any("|" in one and "|" in two for one, two in pairwise(text.split("\n")))
    return text if is_table else " ".join(text.split())


def _conflict(conflict: Conflict, found: Sequence[Reference]) -> str:
    """Return two values of one thing, each with its document and its date."""
    given = {one.citation.key: f" [{one.number}]" for one in found}
    sides = (
        (conflict.value, conflict.doc_id, conflict.date, conflict.key),
        (conflict.other_value, conflict.other_doc_id, conflict.other_date, conflict.other_key),
    )
    told = (
        f"{value} in {name} ({date or 'no date'}){given.get(key, '')}"
        for value, name, date, key in sides
    )
    return f"conflict: {', '.join(told)}"


def evidence_text(result: ResearchResult) -> str:
    """Return every chunk that the model read, with its place, and its number where it is cited."""
    given = {one.citation.key: f"[{one.number}] " for one in references(result)}
    return "".join(
        f"--- {given.get(item.key, '')}{place(item.hit.chunk)}\n{item.hit.chunk.text}\n\n"
        for item in result.evidence
    )


def cost_line(result: ResearchResult) -> str:
    """Return how the question ended and what it cost, in one line.

    Failed calls, further tries, reused replies and the cost are told where there are any.
    """
    usage = result.usage
    ending = f"{result.status} ({result.stop_reason}) in {usage.elapsed_seconds:.1f} s"
    return f"{ending}: {several(result.rounds, 'round')}, {usage_text(usage)}"


def short_cost(result: ResearchResult) -> str:
    """Return the same for those who have not asked for it."""
    seconds, calls = result.usage.elapsed_seconds, several(result.usage.llm_calls, "model call")
    return f"{result.status} in {seconds:.1f} s, {calls}"


def open_first(result: ResearchResult, on_problem: Callable[[str], None]) -> None:
    """Open the page of the first citation in the browser; tells where that does not work."""
    found = references(result)
    if not found:
        on_problem("nothing is cited, so no page is opened")
    else:
        open_page(citation_address(found[0].citation), on_problem)


def open_page(where: str, on_problem: Callable[[str], None]) -> None:
    """Open an address of `address` in the browser; tells where that does not work."""
    import webbrowser

    if not webbrowser.open(where):
        on_problem(f"no browser could be started; the page is {where}")
