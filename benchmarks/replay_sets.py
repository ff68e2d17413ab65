"""What `replay-all` replays: one function a set, each a line a question.

Large sets are sampled, always the same questions.
"""

import fcntl
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from operator import attrgetter, itemgetter
from pathlib import Path

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from benchmarks import conversation_documents, filtering, samples, sought
from benchmarks.answer_arms import ARMS as ANSWERS
from benchmarks.answers import arm as answering
from benchmarks.conversations import CONVERSATIONS
from benchmarks.datasets import MULTIHOP_NAMES, NAMES, data_set
from benchmarks.drafts import Source, recorded, recording
from benchmarks.filtering_arms import ARMS as FILTERS
from benchmarks.places import RECORDINGS, REFUSALS
from benchmarks.presets import KNOWN, Chosen
from benchmarks.product import filtered, index_at, index_of
from benchmarks.pruning import PLENTY, WAYS
from benchmarks.pruning_cases import Case, cases
from benchmarks.questions import Row, nist_keys, read
from benchmarks.recording import RecordedChat, Replaying, Trial
from benchmarks.refinement_arms import ARMS as REFINED
from benchmarks.refinement_arms import MODES, changed
from benchmarks.refinement_table import HITS
from benchmarks.refining import Searching
from benchmarks.refusals_asking import one as refusal
from benchmarks.refusals_asking import ordered
from benchmarks.replaying import Line, Replies, digest, of_events, replayed
from benchmarks.samples import every
from graphs.chat import Chat, ChatInput, ChatState, build_chat_graph
from research_agent.answering.select_evidence.step import Earlier, select_evidence
from research_agent.assembly.connection import connect
from research_agent.assembly.models.chats import SAMPLE_TEMPERATURE
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.interfaces.agent import ResearchAgent
from research_agent.models.adapters.minilm import CrossEncoder, MiniLM
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.verification.adapters.grounding_file import read_grounding
from research_agent.verification.step import grounded_claims

CASES: Mapping[Source, int] = {"hotpotqa": 20, "nist": 8}
"""Questions whose pruning is recorded."""
PRUNED = ("threshold", "ratio, by similarity")
FILTERED = ("score, 10", "10 + references, depth 3", "llm, 10 of x1.6")
CALLED = 15
"""Questions of a set whose calls a model has written."""
QID = itemgetter("qid")


