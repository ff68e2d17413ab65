"""First drafts with all that can be known about them, recorded one question at a time.

A recording holds the evidence and the model's answer with its log-probabilities, so a later
version of the product judges the same answers again without index and model.
"""

import json
import re
import string
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache as kept_once
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from benchmarks.answers import STRONG
from benchmarks.answers import arm as answering
from benchmarks.datasets import MULTIHOP, data_set
from benchmarks.places import RECORDINGS
from benchmarks.product import index_of
from benchmarks.questions import Row, nist_keys, read, scorer
from benchmarks.recording import Recordings
from benchmarks.refinement_arms import changed
from graphs.research import ResearchGraph, build_research_graph
from graphs.state import ResearchInput
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.models.adapters.cached_chat import CachedChat
from research_agent.ports import KeptReply
from research_agent.settings import Settings
from research_agent.text.missing_parts import read_missing
from research_agent.types import Token
from research_agent.types.evidence import Evidence
from research_agent.types.retrieval import RetrievalConfidence
from research_agent.types.verification import Answer, Draft

Outcome = Literal["right", "wrong", "refused", "not judged"]
ARTICLES = re.compile(r"\b(?:a|an|the)\b")
Source = Literal["hotpotqa", "nist", "musique"]
SOURCES: tuple[Source, ...] = ("hotpotqa", "nist", "musique")
MOST: Mapping[Source, int] = {"musique": 30}
MOST_STRONG: Mapping[Source, int] = {"hotpotqa": 30, "musique": 20, "nist": 0}
"""Of a set only the first questions; a set that is not named here is asked whole."""
WRITTEN = changed(Settings(), budget={"rounds": 1})
"""One draft a question, the first one."""
SHORT = changed(
    WRITTEN,
    evidence={"max_chunks": 3, "max_tokens": 300},
    answer={"max_tokens": 64},
)
SETTINGS: Mapping[Source, Settings] = {"hotpotqa": SHORT, "nist": WRITTEN, "musique": SHORT}
"""Paragraphs of an encyclopedia are short, and so are their evidence and their answers."""
NONE = Draft()
DIGITS = 5
"""Of a recorded log-probability, behind the point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question and the first draft of its answer."""

    source: Source
    qid: str
    question: str
    weights: str
    seconds: float
    """Of the whole question, calls that were known from elsewhere left out."""
    confidence: RetrievalConfidence
    evidence: tuple[Evidence, ...]
    answer: Answer
    best: Draft = NONE
    """As it was judged; without claims where it was recorded before."""

    @property
    def is_draft(self) -> bool:
        """Whether the model has answered; a refusal by its words or for the scope is none."""
        given = bool(self.answer.text) and self.answer.refused != "wrong_scope"
        return given and not read_missing(self.answer.text).is_refusal


ASKED = TypeAdapter(Asked)


def recorded(path: Path) -> list[Asked]:
    """Return what is recorded in a file; nothing where there is none."""
    return [ASKED.validate_python(row) for row in read(path)] if path.exists() else []


def recording(weights: str) -> Path:
    """Return the file of the answers of some weights."""
    return RECORDINGS / f"drafts-{weights}.jsonl"


def record(weights: str, sources: Iterable[Source], *, minutes: float, cache: Path) -> None:
    """Ask what is not recorded, and record each answer at once; `minutes` end it."""
    until = time.monotonic() + 60 * minutes
    known = {(asked.source, asked.qid) for asked in recorded(recording(weights))}
    for source in sources:
        asked = questions(source)
        if weights == STRONG:
            asked = asked[: MOST_STRONG[source]]
        left = [pair for pair in asked if (source, pair[0]) not in known]
        if not left or time.monotonic() > until:
            continue
        for one in _asked(source, left, weights, cache, until):
            with recording(weights).open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(_row(one), ensure_ascii=False)}\n")


def keys(source: str) -> list[Row]:
    """Return the questions of a set with their keys."""
    return nist_keys() if source == "nist" else read(MULTIHOP / source / "questions.jsonl")


def questions(source: Source) -> list[tuple[str, str]]:
    """Return ids and texts of the questions of a set that are asked."""
    asked = keys(source)[: MOST.get(source)]
    return [(row["qid"], row["question"]) for row in asked]


def _asked(
    source: Source, left: Iterable[tuple[str, str]], weights: str, cache: Path, until: float
) -> Iterator[Asked]:
    """Ask questions with the product's graph over an index below `cache`."""
    settings = answering(weights, "", SETTINGS[source]).settings
    index = index_of(data_set(source), cache, settings)
    with connect(index.location, settings, {}) as connection:
        ports = connection.ports
        chat = CachedChat(ports.answerer, Borrowed(weights), weights, on_problem=print)
        ports = replace(ports, answerer=chat, planner=chat, filterer=chat, verifier=chat)
        graph = build_research_graph(ports, settings, load_prompts())
        beside = 64 if weights == STRONG else 1

        def asked(pair: tuple[str, str]) -> Asked | None:
            over = time.monotonic() > until
            return None if over else _one(graph, source, *pair, weights)

        with ThreadPoolExecutor(beside) as threads:
            yield from filter(None, threads.map(asked, left))


