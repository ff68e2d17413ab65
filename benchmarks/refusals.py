"""Refusals: which answerable questions are answered, and which unanswerable ones are refused."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean

from benchmarks.intervals import Interval
from benchmarks.keeping import keep
from benchmarks.places import RECORDINGS, REFUSALS, RESULTS
from benchmarks.questions import read
from benchmarks.refusals_asking import MAX_TOKENS, SEED, WORDINGS, Asked, Chosen, ask
from benchmarks.refusals_scoring import (
    Scored,
    best_limit,
    is_near,
    judged,
    left_out,
    token_f1,
)
from benchmarks.refusals_table import tables
from benchmarks.uncertainty_metrics import auroc_within
from research_agent.text.missing_parts import read_missing


def run(file: Path, chosen: Chosen, limits: Sequence[float] = ()) -> str:
    """Ask what can be asked, keep rows, scores and tables, and return the tables.

    Recordings and results have the name of the file; those of the first rows are not kept.
    """
    name = "refusals" if file.resolve() == REFUSALS.resolve() else file.stem
    found = ask(read(file), RECORDINGS / f"{name}-{chosen.weights}.jsonl", chosen)
    if not found:
        return "Nothing is recorded of these rows; ask the model with --live."
    rows = [scored(one) for one in found]
    text = "\n\n".join([tables(rows, WORDINGS, limits), told(found)])
    if not chosen.limit:
        keep(name, map(asdict, rows), text)
        kept = json.dumps(summary(rows, chosen.weights), indent=2)
        (RESULTS / f"{name}.json").write_text(f"{kept}\n", encoding="utf-8")
    return text


def scored(asked: Asked) -> Scored:
    """Return what counts of a draft.

    One that refuses by its words counts as refused, as in the product, and one of which the model
    said neither yes nor no as shown.
    """
    answers = [str(one) for one in asked.row.get("answers") or ()]
    refused = read_missing(asked.draft).is_refusal
    known = asked.row["answerable"] and answers
    return Scored(
        id=str(asked.row["id"]),
        source=asked.source,
        answerable=bool(asked.row["answerable"]),
        p={
            wording: -1.0 if refused else (1.0 if yes is None else round(yes, 5))
            for wording, yes in asked.yes.items()
        },
        f1=round(max(token_f1(asked.draft, one) for one in answers), 3) if known else None,
        right=is_near(asked.draft, answers) if known else None,
    )


def summary(rows: Sequence[Scored], weights: str) -> Mapping[str, object]:
    """Return the figures of each wording, for other programs."""
    return {
        "weights": weights,
        "rows": len(rows),
        "seed": SEED,
        "max_tokens": MAX_TOKENS,
        "wordings": {
            wording: {
                "text": text,
                "auroc_within_sources": asdict(_auroc(rows, wording)),
                "limit": best_limit(rows, wording),
                "left_out": {
                    source: {"limit": limit, **asdict(errors)}
                    for source, (limit, errors) in left_out(rows, wording).items()
                },
            }
            for wording, text in WORDINGS.items()
        },
    }


def told(found: Sequence[Asked]) -> str:
    """Return what the run was, in a few sentences."""
    words = sum(read_missing(one.draft).is_refusal for one in found)
    neither = sum(yes is None for one in found for yes in one.yes.values())
    most = max(one.evidence_tokens for one in found)
    return (
        f"{len(found)} rows, drafts of at most {MAX_TOKENS} tokens, {words} of them refusals by"
        f" their words; {neither} checks said neither yes nor no. Evidence of"
        f" {fmean(one.evidence_tokens for one in found):.0f} tokens in the mean, {most} at most."
        f" {fmean(one.seconds for one in found):.1f} seconds of model calls a row."
    )


def _auroc(rows: Sequence[Scored], wording: str) -> Interval:
    sources = sorted({one.source for one in rows})
    return auroc_within(
        [judged([one for one in rows if one.source == source], wording) for source in sources]
    )
