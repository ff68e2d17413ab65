"""What `replay-all` replays: one function a set, each a line a question.

Large sets are sampled, always the same questions.
"""

import fcntl
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import get_args

from benchmarks import conversations as chats
from benchmarks import filtering, refinement
from benchmarks import presets as of_presets
from benchmarks import refusals as of_refusals
from benchmarks.common import (
    REFUSALS,
    Asking,
    Row,
    changed,
    every,
    nist_keys,
    read,
    with_weights,
)
from benchmarks.datasets import MIXED, MULTIHOP_NAMES, NAMES, data_set, documents, sought_questions
from benchmarks.drafts import recorded
from benchmarks.recording import RecordedChat, Replaying
from benchmarks.replaying import Line, Replies, digest, of_events, replayed
from benchmarks.retrieval import filtered, index_of
from graphs.chat import Chat
from research_agent.assembly.connection import connect
from research_agent.assembly.index import open_index
from research_agent.assembly.parsing import local_files, reader
from research_agent.assembly.updating import Indexer
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.models.adapters.minilm import CrossEncoder, MiniLM
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.verification.adapters.grounding_file import read_grounding
from research_agent.verification.step import claims_of, grounded_claims

DEFAULT = Settings()
ANSWERS = {
    "default": DEFAULT,
    "two-rounds": changed(DEFAULT, budget={"rounds": 2}),
    "no-judge": changed(DEFAULT, verify={"judge": "off"}),
}
"""Settings with which answers to the NIST questions are recorded."""
SEARCHES = (
    ("1.5b", "hotpotqa", 0, "default"),
    ("1.5b", "hotpotqa", 0, "parts by the model, hops"),
    ("1.5b", "musique", 50, "default"),
    ("1.5b", "musique", 50, "parts by the model, hops"),
    ("strong", "musique", 50, "default"),
    *(("strong", source, 0, "tool_calling") for source in refinement.MODE_SETS),
)
"""Weights, set, sample and arm of the refined searches."""
BY_ID = attrgetter("qid")


