"""The command `diagnose`: how unsure the model is, with and without a chunk."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click

from research_agent.answering.select_evidence.gain import Gauge, gain, token_rows
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.errors import ToolInputError
from research_agent.interfaces.cli.options import INDEX, JSON, OFFLINE, SETTINGS
from research_agent.interfaces.cli.process import opened, start, told
from research_agent.interfaces.cli.terminal import say, say_json
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import Settings
from research_agent.text.questions import check_question
from research_agent.types import Chunk
from research_agent.types.entropy import probability
from research_agent.types.evidence import place

Row = Mapping[str, Any]
MEASURED = ("nu", "mean_entropy", "most_uncertain", "token_count", "missing", "text")
UNLIKE = 20
"""The least similar chunks, of which the one that is as long as the relevant one is taken."""
WIDTH = 18
"""Of the column that shows tokens."""
WITHOUT = (
    "This model gives no log-probabilities, so its uncertainty cannot be measured. Answers are "
    "checked all the same, pruning judges by similarity, and nothing counts as confident."
)
LEGEND = (
    "NU: mean entropy of the words divided by the largest it could be, 0 (sure) to 1. Gain: how "
    "much smaller it is with the chunk."
)


@click.command("diagnose")
@click.argument("question")
@INDEX
@SETTINGS
@click.option("--chunk", metavar="ID", help="The relevant chunk. Default: the best hit.")
@click.option("--noise", metavar="ID", help="The unrelated chunk. Default: chosen by similarity.")
@JSON
@OFFLINE
@told
def diagnose_command(
    *,
    question: str,
    index: str,
    config: str | None,
    chunk: str | None,
    noise: str | None,
    as_json: bool,
) -> int:
    """Show how unsure the model is of each word of a short answer, with and without a chunk.

    The exit status is 1 if the model gave no reply.
    """
    question, settings = check_question(question), start(config)
    with opened(index, settings) as connection:
        chunks = _chunks(question, connection.ports, chunk or "", noise or "", connection.settings)
        found = diagnosis(question, connection.ports, connection.settings, chunks)
    if as_json:
        say_json(found)
    else:
        say(text(found))
    return 1 if any(item["missing"] == "failed" for item in found["measurements"]) else 0


def diagnosis(
    question: str, ports: Ports, settings: Settings, chunks: Sequence[Chunk | None]
) -> dict[str, Any]:
    """Measure a question alone, with the relevant chunk and with the unrelated one.

    Where the first measurement has no value, no other is made. Returns JSON values.
    """
    context = RunContext(ports, settings, load_prompts()).with_all_left(())
    gauge = Gauge(question, context, max_calls=3, max_seconds=settings.budget.seconds)
    alone, rows = None, list[Row]()
    for kind, chunk in zip(
        ("no chunk", "relevant chunk", "noise chunk"), (None, *chunks), strict=True
    ):
        if alone and (chunk is None or alone.nu is None):
            continue
        found = gauge(chunk)
        rows.append(
            {
                "with": kind,
                "chunk_id": chunk.chunk_id if chunk else "",
                "place": place(chunk) if chunk else "",
                "gain": gain(alone, found) if alone else None,
                **{name: getattr(found, name) for name in MEASURED},
                "tokens": [asdict(row) for row in token_rows(found.tokens)],
            }
        )
        alone = alone or found
    return {
        "question": question,
        "model": next((call.model for call in context.meter.calls if call.model), ""),
        "log_probabilities": rows[0]["missing"] not in {"no log-probabilities", "failed"},
        "problem": gauge.problem,
        "measurements": rows,
    }


def _chunks(
    question: str, ports: Ports, chunk: str, noise: str, settings: Settings
) -> tuple[Chunk | None, Chunk | None]:
    ids = [id_ for id_ in (chunk, noise) if id_]
    named = {one.chunk_id: one for one in ports.chunks.chunks(ids)}
    if missing := [id_ for id_ in ids if id_ not in named]:
        raise ToolInputError(
            f"no chunk {missing[0]} in this index",
            hint='Take an id from: research-agent search --json "..."',
        )
    relevant = named.get(chunk)
    if relevant is None:
        hits = rank(question, ports=ports, settings=settings.retrieval).hits
        relevant = hits[0].chunk if hits else None
    if noise or relevant is None:
        return relevant, named.get(noise)
    away = [-x for x in ports.embedder.embed([question])[0]]
    ids = [found.chunk_id for found in ports.vectors.search(away, k=UNLIKE)]
    others = [c for c in ports.chunks.chunks(ids) if c.chunk_id != relevant.chunk_id]
    length = len(relevant.text)
    return relevant, min(others, key=lambda c: abs(len(c.text) - length), default=None)


def text(found: Row) -> str:
    """Return a diagnosis for people."""
    lines = [f"model: {found['model'] or 'unknown'}"]
    for item in found["measurements"]:
        lines += ["", *_measured(item)]
    if not found["log_probabilities"]:
        failed = found["measurements"][0]["missing"] == "failed"
        return "\n".join([*lines, "", found["problem"] if failed else WITHOUT])
    problem = found["problem"]
    return "\n".join([*lines, "", f"not everything was measured: {problem}" if problem else LEGEND])


def _measured(item: Row) -> list[str]:
    where = f": {item['place']} [{item['chunk_id']}]" if item["chunk_id"] else ""
    said = " ".join(item["text"].split())
    answer = [f"  answer, checked by nobody: {said}"] if said else []
    lines = [f"with {item['with']}{where}"]
    if item["nu"] is None:
        return [*lines, f"  not measured: {item['missing']}", *answer]
    change = "" if item["gain"] is None else f", gain {item['gain']:+.3f}"
    means = f"{item['mean_entropy'] or 0:.3f} nats a token, the most uncertain fifth "
    means += f"{item['most_uncertain'] or 0:.3f}, {item['token_count']} tokens"
    lines += [f"  NU {item['nu']:.3f}{change} ({means})", *answer]
    lines.append(f"  {'token':{WIDTH}} probability  nats   others")
    return lines + [f"  {_token(row)}" for row in item["tokens"]]


def _token(row: Row) -> str:
    nats = "    -" if row["entropy"] is None else f"{row['entropy']:5.2f}"
    others = ", ".join(
        f"{_quoted(other)} {_chance(logprob)}"
        for other, logprob in row["alternatives"]
        if other != row["text"]
    )
    said, chance = _quoted(row["text"]), _chance(row["logprob"])
    return f"{said:{WIDTH}} {chance:>11}  {nats}  {others}".rstrip()


def _quoted(token: str) -> str:
    shown = token.replace("\n", "\\n").replace("\t", "\\t")
    return f'"{shown}"'


def _chance(logprob: float) -> str:
    p = probability(logprob)
    return "?" if p is None else f"{p:.3f}"
