"""Answers of one set of weights on the NIST questions, scored against their keys.

Live calls are recorded one by one, so an interrupted run goes on where it stopped; without
`--live` everything is scored again from the recordings. Peers are asked with the same weights, and
all systems are put side by side.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
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
    told_share,
    with_weights,
)
from benchmarks.peers.exchange import TIMEOUT
from benchmarks.peers.running import PEERS, WAYS, ask, few, recorded
from benchmarks.recording import MissingRecordingError, Replaying
from benchmarks.retrieval import opened
from research_agent.config import load_prompts
from research_agent.evaluation.intervals import mean_interval, paired_difference, told_mean
from research_agent.evaluation.rows import is_quoted
from research_agent.interfaces.agent import ResearchAgent
from research_agent.settings import Settings
from research_agent.types.result import ResearchResult

KEPT = "answers-{}-default.jsonl"
"""The product as it is installed."""
NO_ANSWER = {"answer": "...", "status": "answered"}
_MARKER = re.compile(r"\[[^\]\[]{1,20}\]")
ABOUT = (
    "Of every question that counts, 95 % intervals: of shares Wilson's, of means and differences "
    "by bootstrap. Tokens and calls are means a question; seconds of the product are those of its "
    "model calls. LangChain cites the pages that it shows the model. The difference is in facts "
    "right, of the answerable questions that both were asked."
)


@click.command("answers")
@asks
@click.option("--peer", type=click.Choice(list(PEERS)), help="Ask this one.")
@click.option("--way", default="default", type=click.Choice(WAYS), help="Of a peer.")
def answers_command(*, asking: Asking, peer: str | None, way: str) -> None:
    """Answer the NIST questions, or let a peer do so, and score the answers."""
    keys = nist_keys()
    with folder(asking.cache) as place:
        if peer:
            chosen = few(keys) if PEERS[peer].slow else keys
            print(f"{ask(peer, way, chosen, asking, place)} answers recorded\n")
        else:
            rows = list(answered(asking, keys, place))
            done = "kept" if kept(asking, rows, keys) else "not kept"
            print(f"{len(rows)} of {len(keys)} questions are answered, and {done}.\n")
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
        "verdicts": [claim.verdict for claim in result.claims],
        "rounds": result.rounds,
        "llm_calls": result.usage.llm_calls,
        "prompt_tokens": result.usage.prompt_tokens,
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
    return {"sentences": len(shown), "quoted": sum(is_quoted(claim, texts) for claim in shown)}


def kept(asking: Asking, rows: Sequence[Row], keys: Sequence[Row]) -> bool:
    """Keep the rows where there are no fewer of them than before, and return whether they are.

    Those of the first questions are never kept, and from recordings alone only all of them.
    """
    path = RESULTS / KEPT.format(asking.weights)
    fewer = len(rows) < len(read(path))
    whole = asking.live or len(rows) == len(keys)
    if fewer or asking.limit or not whole:
        return False
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return True


def report_of(weights: str, keys: Sequence[Row]) -> str:
    """Return the table of all that is kept for `weights`, the product's row first."""
    systems = {"research_agent": read(RESULTS / KEPT.format(weights))}
    for peer in PEERS:
        rows = [row for row in recorded(peer) if f"-{weights}-" in row["model"]]
        for way in dict.fromkeys(row["arm"] for row in rows):
            systems[f"{peer}, {way}"] = [row for row in rows if row["arm"] == way]
    ours = right(systems["research_agent"], keys)
    lines = [
        {"system": name} | cells(rows, keys) | {"product - this": _gap(ours, right(rows, keys))}
        for name, rows in systems.items()
        if rows
    ]
    return f"## Answers on NIST, {weights}\n\n{ABOUT}\n\n{table_of(lines) if lines else '-'}"


def details(rows: Sequence[Row], keys: Sequence[Row]) -> Mapping[str, Any]:
    """Return what the scorer beside the data says of the questions that were asked.

    Where the time was over nothing was refused: that is neither right nor a refusal.
    """
    asked = {row["qid"] for row in rows}
    rows = [{**row, **NO_ANSWER} if row["status"] == TIMEOUT else row for row in rows]
    return dict(scorer()(rows, [key for key in keys if key["qid"] in asked]))


def right(rows: Sequence[Row], keys: Sequence[Row]) -> Mapping[str, float]:
    """Return 1 for each answerable question that is answered rightly, 0 for the others."""
    found = details(rows, keys)["details"]
    counted = [row for row in found if row["counted"] and row["answerable"]]
    return {row["qid"]: float(row["right"]) for row in counted}


def _gap(ours: Mapping[str, float], theirs: Mapping[str, float]) -> str:
    both = [qid for qid in ours if qid in theirs]
    if not both or ours == theirs:
        return "-"
    gap = paired_difference([ours[qid] for qid in both], [theirs[qid] for qid in both])
    return f"{told_mean(gap, sign='+')} of {len(both)}"


def cells(rows: Sequence[Row], keys: Sequence[Row]) -> dict[str, str]:
    """Return what the answers of a system are worth, and what they cost."""
    sums, known = details(rows, keys), right(rows, keys)
    found = (item.get("precision") for item in sums["details"] if item["qid"] in known)
    precisions = [share for share in found if share is not None]
    quoted = [row for row in rows if "sentences" in row]
    spent = sum(
        row["prompt_tokens"] + row["completion_tokens"] for row in rows if row["qid"] in known
    )

    def each(*names: str) -> list[float]:
        return [float(row[name]) for row in rows for name in names if row.get(name) is not None]

    return {
        "questions": f"{sums['answerable']} + {sums['unanswerable']}",
        "facts right": told_share(sums["facts_right"], sums["answerable"]),
        "right and supported": told_share(sums["facts_right_and_supported"], sums["answerable"]),
        "refused rightly": told_share(sums["refused_right"], sums["unanswerable"]),
        "refused wrongly": told_share(sums["wrongly_refused"], sums["answerable"]),
        "cited pages accepted": told_share(sums["cited_pages_accepted"], sums["cited_pages"]),
        "mean of questions": told_mean(mean_interval(precisions)) if precisions else "-",
        "sentences with valid quotes": told_share(
            sum(row["quoted"] for row in quoted), sum(row["sentences"] for row in quoted)
        ),
        "no answer in time": str(sum(row["status"] == TIMEOUT for row in rows)),
        "tokens read": f"{fmean(each('prompt_tokens')):,.0f}",
        "written": f"{fmean(each('completion_tokens')):,.0f}",
        "tokens a right answer": f"{spent / sum(known.values()):,.0f}"
        if any(known.values())
        else "-",
        "calls": f"{fmean(each('calls', 'llm_calls')):.1f}",
        "seconds, median": f"{median(each('seconds', 'model_seconds')):.1f}",
    }


def words_of(answer: str) -> list[str]:
    """Return the words of an answer without its markers.

    >>> words_of("It has 1,184 bytes [c1][c2].")
    ['It', 'has', '1,184', 'bytes']
    """
    return re.findall(r"\w[\w.,'-]*\w|\w", _MARKER.sub(" ", answer))
