"""How likely evidence answers a question, fitted from the model's yes and a cross-encoder.

Questions with passages that hold the answer or do not. The evidence is cut and rendered, and the
draft asked for, as the product does it; then the model is asked whether the passages support the
draft. A source is left out, and the other ones fit weights and limit. The rule, written before any
figure was seen: the limit is the one with the largest balanced accuracy among those that refuse at
most `MOST_REFUSED` of the answerable questions it is chosen on; of equal ones the lowest.
"""

import os
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from itertools import pairwise

import click

from benchmarks.common import (
    REFUSALS,
    Asking,
    Row,
    asks,
    keep,
    read,
    table_of,
    told_share,
    with_weights,
)
from benchmarks.grounding_fit import Fitted, fit
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from research_agent.answering.select_evidence.step import with_hits
from research_agent.answering.write.step import pieces
from research_agent.assembly.models.connecting import connect_models
from research_agent.config import load_prompts
from research_agent.evaluation.risk import auroc
from research_agent.models.adapters.minilm import CrossEncoder, MiniLM
from research_agent.models.adapters.tokens import Cl100k
from research_agent.settings import Settings
from research_agent.text.missing_parts import read_missing
from research_agent.types import Chunk, Hit, Message
from research_agent.types.entropy import yes_or_no
from research_agent.types.evidence import Evidence, render_evidence

SEED = 17
MAX_TOKENS = 120
"""Of a draft: short answers are enough here."""
MOST_REFUSED = 0.1
"""Share of the answerable questions that a limit may refuse where it is chosen."""
PENALTY = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One question with what is known of its draft."""

    id: str
    source: str
    """Without the part after its first hyphen, as the sets are grouped."""
    answerable: bool
    yes: float
    """P(yes) of the check, 0 to 1; -1: the draft itself refuses, 1: neither yes nor no was said."""
    relevance: float
    """The cross-encoder's logit of the nearest piece of a passage."""
    p: float = 0.0
    """Probability that the evidence answers it, by the weights of the other sources."""


@click.command("refusals")
@asks
def refusals_command(*, asking: Asking) -> None:
    """Fit how likely evidence answers a question, with each source left out in turn."""
    rows = list(answered(asking))
    text = table(rows)
    if not asking.limit:
        keep("refusals", map(asdict, rows), text)
    print(text)


def ordered(rows: Sequence[Row]) -> list[Row]:
    """Return the rows so that every prefix holds each source and kind by its share."""
    strata = defaultdict[tuple[str, bool], list[Row]](list)
    for row in sorted(rows, key=lambda row: str(row["id"])):
        strata[row["source"], row["answerable"]].append(row)
    dice = random.Random(SEED)  # noqa: S311 (an order, no secret)
    placed = list[tuple[float, float, Row]]()
    for _, group in sorted(strata.items()):
        dice.shuffle(group)
        placed += [((i + 0.5) / len(group), dice.random(), row) for i, row in enumerate(group)]
    return [row for _, _, row in sorted(placed, key=lambda item: item[:2])]


def answered(asking: Asking) -> Iterator[Scored]:
    """Yield what is recorded of the rows, and with `--live` what the model says in time."""
    kept = Recordings.of("refusals", asking.weights)
    settings, pairs = with_weights(asking.weights, Settings()), CrossEncoder(MiniLM())
    with closing(
        connect_models(settings.models, environment=os.environ, on_progress=lambda _done, _of: None)
    ) as models:
        model = models.answerer if asking.live else None
        chat = RecordedChat(model, kept, asking.weights, lambda: asking.in_time)
        for row in asking.first(ordered(read(REFUSALS))):
            try:
                _, yes = drafted(row, chat)
            except MissingRecordingError:
                continue
            texts = pieces(list(row["passages"]))
            yield Scored(
                id=str(row["id"]),
                source=str(row["source"]).partition("-")[0],
                answerable=bool(row["answerable"]),
                yes=yes,
                relevance=max(pairs.relevance(str(row["question"]), texts)),
            )


def evidence_of(row: Row) -> tuple[Evidence, ...]:
    """Return the passages of a row as the product would put them into a prompt, best first."""
    passages = row["passages"]
    hits = [
        Hit(Chunk(f"{row['id']}-{i}", f"document {i}", text), len(passages) - float(i))
        for i, text in enumerate(passages, 1)
    ]
    return with_hits(hits, (), Settings().evidence, Cl100k().count)


