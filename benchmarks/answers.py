"""Answers of one set of weights on the NIST questions, scored against their keys.

Live calls are recorded one by one, so an interrupted run goes on where it stopped; without
`--live` everything is scored again from the recordings. Peers are asked with the same weights, and
all systems are put side by side.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from statistics import fmean, median
from typing import Any

import click

from benchmarks.common import (
    RESULTS,
    Asking,
    Row,
    asks,
    folder,
    nist_keys,
    read,
    scorer,
    table_of,
    with_weights,
)
from benchmarks.figures import mean_interval, paired_difference, told_mean, told_share
from benchmarks.peers.exchange import TIMEOUT
from benchmarks.peers.running import PEERS, WAYS, ask, few, recorded
from benchmarks.recording import MissingRecordingError, Replaying
from benchmarks.retrieval import opened
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.settings import Settings
from research_agent.types.claims import Claim
from research_agent.types.result import ResearchResult

KEPT = "answers-{}-default.jsonl"
"""The product as it is installed."""
NO_ANSWER = {"answer": "...", "status": "answered"}
_MARKER = re.compile(r"\[[^\]\[]{1,20}\]")
INTRODUCTION = (
    "Of every question that counts; intervals of shares are Wilson's, of means and differences by "
    "bootstrap over questions, all of 95 %. Tokens, calls and seconds are means a question, those "
    "that do not count included; seconds of the product are those of its model calls, of a peer "
    "all. LangChain cites the pages that it shows the model."
)
DIFFERENCES = (
    "Facts right on the answerable questions that both were asked, a question: the product minus "
    "each peer."
)


@click.command("answers")
@asks
@click.option("--peer", type=click.Choice(list(PEERS)), help="Ask this one.")
@click.option("--way", default="default", type=click.Choice(WAYS), help="Of a peer.")
@click.option("--all", "every", is_flag=True, help="Ask a slow peer all questions, not ten.")
@click.option("--report", is_flag=True, help="Ask nobody: only tables of what is kept.")
def answers_command(
    *, asking: Asking, peer: str | None, way: str, every: bool, report: bool
) -> None:
    """Answer the NIST questions, or let a peer do so, and score the answers."""
    keys = nist_keys()
    with folder(asking.cache) as place:
        if peer and not report:
            chosen = few(keys) if PEERS[peer].slow and not every else keys
            print(f"{ask(peer, way, chosen, asking, place)} answers recorded\n")
        elif not report:
            rows = list(answered(asking, keys, place))
            print(f"{json.dumps(scored(asking, rows, keys), indent=2)}\n")
    text = report_of(asking.weights, keys)
    (RESULTS / "answers.md").write_text(f"{text}\n", encoding="utf-8")
    print(text)


def answered(asking: Asking, keys: Sequence[Row], cache: Path) -> Iterator[Row]:
    """Yield the rows of the answers that are recorded, or that are given in time."""
    settings = with_weights(asking.weights, Settings())
    with opened("nist", cache, settings) as ports:
        replaying = Replaying.of("answers", asking, ports)

        def row(key: Row) -> Row | None:
            given, chat, _ = replaying.within(ports)
            if not asking.in_time:
                return None
            with ResearchAgent(given, settings, load_prompts()) as agent:
                try:
                    return row_of(key, agent.ask(key["question"]), chat.seconds)
                except MissingRecordingError:
                    return None

        asked = asking.first(keys)
        with ThreadPoolExecutor(asking.beside(len(asked))) as threads:
            yield from filter(None, threads.map(row, asked))


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

    Valid is a sentence with a key, where every key has words that are in its chunk, letter by
    letter, at the place that is given.
    """
    texts = {item.key: item.hit.chunk.text for item in result.evidence}
    shown = () if result.status == "refused" else result.claims

    def valid(claim: Claim) -> bool:
        return bool(claim.keys) and all(
            bool(quote.quote) and texts.get(key, "")[quote.start : quote.end] == quote.quote
            for key, quote in zip(claim.keys, claim.quotes, strict=True)
        )

    return {"sentences": len(shown), "quoted": sum(map(valid, shown))}


