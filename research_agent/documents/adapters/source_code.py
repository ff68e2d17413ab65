"""Source code: line by line, below the classes and functions that hold it."""

import ast
import re
import sys
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile

from research_agent.types.documents import Block, ParsedDocument

CODE_LINES = 40  # lines that a block of code aims at; without definitions it ends at a blank line
SMALL = 12  # a shorter definition shares a block with its neighbours
DATA_CHARS = 1000  # length that a block of data aims at; a last one may be half as long again
NAME_CHARS = 80  # a longer line of data is no name of what stands below it
INDENTED = 20  # levels of JSON that are indented

PYTHON_ENDINGS = frozenset({".py", ".pyi"})
DATA_ENDINGS = frozenset({".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".sql"})
"""Files without definitions, read as lines."""
CODE_ENDINGS = (
    PYTHON_ENDINGS
    | DATA_ENDINGS
    | {".js", ".ts", ".jsx", ".tsx", ".java", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".go"}
    | {".rs", ".rb", ".sh", ".kt", ".swift", ".scala", ".php", ".lua"}
)

_CLASSES = (
    "class|struct|enum|interface|trait|impl|module|namespace|record|object|protocol|extension|mod"
)
_MODIFIERS = (
    "export|default|pub(?:\\([\\w:]+\\))?|public|private|protected|internal|static|final|abstract|"
    "async|unsafe|extern|override|sealed|open|data|partial|inline|const|local|type|virtual|suspend"
)
_DEFINED = re.compile(
    rf"\s*(?:(?:{_MODIFIERS})\s+)*(?:(?P<class>{_CLASSES})|fn|fun|func|function|def)\b"
    r"\s*(?:\([^()]*\)\s*)?(?:<[^<>]*>\s*)?"
    r"(?:class\s+|[A-Z\d]+_[A-Z\d_]+\s+|[\w:<>,&' ]+ for )?"
    r"(?P<name>[A-Za-z_$][\w$]*+(?:[.:]+[\w$]++)*+)"
    r"(?![\s*&]+\w+\s*\()"  # (that is a function, and returns it)
)
_ASSIGNED = re.compile(
    rf"\s*(?:(?:{_MODIFIERS}|let|var)\s+)*(?P<name>[A-Za-z_$][\w$.]*)\s*(?::[^=]*)?="
    r"\s*(?:async\b\s*)?(?:function\b|[\w$]+\s*=>|[(<].*=>)"
)
"""A function that is given a name."""
_C_FUNCTION = re.compile(r"[A-Za-z_][\w\s*&:<>,~]*?\b(?P<name>[A-Za-z_~]\w*)\s*\([^;]*$")
_METHOD = re.compile(r"\s+(?!\[)(?:[\w<>\[\],.?&*:]+\s+)*(?P<name>[A-Za-z_$~]\w*)\s*\([^;]*$")
_NO_FUNCTION = re.compile(r"\s*(?:if|for|while|switch|return|else|do|case|typedef|using)\b")
_COMMENT = re.compile(r"\s*/\*(?!\))")  # (not `/*)`, a pattern of the shell)
_LABEL = r"(?:\w+(?: \w+)?|case\b.*):\s*(?:/|$)"
_LEADS = re.compile(rf"\s*(?:[/*@#\[]|--|template\b|{_LABEL})")
"""How comments, annotations and labels begin, which belong to the line below them."""
_GOES_ON = re.compile(
    rf"\s*(?:[}})\]{{]|end\b|else\b|elif\b|catch\b|finally\b|#\s*(?:if|el|end)|{_LABEL}|$)"
)
_REMARK = re.compile(r"\s*(?:#|--|//|/\*|;|$)")
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_JSON_TOKEN = re.compile(
    rf"(?=[^\]}}]{{,98}}[\]}}])[\[{{](?:{_STRING}|[^\"\[\]{{}}])*+[\]}}]"
    rf"|{_STRING}|[\[\]{{}},\"]|[^\[\]{{}},\"]+",
    re.DOTALL,
)
"""A short list or object, a string, a sign, or what stands between them."""

_Segment = tuple[tuple[str, ...], Sequence[str]]
"""The names around the lines of one definition, or between two, and the lines."""


def parse_code(text: str, *, ending: str = "") -> ParsedDocument:
    r"""Return a program as blocks of code with the names of the definitions around them.

    Python is parsed; in other languages a line that begins as a definition does begins one, and
    its indentation says where it ends. Small definitions share a block of about 40 lines. Data
    are cut where they are least indented, with the less indented lines around a block as section.

    >>> [(b.kind, b.section) for b in parse_code("import os\n", ending=".py").blocks]
    [('code', ())]
    """
    text = text.replace("\f", "\n")
    if ending in DATA_ENDINGS:
        return ParsedDocument(tuple(_data_blocks(text, ending)))
    lines = [line.rstrip() for line in text.split("\n")]
    segments: list[_Segment] = []
    if not ending:
        segments = [((), lines)]
    elif ending in PYTHON_ENDINGS:
        segments = _python(text, lines)
    return ParsedDocument(tuple(_blocks(segments or list(_by_indentation(lines)))))


def _python(text: str, lines: Sequence[str]) -> list[_Segment]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # (an odd escape in a user's file is no fault of ours)
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    segments: list[_Segment] = []
    done = _add_definitions(tree.body, (), lines, 0, segments)
    return [*segments, ((), lines[done:])]


def _add_definitions(
    body: Sequence[ast.stmt],
    path: tuple[str, ...],
    lines: Sequence[str],
    done: int,
    segments: list[_Segment],
) -> int:
    for node in body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        start = min([node.lineno, *(item.lineno for item in node.decorator_list)]) - 1
        while start > done and lines[start - 1].lstrip().startswith("#"):
            start -= 1
        segments.append((path, lines[done:start]))
        inner = (*path, node.name)
        done = start
        if isinstance(node, ast.ClassDef):
            done = _add_definitions(node.body, inner, lines, done, segments)
        end = node.end_lineno or done
        segments.append((inner, lines[done:end]))
        done = max(done, end)
    return done


@dataclass(slots=True)
class _Definition:
    name: str
    indent: int
    members: int
    """How far in the members of a class stand: no farther than any line so far; -1 for others."""


def _by_indentation(lines: Sequence[str]) -> Iterator[_Segment]:
    path: list[_Definition] = []
    current: list[str] = []
    leads = 0
    within = False  # a block comment that began above
    for line in lines:
        comment = within or _COMMENT.match(line) is not None
        goes_on = within or _GOES_ON.match(line) is not None
        indent = len(line) - len(line.lstrip())
        around = path if goes_on else [part for part in path if part.indent < indent]
        if around and not goes_on:
            around[-1].members = min(around[-1].members, indent)
        is_member = bool(around) and around[-1].members == indent
        match = None if comment or goes_on else _definition(line, is_member=is_member)
        if match or len(around) < len(path):
            above = len(current) - leads
            yield tuple(part.name for part in path), current[:above]
            current = current[above:]
            path = around
            if match:
                is_class = match.re is _DEFINED and match["class"] is not None
                path.append(_Definition(match["name"], indent, sys.maxsize if is_class else -1))
        current.append(line)
        leads = leads + 1 if comment or _LEADS.match(line) else 0
        within = comment and "*/" not in line
    yield tuple(part.name for part in path), current


def _definition(line: str, *, is_member: bool) -> re.Match[str] | None:
    match = _DEFINED.match(line) or _ASSIGNED.match(line)
    if match is None and not _NO_FUNCTION.match(line):
        match = (_METHOD if is_member else _C_FUNCTION).match(line)
    return match


def _blocks(segments: Sequence[_Segment]) -> Iterator[Block]:
    group: list[_Segment] = []
    for segment in segments:
        size = len(segment[1])
        full = sum(len(lines) for _, lines in group) + size > CODE_LINES
        if group and (full or size >= SMALL or not _are_near([*group, segment])):
            yield from _joined(group)
            group = []
        if size >= SMALL:
            yield from _joined([segment])
        elif size:
            group.append(segment)
    yield from _joined(group)


def _joined(group: Sequence[_Segment]) -> Iterator[Block]:
    path = _common(group)
    lines: list[str] = []
    for line in (line for _, part in group for line in part):
        if len(lines) >= CODE_LINES and (not line.strip() or len(lines) >= 2 * CODE_LINES):
            yield from _block(lines, path)
            lines = []
        lines.append(line)
    yield from _block(lines, path)


def _are_near(group: Sequence[_Segment]) -> bool:
    return bool(_common(group)) or all(len(path) <= 1 for path, lines in group if any(lines))


def _common(group: Sequence[_Segment]) -> tuple[str, ...]:
    paths = [path for path, lines in group if any(lines)]
    same = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    return tuple(names[0] for names in same)


def _block(lines: Sequence[str], path: tuple[str, ...]) -> Iterator[Block]:
    text = "\n".join(lines).strip("\n")
    if text.strip():
        yield Block(text, section=path, kind="code")


def _data_blocks(text: str, ending: str) -> Iterator[Block]:
    lines = [line.rstrip() for line in text.split("\n")]
    if ending == ".json" and max(map(len, lines)) > DATA_CHARS:
        lines = _with_line_breaks(text).split("\n")
    depths = _depths(lines, ending)
    path: list[tuple[int, str]] = []
    start = 0
    for end in _data_ends(lines, depths, ending):
        around = [name for depth, name in path if name and depth < depths[start]]
        yield from _block(lines[start:end], tuple(around))
        for depth, line in zip(depths[start:end], lines[start:end], strict=True):
            if not _REMARK.match(line):
                path = [part for part in path if part[0] < depth]
                path.append((depth, _data_name(line)))
        start = end


def _depths(lines: Sequence[str], ending: str) -> list[int]:
    """Return how far in lines stand: items below their key, keys below their table.

    A remark stands where the line below it does.
    """
    depths: list[int] = []
    depth = 0
    for line in reversed(lines):
        if not _REMARK.match(line):
            text = line.lstrip()
            in_table = ending in {".toml", ".ini", ".cfg"} and not line.startswith("[")
            depth = 2 * (len(line) - len(text)) + (in_table or f"{text} ".startswith("- "))
        depths.append(depth)
    return depths[::-1]


def _data_name(line: str) -> str:
    name = line.replace('"', "").replace("'", "").strip(" \t-[]{}():=,|>")
    return name if len(name) <= NAME_CHARS else ""


def _data_ends(lines: Sequence[str], depths: Sequence[int], ending: str) -> Iterator[int]:
    """Yield where blocks end: at the least indented line of the second half of their room."""
    offsets = [0, *accumulate(len(line) + 1 for line in lines)]
    is_yaml = ending in {".yaml", ".yml"}
    documents = [i for i, line in enumerate(lines) if is_yaml and line.startswith("---")]
    start = 0
    for stop in (*documents, len(lines)):
        while offsets[stop] - offsets[start] > 1.5 * DATA_CHARS:
            half, end = (
                bisect_right(offsets, offsets[start] + size, start + 1, stop - 1)
                for size in (DATA_CHARS // 2, DATA_CHARS)
            )
            begins = [i for i in range(half, end) if _begins(lines[i], lines[i - 1])]
            start = min(begins, key=lambda i: (depths[i], -i), default=max(start + 1, end - 1))
            yield start
        if start < stop:
            yield stop
        start = stop


def _begins(line: str, above: str) -> bool:
    is_end = not line or line.lstrip()[0] in ")]}"
    return not is_end and (not above or not _REMARK.match(above))


def _with_line_breaks(text: str) -> str:
    """Return JSON with an entry or a short list or object a line, and else as it is."""
    parts: list[str] = []
    depth = 0
    for match in _JSON_TOKEN.finditer(text):
        token = match[0].strip()
        if token in {"]", "}"}:
            depth = max(0, depth - 1)
            parts.append("\n" + "  " * min(depth, INDENTED))
        parts.append(f": {token[1:].lstrip()}" if token.startswith(":") else token)
        depth += token in {"[", "{"}
        if token in {"[", "{", ","} or (depth == 0 and token.endswith(("]", "}"))):
            parts.append("\n" + "  " * min(depth, INDENTED))
    return "".join(parts)