def drafted(row: Row, chat: RecordedChat) -> tuple[str, float]:
    """Return the draft and P(yes) of its check; raises MissingRecordingError, ModelError.

    A draft that refuses by its words has -1, and one of which the model says neither yes nor no 1:
    it is shown, as in the product.
    """
    prompts = load_prompts()
    system = Message("system", prompts.answer_system.render())
    shown, question = render_evidence(evidence_of(row)), str(row["question"])
    user = prompts.answer_user.render(evidence=shown, question=question)
    written = chat.complete("answer", [system, Message("user", user)], max_tokens=MAX_TOKENS)
    draft = written.text.strip()
    asked = prompts.answerable.render(evidence=shown, question=question, answer=draft)
    yes = yes_or_no(chat.complete("verifier", [system, Message("user", asked)], max_tokens=1))
    refused = read_missing(draft).is_refusal
    return draft, -1.0 if refused else (1.0 if yes is None else round(yes, 5))


Errors = tuple[int, int, int, int]
"""Answerable questions that are refused, all of them; the same of the unanswerable ones."""


def errors_at(rows: Sequence[Scored], limit: float) -> Errors:
    """Return what is refused where the probability is below `limit`."""
    can = [row.p < limit for row in rows if row.answerable]
    cannot = [row.p < limit for row in rows if not row.answerable]
    return sum(can), len(can), sum(cannot), len(cannot)


def balanced(errors: Errors) -> float:
    """Return the mean of the shares of answerable ones shown and unanswerable ones refused."""
    wrongly, can, rightly, cannot = errors
    return (1.0 - wrongly / max(1, can) + rightly / max(1, cannot)) / 2


def best_limit(rows: Sequence[Scored]) -> float:
    """Return the limit that the rule above chooses; 0, which refuses nothing, at the least.

    A limit is half way between two neighbouring probabilities.
    """
    seen = sorted({row.p for row in rows})
    limits = [0.0, *((low + high) / 2 for low, high in pairwise(seen) if low >= 0.0)]
    choices = [(errors_at(rows, limit), limit) for limit in limits]
    fair = [pair for pair in choices if pair[0][0] <= MOST_REFUSED * pair[0][1]]
    return max(fair, key=lambda pair: (balanced(pair[0]), -pair[1]))[1]


def fitted(rows: Sequence[Scored]) -> Fitted:
    """Return weights of the model's yes and of the logit."""
    import numpy as np

    values = np.array([[row.yes, row.relevance] for row in rows])
    answerable = np.array([int(row.answerable) for row in rows])
    return fit(values, answerable, np.zeros(len(rows), dtype=str), penalty=PENALTY)


def judged(rows: Sequence[Scored], model: Fitted) -> list[Scored]:
    """Return the rows with their probabilities."""
    import numpy as np

    probabilities = model.probabilities(np.array([[row.yes, row.relevance] for row in rows]))
    return [replace(row, p=float(p)) for row, p in zip(rows, probabilities, strict=True)]


def table(rows: Sequence[Scored]) -> str:
    """Return both errors with each source left out and chosen on all, and the weights of all."""
    if not rows:
        return "Nothing is recorded of these rows; ask the model with --live."
    lines = []
    for source in sorted({row.source for row in rows}):
        rest = [row for row in rows if row.source != source]
        own, model = [row for row in rows if row.source == source], fitted(rest)
        limit = best_limit(judged(rest, model))
        lines.append(_line(source, judged(own, model), limit))
    model = fitted(rows)
    every = judged(rows, model)
    lines.append(_line("chosen on all", every, best_limit(every)))
    weights = [float(w / s) for w, s in zip(model.weights, model.scales, strict=True)]
    bias = model.bias - sum(w * float(m) for w, m in zip(weights, model.means, strict=True))
    told = f"YES {weights[0]:.3f}, RELEVANCE {weights[1]:.3f}, BIAS {bias:.3f}"
    shown = table_of(lines)
    return f"{shown}\n\nFitted on all {len(rows)}: {told}"


def _line(source: str, rows: Sequence[Scored], limit: float) -> dict[str, str]:
    import numpy as np

    errors, yes = errors_at(rows, limit), np.array([int(row.answerable) for row in rows])
    return {
        "source left out": source,
        "AUROC of P(yes)": f"{auroc(np.array([row.yes for row in rows]), yes):.2f}",
        "of both": f"{auroc(np.array([row.p for row in rows]), yes):.2f}",
        "limit": f"{limit:.3f}",
        "answerable refused": told_share(*errors[:2]),
        "unanswerable refused": told_share(*errors[2:]),
    }
