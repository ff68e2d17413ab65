"""How well claims are judged: altered sentences, true ones, paraphrases, and labelled pairs.

No model is asked. What is measured is `read_claims` with default settings.
"""

from collections.abc import Iterator, Mapping, Sequence

from benchmarks import keeping
from benchmarks.claims_sets import COLLECTIONS, SETS, Case, Collection, cases
from benchmarks.claims_table import STANDS, Judged, table
from research_agent.core.claims import Claim, read_claims
from research_agent.settings import Settings

TITLES: dict[Collection, str] = {"claims": "First collection", "claims2": "Second collection"}


def run() -> dict[Collection, tuple[Judged, ...]]:
    """Judge every case, and keep the tables and the verdicts of the parts that may be seen."""
    judged = {
        collection: tuple(judge(case) for case in every_case(collection))
        for collection in COLLECTIONS
    }
    keep(judged)
    return judged


def every_case(collection: Collection) -> list[Case]:
    """Return the cases of all sets of a collection."""
    return [case for name in SETS for case in cases(name, collection)]


def judge(case: Case) -> Judged:
    """Return the worst verdict on the claims of a case's answer."""
    return told(case, worst_claim(case))


def told(case: Case, worst: Claim | None) -> Judged:
    """Return the verdict on the worst claim of a case's answer."""
    return Judged(case, worst.verdict, worst.problem) if worst else Judged(case, "none")


def worst_claim(case: Case) -> Claim | None:
    """Return the claim with the worst verdict in a case's answer; None where there is no claim."""
    support = Settings().verify.min_support
    claims = read_claims(case.answer, (), case.evidence, min_support=support)
    return max(claims, key=_badness, default=None)


def tables(judged: Mapping[Collection, Sequence[Judged]]) -> str:
    """Return a table for each collection, under its title."""
    return "\n\n".join(f"{TITLES[name]}\n\n{table(some)}" for name, some in judged.items())


def keep(judged: Mapping[Collection, Sequence[Judged]]) -> None:
    """Write the tables, and one line a case that is not kept aside."""
    every = [one for some in judged.values() for one in some]
    keeping.keep("claims", _lines(every), tables(judged))


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
