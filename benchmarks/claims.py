"""How well claims are judged: altered sentences, true ones, paraphrases, and labelled pairs.

No model is asked. What is measured is `read_claims` with default settings.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.claims_sets import COLLECTIONS, SETS, Case, Collection, cases
from benchmarks.claims_table import STANDS, Judged, table
from benchmarks.places import RESULTS
from research_agent.core.claims import Claim, read_claims
from research_agent.settings import Settings

TITLES: dict[Collection, str] = {"claims": "First collection", "claims2": "Second collection"}


def run() -> dict[Collection, tuple[Judged, ...]]:
    """Judge every case, and keep the tables and the verdicts of the parts that may be seen."""
    judged = {
        collection: tuple(judge(case) for name in SETS for case in cases(name, collection))
        for collection in COLLECTIONS
    }
    keep(judged)
    return judged


def judge(case: Case) -> Judged:
    """Return the worst verdict on the claims of a case's answer."""
    support = Settings().verify.min_support
    claims = read_claims(case.answer, (), case.evidence, min_support=support)
    if not claims:
        return Judged(case, "none")
    worst = max(claims, key=_badness)
    return Judged(case, worst.verdict, worst.problem)


def tables(judged: Mapping[Collection, Sequence[Judged]]) -> str:
    """Return a table for each collection, under its title."""
    return "\n\n".join(f"{TITLES[name]}\n\n{table(some)}" for name, some in judged.items())


def keep(judged: Mapping[Collection, Sequence[Judged]]) -> None:
    """Write the tables, and one line a case that is not kept aside."""
    RESULTS.mkdir(exist_ok=True)
    stem = RESULTS / "claims"
    stem.with_suffix(".md").write_text(f"{tables(judged)}\n", encoding="utf-8")
    every = [one for some in judged.values() for one in some]
    lines = (json.dumps(line, ensure_ascii=False) for line in _lines(every))
    stem.with_suffix(".jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _lines(judged: Sequence[Judged]) -> Iterator[dict[str, object]]:
    for one in judged:
        if not one.case.aside:
            yield {
                "id": one.case.id,
                "expected": one.case.expected,
                "verdict": one.verdict,
                "problem": one.problem,
                "right": one.right,
            }


def _badness(claim: Claim) -> int:
    """Return how bad a verdict is; one that is not known here is the worst."""
    known = {str(verdict): place for place, verdict in enumerate(STANDS)}
    return known.get(claim.verdict, len(known))
