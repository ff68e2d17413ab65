"""How chunks stand in a filter's prompt: each under an alias, shortened where it has to be."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from research_agent.documents.chunking import chunk_header
from research_agent.text.sentences import sentence_spans
from research_agent.text.words import index_words, query_words
from research_agent.types import Hit
from research_agent.types.evidence import attribute, fenced, readable

Count = Callable[[str], int]
"""How many tokens a text has."""
LEAST_TOKENS = 24
"""Tokens of content under which nothing can be judged: a chunk that gets fewer is left out."""
LONGEST = 120
"""Tokens up to which a sentence or a row of a table is shown whole."""
MAX_TITLE = 80
"""Characters of a title."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The chunks of one prompt."""

    text: str
    aliases: Mapping[str, int]
    """The place of each chunk, among the hits that were given."""
    shortened: int = 0
    """How many are not shown in full."""


def fair_shares(lengths: Sequence[int], room: int) -> tuple[int, ...]:
    """Return how much of `room` each of some lengths gets: the short ones all they need.

    Max-min fairness: none can get more without one that has no more getting less.

    >>> fair_shares([10, 50, 60], 90)
    (10, 40, 40)
    >>> fair_shares([10, 20], 90)
    (10, 20)
    """
    shares, left = [0] * len(lengths), max(0, room)
    shortest_first = sorted(range(len(lengths)), key=lambda i: (lengths[i], i))
    for done, i in enumerate(shortest_first):
        shares[i] = min(lengths[i], left // (len(lengths) - done))
        left -= shares[i]
    return tuple(shares)


def excerpt(text: str, query: str, max_tokens: int, count: Count, *, whole: bool = False) -> str:
    """Return `text`, or the run of its sentences that holds the most words of `query`.

    What is left out is marked by an ellipsis. A single sentence that is too long is cut. With
    `whole` a sentence of more than `LONGEST` tokens is taken line by line, such as a table by its
    rows, before anything is cut, and of runs that hold as many words the middle one is taken, not
    the first: it also shows what follows them.

    >>> text = "Bread is old. Rye has a dark crust. It keeps well."
    >>> excerpt(text, "crust of rye", 8, lambda text: len(text.split()))
    '… Rye has a dark crust. …'
    """
    if count(text) <= max_tokens:
        return text
    wanted = frozenset(query_words(query))
    spans = _units(text, max(LONGEST, max_tokens - 2), count) if whole else _sentences(text)
    sizes = [count(text[start:end]) for start, end in spans]
    held = [wanted.intersection(index_words(text[start:end])) for start, end in spans]
    runs = _best_runs(sizes, held, max_tokens - 2)
    first, last = runs[len(runs) // 2 if whole else 0]
    inside = text[spans[first][0] : spans[last][1]]
    before, after = "… " if first else "", " …" if last < len(spans) - 1 else ""
    if count(f"{before}{inside}{after}") <= max_tokens:
        return f"{before}{inside}{after}"
    return f"{before}{cut(inside, max_tokens - 2, count)} …"


def _sentences(text: str) -> Sequence[tuple[int, int]]:
    return sentence_spans(text) or ((0, len(text)),)


def _units(text: str, max_tokens: int, count: Count) -> Sequence[tuple[int, int]]:
    """Return the spans of the sentences of a text; of one that is too long, those of its lines."""
    found = list[tuple[int, int]]()
    for start, end in _sentences(text):
        if count(text[start:end]) <= max_tokens:
            found.append((start, end))
            continue
        for line in text[start:end].splitlines(keepends=True):
            if line.strip():
                found.append((start, start + len(line.rstrip())))
            start += len(line)  # noqa: PLW2901 (the place in the text)
    return found


def _least(text: str, query: str, count: Count) -> int:
    """Return the tokens under which the best sentence of `text` for `query` would be cut.

    At most `LONGEST`, and never less than `LEAST_TOKENS`.
    """
    wanted = frozenset(query_words(query))
    sizes = dict[int, int]()
    for start, end in _units(text, LONGEST, count):
        held = len(wanted.intersection(index_words(text[start:end])))
        sizes[held] = max(sizes.get(held, 0), count(text[start:end]))
    best = sizes[max(sizes)] if sizes else 0
    return max(LEAST_TOKENS, min(LONGEST, best) + 2)


def cut(text: str, max_tokens: int, count: Count) -> str:
    """Return as many of the first words of `text` as have no more than `max_tokens`.

    >>> cut("one two three", 2, lambda text: len(text.split()))
    'one two'
    """
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[:middle]) <= max_tokens else (low, middle - 1)
    whole = text[:low] if low == len(text) else text[:low].rpartition(" ")[0] or text[:low]
    return whole.rstrip()


def shown_chunks(
    query: str, hits: Sequence[Hit], refers_to: Mapping[str, str], *, room: int, count: Count
) -> Shown:
    """Return as many of `hits` as fit into `room` tokens, whole or by what is nearest to `query`.

    Each has room for its best sentence (`_least`), and all share what is left: short chunks are
    whole. Where not even these sentences fit, the last hits are left out. `refers_to` says where
    the references of a chunk lead, by its id. A chunk cannot close its own fence.
    """
    contents = [fenced(readable(hit.chunk)) for hit in hits]
    lengths = [count(content) for content in contents]
    least = [min(n, _least(text, query, count)) for n, text in zip(lengths, contents, strict=True)]
    heads = [
        head(f"k{i}", hit, refers_to.get(hit.chunk.chunk_id, ""))
        for i, hit in enumerate(hits, start=1)
    ]
    costs = [count(item) + count("\n\n</chunk>\n") for item in heads]
    fit = len(hits)
    while fit and sum(costs[:fit]) + sum(least[:fit]) > room:
        fit -= 1
    more = fair_shares(
        [length - own for length, own in zip(lengths[:fit], least, strict=False)],
        room - sum(costs[:fit]) - sum(least[:fit]),
    )
    shares = [own + added for own, added in zip(least, more, strict=False)]
    texts = [
        content if length <= share else excerpt(content, query, share, count, whole=True)
        for content, length, share in zip(contents, lengths, shares, strict=False)
    ]
    return Shown(
        "\n".join(f"{top}\n{text}\n</chunk>" for top, text in zip(heads, texts, strict=False)),
        {f"k{i + 1}": i for i in range(fit)},
        sum(length > share for length, share in zip(lengths, shares, strict=False)),
    )


def head(alias: str, hit: Hit, refers_to: str = "") -> str:
    """Return the line in front of a chunk: what it is, where it stands, how near it is.

    >>> from research_agent.types import Chunk
    >>> head("k1", Hit(Chunk("x", "box", "", title="Box"), 1, 0.5), "1 step: Lock")
    '<chunk key="k1" kind="text" file="box" title="Box" score="0.500" refers_to="1 step: Lock">'
    """
    chunk = hit.chunk
    title = chunk_header(chunk)
    values = {
        "key": alias,
        "kind": chunk.kind,
        "file": chunk.doc_id,
        "title": title if len(title) <= MAX_TITLE else "…" + title[-MAX_TITLE:],
        "score": "" if hit.similarity is None else f"{hit.similarity:.3f}",
        "refers_to": refers_to,
    }
    told = (f'{name}="{attribute(value)}"' for name, value in values.items() if value)
    return f"<chunk {' '.join(told)}>"


def _best_runs(
    sizes: Sequence[int], held: Sequence[frozenset[str]], room: int
) -> Sequence[tuple[int, int]]:
    """Return the first and last of those neighbours that hold the most words within `room`.

    There is a run from each place on; those that hold as many words are all returned.
    """
    best, most = [(0, 0)], -1
    for first in range(len(sizes)):
        last, size, words = first, sizes[first], held[first]
        while last + 1 < len(sizes) and size + sizes[last + 1] <= room:
            last += 1
            size, words = size + sizes[last], words | held[last]
        if len(words) > most:
            best, most = [], len(words)
        if len(words) == most:
            best.append((first, last))
    return best
