"""Answers of one set of weights on the NIST questions, scored against their keys.

Live calls are recorded one by one, so an interrupted run goes on where it stopped; without
`--live` everything is scored again from the recordings.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.places import PDFS, RECORDINGS, RESULTS
from benchmarks.questions import Row, nist_keys, scorer
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from research_agent.app.agent import ResearchAgent
from research_agent.app.indexing import index_for_docs
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.core.result import ResearchResult
from research_agent.settings import LocalModelSettings, ReplyCacheSettings, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way to answer the questions."""

    name: str
    settings: Settings
    weights: str


def arm(weights: str, name: str, settings: Settings) -> Arm:
    """Return the arm that answers with `weights` and otherwise as `settings` say.

    The user's own reply cache is off: a reply from there says nothing about seconds.
    """
    local = LocalModelSettings(weights=weights)  # type: ignore[arg-type]  # (click has checked the word)
    cache = ReplyCacheSettings(mode="off")
    models = replace(settings.models, local=local, reply_cache=cache)
    return Arm(name=name, settings=replace(settings, models=models), weights=weights)


def run(chosen: Arm, *, live: bool, limit: int, minutes: float) -> Mapping[str, Any]:
    """Answer the questions, write the rows and the scores, and return the scores."""
    keys = nist_keys()[: limit or None]
    RECORDINGS.mkdir(exist_ok=True)
    RESULTS.mkdir(exist_ok=True)
    index = index_for_docs([str(PDFS)], chosen.settings, quiet=True)
    rows, until = [], time.monotonic() + 60 * minutes
    with connect(index, chosen.settings, {}) as connection:
        chat = RecordedChat(
            connection.ports.answerer if live else None,
            Recordings(RECORDINGS / f"answers-{chosen.weights}.jsonl", chosen.weights),
            chosen.weights,
        )
        ports = replace(connection.ports, answerer=chat, planner=chat, filterer=chat, verifier=chat)
        with ResearchAgent(ports, chosen.settings, load_prompts()) as agent:
            for key in keys:
                if time.monotonic() > until:
                    break
                try:
                    rows.append(answer(agent, chat, key))
                except MissingRecordingError:
                    continue
    return write(chosen, rows, keys)


def answer(agent: ResearchAgent, chat: RecordedChat, key: Row) -> dict[str, Any]:
    """Answer one question; the seconds are those of its recorded model calls."""
    before = chat.seconds
    result = agent.ask(key["question"])
    return row_of(key, result, chat.seconds - before)


def row_of(key: Row, result: ResearchResult, seconds: float) -> dict[str, Any]:
    """Return what is kept of an answer."""
    return {
        "qid": key["qid"],
        "question": key["question"],
        "answerable": key["answerable"],
        "status": result.status,
        "answer": result.answer,
        "draft": [claim.text for claim in result.claims],
        "refusal_reason": result.refusal_reason,
        "p_answerable": result.answerable,
        "mean_entropy": result.uncertainty.mean_entropy,
        "confidence": result.confidence.value,
        "decision": result.confidence.decision,
        "refinement": result.refinement.kind,
        "rounds": result.rounds,
        "stop_reason": result.stop_reason,
        "llm_calls": result.usage.llm_calls,
        "model_seconds": round(seconds, 2),
        "citations": [
            {"doc_id": c.doc_id, "start_page": c.start_page, "end_page": c.end_page}
            for c in result.citations
        ],
    }


def write(chosen: Arm, rows: Sequence[Row], keys: Sequence[Row]) -> Mapping[str, Any]:
    """Score the rows that there are, and keep rows and scores."""
    answered = {row["qid"] for row in rows}
    scores = dict(scorer()(rows, [key for key in keys if key["qid"] in answered]))
    details = {item["qid"]: item for item in scores.pop("details")}
    seconds = [row["model_seconds"] for row in rows]
    scores |= {
        "arm": chosen.name,
        "weights": chosen.weights,
        "not_run": len(keys) - len(rows),
        "median_model_seconds": median(seconds) if seconds else None,
        "median_llm_calls": median([row["llm_calls"] for row in rows]) if rows else None,
        "bypassed": sum(row["decision"] == "bypass" for row in rows),
    }
    folder = Path(RESULTS)
    lines = [{**row, "right": details[row["qid"]]["right"]} for row in rows]
    with (folder / f"answers-{chosen.name}.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    text = json.dumps(scores, indent=2, ensure_ascii=False)
    (folder / f"answers-{chosen.name}.json").write_text(text + "\n", encoding="utf-8")
    return scores