def scored(asking: Asking, rows: Sequence[Row], keys: Sequence[Row]) -> Mapping[str, Any]:
    """Score the rows, and keep rows and scores where there are no fewer of them than before.

    Those of the first questions are never kept, and from recordings alone only all of them.
    """
    known = {row["qid"] for row in rows}
    scores = dict(scorer()(rows, [key for key in keys if key["qid"] in known]))
    details = {item["qid"]: item for item in scores.pop("details")}
    scores |= {
        "weights": asking.weights,
        "not_run": len(keys) - len(rows),
        "median_model_seconds": median([row["model_seconds"] for row in rows]) if rows else None,
        "median_llm_calls": median([row["llm_calls"] for row in rows]) if rows else None,
        "bypassed": sum(row["decision"] == "bypass" for row in rows),
    }
    path = RESULTS / KEPT.format(asking.weights)
    fewer = len(rows) < len(read(path))
    scores["kept"] = not (fewer or asking.limit) and (asking.live or len(rows) == len(keys))
    if scores["kept"]:
        lines = ({**row, "right": details[row["qid"]]["right"]} for row in rows)
        text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        path.write_text(text, encoding="utf-8")
        summary = json.dumps(scores, indent=2, ensure_ascii=False)
        path.with_suffix(".json").write_text(f"{summary}\n", encoding="utf-8")
    return scores


@dataclass(frozen=True)
class System:
    """A system with its answers, and the keys of the questions that it was asked."""

    name: str
    rows: Sequence[Row]
    keys: Sequence[Row]

    @cached_property
    def scores(self) -> Mapping[str, Any]:
        """What the scorer beside the data says of the questions that were asked.

        Where the time was over nothing was refused: that is neither right nor a refusal.
        """
        asked = {row["qid"] for row in self.rows}
        rows = [{**row, **NO_ANSWER} if row["status"] == TIMEOUT else row for row in self.rows]
        return scorer()(rows, [key for key in self.keys if key["qid"] in asked])

    @cached_property
    def details(self) -> Mapping[str, Row]:
        """The scorer's verdict on each question that counts, by its id."""
        return {item["qid"]: item for item in self.scores["details"] if item["counted"]}

    @cached_property
    def answerable(self) -> list[Row]:
        """The answers to the answerable questions that count."""
        counted = (row for row in self.rows if row["qid"] in self.details)
        return [row for row in counted if self.details[row["qid"]]["answerable"]]

    @property
    def right(self) -> Mapping[str, float]:
        """1 for each answerable question that is answered rightly, 0 for the others."""
        return {row["qid"]: float(self.details[row["qid"]]["right"]) for row in self.answerable}

    @property
    def facts_per_100_words(self) -> float | None:
        """Required facts that the answers to answerable questions state; None without words."""
        facts = words = 0
        wanted = {key["qid"]: len(key.get("required_facts") or ()) for key in self.keys}
        for row in self.answerable:
            of = self.details[row["qid"]]
            if not of["refused"]:
                facts += wanted[row["qid"]] - len(of["missing_facts"])
                words += len(words_of(row["answer"]))
        return 100 * facts / words if words else None

    def values(self, *names: str, rows: Sequence[Row] | None = None) -> list[float]:
        """Return, of each row that has one, what is under the first of the names there."""
        found = (next((r[n] for n in names if n in r), None) for r in rows or self.rows)
        return [float(value) for value in found if value is not None]

    @property
    def tokens_per_right(self) -> float | None:
        """Tokens read and written for all answerable questions, for each right answer."""
        tokens = ("prompt_tokens", "completion_tokens")
        spent = sum(sum(self.values(name, rows=self.answerable)) for name in tokens)
        right = sum(self.right.values())
        return spent / right if spent and right else None

    def quality(self) -> dict[str, str]:
        """Return the cells of what the answers are worth."""
        of = self.scores
        quoted = [row for row in self.rows if "sentences" in row]
        pages = (self.details[row["qid"]]["precision"] for row in self.answerable)
        precisions = [share for share in pages if share is not None]
        valid = sum(row["quoted"] for row in quoted), sum(row["sentences"] for row in quoted)
        return {
            "system": self.name,
            "questions": f"{of['answerable']} + {of['unanswerable']}",
            "facts right": told_share(of["facts_right"], of["answerable"]),
            "facts per 100 words": _number(self.facts_per_100_words, 1),
            "cited pages accepted, pooled": told_share(
                of["cited_pages_accepted"], of["cited_pages"]
            ),
            "the same, mean of questions": (
                told_mean(mean_interval(precisions)) if precisions else "-"
            ),
            "sentences with valid quotes": told_share(*valid),
            "refused rightly": told_share(of["refused_right"], of["unanswerable"]),
            "refused wrongly": told_share(of["wrongly_refused"], of["answerable"]),
            "no answer in time": str(sum(row["status"] == TIMEOUT for row in self.rows)),
        }

    def costs(self) -> dict[str, str]:
        """Return the cells of what the answers cost."""
        seconds = self.values("seconds", "model_seconds")
        return {
            "system": self.name,
            "prompt tokens": _mean(self.values("prompt_tokens")),
            "of these read before": _mean(self.values("cached_tokens")),
            "written tokens": _mean(self.values("completion_tokens")),
            "tokens per right answer": _number(self.tokens_per_right),
            "calls": _mean(self.values("calls", "llm_calls"), 1),
            "seconds, mean": _mean(seconds, 1),
            "seconds, median": _number(median(seconds) if seconds else None, 1),
        }


