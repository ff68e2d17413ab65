"""Answers of one set of weights on the NIST questions, scored against their keys.

Live calls are recorded one by one, so an interrupted run goes on where it stopped; without
`--live` everything is scored again from the recordings.
"""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.gold_removed import asking_without, leaked, removed_keys
from benchmarks.places import PDFS, RECORDINGS, RESULTS
from benchmarks.questions import Row, nist_keys, read, scorer
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.cli.index import index_for_docs
from research_agent.model_settings import LocalModelSettings, ReplyCacheSettings, RoleSettings
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.types.claims import Claim
from research_agent.types.result import ResearchResult

Ask = Callable[[Row], ResearchResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """One way to answer the questions, and how much of it is to be run."""

    arm: str
    settings: Settings
    weights: str
    gold_removed: bool = False
    """Only answerable questions, without the chunks on their accepted pages."""
    live: bool = False
    """Ask the model for what is not recorded."""
    limit: int = 0
    """Only the first questions; 0: no limit."""
    minutes: float = 45.0
    """No question is begun after that."""

    @property
    def name(self) -> str:
        """What its rows and scores are kept under."""
        return f"{self.weights}-{self.arm}{REMOVED if self.gold_removed else ''}"


REMOVED = "-gold-removed"
STRONG = "strong"
"""The weights of a model behind a server; its questions are asked side by side."""

SLOW = 7200.0
"""Seconds that a reply of a model behind a server may take; people may write it."""


def arm(weights: str, name: str, settings: Settings, **more: Any) -> Chosen:  # noqa: ANN401 (fields)
    """Return the way that answers with `weights` and otherwise as `settings` say.

    The user's own reply cache is off: a reply from there says nothing about seconds.
    """
    cache = ReplyCacheSettings(mode="off")
    models = replace(settings.models, reply_cache=cache)
    if weights == STRONG:
        url = os.environ.get("RESEARCH_AGENT_BENCHMARK_URL", "http://127.0.0.1:8099/v1")
        chat = RoleSettings(provider="openai", model=STRONG, base_url=url)
        models = replace(models, chat=chat, timeout=SLOW, retries=0, concurrency=256)
        settings = unhurried(settings)
    else:
        local = LocalModelSettings(weights=weights)  # type: ignore[arg-type]  # (click has checked)
        models = replace(models, local=local)
    return Chosen(arm=name, settings=replace(settings, models=models), weights=weights, **more)


def unhurried(settings: Settings) -> Settings:
    """Return settings without deadlines: seconds are counted, and end nothing."""
    return replace(
        settings,
        budget=replace(settings.budget, seconds=86_400.0),
    )


def run(way: Chosen) -> Mapping[str, Any]:
    """Answer the questions, write the rows and the scores, and return the scores.

    Rows and scores are kept where there are no fewer of them than before, and from recordings
    alone only whole; those of the first questions never.
    """
    keys = removed_keys(nist_keys()) if way.gold_removed else nist_keys()
    keys = keys[: way.limit or None]
    RECORDINGS.mkdir(exist_ok=True)
    RESULTS.mkdir(exist_ok=True)
    index = index_for_docs([str(PDFS)], way.settings, quiet=True)
    until = time.monotonic() + 60 * way.minutes
    with connect(index, way.settings, os.environ) as connection, ExitStack() as opened:
        chat = RecordedChat(
            connection.ports.answerer if way.live else None,
            Recordings(RECORDINGS / f"answers-{way.weights}.jsonl", way.weights),
            way.weights,
        )
        ports = replace(connection.ports, answerer=chat, planner=chat, filterer=chat, verifier=chat)
        ask = _asking(way, ports, opened)
        beside = len(keys) if way.live and way.weights == STRONG else 1

        def asked(key: Row) -> dict[str, Any] | None:
            if time.monotonic() > until:
                return None
            try:
                return answer(ask, chat, key, way)
            except MissingRecordingError:
                return None

        with ThreadPoolExecutor(beside) as threads:
            rows = [row for row in threads.map(asked, keys) if row]
    return write(way, rows, keys)


def _asking(way: Chosen, ports: Ports, opened: ExitStack) -> Ask:
    if way.gold_removed:
        return asking_without(ports, way.settings)
    agent = opened.enter_context(ResearchAgent(ports, way.settings, load_prompts()))
    return lambda key: agent.ask(key["question"])


def answer(ask: Ask, chat: RecordedChat, key: Row, way: Chosen) -> dict[str, Any]:
    """Answer one question; the seconds are those of its recorded model calls."""
    before = chat.seconds
    result = ask(key)
    row = row_of(key, result, chat.seconds - before)
    row["min_answerable"] = way.settings.answer.min_answerable
    return row | ({"leaked": leaked(result, key)} if way.gold_removed else {})


def row_of(key: Row, result: ResearchResult, seconds: float) -> dict[str, Any]:
    """Return what is kept of an answer."""
    return {
        "qid": key["qid"],
        "question": key["question"],
        "answerable": key["answerable"],
        "status": result.status,
        "answer": result.answer,
        "draft": [claim.text for claim in result.claims],
        "verdicts": [claim.verdict for claim in result.claims],
        "refusal_reason": result.refusal_reason,
        "p_answerable": result.answerable,
        "mean_entropy": result.uncertainty.mean_entropy,
        "confidence": result.confidence.value,
        "decision": result.confidence.decision,
        "refinement": result.refinement.kind,
        "rounds": result.rounds,
        "stop_reason": result.stop_reason,
        "llm_calls": result.usage.llm_calls,
        "prompt_tokens": result.usage.prompt_tokens,
        "cached_tokens": result.usage.cached_tokens,
        "completion_tokens": result.usage.completion_tokens,
        **quotes(result),
        "model_seconds": round(seconds, 2),
        "citations": [
            {"doc_id": c.doc_id, "start_page": c.start_page, "end_page": c.end_page}
            for c in result.citations
        ],
    }


def quotes(result: ResearchResult) -> dict[str, int]:
    """Return how many sentences of the answer there are, and how many have valid quotes.

    Valid is a sentence with a key, where every key has words that stand in its chunk, letter by
    letter, at the place that is given.
    """
    texts = {item.key: item.hit.chunk.text for item in result.evidence}
    shown = list(result.claims)
    if result.status == "refused":
        shown = []
    return {"sentences": len(shown), "quoted": sum(_is_quoted(claim, texts) for claim in shown)}


def _is_quoted(claim: Claim, texts: Mapping[str, str]) -> bool:
    pairs = list(zip(claim.keys, claim.quotes, strict=True))
    return bool(pairs) and all(
        bool(quote.quote) and texts.get(key, "")[quote.start : quote.end] == quote.quote
        for key, quote in pairs
    )


def write(way: Chosen, rows: Sequence[Row], keys: Sequence[Row]) -> Mapping[str, Any]:
    """Score the rows that there are, and keep rows and scores where `run` says so."""
    answered = {row["qid"] for row in rows}
    scores = dict(scorer()(rows, [key for key in keys if key["qid"] in answered]))
    details = {item["qid"]: item for item in scores.pop("details")}
    seconds = [row["model_seconds"] for row in rows]
    scores |= {
        "arm": way.name,
        "weights": way.weights,
        "not_run": len(keys) - len(rows),
        "median_model_seconds": median(seconds) if seconds else None,
        "median_llm_calls": median([row["llm_calls"] for row in rows]) if rows else None,
        "bypassed": sum(row["decision"] == "bypass" for row in rows),
    }
    lines = [{**row, "right": details[row["qid"]]["right"]} for row in rows]
    path = Path(RESULTS) / f"answers-{way.name}.jsonl"
    fewer = path.exists() and len(rows) < len(read(path))
    scores["kept"] = not (fewer or way.limit) and (way.live or len(rows) == len(keys))
    if not scores["kept"]:
        return scores
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    text = json.dumps(scores, indent=2, ensure_ascii=False)
    path.with_suffix(".json").write_text(text + "\n", encoding="utf-8")
    return scores
