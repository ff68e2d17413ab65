"""The command `diagnose`: how unsure the model is, with and without a chunk."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click

from research_agent.answering.select_evidence.gain import Gauge, Measured, gain, token_rows
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.errors import ToolInputError
from research_agent.interfaces.cli.options import INDEX, JSON, OFFLINE, SETTINGS, words
from research_agent.interfaces.cli.process import exits, opened, start
from research_agent.interfaces.cli.terminal import say, say_json
from research_agent.retrieval.search.ranking import rank
from research_agent.text.replies import check_question
from research_agent.types import Chunk
from research_agent.types.entropy import probability
from research_agent.types.evidence import place

Row = Mapping[str, Any]
MEASURED = ("nu", "mean_entropy", "most_uncertain", "token_count", "missing", "text")
UNLIKE = 20
"""The least similar chunks; that nearest in length to the relevant one is the unrelated one."""
LEGEND = (
    "NU: mean entropy of the words divided by the largest it could be, 0 (sure) to 1. Gain: how "
    "much smaller it is with the chunk."
)


@click.command("diagnose")
@words("question")
@INDEX
@SETTINGS
@click.option("--chunk", default="", metavar="ID", help="The chunk. Default: the best hit.")
@JSON
@OFFLINE
@exits
def diagnose_command(
    *, question: str, index: str, config: str | None, chunk: str, as_json: bool
) -> int:
    """Show how unsure the model is of each word of a short answer, with and without a chunk.

    The exit status is 1 if the model gave no reply.
    """
    question, settings = check_question(question), start(config)
    with opened(index, settings) as connection:
        run = RunContext(connection.ports, connection.settings, load_prompts())
        found = diagnosis(question, run, _chunks(question, run, chunk))
    if as_json:
        say_json(found)
    else:
        lines = [line for item in found["measurements"] for line in _lines(item)]
        say(
            "\n".join([f"model: {found['model'] or 'unknown'}", *lines, found["problem"] or LEGEND])
        )
    return 1 if any(item["missing"] == "failed" for item in found["measurements"]) else 0


def diagnosis(question: str, run: RunContext, chunks: Mapping[str, Chunk]) -> dict[str, Any]:
    """Measure a question alone and, if that has a value, with each chunk; returns JSON values."""
    context = run.with_all_left(())
    gauge = Gauge(question, context, max_calls=3, max_seconds=run.settings.budget.seconds)
    alone = gauge(None)
    found: dict[str, tuple[Chunk | None, Measured]] = {"no chunk": (None, alone)}
    if alone.nu is not None:
        found |= {kind: (chunk, gauge(chunk)) for kind, chunk in chunks.items()}
    rows = [
        {
            "with": kind,
            "chunk_id": chunk.chunk_id if chunk else "",
            "place": place(chunk) if chunk else "",
            "gain": gain(alone, one) if chunk else None,
            **{name: getattr(one, name) for name in MEASURED},
            "tokens": [asdict(row) for row in token_rows(one.tokens)],
        }
        for kind, (chunk, one) in found.items()
    ]
    return {
        "question": question,
        "model": next((call.model for call in context.meter.calls if call.model), ""),
        "log_probabilities": alone.missing not in {"no log-probabilities", "failed"},
        "problem": gauge.problem,
        "measurements": rows,
    }


def _chunks(question: str, run: RunContext, chunk_id: str) -> dict[str, Chunk]:
    """Return the relevant chunk and an unrelated one, as far as there are such."""
    ports = run.ports
    hits = () if chunk_id else rank(question, ports=ports, settings=run.settings.retrieval).hits
    found: Sequence[Chunk] = [hit.chunk for hit in hits[:1]] or ports.chunks.chunks([chunk_id])
    if not found:
        hint = 'Take an id from: research-agent search --json "..."'
        raise ToolInputError(f"no chunk {chunk_id} in this index", hint=hint)
    relevant, away = found[0], [-x for x in ports.embedder.embed([question])[0]]
    ids = [one.chunk_id for one in ports.vectors.search(away, k=UNLIKE)]
    others = [one for one in ports.chunks.chunks(ids) if one.chunk_id != relevant.chunk_id]
    others.sort(key=lambda one: abs(len(one.text) - len(relevant.text)))
    noise = {"noise chunk": others[0]} if others else {}
    return {"relevant chunk": relevant, **noise}


def _lines(item: Row) -> list[str]:
    where = f": {item['place']} [{item['chunk_id']}]" if item["chunk_id"] else ""
    lines = ["", f"with {item['with']}{where}"]
    if item["nu"] is None:
        lines.append(f"  not measured: {item['missing']}")
    else:
        change = "" if item["gain"] is None else f", gain {item['gain']:+.3f}"
        lines.append(
            f"  NU {item['nu']:.3f}{change} ({item['mean_entropy'] or 0:.3f} nats a token)"
        )
    lines += [f"  answer, checked by nobody: {item['text']}"] if item["text"] else []
    return lines + [f"  {_token(row)}" for row in item["tokens"]]


def _token(row: Row) -> str:
    nats = "    -" if row["entropy"] is None else f"{row['entropy']:5.2f}"
    said = [(row["text"], row["logprob"])]
    said += [other for other in row["alternatives"] if other[0] != row["text"]]
    first, *others = [f"{text!r} {probability(logprob) or 0:.3f}" for text, logprob in said]
    return f"{first:26} {nats} nats  {', '.join(others)}".rstrip()