@dataclass(frozen=True, slots=True)
class Indexes:
    """Indexes below a folder that processes may share: made once, and opened as copies."""

    cache: Path
    own: Path
    """A folder of this run alone."""

    @contextmanager
    def ports(self, name: str, settings: Settings) -> Iterator[Ports]:
        """Yield ports over a copy of the index of a set."""
        made, copy = self.cache / "indexes" / name, self.own / name
        if not copy.exists():
            with (self.cache / "replay.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not made.exists():
                    _make(name, self.cache / "making")
                    made.parent.mkdir(exist_ok=True)
                    (self.cache / "making" / "indexes" / name).rename(made)
            shutil.copytree(made, copy)
        with connect(str(copy), settings, {}) as connection:
            yield replace(connection.ports, decisions=None)


def _make(name: str, folder: Path) -> None:
    if name == "conversations":
        conversation_documents.index(folder, Settings())
    elif name == "openapi":
        apis = sought.documents(sought.question_set(name), folder)
        index_at(folder / "indexes" / name, apis, Settings())
    else:
        index_of(data_set(name), folder, Settings())


def answers(indexes: Indexes) -> Iterator[Line]:
    """Replay the answers to the NIST questions, arm by arm."""
    for weights, arms in (("1.5b", ANSWERS), ("strong", ANSWERS[:1]), ("0.5b", ANSWERS[:1])):
        replies = Replies(RECORDINGS / f"answers-{weights}.jsonl", weights)
        for arm in arms:
            whole = arm.name == "default" and weights != "0.5b"
            keys = every(nist_keys(), 0 if whole else 16, QID)
            settings = answering(weights, arm.name, arm.settings).settings
            with indexes.ports("nist", settings) as ports:
                yield from asked(f"answers {weights} {arm.name}", keys, replies, ports, settings)


def asked(
    name: str, keys: Sequence[Row], replies: Replies, ports: Ports, settings: Settings
) -> Iterator[Line]:
    """Ask an agent, a new one for each question."""
    for key in keys:
        ports, _, _ = Replaying(replies, name.split()[1]).within(ports, SAMPLE_TEMPERATURE, Trial())
        with ResearchAgent(ports, settings, load_prompts()) as agent:
            yield replayed(name, key["qid"], replies, partial(of_events, agent, key["question"]))


def presets(indexes: Indexes) -> Iterator[Line]:
    """Replay the presets, with as many rounds as each has."""
    for weights, preset in (("1.5b", "local"), ("strong", "local"), ("strong", "full")):
        known = [RECORDINGS / f"{of}-{weights}.jsonl" for of in KNOWN]
        replies = Replies(RECORDINGS / f"presets-{weights}.jsonl", weights, known)
        settings = Chosen(preset=preset, weights=weights).settings
        for source in samples.NAMES[: 1 if weights == "1.5b" else None]:
            keys, name = samples.keys(source), f"presets {weights} {preset} {source}"
            with indexes.ports(source, settings) as ports:
                yield from asked(name, every(keys, 10, QID), replies, ports, settings)


def conversations(indexes: Indexes) -> Iterator[Line]:
    """Replay the conversations, each up to the first reply that is missing."""
    for weights, preset in (("1.5b", "local"), ("strong", "full")):
        replies = Replies(RECORDINGS / f"conversations-{weights}.jsonl", weights)
        settings = Chosen(preset=preset, weights=weights).settings
        name = f"conversations {weights} {preset}"
        with indexes.ports("conversations", settings) as opened:
            for row in read(CONVERSATIONS):
                ports, _, _ = Replaying(replies, weights).within(
                    opened, SAMPLE_TEMPERATURE, Trial()
                )
                graph = build_chat_graph(
                    ports, settings, load_prompts(), checkpointer=InMemorySaver()
                )
                for place, key in enumerate(row["turns"]):
                    turn = partial(_turn, graph, row["cid"], key["text"])
                    yield (line := replayed(name, f"{row['cid']}-{place}", replies, turn))
                    if "missing" in line:
                        break


def _turn(graph: Chat, thread: str, text: str) -> dict[str, str]:
    said = ChatInput(messages=[HumanMessage(text)])
    state = graph.invoke(said, {"configurable": {"thread_id": thread}})
    turn = ChatState.model_validate(state).turns[-1]
    shown = (turn.status, turn.answer, turn.question, turn.how, turn.queries)
    cited = digest(turn.citations)
    return {"answer": digest(shown), "hits": cited, "events": digest(turn)}


def refinement(indexes: Indexes) -> Iterator[Line]:
    """Replay refined searches, and those whose calls a model writes."""
    refined = {arm.name: arm.settings for arm in (*REFINED, *MODES)}
    for weights, source, most, arm in (
        ("1.5b", "hotpotqa", 0, "default"),
        ("1.5b", "hotpotqa", 0, "parts by the model, hops"),
        ("1.5b", "musique", 50, "default"),
        ("1.5b", "musique", 50, "parts by the model, hops"),
        ("strong", "musique", 50, "default"),
        *(("strong", source, CALLED, "tool_calling") for source in ("nist", "openapi", "musique")),
    ):
        of: Sequence[object] = (sought.question_set if source == "openapi" else data_set)(
            source
        ).questions
        questions = every(of, most, attrgetter("qid"))
        settings = answering(weights, "", refined[arm]).settings
        if most != CALLED:
            settings = changed(settings, search={"max_chunks": HITS})
        replies = Replies(RECORDINGS / f"refinement-{weights}.jsonl", weights)
        name = f"refinement {weights} {source} {arm}"
        with indexes.ports(source.removesuffix("-extra"), settings) as opened:
            ports, _, _ = Replaying(replies, weights).within(opened, 0.0, Trial())
            search = Searching(ports, settings, "chunk")
            for one in every(questions, 12, attrgetter("qid")):
                yield replayed(name, one.qid, replies, partial(_searched, search, one.text))


def _searched(search: Searching, question: str) -> dict[str, str]:
    found = search(question)
    proposed = (found.refinement, found.queries)
    return {"answer": digest(proposed), "hits": digest([span.doc_id for span in found.spans])}


def filters(indexes: Indexes) -> Iterator[Line]:
    """Replay the filters."""
    settings = answering("1.5b", "", Settings()).settings
    for weights, source in (("1.5b", "openapi"), ("1.5b", "nist"), ("strong", "openapi")):
        replies = Replies(RECORDINGS / f"filtering-{weights}.jsonl", weights)
        chat = RecordedChat(None, replies, weights)
        with indexes.ports(source, settings) as opened:
            ports = replace(opened, filterer=chat)
            for arm in FILTERS:
                if arm.name in FILTERED:
                    for one in sought.question_set(source).questions[:10]:
                        name, own = (
                            f"filtering {weights} {source} {arm.name}",
                            arm.settings(settings),
                        )
                        ask = partial(_filtered, one, arm, ports, own)
                        yield replayed(name, one.qid, replies, ask)


def _filtered(
    question: sought.Question, arm: filtering.Arm, ports: Ports, settings: Settings
) -> dict[str, str]:
    found = filtering.choice(question, arm, ports, settings).found
    return {
        "hits": digest([hit.chunk.chunk_id for hit in found.hits]),
        "verdicts": digest(found.stats),
    }


def prunings(indexes: Indexes) -> Iterator[Line]:
    """Replay pruning by information gain."""
    settings = answering("1.5b", "", Settings()).settings
    replies = Replies(RECORDINGS / "pruning-1.5b.jsonl", "1.5b")
    chat = RecordedChat(None, replies, "1.5b")
    for source, most in CASES.items():
        with indexes.ports(source, settings) as opened:
            ports = replace(opened, answerer=chat)
            for case in islice(cases(source, opened), 0, most, 2):
                for way in PRUNED:
                    ask = partial(_pruned, case, WAYS[way], ports)
                    yield replayed(f"pruning {source} {way}", case.qid, replies, ask)


def _pruned(case: Case, settings: Settings, ports: Ports) -> dict[str, str]:
    context = RunContext(ports, settings, load_prompts()).within(PLENTY)
    chosen = select_evidence(case.question, case.hits, Earlier(), context)
    kept = [(item.chunk_id, item.kept, item.why) for item in chosen.value.pruned.stats.decisions]
    return {"hits": digest(kept), "verdicts": digest(chosen.value.pruned.stats)}


def drafts(_: Indexes) -> Iterator[Line]:
    """Ground recorded drafts anew: quotes, numbers, scores and verdicts of their sentences."""
    pairs, model = CrossEncoder(MiniLM()), read_grounding()
    for weights in ("1.5b", "strong"):
        known = [asked for asked in recorded(recording(weights)) if asked.is_draft]
        for asked in known[::3]:
            claims = grounded_claims(asked.answer, asked.evidence, pairs, model, limit=model.limit)
            told = [
                (c.text, c.verdict, c.keys, c.quotes, c.facts, c.support, c.problem) for c in claims
            ]
            name = f"drafts {weights} {asked.source}"
            yield {"set": name, "id": asked.qid, "verdicts": digest(told)}


def refusals(_: Indexes) -> Iterator[Line]:
    """Replay drafts over given passages, and how sure the model is of them."""
    replies = Replies(RECORDINGS / "refusals-1.5b.jsonl", "1.5b")
    chat = RecordedChat(None, replies, "1.5b")
    for row in ordered(read(REFUSALS))[:120:4]:
        yield replayed("refusals 1.5b", str(row["id"]), replies, partial(_refused, row, chat))


def _refused(row: Row, chat: RecordedChat) -> dict[str, str]:
    asked = refusal(row, chat)
    return {"answer": digest((asked.draft, dict(asked.yes), asked.evidence_tokens))}


def retrieval(indexes: Indexes) -> Iterator[Line]:
    """Search with the questions of every set."""
    settings = Settings()
    for source in (*NAMES, *MULTIHOP_NAMES):
        data = data_set(source)
        with indexes.ports(source.removesuffix("-extra"), settings) as ports:
            for one in every(data.questions, 40, attrgetter("qid")):
                hits = filtered(one.text, ports, settings)
                found = [(hit.chunk.chunk_id, hit.score, hit.similarity) for hit in hits]
                shown = digest([chunk_id for chunk_id, *_ in found])
                yield {"set": f"retrieval {source}", "id": one.qid} | {
                    "hits": shown,
                    "verdicts": digest(found),
                }
