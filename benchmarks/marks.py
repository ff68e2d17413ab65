"""What a person sees of recorded drafts: refused, unconfirmed, or with marks on sentences.

The drafts are those of `drafts`, of a small and of a strong model; grounding is computed anew each
time. A mark helps where sentences of wrong drafts have more of them than those of right ones.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from benchmarks.checks import checks, with_check
from benchmarks.drafts import Asked, Outcome, outcome, recorded, recording
from benchmarks.intervals import wilson
from benchmarks.keeping import keep
from benchmarks.tables import markdown
from research_agent.models.adapters.minilm import CrossEncoder, MiniLM
from research_agent.settings import Settings
from research_agent.types.claims import Claim, bare
from research_agent.verification.adapters.grounding_file import read_grounding
from research_agent.verification.step import grounded_claims

HEADS = (
    "model",
    "by",
    "questions of",
    "drafts",
    "how many",
    "sentences",
    "marked",
    "contradicted",
    "no sentence supported",
    "refused by the check",
)
Shown = Literal["answered", "unconfirmed", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """What became of one draft."""

    model: str
    way: str
    """By the score alone, or as a judging model left it."""
    source: str
    qid: str
    draft: Outcome
    shown: Shown
    """By its sentences alone; the check is told apart."""
    sentences: int
    unconfirmed: int
    contradicted: int
    answerable: float | None


def run(models: Iterable[str]) -> str:
    """Ground all recorded drafts, keep rows and table, and return the table."""
    rows = [row for model in models for row in _rows(model)]
    text = table(rows)
    keep("marks", map(asdict, rows), text)
    return text


def _rows(model: str) -> list[Marked]:
    pairs, fitted = CrossEncoder(MiniLM()), read_grounding()
    known = checks(model)
    found = []
    for asked in recorded(recording(model)):
        if not asked.is_draft:
            continue
        claims = grounded_claims(asked.answer, asked.evidence, pairs, fitted, limit=fitted.limit)
        ways = {"score": claims, "score and judge": asked.best.claims}
        for way, judged in ways.items():
            if judged:
                found.append(_marked(model, way, with_check(asked, known, pairs), judged))
    return found


def _marked(model: str, way: str, asked: Asked, claims: Sequence[Claim]) -> Marked:
    verdicts = [claim.verdict for claim in claims]
    return Marked(
        model=model,
        way=way,
        source=asked.source,
        qid=asked.qid,
        draft=outcome(asked, bare(asked.answer.text)),
        shown=_shown(verdicts),
        sentences=len(claims),
        unconfirmed=verdicts.count("unconfirmed"),
        contradicted=verdicts.count("contradicted"),
        answerable=asked.answer.answerable,
    )


def _shown(verdicts: Sequence[str]) -> Shown:
    if "supported" in verdicts:
        return "answered"
    return "unconfirmed" if "unconfirmed" in verdicts else "refused"


def table(rows: Sequence[Marked]) -> str:
    """Return the table: right and wrong drafts of each model and set, with trivial baselines."""
    groups: dict[tuple[str, str, str, str], list[Marked]] = {}
    for row in rows:
        if row.draft in ("right", "wrong"):
            for source in (row.source, "all"):
                groups.setdefault((row.model, row.way, source, row.draft), []).append(row)
    lines = [[*key, *_cells(group)] for key, group in sorted(groups.items())]
    note = "To mark nothing catches 0 % of all, to mark everything 100 %, at the same rate of both."
    return "\n\n".join((markdown(HEADS, lines), note))


def _cells(group: Sequence[Marked]) -> list[str]:
    least = Settings().answer.min_answerable
    sentences = sum(row.sentences for row in group)
    marked = sum(row.unconfirmed + row.contradicted for row in group)
    checked = [row for row in group if row.answerable is not None]
    refused = sum(row.answerable is not None and row.answerable < least for row in checked)
    return [
        str(len(group)),
        str(sentences),
        share(marked, sentences),
        str(sum(row.contradicted for row in group)),
        share(sum(row.shown == "unconfirmed" for row in group), len(group)),
        share(refused, len(checked)) if checked else "-",
    ]


def share(count: int, of: int) -> str:
    """Return a share with its 95 % interval.

    >>> share(1, 10)
    '1 of 10: 10 % (2 to 40)'
    """
    if not of:
        return "-"
    found = wilson(count, of)
    low, high = 100 * found.low, 100 * found.high
    return f"{count} of {of}: {100 * count / of:.0f} % ({low:.0f} to {high:.0f})"
