"""An answer in a terminal: bold text, numbered citations that open their page, quotes below.

In a pipe, and where NO_COLOR is set, it is the same text without any of that.
"""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from research_agent.answering import result_lines
from research_agent.interfaces.cli.terminal import is_rich, note, say
from research_agent.interfaces.steps import several, usage_text
from research_agent.text.visible import visible
from research_agent.types.conversation import Cited
from research_agent.types.evidence import place
from research_agent.types.result import Citation, Conflict, ResearchResult
from research_agent.types.scope import UNDATED
from research_agent.types.verification import CUT

if TYPE_CHECKING:
    from rich.text import Text

UNPROVEN = "No answer could be confirmed"
"""What is shown of a refusal whose draft the documents contradict."""
_MARKUP = re.compile(
    r"\*\*(?P<bold>\S(?:.*?\S)?)\*\*|`(?P<code>[^`\n]+)`"
    rf"|{result_lines.NUMBER}|\[(?P<mark>unconfirmed|contradicted)\]"
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
    """Return an answer with numbers for keys, or the nearest passage of a contradicted one."""
    if result.status == "refused" and result.refusal_reason == "unsupported_draft":
        nearest = [place(item.hit.chunk) for item in result.evidence[:1]]
        return "; nearest passage: ".join([UNPROVEN, *nearest]) + "."
    numbers = {one.citation.key: one.number for one in result_lines.references(result)}
    return result_lines.numbered(result.answer, numbers)


def print_result(result: ResearchResult) -> None:
    """Print an answer with its citations and quotes, and what it lacks."""
    if not is_rich(sys.stdout):
        below = (f"{' ' * by}{one}" for by, line in _below(result) for one in line.split("\n"))
        say("\n".join([shown_answer(result), *below]))
        return
    from rich.console import Console
    from rich.padding import Padding

    console = Console(file=sys.stdout, highlight=False)
    links = {one.number: citation_address(one.citation) for one in result_lines.references(result)}
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


def _below(result: ResearchResult) -> Sequence[tuple[int, str]]:
    found = result_lines.references(result)
    lines: list[tuple[int, str]] = [(0, "")] if found else []
    for one in found:
        lines.append((0, f"[{one.number}] {one.citation.place}"))
        lines += [(INDENT, f'"{quoted}"') for quoted in map(_flat, one.texts)]
    for conflict in result.conflicts:
        lines.append((0, _conflict(conflict, found)))
        lines.append((INDENT, f'"{_flat(conflict.other_quote)}"'))
    lines += [(0, line) for line in result_lines.lacking_lines(result)]
    return [*lines, *((0, line) for line in [result_lines.marks_line(result)] if line)]


def _flat(text: str) -> str:
    is_table = any("|" in one and "|" in two for one, two in pairwise(text.split("\n")))
    return text if is_table else " ".join(text.split())


def _conflict(conflict: Conflict, found: Sequence[result_lines.Reference]) -> str:
    numbers = {one.citation.key: f" [{one.number}]" for one in found}
    one = f"{conflict.value} in {conflict.doc_id} ({conflict.date or 'no date'})"
    other = (
        f"{conflict.other_value} in {conflict.other_doc_id} ({conflict.other_date or 'no date'})"
    )
    keys = (numbers.get(key, "") for key in (conflict.key, conflict.other_key))
    return "conflict: {0}{2}, {1}{3}".format(one, other, *keys)


def evidence_text(result: ResearchResult) -> str:
    """Return every chunk that the model read, with its place, and its number where it is cited."""
    numbers = {one.citation.key: f"[{one.number}] " for one in result_lines.references(result)}
    return "".join(
        f"--- {numbers.get(item.key, '')}{place(item.hit.chunk)}\n{item.hit.chunk.text}\n\n"
        for item in result.evidence
    )


def cost_line(result: ResearchResult, *, short: bool = False) -> str:
    """Return how the question ended and what it cost, in one line."""
    usage, seconds = result.usage, f"{result.usage.elapsed_seconds:.1f} s"
    if short:
        return f"{result.status} in {seconds}, {several(usage.llm_calls, 'model call')}"
    ending = f"{result.status} ({result.stop_reason}) in {seconds}"
    return f"{ending}: {several(result.rounds, 'round')}, {usage_text(usage)}"


def told_warnings(warnings: Sequence[str], stop_reason: str) -> Sequence[str]:
    """Return the warnings that are always shown: of what was cut, left out or could not be ended.

    >>> told_warnings(["answer: cut at answer.max_tokens", "filter: by rank"], "confident")
    ['answer: cut at answer.max_tokens']
    """
    if stop_reason == "error" or stop_reason.startswith("budget_"):
        return warnings
    return [warning for warning in warnings if warning.startswith((CUT, UNDATED))]


def edited_note(
    citations: Iterable[Citation | Cited], edited: Callable[[Collection[str]], Collection[str]]
) -> str:
    """Return which cited documents are not as they were indexed, in one line; empty for none."""
    names = {one.source: one.doc_id for one in citations}
    changed = ", ".join(names[path] for path in edited(names)) if names else ""
    return f"edited, moved or deleted since it was indexed: {changed}" if changed else ""


def open_first(result: ResearchResult) -> None:
    """Open the page of the first citation in the browser; tells where that does not work."""
    if found := result_lines.references(result):
        open_page(citation_address(found[0].citation))
    else:
        note("nothing is cited, so no page is opened")


def open_page(where: str) -> None:
    """Open an address of `address` in the browser; tells where that does not work."""
    import webbrowser

    if not webbrowser.open(where):
        note(f"no browser could be started; the page is {where}")
