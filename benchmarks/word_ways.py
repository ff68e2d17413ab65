"""Ways of making words of chunks and questions, and engines, on questions with answers.

Shows what the product's word search gains or loses by its words and by its engine: the adapter
itself, other engines on its words, and the exact BM25 on its words and on others.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from benchmarks.datasets import DataSet, data_set, documents
from benchmarks.engines.measuring import Row, line_of
from benchmarks.engines.running import CANDIDATES, Job, phase
from benchmarks.exact_bm25 import Counted, Weight, fts5, lucene, ranked
from benchmarks.metrics import Span, scores
from benchmarks.peers.running import PeerError
from benchmarks.places import RESULTS
from benchmarks.rankings import whole_documents
from benchmarks.word_rows import Stemmed, queries, stems
from research_agent.assembly.parsing import parse_file
from research_agent.documents.chunking import linked_chunks
from research_agent.index.adapters.lexical import HEADER_WEIGHT, WordIndex
from research_agent.settings import Settings
from research_agent.text.boilerplate_sections import APPARATUS
from research_agent.text.words import STOP_WORDS, fold, index_words, whole_words
from research_agent.types import Chunk, chunk_header

Words = Callable[[str], Sequence[str]]
_K = 30


@dataclass(frozen=True, slots=True)
class Way:
    """How words are made."""

    words: Words = index_words
    header: float = HEADER_WEIGHT
    """What a word in title and headings counts; 0: they are not searched."""
    stemmed: bool = True
    stop: bool = True
    """Whether English stop words of a question are left out."""
    k1: float = 1.2
    b: float = 0.75
    once: bool = True
    """Whether a question's words with the same stem count once."""
    weight: Weight = lucene


def compounds(text: str) -> list[str]:
    """Return compounds whole, without their parts.

    >>> compounds("see ML-KEM")
    ['see', 'ml-kem']
    """
    return [words[0] for words in whole_words(text)]


def parts(text: str) -> list[str]:
    """Return the parts of compounds, without the whole.

    >>> parts("see ML-KEM")
    ['see', 'ml', 'kem']
    """
    return [part for words in whole_words(text) for part in words[1:] or words]


def plain(text: str) -> list[str]:
    r"""Return runs of letters and digits in small letters, as `\w+` does.

    >>> plain("see ML-KEM_5")
    ['see', 'ml', 'kem_5']
    """
    return re.findall(r"\w+", fold(text))


ADAPTER = "the adapter (FTS5)"
WAYS: Mapping[str, Way] = {
    "exact, the adapter's words": Way(),
    "… FTS5's weights of words": Way(weight=fts5),
    "… the same, same stems counted again": Way(weight=fts5, once=False),
    "… same stems counted again": Way(once=False),
    "… compounds whole only": Way(words=compounds),
    "… parts of compounds only": Way(words=parts),
    "… a word in title and headings counts 1": Way(header=1),
    "… without title and headings": Way(header=0),
    "… without stemming": Way(stemmed=False),
    "… stop words searched too": Way(stop=False),
    "… k1 0.9, b 0.4": Way(k1=0.9, b=0.4),
    "… k1 1.5": Way(k1=1.5),
    r"\w+, text alone, not stemmed, all words, k1 1.5": Way(
        words=plain, header=0, stemmed=False, stop=False, k1=1.5
    ),
}


