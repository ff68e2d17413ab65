"""Answers over the bench, of the product and of its peers, scored by the same rules.

Replies and answers are recorded one by one, compressed and without a question's text, so an
interrupted run goes on where it stopped, and every figure can be had again from the recordings.
"""

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from benchmarks.bench.searching import index_of, task_of
from benchmarks.bench.sets import Half, questions
from benchmarks.bench.tables import EVIDENCE, PRODUCT, Systems
from benchmarks.common import (
    RECORDINGS,
    STRONG,
    Asking,
    Row,
    scorer,
    unhurried,
    with_weights,
)
from benchmarks.peers.exchange import CITED, TIMEOUT
from benchmarks.peers.running import PEERS, answer, latest, model_digest
from benchmarks.recording import MissingRecordingError, Recordings, Replaying
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.errors import ResearchAgentError
from research_agent.evaluation.questions import Question
from research_agent.evaluation.ranking import Gold, Span, matches
from research_agent.evaluation.rows import CitationScore, EvalRow, Seen, answered, states
from research_agent.interfaces.agent import ResearchAgent
from research_agent.models.adapters.tokens import Cl100k
from research_agent.presets import with_preset
from research_agent.settings import Settings
from research_agent.types.result import ResearchResult

EQUAL = "equal"
SPENT = ("prompt_tokens", "completion_tokens", "seconds")
REFUSING = re.compile(
    r"weiß (?:es |ich |das )*nicht|nicht (?:angegeben|erwähnt|genannt|enthalten)"
    r"|keine (?:Angabe|Information)|no (?:lo )?sé|no (?:hay|contiene) informaci"
    r"|no se (?:menciona|especifica|indica|proporciona)",
    re.IGNORECASE,
)
"""Refusals in German and Spanish; the scorer beside the data knows those in English."""


def settings_of(weights: str) -> Settings:
    """Return the settings that are measured: preset `local`, but one round of the embedded model.

    Its second round gains nothing on NIST (`presets`), and takes half as long again.
    """
    settings = unhurried(with_weights(weights, Settings()))
    return with_preset(settings, "local") if weights == STRONG else settings


def product(kind: str, half: Half, asking: Asking, cache: Path) -> Iterator[EvalRow]:
    """Yield the product's answers that are recorded, or are given in time."""
    asked = asking.first(questions(kind, half))
    settings = settings_of(asking.weights)
    kept = Recordings(RECORDINGS / f"bench-{half}-{asking.weights}.jsonl.gz", asking.weights)
    with ExitStack() as stack:
        ports = stack.enter_context(connect(index_of(kind, cache, settings), settings, {})).ports
        replaying = Replaying(kept, asking, ports if asking.live else None)

        def one(question: Question) -> EvalRow | None:
            if not asking.in_time:
                return None
            given, chat, _ = replaying.within(ports)
            with ResearchAgent(given, settings, load_prompts()) as agent:
                try:
                    result = agent.ask(question.text)
                except MissingRecordingError:
                    return None
                except ResearchAgentError as error:
                    failed = EvalRow(qid=question.qid, question="", error=type(error).__name__)
                    return replace(failed, answerable=question.answerable, asked=True)
            return replace(row_of(question, result), seconds=chat.seconds)

        threads = stack.enter_context(ThreadPoolExecutor(asking.beside(len(asked))))
        yield from filter(None, threads.map(one, asked))


def row_of(question: Question, result: ResearchResult) -> EvalRow:
    """Return the product's answer as a row."""
    texts = {item.hit.chunk.chunk_id: item.hit.chunk.text for item in result.evidence}
    row = answered(question, Seen(ranked=[item.hit.chunk for item in result.evidence]), result)
    spans = [
        Span(place.doc_id, place.start_page, place.end_page, texts.get(item.chunk_id, ""))
        for place, item in zip(row.citations, result.citations, strict=True)
    ]
    scores = {EVIDENCE: float(sum(map(Cl100k().count, texts.values())))}
    return judged(question, replace(row, scores=scores), spans)


def peer_row(question: Question, recorded: Row) -> EvalRow:
    """Return a peer's recorded answer as a row; one that came too late is wrong, no refusal."""
    late = {"answer": "(no answer in time)"} if recorded["status"] == TIMEOUT else {}
    row = EvalRow(
        qid=question.qid,
        question="",
        answerable=question.answerable,
        hits=1,
        scores={EVIDENCE: float(recorded["evidence_tokens"])},
        lost=("",) * len(question.golds),
        asked=True,
        facts=tuple(states(recorded["answer"], fact) for fact in question.required_facts),
        llm_calls=recorded["calls"],
        **{name: recorded[name] for name in SPENT} | {"answer": recorded["answer"]} | late,
    )
    return judged(question, row, [Span(*map(one.get, CITED)) for one in recorded["citations"]])


def judged(question: Question, row: EvalRow, cited: Sequence[Span]) -> EvalRow:
    """Return a row by the rules that hold for all systems.

    What is cited is a chunk with its pages. Words that refuse are a refusal, also without the
    status of one: of an answerable question only where the facts are not there.
    """
    right = bool(row.facts) and all(row.facts)
    reply = {"answer": row.answer, "status": row.status}
    refused = scorer("is_refusal")(reply, row.answerable, right)
    refused = refused or (REFUSING.search(row.answer) is not None and not right)
    golds = (*question.golds, *(Gold((one,)) for one in question.accepted))
    shown = [] if refused else [(s, any(matches(s, gold) for gold in golds)) for s in cited]
    citations = tuple(
        CitationScore(doc_id=s.doc_id, start_page=s.start, end_page=s.end, quote="", right=ok)
        for s, ok in shown
    )
    return replace(
        row,
        question="",
        status="refused" if refused else "answered",
        citations=citations if golds else (),
        golds_cited=sum(any(matches(s, gold) for s, _ in shown) for gold in question.golds),
    )


def recordings_of(name: str, half: Half) -> Path:
    """Return the file with a peer's answers."""
    return RECORDINGS / f"bench-{half}-{name.lower()}.jsonl.gz"


def ask_peer(name: str, way: str, half: Half, kinds: Sequence[str], asking: Asking) -> int:
    """Ask a peer what is not recorded yet, and return how many answers were added.

    Raises PeerError; ValueError where the product's evidence is not known yet.
    """
    added, cache = 0, Path(asking.cache)
    for kind in kinds:
        if not (asked := asking.first(questions(kind, half))) or not asking.in_time:
            continue
        task = task_of(kind, index_of(kind, cache, Settings()), asked)
        if way == EQUAL:
            rows = product(kind, half, replace(asking, live=False), cache)
            read = [row.scores[EVIDENCE] for row in rows if row.scores]
            if not read:
                raise ValueError(f"{kind}: first let the product answer, with --live alone")
            task = replace(task, evidence_tokens=round(fmean(read)))
        added += answer(name, way, task, recordings_of(name, half), asking, cache)
    return added


def scored(half: Half, kinds: Sequence[str], asking: Asking, cache: Path) -> Systems:
    """Return all answers of a half: the product's first, then each peer's in each of its ways."""
    systems: Systems = {PRODUCT: {k: list(product(k, half, asking, cache)) for k in kinds}}
    known = {kind: {one.qid: one for one in questions(kind, half)} for kind in kinds}
    for name in PEERS:
        for row in latest(recordings_of(name, half)):
            for kind, asked in known.items():
                if row["qid"] in asked and row["digest"] == model_digest(asking.weights):
                    rows = systems.setdefault(f"{name}, {row['arm']}", {}).setdefault(kind, [])
                    rows.append(peer_row(asked[row["qid"]], row))
    return systems
