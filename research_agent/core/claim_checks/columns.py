"""Values of a table that a sentence gives to a thing that the table has no column for."""

from collections.abc import Iterator

from research_agent.core.claim_checks.compared import clause
from research_agent.core.claim_checks.inflection import root
from research_agent.core.claim_checks.order import ARTICLES
from research_agent.core.claim_checks.reading import Statement, Word, read
from research_agent.core.claim_checks.rows import is_value, parts
from research_agent.core.support import is_short

MEASURES = frozenset(
    map(
        root,
        ["size", "length", "width", "height", "depth", "weight", "amount", "number", "value",
         "total", "count", "sum", "rate", "level", "category", "parameter", "set", "variant",
         "version", "case", "table", "row", "column", "example", "average", "mean", "median",
         "maximum", "minimum", "ukuran", "panjang", "lebar", "tinggi", "berat", "jumlah", "nilai",
         "tingkat", "tabel", "baris", "kolom", "contoh"],
    )
)  # fmt: skip
"""Things that a table need not name where it has their values."""
BEGINNING = ARTICLES | {"of", "for", "dari", "untuk", "setiap", "each", "every", "per"}
"""Words behind which a thing is named."""


def of_no_column(said: Statement, table: str, around: str = "") -> str:
    r"""Return the thing that has another column's value in a sentence, and no column of its own.

    `around` is what the table belongs to: what is named there may be what the whole table is about.

    >>> table = "Sizes of ML-KEM\n | key | ciphertext\nML-KEM-768 | 1184 | 1088"
    >>> of_no_column(read("The signature of ML-KEM-768 has 1088 bytes."), table)
    'the evidence says 1088 of ciphertext, not of signature'
    >>> of_no_column(read("The ciphertext of ML-KEM-768 has 1088 bytes."), table)
    ''
    """
    above, below = parts(table)
    if not above or not below:
        return ""
    known = read(f"{around}\n{table}")
    for place, word in enumerate(said.words):
        heads = _heads(word, above, below) if word.value else []
        if not heads or any(_is_said(other, said) for head in heads for other in read(head).words):
            continue
        for thing in _things(said, place):
            last = said.words[thing[-1]]
            named = [said.words[i] for i in thing]
            if last.form not in MEASURES and not any(_is_said(other, known) for other in named):
                text = " ".join(other.text for other in named)
                return f"the evidence says {word.text} of {heads[0].lower()}, not of {text}"
    return ""


def _heads(
    word: Word, above: tuple[tuple[str, ...], ...], below: tuple[tuple[str, ...], ...]
) -> list[str]:
    """Return the heads of the columns that hold a value; none where one of them says nothing."""
    heads: list[str] = []
    for row in below:
        for place, cell in enumerate(row):
            held = is_value(cell) and any(other.value == word.value for other in read(cell).words)
            if held:
                heads.append(" ".join(dict.fromkeys(line[place] for line in above)).strip())
    telling = all(any(other.content for other in read(head).words) for head in heads)
    return heads if telling else []


def _is_said(word: Word, text: Statement) -> bool:
    """Return whether a text has a word, a synonym, or what one of both abbreviates."""
    if not (word.content or word.name) or word.has("unit"):
        return False
    if text.like(word):
        return True
    return any(is_short(word.form, other.form) for other in text.words if other.content)


def _things(said: Statement, place: int) -> Iterator[tuple[int, ...]]:
    """Yield the things that a number's clause names: words behind an article, without names."""
    run: list[int] = []
    begun = False
    for i in (*clause(said, place), None):
        word = said.words[i] if i is not None else None
        says = word is not None and word.content and not word.value and not word.has("unit")
        follows = not run or i == run[-1] + 1
        if word is not None and i is not None and says and begun and follows:
            run.append(i)
            continue
        if run and not any(said.words[k].name for k in run):
            yield tuple(run)
        run = []
        begun = word is not None and word.text in BEGINNING
