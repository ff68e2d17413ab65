"""Chunks of real texts, and as many more as are wanted, mixed from their sentences.

The texts are SciFact and Cranfield abstracts and paragraphs of HotpotQA and MuSiQue. The mixed
chunks have real words, lengths and word frequencies, but fewer different words than as many real
ones would have, so that a dictionary of words is smaller than it would be.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks.places import DATA
from benchmarks.questions import Row, read
from research_agent.documents.chunking import linked_chunks
from research_agent.text.sentences import sentence_spans
from research_agent.types import Chunk
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.records import text_digest

CORPORA = ("ir/scifact", "ir/cranfield", "multihop/hotpotqa", "multihop/musique")
CHUNK_CHARS = 1000
SEED = 4


def real_chunks() -> list[Chunk]:
    """Return the chunks of all texts, as the product cuts them, in an order mixed by their text.

    Each document is one block without pages; a chunk of the same text comes once.
    """
    found: dict[str, Chunk] = {}
    for corpus in CORPORA:
        for row in read(DATA / corpus / "corpus.jsonl"):
            for chunk in _cut(corpus, row):
                found.setdefault(chunk.text, chunk)
    return sorted(found.values(), key=lambda chunk: text_digest(chunk.text))


def digest_of(chunks: Sequence[Chunk]) -> str:
    """Return eight characters that differ for other texts."""
    return text_digest("\n".join(chunk.text for chunk in chunks))[:8]


@dataclass(frozen=True, slots=True)
class Mixture:
    """A chunk to be: sentences of one chunk or of two, under the header of the first."""

    first: Chunk
    sentences: tuple[str, ...]
    number: int
    """Its place; it makes the id differ where two texts are the same."""

    @property
    def chunk(self) -> Chunk:
        """The chunk, with an id of its own."""
        return replace(self.first, chunk_id=self.chunk_id, text=" ".join(self.sentences))

    @property
    def chunk_id(self) -> str:
        """An id as the product's are: sixteen characters that say nothing about the order."""
        return text_digest(str(self.number))[:16]


def halves(first: Sequence[str], second: Sequence[str], chance: random.Random) -> tuple[str, ...]:
    """Return half of the sentences of each of two texts, in their order.

    >>> halves(["One.", "Two."], ["Three.", "Four."], random.Random(1))
    ('One.', 'Three.')
    """
    return tuple(
        sentences[place]
        for sentences in (first, second)
        for place in sorted(chance.sample(range(len(sentences)), (len(sentences) + 1) // 2))
    )


def mixtures(real: Sequence[Chunk], count: int) -> Iterator[Mixture]:
    """Yield `count` chunks: the real ones whole, then mixtures of two of the same corpus."""
    chance = random.Random(SEED)  # noqa: S311 (no secret: the same each time)
    known = [sentences(chunk.text) for chunk in real]
    of_corpus: dict[str, list[int]] = {}
    for number, chunk in enumerate(real):
        of_corpus.setdefault(chunk.source, []).append(number)
    for number in range(count):
        if number < len(real):
            yield Mixture(real[number], known[number], number)
            continue
        one = chance.randrange(len(real))
        other = chance.choice(of_corpus[real[one].source])
        yield Mixture(real[one], halves(known[one], known[other], chance), number)


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text.

    >>> sentences("One. Two.")
    ('One.', 'Two.')
    """
    return tuple(text[start:end].strip() for start, end in sentence_spans(text))


def _cut(corpus: str, row: Row) -> Sequence[Chunk]:
    """Return the chunks of one row of a corpus."""
    name = str(row.get("_id") or row.get("id"))
    document = ParsedDocument((Block(str(row["text"])),), title=str(row["title"]))
    key = f"{corpus}/{name}"
    linked = linked_chunks(key, name, document, source=corpus, chunk_chars=CHUNK_CHARS)
    return [chunk for chunk, _ in linked]