def _one(graph: ResearchGraph, source: Source, qid: str, question: str, weights: str) -> Asked:
    """Ask one question, and keep what the graph's nodes made of it."""
    made: dict[str, Any] = {
        "confidence": RetrievalConfidence(),
        "evidence": (),
        "answer": Answer(),
        "best": Draft(),
    }
    started = time.perf_counter()
    steps = graph.stream(ResearchInput(question=question), stream_mode="updates")
    with closing(steps):  # type: ignore[type-var]  # (a generator, declared as an iterator)
        for step in steps:
            for update in step.values():
                made |= {name: update[name] for name in made if name in (update or {})}
    spent = round(time.perf_counter() - started, 2)
    return Asked(source=source, qid=qid, question=question, weights=weights, seconds=spent, **made)


def _row(asked: Asked) -> object:
    """Return what is written of an answer: no paths, and no digits that mean nothing."""
    evidence = tuple(
        replace(item, hit=replace(item.hit, chunk=replace(item.hit.chunk, source="")))
        for item in asked.evidence
    )
    answer = replace(asked.answer, tokens=tuple(map(_rounded, asked.answer.tokens)))
    best = Draft(claims=asked.best.claims)
    kept = replace(asked, evidence=evidence, answer=answer, best=best)
    return ASKED.dump_python(kept, mode="json")


def _rounded(token: Token) -> Token:
    shown = tuple(replace(one, logprob=round(one.logprob, DIGITS)) for one in token.alternatives)
    return replace(token, logprob=round(token.logprob, DIGITS), alternatives=shown)


class Borrowed:
    """Replies that other benchmarks have recorded; implements ReplyCache, and keeps nothing."""

    def __init__(self, weights: str) -> None:
        """Read the recordings of `weights`."""
        known = RECORDINGS / f"refinement-{weights}.jsonl"
        self._kept = Recordings(RECORDINGS / f"answers-{weights}.jsonl", weights, [known])

    def get(self, key: str) -> KeptReply | None:
        """Return what was recorded under `key`, None where nothing was."""
        return self._kept.get(key)

    def put(self, key: str, kept: KeptReply) -> None:
        """Leave the recordings as they are."""


def outcome(asked: Asked, text: str) -> Outcome:
    """Return whether `text` is right by the key of its question."""
    key = _keys(asked.source)[asked.qid]
    if asked.source == "nist":
        return by_facts(text, key)
    return by_words(text, (key["answer"], *key["aliases"]))


def by_facts(text: str, key: Row) -> Outcome:
    """Return what the scorer beside the NIST questions says; a denial there is a refusal.

    Questions that it does not count are not judged.
    """
    if not key.get("counted", True):
        return "not judged"
    row = {"qid": key["qid"], "answer": text, "status": "answered"}
    [found] = scorer()([row], [key])["details"]
    if not key["answerable"]:
        return "refused" if found["right"] else "wrong"
    return "right" if found["right"] else "wrong"


def by_words(text: str, golds: Sequence[str]) -> Outcome:
    """Return whether one of the right answers stands in `text`, word by word.

    Case, punctuation and articles do not count, as usual for HotpotQA. Where the right answer is
    yes or no, a text that begins with neither is not judged: what it means is not its words.

    >>> by_words("It was the Rutgers University.", ["Rutgers University"])
    'right'
    >>> by_words("Both are.", ["yes"]), by_words("No, only one is.", ["yes"])
    ('not judged', 'wrong')
    """
    said = normal(text)
    wanted = [normal(gold) for gold in golds]
    if set(wanted) & {"yes", "no"}:
        first = said.partition(" ")[0]
        if first not in ("yes", "no"):
            return "not judged"
        return "right" if first in wanted else "wrong"
    return "right" if any(f" {gold} " in f" {said} " for gold in wanted) else "wrong"


def normal(text: str) -> str:
    """Return `text` in small letters without articles, punctuation and accents.

    >>> normal("The Café, St. Louis")
    'cafe st louis'
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = plain.replace("\u2013", "-").replace("\u2019", "'")
    plain = "".join(c for c in plain if c not in string.punctuation)
    return " ".join(ARTICLES.sub(" ", plain).split())


@kept_once
def _keys(source: str) -> Mapping[str, Row]:
    return {row["qid"]: row for row in keys(source)}
