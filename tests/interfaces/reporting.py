"""A result over a small PDF, and the report on it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from research_agent.answering.report import report
from research_agent.context import RunContext
from research_agent.documents.adapters.pdf import parse_pdf
from research_agent.interfaces.report.recording import RunRecord
from research_agent.interfaces.report.writing import write_report
from research_agent.settings import Settings
from research_agent.text.quote_search import Quote
from research_agent.types import Chunk, Hit, ModelCall, TraceEvent
from research_agent.types.calls import Found
from research_agent.types.claims import Claim
from research_agent.types.evidence import Evidence
from research_agent.types.filtering import ChunkDecision, FilterStats
from research_agent.types.refinement import QueryVerdict, Refinement
from research_agent.types.result import Conflict, ResearchResult
from research_agent.types.retrieval import RetrievalConfidence
from research_agent.types.uncertainty import Unsure
from research_agent.types.verification import Answer, Check, Draft
from tests.answering.researched import State
from tests.documents.small_pdf import small_pdf
from tests.fakes import PROMPTS, MemoryChunks, ScriptedChat, ports, says

QUOTE = "ML-KEM-768 has an encapsulation key of 1184 bytes."
SAID = "The key has 1184 bytes."
LINES = [
    (50.0, 700.0, 12.0, "Some words before."),
    (50.0, 680.0, 12.0, QUOTE),
    (50.0, 660.0, 12.0, "Some words behind."),
]
TRACE = (
    TraceEvent(node="retrieve", started=0.0, seconds=1.0, queries=("keys",)),
    TraceEvent((ModelCall("answer", 9, 4, model="fake"),), ("a note",), node="answer", started=1.0),
)

UNSURE = Unsure("unsure about the number 5", (0, 1), "number", 0.75, "logprobs", 1.25)


def conflict(words: str) -> Conflict:
    """Return what a conflict says of two documents; the other one has `words`."""
    ours = {"value": "5 bar", "key": "c1", "doc_id": "guide", "date": "2024"}
    theirs = {"other_value": words, "other_key": "c2", "other_doc_id": "b", "other_date": ""}
    return Conflict("It bears 5 bar.", other_quote=words, **ours, **theirs)


class PdfChunks(MemoryChunks):
    """A store that kept the texts of a PDF's pages."""

    def __init__(self, chunk: Chunk, pages: tuple[str, ...]) -> None:
        super().__init__([chunk])
        self.pages = pages

    def page_text(self, chunk_id: str, page: int) -> str:
        known = chunk_id in self.known and page <= len(self.pages)
        return self.pages[page - 1] if known else ""


def over_pdf(
    folder: Path,
    *,
    name: str = "guide.pdf",
    question: str = "How long is the key?",
    said: str = SAID,
) -> tuple[ResearchResult, PdfChunks]:
    """Write a PDF and return a result that cites it, and the store it comes from."""
    path = folder / name
    data = small_pdf([LINES])
    path.write_bytes(data)
    text = " ".join(line for *_, line in LINES)
    chunk = Chunk("guide-0", path.stem, text, source=str(path))
    chunks = PdfChunks(chunk, parse_pdf(data).page_texts)
    return answered(chunk, chunks, question=question, said=said), chunks


def answered(
    chunk: Chunk, chunks: MemoryChunks, *, question: str = "How long is the key?", said: str = SAID
) -> ResearchResult:
    """Return a result that says one thing and cites QUOTE in `chunk` for it."""
    start = chunk.text.index(QUOTE)
    claim = Claim(said, ("c1",), (Quote(1.0, QUOTE, start, start + len(QUOTE)),), "supported")
    decisions = (
        ChunkDecision(chunk.chunk_id, "keep", "model", kept=True),
        ChunkDecision("gone-7", "discard", "model"),
    )
    state = State(
        question=question,
        best=Draft(1, (claim,)),
        check=Check("stop", "confident"),
        evidence=(Evidence("c1", Hit(chunk, 1.0, 0.6)),),
        confidence=RetrievalConfidence(0.5, 0.6, 0.1, 1.0, 1.0, "bypass", "it is sure"),
        refinement=Refinement("rewrite", (question, "x"), "y", (QueryVerdict("x", blocked="no"),)),
        found=Found(stats=FilterStats("llm", 2, 1, decisions=decisions)),
        rounds=1,
        trace=TRACE,
    )
    given = replace(ports(ScriptedChat()), chunks=chunks)
    return report(state, RunContext(given, Settings(), PROMPTS).with_all_left(()))


def watched(said: str = SAID) -> RunRecord:
    """Return what was seen of the run: the answer's tokens, none of which was sure."""
    reply = says(f"{said[:-1]} [c1].", sure=False)
    claim = Claim(said, ("c1",), (), "supported")
    return RunRecord(answers={1: Answer(reply.text, reply.tokens)}, draft=Draft(1, (claim,)))


def html_of(
    folder: Path, result: ResearchResult, chunks: MemoryChunks, record: RunRecord | None = None
) -> str:
    """Return the report on a result."""
    target = folder / "answer.html"
    write_report(result, str(target), chunks=chunks, settings=Settings(), record=record)
    return target.read_text(encoding="utf-8")


def parsed(html: str) -> Any:  # noqa: ANN401 (a node that is missing fails the test)
    return LexborHTMLParser(html)
