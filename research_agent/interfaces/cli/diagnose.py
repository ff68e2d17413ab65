"""The command `diagnose`."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import click

from research_agent.answering.select_evidence.gain import (
    Gauge,
    Measured,
    TokenRow,
    gain,
    token_rows,
)
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.errors import ToolInputError
from research_agent.interfaces.cli.options import CONFIG, INDEX, OFFLINE
from research_agent.interfaces.cli.process import start, told
from research_agent.interfaces.cli.terminal import say, say_json
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import Settings
from research_agent.types import Chunk
from research_agent.types.entropy import probability
from research_agent.types.evidence import place
from research_agent.types.questions import check_question

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


@dataclass(frozen=True, slots=True)
class Measurement:
    """One short answer: without a chunk, with a relevant one or with noise."""

    kind: str
    chunk: Chunk | None
    found: Measured
    gain: float | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that was measured for a question."""

    question: str
    model: str
    measurements: tuple[Measurement, ...]
    problem: str

    @property
    def speaks(self) -> bool:
        """Whether the model gave log-probabilities."""
        return self.measurements[0].found.missing not in {"no log-probabilities", "failed"}


@click.command("diagnose")
@click.argument("question")
@INDEX
@CONFIG
@click.option("--chunk", default="", metavar="ID", help="Measure with this chunk; else the best.")
@click.option("--noise", default="", metavar="ID", help="And with this; else an unrelated one.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@OFFLINE
@told
def diagnose_command(
    *, question: str, index: str, config: str | None, chunk: str, noise: str, as_json: bool
) -> int:
    """Show how unsure the model is of each word of a short answer, with and without a chunk.

    The exit status is 1 where the model gave no reply.
    """
    question, settings = check_question(question), start(config)
    with connect(index, settings, os.environ) as connection:
        found = diagnosis(question, connection.ports, connection.settings, chunk, noise)
    if as_json:
        say_json(as_row(found))
    else:
        say(text(found))
    return 1 if any(item.found.missing == "failed" for item in found.measurements) else 0


def diagnosis(
    question: str, ports: Ports, settings: Settings, chunk: str = "", noise: str = ""
) -> Diagnosis:
    """Measure a question alone, with a relevant and with an unrelated chunk.

    They are the best hit and a chunk as unlike the question as any, unless their ids are given;
    raises ToolInputError for one that is not there. Where the first measurement has no value, no
    other is made.
    """
    relevant, unrelated = _chunks(question, ports, settings, chunk, noise)
    context = RunContext(ports, settings, load_prompts()).for_answer(())
    gauge = Gauge(question, context, max_calls=3, max_seconds=settings.budget.seconds)
    alone = gauge()
    done = [Measurement("no chunk", None, alone)]
    for kind, given in (("relevant chunk", relevant), ("noise chunk", unrelated)):
        if given and alone.nu is not None:
            found = gauge(given)
            done.append(Measurement(kind, given, found, gain(alone, found)))
    model = next((call.model for call in context.meter.calls if call.model), "")
    return Diagnosis(question, model, tuple(done), gauge.problem)


def _chunks(
    question: str, ports: Ports, settings: Settings, chunk: str, noise: str
) -> tuple[Chunk | None, Chunk | None]:
    """Return the relevant and the unrelated chunk; None where the index has none."""
    given = {id_: _named(ports, id_) for id_ in (chunk, noise) if id_}
    relevant = given.get(chunk)
    if relevant is None:
        hits = rank(question, ports=ports, settings=settings.retrieval).hits
        relevant = hits[0].chunk if hits else None
    if noise or relevant is None:
        return relevant, given.get(noise)
    away = [-x for x in ports.embedder.embed([question])[0]]
    ids = [found.chunk_id for found in ports.vectors.search(away, k=UNLIKE)]
    others = [c for c in ports.chunks.chunks(ids) if c.chunk_id != relevant.chunk_id]
    length = len(relevant.text)
    return relevant, min(others, key=lambda c: abs(len(c.text) - length), default=None)


def _named(ports: Ports, chunk_id: str) -> Chunk:
    found = ports.chunks.chunks([chunk_id])
    if not found:
        raise ToolInputError(
            f"no chunk {chunk_id} in this index",
            hint='Take an id from: research-agent search --json "..."',
        )
    return found[0]


def as_row(found: Diagnosis) -> dict[str, object]:
    """Return a diagnosis as JSON values."""
    return {
        "question": found.question,
        "model": found.model,
        "log_probabilities": found.speaks,
        "problem": found.problem,
        "measurements": [
            {
                "with": item.kind,
                "chunk_id": item.chunk.chunk_id if item.chunk else "",
                "place": place(item.chunk) if item.chunk else "",
                "nu": item.found.nu,
                "gain": item.gain,
                "mean_entropy": item.found.mean_entropy,
                "most_uncertain": item.found.most_uncertain,
                "token_count": item.found.token_count,
                "missing": item.found.missing,
                "text": item.found.text,
                "tokens": [asdict(row) for row in token_rows(item.found.tokens)],
            }
            for item in found.measurements
        ],
    }


def text(found: Diagnosis) -> str:
    """Return a diagnosis for people."""
    lines = [f"model: {found.model or 'unknown'}"]
    for item in found.measurements:
        lines += ["", *_measured(item)]
    if not found.speaks:
        failed = found.measurements[0].found.missing == "failed"
        lines += ["", found.problem if failed else WITHOUT]
    elif found.problem:
        lines += ["", f"not everything was measured: {found.problem}"]
    else:
        lines += ["", LEGEND]
    return "\n".join(lines)


def _measured(item: Measurement) -> list[str]:
    seen, where = item.found, f": {place(item.chunk)}" if item.chunk else ""
    lines = [f"with {item.kind}{where}" + (f" [{item.chunk.chunk_id}]" if item.chunk else "")]
    if seen.nu is None:
        return [*lines, f"  not measured: {seen.missing}", *_answer(seen)]
    change = "" if item.gain is None else f", gain {item.gain:+.3f}"
    means = f"{seen.mean_entropy or 0:.3f} nats a token, the most uncertain fifth "
    means += f"{seen.most_uncertain or 0:.3f}, {seen.token_count} tokens"
    lines += [f"  NU {seen.nu:.3f}{change} ({means})", *_answer(seen)]
    lines.append(f"  {'token':{WIDTH}} probability  nats   others")
    return lines + [f"  {_row(row)}" for row in token_rows(seen.tokens)]


def _answer(seen: Measured) -> list[str]:
    return [f"  answer, checked by nobody: {' '.join(seen.text.split())}"] if seen.text else []


def _row(row: TokenRow) -> str:
    nats = "    -" if row.entropy is None else f"{row.entropy:5.2f}"
    others: Sequence[tuple[str, float]] = [o for o in row.alternatives if o[0] != row.text]
    others_text = ", ".join(f"{_quoted(other)} {_chance(logprob)}" for other, logprob in others)
    return f"{_quoted(row.text):{WIDTH}} {_chance(row.logprob):>11}  {nats}  {others_text}".rstrip()


def _quoted(token: str) -> str:
    shown = token.replace("\n", "\\n").replace("\t", "\\t")
    return f'"{shown}"'


def _chance(logprob: float) -> str:
    """Return a probability for people, "?" for what is no log-probability."""
    p = probability(logprob)
    return "?" if p is None else f"{p:.3f}"
