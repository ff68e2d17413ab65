"""Lines that OCR has found on a page -> paragraphs in the order of reading."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from research_agent.types.documents import Block, ParsedDocument, ocr_label

GAP = 0.7  # heights of a line that lie between two paragraphs at least
COLUMN = 0.3  # share of the text's width that a column has at least; what is narrower is a table's
FULL = 0.6  # share of a column's width that its middle line fills


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line of a page, in pixels from the upper left corner."""

    text: str
    sureness: float
    """How sure OCR is of it, 0 to 1."""
    left: float
    top: float
    right: float
    bottom: float


def with_scans(document: ParsedDocument, pages: Mapping[int, Sequence[OcrLine]]) -> ParsedDocument:
    """Return a document with the text of pages that OCR has read, below the headings before them.

    The label of such a page says how sure that was, as the mean over its characters.
    """
    blocks = list(document.blocks)
    labels = list(document.page_labels) or [""] * document.quality.pages
    for number, lines in sorted(pages.items()):
        above = [block for block in document.blocks if block.page < number]
        section = above[-1].section if above else ()
        blocks += [Block(text, number, section) for text in paragraphs(lines)]
        if size := sum(len(line.text) for line in lines):
            labels[number - 1] = ocr_label(sum(x.sureness * len(x.text) for x in lines) / size)
    left = tuple(page for page in document.textless_pages if page not in pages)
    return replace(
        document,
        blocks=tuple(sorted(blocks, key=lambda block: block.page)),
        page_labels=tuple(labels),
        textless_pages=left,
        quality=replace(document.quality, textless=len(left), ocr=sum(map(bool, pages.values()))),
    )


def paragraphs(lines: Sequence[OcrLine]) -> Iterator[str]:
    """Yield the paragraphs of a page, one column after the other.

    >>> rows = [OcrLine("One", 1, 0, 0, 90, 10), OcrLine("two-", 1, 0, 12, 90, 22)]
    >>> list(paragraphs([*rows, OcrLine("fold.", 1, 0, 24, 90, 34), OcrLine("B", 1, 0, 60, 9, 70)]))
    ['One twofold.', 'B']
    """
    if not lines:
        return
    height = median(line.bottom - line.top for line in lines)
    width = max(line.right for line in lines) - min(line.left for line in lines)
    for part in _parts(lines, height, COLUMN * width):
        yield _joined(part, height)


def _parts(lines: Sequence[OcrLine], height: float, column: float) -> Iterator[Sequence[OcrLine]]:
    """Yield the lines of each paragraph: cut between columns where there are some, else at gaps."""
    sides = _columns(lines, column)
    bands = sides or _bands(lines, GAP * height)
    if len(bands) == 1:
        yield lines
        return
    for band in bands:
        yield from _parts(band, height, column)


def _columns(lines: Sequence[OcrLine], column: float) -> list[list[OcrLine]]:
    """Return the lines left and right of the first empty strip between wide columns; [] if none."""
    ordered = sorted(lines, key=lambda line: line.left)
    reach = ordered[0].right
    for number, line in enumerate(ordered):
        sides = [ordered[:number], ordered[number:]]
        if line.left > reach and all(_is_column(side, column) for side in sides):
            return sides
        reach = max(reach, line.right)
    return []


def _is_column(lines: Sequence[OcrLine], least: float) -> bool:
    width = max(line.right for line in lines) - min(line.left for line in lines)
    middle = median(line.right - line.left for line in lines)
    return len(lines) > 1 and width >= least and middle >= FULL * width


def _bands(lines: Sequence[OcrLine], gap: float) -> list[list[OcrLine]]:
    """Return the lines between empty strips of at least `gap` from side to side."""
    bands: list[list[OcrLine]] = []
    reach = float("-inf")
    for line in sorted(lines, key=lambda line: line.top):
        if line.top - reach >= gap:
            bands.append([])
        bands[-1].append(line)
        reach = max(reach, line.bottom)
    return bands


def _joined(lines: Sequence[OcrLine], height: float) -> str:
    """Return the text of a paragraph; pieces beside each other are one row."""
    rows: list[list[OcrLine]] = []
    for line in sorted(lines, key=lambda line: line.top + line.bottom):
        first = rows[-1][0] if rows else line
        if rows and (line.top + line.bottom - first.top - first.bottom) / 2 < height / 2:
            rows[-1].append(line)
        else:
            rows.append([line])
    text = ""
    for row in rows:
        said = "  ".join(x.text.strip() for x in sorted(row, key=lambda line: line.left))
        close = not text or (_is_dense(text[-1]) and _is_dense(said[:1]))
        if text.endswith("-") and said[:1].islower():
            text = text[:-1] + said
        else:
            text += said if close else f" {said}"
    return text


def _is_dense(char: str) -> bool:
    """Say whether a character is of a writing without spaces, such as Chinese."""
    return char >= "\u2e80" and not "\uac00" <= char <= "\ud7af"