class NoVectors:
    """An embedder that knows nothing of texts; implements Embedder."""

    name = "none"

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return the same vector for every text."""
        return [(1.0, 0.0) for _ in texts]


@dataclass(frozen=True, slots=True)
class Indexes:
    """Indexes below a folder that processes may share: made once, and opened as copies."""

    cache: Path
    own: Path
    """A folder of this run alone."""

    @contextmanager
    def ports(self, name: str, settings: Settings) -> Iterator[Ports]:
        """Yield ports over a copy of the index of a collection."""
        made, copy = self.cache / "indexes" / name, self.own / name
        if not copy.exists():
            with (self.cache / "replay.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not made.exists():
                    location, _ = index_of(name, self.cache / "making", DEFAULT)
                    made.parent.mkdir(exist_ok=True)
                    Path(location).rename(made)
            shutil.copytree(made, copy)
        with connect(str(copy), settings, {}) as connection:
            yield replace(connection.ports, decisions=None)


def parsed(indexes: Indexes) -> Iterator[Line]:
    """Index the PDFs, the API descriptions and some texts, and yield a line a document.

    Its digest is of all its chunks with all that they hold; nothing is embedded.
    """
    own, place = indexes.own, str(indexes.own / "parsed")
    [apis], [texts] = documents("openapi", own), documents("hotpotqa", own)
    paths = [*documents("nist", own), apis, *sorted(texts.glob("*.txt"))[::40]]
    with reader(DEFAULT.documents) as documents_of:
        Indexer(
            settings=DEFAULT,
            embedder=NoVectors(),
            files=local_files(DEFAULT.documents),
            reader=documents_of,
        ).update(place, [str(path) for path in paths])
    with open_index(place, DEFAULT, embedder=NoVectors()) as index:
        for outline in sorted(index.documents, key=attrgetter("doc_id")):
            chunks = digest(index.chunks.contents(outline.doc_id))
            words = [hit.chunk_id for hit in index.lexical.search(outline.doc_id, k=20)]
            line = {"set": "documents", "id": outline.doc_id, "hits": chunks}
            yield line | {"verdicts": digest(words)}


def retrieval(indexes: Indexes) -> Iterator[Line]:
    """Search with the questions of every set."""
    for source in (*NAMES, *MULTIHOP_NAMES):
        data = data_set(source)
        with indexes.ports(data.index, DEFAULT) as ports:
            for one in every(data.questions, 40, BY_ID):
                hits = filtered(one.text, ports, DEFAULT)
                found = [(hit.chunk.chunk_id, hit.score, hit.similarity) for hit in hits]
                shown = digest([chunk_id for chunk_id, *_ in found])
                line = {"set": f"retrieval {source}", "id": one.qid, "hits": shown}
                yield line | {"verdicts": digest(found)}


def searches(indexes: Indexes) -> Iterator[Line]:
    """Replay refined searches, and those whose calls a model writes."""
    arms = {arm.name: arm.settings for arm in (*refinement.ARMS, *refinement.MODES)}
    for weights, source, sample, arm in SEARCHES:
        by_model = arm == "tool_calling"
        settings = with_weights(weights, arms[arm])
        if not by_model:
            settings = changed(settings, search={"max_chunks": refinement.HITS})
        replies = Replies.of("refinement", weights)
        with indexes.ports(source.removesuffix("-extra"), settings) as opened:
            of = sought_questions(source) if source == "openapi" else data_set(source).questions
            asked = sorted((one.qid, one.text) for one in of)
            most = refinement.MODE_SAMPLE if by_model else sample
            chosen = every(every(asked, most, itemgetter(0)), 12, itemgetter(0))
            ports, _, _ = Replaying(replies, Asking(weights=weights)).within(opened)
            search = refinement.Searching(ports, settings, "chunk")
            for qid, text in chosen:
                ask = partial(_searched, search, text)
                yield replayed(f"refinement {weights} {source} {arm}", qid, replies, ask)


def _searched(search: refinement.Searching, question: str) -> dict[str, str]:
    found = search(question)
    proposed = (found.refinement, found.queries)
    return {"answer": digest(proposed), "hits": digest([span.doc_id for span in found.spans])}


def filters(indexes: Indexes) -> Iterator[Line]:
    """Replay the filters."""
    for weights, source in (("1.5b", "openapi"), ("1.5b", "nist"), ("strong", "openapi")):
        settings = with_weights("1.5b", DEFAULT)
        replies = Replies.of("filtering", weights)
        with indexes.ports(source, settings) as opened:
            ports = replace(opened, filterer=RecordedChat(None, replies, weights))
            for arm in filtering.ARMS:
                own = arm.settings(settings)
                for one in sought_questions(source)[:10] if arm.filter.mode != "off" else ():
                    ask = partial(_filtered, one.text, arm, ports, own)
                    name = f"filtering {weights} {source} {arm.name}"
                    yield replayed(name, one.qid, replies, ask)


def _filtered(
    question: str, arm: filtering.Arm, ports: Ports, settings: Settings
) -> dict[str, str]:
    _, found, _ = filtering.chosen(question, arm, ports, settings)
    ids = [hit.chunk.chunk_id for hit in found.hits]
    return {"hits": digest(ids), "verdicts": digest(found.stats)}


def answers(indexes: Indexes) -> Iterator[Line]:
    """Replay the answers to the NIST questions."""
    for weights, arms in (("1.5b", tuple(ANSWERS)), ("strong", ("default",))):
        replies = Replies.of("answers", weights)
        for arm in arms:
            keys = every(nist_keys(), 0 if arm == "default" else 16, itemgetter("qid"))
            settings = with_weights(weights, ANSWERS[arm])
            with indexes.ports("nist", settings) as ports:
                yield from asked(f"answers {weights} {arm}", keys, replies, ports, settings)


def asked(
    name: str, keys: Sequence[Row], replies: Replies, ports: Ports, settings: Settings
) -> Iterator[Line]:
    """Ask an agent, a new one for each question."""
    for key in keys:
        given, _, _ = Replaying(replies, Asking(weights=name.split()[1])).within(ports)
        with ResearchAgent(given, settings, load_prompts()) as agent:
            yield replayed(name, key["qid"], replies, partial(of_events, agent, key["question"]))


def drafts(_: Indexes) -> Iterator[Line]:
    """Ground recorded drafts anew: quotes, numbers, scores and verdicts of their sentences."""
    pairs, model = CrossEncoder(MiniLM()), read_grounding()
    for weights in ("1.5b", "strong"):
        for one in recorded(weights)[::3]:
            said = claims_of(one.answer)
            claims = grounded_claims(said, one.evidence, pairs, model, limit=model.limit)
            told = [
                (c.text, c.verdict, c.keys, c.quotes, c.facts, c.support, c.problem) for c in claims
            ]
            name = f"drafts {weights} {one.source}"
            yield {"set": name, "id": one.qid, "verdicts": digest(told)}


def refusals(_: Indexes) -> Iterator[Line]:
    """Replay drafts over given passages, and how sure the model is of them."""
    replies = Replies.of("refusals", "1.5b")
    chat = RecordedChat(None, replies, "1.5b")
    for row in of_refusals.ordered(read(REFUSALS))[:120:4]:
        ask = partial(_refused, row, chat)
        yield replayed("refusals 1.5b", str(row["id"]), replies, ask)


def _refused(row: Row, chat: RecordedChat) -> dict[str, str]:
    return {"answer": digest(of_refusals.drafted(row, chat))}


def presets(indexes: Indexes) -> Iterator[Line]:
    """Replay the presets, with as many rounds as each has."""
    names: tuple[of_presets.SampleName, ...] = get_args(of_presets.SampleName)
    for weights, preset in (("1.5b", "local"), ("strong", "local"), ("strong", "full")):
        replies = Replies.of("presets", weights, of_presets.KNOWN)
        settings = of_presets.settings_of(preset, weights)
        for source in names[: 1 if weights == "1.5b" else None]:
            keys = every(of_presets.keys_of(source), 10, itemgetter("qid"))
            name = f"presets {weights} {preset} {source}"
            with indexes.ports(source, settings) as ports:
                yield from asked(name, keys, replies, ports, settings)


def conversations(indexes: Indexes) -> Iterator[Line]:
    """Replay the conversations, each up to the first reply that is missing."""
    for weights, preset in (("1.5b", "local"), ("strong", "full")):
        replies = Replies.of("conversations", weights)
        settings = of_presets.settings_of(preset, weights)
        with indexes.ports(MIXED, settings) as opened:
            for row in read(chats.CONVERSATIONS):
                ports, _, _ = Replaying(replies, Asking(weights=weights)).within(opened)
                graph = chats.chat_graph(ports, settings)
                for place, key in enumerate(row["turns"]):
                    turn = partial(_turn, graph, row["cid"], key["text"])
                    name = f"conversations {weights} {preset}"
                    yield (line := replayed(name, f"{row['cid']}-{place}", replies, turn))
                    if "missing" in line:
                        break


def _turn(graph: Chat, thread: str, text: str) -> dict[str, str]:
    of = chats.turn(graph, thread, text)
    shown = (of.status, of.answer, of.question, of.how, of.queries)
    return {"answer": digest(shown), "hits": digest(of.citations), "events": digest(of)}
