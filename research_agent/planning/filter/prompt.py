"""How chunks are shown in the filter's prompt, and the keys under which verdicts on them are kept.

Each chunk has an alias, k1, k2, …, and is shortened where the prompt has no room for all of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from research_agent.text.excerpts import LONGEST, Count, excerpt, units
from research_agent.text.words import index_words, query_words
from research_agent.types import Chunk, Hit, chunk_header
from research_agent.types.evidence import attribute, fenced, readable

LEAST_TOKENS = 24
"""Tokens of content under which nothing can be judged: a chunk that gets fewer is left out."""
MAX_TITLE = 80


@dataclass(frozen=True, slots=True)
class Shown:
    """The chunks of one prompt."""

    text: str
    aliases: Mapping[str, int]
    """The place of each chunk, among the hits that were given."""


def shown_chunks(
    query: str, hits: Sequence[Hit], refers_to: Mapping[str, str], *, room: int, count: Count
) -> Shown:
    """Return as many of `hits` as fit into `room` tokens, whole or by what is nearest to `query`.

    Each has room for its best sentence, else the last hits are left out; all share the rest.
    `refers_to` says where the references of a chunk lead, by its id.
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
    lacking = [length - own for length, own in zip(lengths[:fit], least, strict=False)]
    more = fair_shares(lacking, room - sum(costs[:fit]) - sum(least[:fit]))
    texts = [
        content
        if length <= own + added
        else excerpt(content, query, own + added, count, whole=True)
        for content, length, own, added in zip(contents, lengths, least, more, strict=False)
    ]
    return Shown(
        "\n".join(f"{top}\n{text}\n</chunk>" for top, text in zip(heads, texts, strict=False)),
        {f"k{i + 1}": i for i in range(fit)},
    )


def head(alias: str, hit: Hit, refers_to: str = "") -> str:
    """Return the line in front of a chunk: what it is, where it is from, how similar it is."""
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
    attributes = (f'{name}="{attribute(value)}"' for name, value in values.items() if value)
    return f"<chunk {' '.join(attributes)}>"


def fair_shares(lengths: Sequence[int], room: int) -> tuple[int, ...]:
    """Return how much of `room` each of some lengths gets: the short ones all they need.

    Max-min fairness: none can get more without one that has no more getting less.
    """
    shares, left = [0] * len(lengths), max(0, room)
    shortest_first = sorted(range(len(lengths)), key=lambda i: (lengths[i], i))
    for done, i in enumerate(shortest_first):
        shares[i] = min(lengths[i], left // (len(lengths) - done))
        left -= shares[i]
    return tuple(shares)


def decision_key(prompt: str, query: str, chunk: Chunk, references: Sequence[str] = ()) -> str:
    """Return the key of a verdict: a digest of the template, the query and all of the chunk."""
    content = "\n".join((chunk.kind, chunk.doc_id, chunk_header(chunk), *references, chunk.text))
    parts = f"{prompt}\0{query}\0{content}"
    return sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


def _least(text: str, query: str, count: Count) -> int:
    """Return the tokens under which the best sentence of `text` for `query` would be cut.

    At most `LONGEST`, and never less than `LEAST_TOKENS`.
    """
    wanted = frozenset(query_words(query))
    sizes = dict[int, int]()
    for start, end in units(text, LONGEST, count):
        held = len(wanted.intersection(index_words(text[start:end])))
        sizes[held] = max(sizes.get(held, 0), count(text[start:end]))
    best = sizes[max(sizes)] if sizes else 0
    return max(LEAST_TOKENS, min(LONGEST, best) + 2)
