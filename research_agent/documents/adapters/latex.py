"""LaTeX: its text as it is written, below the headings of its sections."""

import re
from collections.abc import Iterator
from textwrap import dedent

from research_agent.documents.labels import own_links
from research_agent.documents.sections import Sections
from research_agent.text.dates import iso_date
from research_agent.types import ChunkKind
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.references import Link

LATEX_ENDINGS = frozenset({".tex"})

LEVELS = (
    *("part", "chapter", "section", "subsection", "subsubsection"),
    *("paragraph", "subparagraph"),
)
CODE = frozenset(
    name + star
    for name in ("verbatim", "Verbatim", "lstlisting", "minted", "alltt", "filecontents")
    for star in ("", "*")
)
"""Environments whose text is no LaTeX."""

_ARGUMENT = r"(?:\[[^\[\]]*+\]\s*)?\{((?:\\.|[^{}\\]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+)\}"
"""An argument behind an optional one, with braces within it to a depth that is read in one go."""
_FIELD = re.compile(rf"\\(title|date)\s*{_ARGUMENT}", re.DOTALL)
_MARK = re.compile(
    rf"\\(?P<level>{'|'.join(LEVELS)})\*?\s*{_ARGUMENT}(?P<labels>(?:\s*\\label\{{[^{{}}]*+\}})*+)"
    r"|\\(?P<edge>begin|end)\{(?P<name>[^{}\n]*)\}",
    re.DOTALL,
)
_COMMENT = re.compile(r"(\\verb\*?([!-)+-/:-@|~]).*?\2|\\(?:url|href|path)\{[^{}]*\}|\\.)|%.*")
"""A comment, or in the first group what may have a percent sign that begins none."""
_LABEL = re.compile(r"\\label\{([^{}]*)\}")
_REFERENCE = re.compile(r"\\(?:[cCvV]?ref|eqref|autoref|pageref|nameref)\*?\{([^{}]*)\}")
_LIST = re.compile(
    r"(?<![ \t])[ \t]*+\\(?:begin|end)\{(?:itemize|enumerate|description)\}(?:\[[^\[\]]*\])?\n?"
)
_ITEM = re.compile(r"\\item(?![A-Za-z])[ \t]*")


def parse_latex(text: str) -> ParsedDocument:
    r"""Return the document in a LaTeX text: paragraphs and whole environments, without comments.

    Its title is that of `\title`, else the first section. What stands outside of
    `\begin{document}` is left out; a text without it is a part of a document.

    >>> document = parse_latex("\\section{Use}\\label{use}\nSee \\ref{use}. % or not")
    >>> [(block.text, block.anchors) for block in document.blocks]
    [('Use', ('#use',)), ('See \\ref{use}.', ())]
    """
    text = _without_comments(text.replace("\f", "\n"))
    fields = dict(reversed(_FIELD.findall(text)))
    _, begun, body = text.partition(r"\begin{document}")
    if begun and r"\end{document}" in body:
        body = body.rpartition(r"\end{document}")[0]
    blocks = own_links(tuple(_Walk().blocks(body if begun else text)))
    first = next((block.section[0] for block in blocks if block.section), "")
    title = " ".join(fields.get("title", "").replace(r"\\", " ").split()) or first
    return ParsedDocument(blocks, title=title, date=iso_date(fields.get("date", "")))


def _without_comments(text: str) -> str:
    kept: list[str] = []
    end = ""
    for line in text.split("\n"):
        bare = line if end else _COMMENT.sub(lambda match: match[1] or "", line)
        if bare.strip() or not line.strip():  # (a line of a comment alone parts no paragraphs)
            kept.append(bare.rstrip())
        begun = [mark["name"] for mark in _MARK.finditer(bare) if mark["name"] in CODE]
        end = end or (f"\\end{{{begun[-1]}}}" if begun else "")
        end = "" if end and end in bare else end
    return "\n".join(kept)


class _Walk(Sections):
    def blocks(self, text: str) -> Iterator[Block]:
        """Yield the blocks in order; an environment that holds a section is none of its own."""
        done = begun = depth = 0
        name = ""
        for mark in _MARK.finditer(text):
            if mark["level"] and mark[2].strip() and name not in CODE:
                yield from self._paragraphs(text[done : mark.start()])
                self.anchors += _anchors(mark[0])
                heading = " ".join(_LABEL.sub("", mark[2]).split())
                yield from self.heading(heading, LEVELS.index(mark["level"]))
                done, name = mark.end(), ""
            elif mark["edge"] == "begin" and not name:
                begun, depth, name = mark.start(), 1, mark["name"]
            elif name and mark["name"] == name:
                depth += 1 if mark["edge"] == "begin" else -1
                if not depth or (name in CODE and mark["edge"] == "end"):
                    yield from self._paragraphs(text[done:begun])
                    yield from self._environment(text[begun : mark.end()], name)
                    done, name = mark.end(), ""
        yield from self._paragraphs(text[done:])

    def block(self, text: str, kind: ChunkKind = "text") -> Iterator[Block]:
        """Yield a block with its labels and references."""
        if kind != "code":
            self.anchors += _anchors(text)
            self.links += _links(text)
        yield from super().block(text, kind)

    def _paragraphs(self, text: str) -> Iterator[Block]:
        for paragraph in re.split(r"\n{2,}", text):
            yield from self.block(paragraph.strip())

    def _environment(self, text: str, name: str) -> Iterator[Block]:
        if _LIST.match(text):
            items = _ITEM.sub("- ", _LIST.sub("", text))
            yield from self.block(dedent(items).strip("\n"), "list")
        elif name != "comment":
            yield from self.block(text, "code" if name in CODE else "text")


def _anchors(text: str) -> list[str]:
    return [f"#{name}" for name in _LABEL.findall(text)]


def _links(text: str) -> Iterator[Link]:
    for reference in _REFERENCE.finditer(text):
        for name in reference[1].split(","):
            yield Link(f"#{name.strip()}", "link", reference[0])