def run(names: Sequence[str], *, cache: str) -> Iterator[str]:
    """Yield a table for each data set, and keep the figures."""
    kept: list[Means] = []
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        place.mkdir(parents=True, exist_ok=True)
        for name in names:
            data = data_set(name)
            chunks = list(_chunks(documents(data, place)))
            kept.append(_measured(data, chunks, place))
            RESULTS.mkdir(exist_ok=True)
            lines = "".join(f"{json.dumps(asdict(of), ensure_ascii=False)}\n" for of in kept)
            (RESULTS / "word-ways.jsonl").write_text(lines, encoding="utf-8")
            yield table(kept[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """The mean of each metric, for each way."""

    data: str
    questions: int
    chunks: int
    means: Mapping[str, Mapping[str, float]]


def table(of: Means) -> str:
    """Return a table of one line a way.

    >>> print(table(Means(data="d", questions=1, chunks=2, means={"a": {"mrr@8": 0.5}})))
    ## d: 1 questions, 2 chunks
    <BLANKLINE>
    | words | mrr@8 |
    |---|---|
    | a | 0.500 |
    """
    heads = ["words", *next(iter(of.means.values()))]
    rows = [[name, *(f"{value:.3f}" for value in row.values())] for name, row in of.means.items()]
    head, *body = [f"| {' | '.join(cells)} |" for cells in (heads, *rows)]
    title = f"## {of.data}: {of.questions} questions, {of.chunks} chunks"
    return "\n".join([title, "", head, f"|{'---|' * len(heads)}", *body])


def _measured(data: DataSet, chunks: Sequence[Chunk], cache: Path) -> Means:
    texts = [question.text for question in data.questions]
    found: dict[str, Sequence[Sequence[str]]] = {ADAPTER: _adapter(chunks, texts)}
    found |= {name: _exact(way, chunks, texts) for name, way in WAYS.items()}
    found |= _engines(chunks, texts, cache)
    spans = {chunk.chunk_id: _span(chunk) for chunk in chunks}
    means = {name: _means(data, best, spans) for name, best in found.items()}
    return Means(data=data.name, questions=len(texts), chunks=len(chunks), means=means)


def _engines(
    chunks: Sequence[Chunk], texts: Sequence[str], cache: Path
) -> dict[str, Sequence[Sequence[str]]]:
    """Return the rankings of other engines, where header and text are one field."""
    split = [chunk for chunk in chunks if chunk.kind not in APPARATUS]
    stemmed = Stemmed([part for c in split for part in (chunk_header(c), c.text)])
    found: dict[str, Sequence[Sequence[str]]] = {}
    for candidate in CANDIDATES[1:]:
        with TemporaryDirectory(dir=cache) as folder:
            rows = Path(folder) / "rows.tsv"
            with rows.open("w", encoding="utf-8") as lines:
                for chunk in split:
                    words = f"{stemmed.words(chunk_header(chunk))} {stemmed.words(chunk.text)}"
                    lines.write(line_of(Row(chunk.chunk_id, words)))
            job = Job(rows, queries(texts), str(Path(folder) / "index"), cache)
            Path(job.folder).mkdir()
            try:
                phase(candidate, job, "build")
                found[f"{candidate.name}, one field"] = phase(candidate, job, "search")["hits"]
            except PeerError as error:
                print(f"{candidate.name}: {error}")
    return found


def _means(
    data: DataSet, best: Sequence[Sequence[str]], spans: Mapping[str, Span]
) -> dict[str, float]:
    """Return the mean of each metric."""
    rows = []
    for question, ids in zip(data.questions, best, strict=True):
        hits = tuple(spans[chunk_id] for chunk_id in ids)
        hits = whole_documents(hits) if data.by_document else hits
        rows.append(scores(hits, question.golds, data.ks))
    return {name: fmean(row[name] for row in rows) for name in rows[0]}


def _chunks(folder: Path) -> Iterator[Chunk]:
    """Yield the chunks of all files of a folder, as the product cuts them."""
    size = Settings().documents.chunk_chars
    for path in sorted(folder.iterdir()):
        document = parse_file(str(path))
        linked = linked_chunks(path.name, path.stem, document, source="", chunk_chars=size)
        yield from (chunk for chunk, _ in linked)


def _adapter(chunks: Sequence[Chunk], texts: Sequence[str]) -> list[list[str]]:
    """Return the product's ranking for each text."""
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    with WordIndex(None) as index:
        index.sync(1, dict.fromkeys(by_id, ""), lambda ids: [by_id[i] for i in ids])
        return [[hit.chunk_id for hit in index.search(text, k=_K)] for text in texts]


def _exact(way: Way, chunks: Sequence[Chunk], texts: Sequence[str]) -> list[list[str]]:
    """Return the exact ranking for each text."""
    split = {chunk.chunk_id: _split(way, chunk) for chunk in chunks}
    asked = [list(dict.fromkeys(way.words(text))) for text in texts]
    if way.stop:
        asked = [[w for w in words if w not in STOP_WORDS] or words for words in asked]
    if way.stemmed:
        parts = (*asked, *(words for both in split.values() for words in both))
        found = stems(sorted({word for words in parts for word in words}))
        split = {
            chunk_id: tuple([found[word] for word in words] for words in both)
            for chunk_id, both in split.items()
        }
        asked = [[found[word] for word in words] for words in asked]
    if way.once:
        asked = [list(dict.fromkeys(words)) for words in asked]
    rows = [_counted(chunk_id, both, way.header) for chunk_id, both in split.items()]
    return ranked(asked, rows, k=_K, k1=way.k1, b=way.b, weight=way.weight)


def _split(way: Way, chunk: Chunk) -> tuple[Sequence[str], ...]:
    """Return the words of header and text; those of apparatus are not searched."""
    if chunk.kind in APPARATUS:
        return (), ()
    return way.words(chunk_header(chunk)) if way.header else (), way.words(chunk.text)


def _counted(chunk_id: str, both: Sequence[Sequence[str]], header: float) -> Counted:
    counts: Counter[str] = Counter()
    for words, value in zip(both, (header, 1), strict=True):
        for word in words:
            counts[word] += value  # type: ignore[assignment]  # (a Counter takes fractions too)
    return Counted(chunk_id, counts, sum(len(words) for words in both))


def _span(chunk: Chunk) -> Span:
    return Span(chunk.doc_id, chunk.start_page, chunk.end_page)