def report_of(weights: str, keys: Sequence[Row]) -> str:
    """Return the tables of all that is kept for `weights`: quality, costs, paired differences."""
    own = System("research_agent", read(RESULTS / KEPT.format(weights)), keys)
    peers = []
    for peer in PEERS:
        rows = [row for row in recorded(peer) if f"-{weights}-" in row["model"]]
        for way in dict.fromkeys(row["arm"] for row in rows):
            of = [row for row in rows if row["arm"] == way]
            peers.append(System(f"{peer}, {way}", of, keys))
    systems = [system for system in (own, *peers) if system.rows]
    parts = [
        f"## Answers on NIST, {weights}",
        INTRODUCTION,
        *map(
            table_of, filter(None, ([s.quality() for s in systems], [s.costs() for s in systems]))
        ),
    ]
    if own.rows and peers:
        parts += [DIFFERENCES, table_of([paired(*pair) for pair in product([own], peers)])]
    lines = [f"- {system.name}: {told}" for system in systems if (told := _not_counted(system))]
    return "\n\n".join([*parts, "Asked, not counted:", "\n".join(lines)])


def paired(one: System, other: System) -> dict[str, str]:
    """Return the cells of two systems on the questions of both."""
    both = [qid for qid in one.right if qid in other.right]
    ours, theirs = [one.right[qid] for qid in both], [other.right[qid] for qid in both]
    return {
        "system": one.name,
        "minus": other.name,
        "questions of both": str(len(both)),
        "right": f"{sum(ours):.0f}",
        "right, other": f"{sum(theirs):.0f}",
        "difference (95 %)": (
            told_mean(paired_difference(ours, theirs), sign="+") if both else "-"
        ),
    }


def _not_counted(of: System) -> str:
    found = [item for item in of.scores["details"] if not item["counted"]]
    return ", ".join(f"{item['qid']} {'right' if item['right'] else 'wrong'}" for item in found)


def words_of(answer: str) -> list[str]:
    """Return the words of an answer without its markers.

    >>> words_of("It has 1,184 bytes [c1][c2].")
    ['It', 'has', '1,184', 'bytes']
    """
    return re.findall(r"\w[\w.,'-]*\w|\w", _MARKER.sub(" ", answer))


def _number(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _mean(values: Sequence[float], digits: int = 0) -> str:
    return _number(fmean(values) if values else None, digits)
