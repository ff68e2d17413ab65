"""What validators say of rewritten questions: good ones, and ones that change something.

Three sets of `benchmarks/questions`, none with an index behind it: kept words and similarity speak,
retrieval does not.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.common import QUESTIONS, keep, markdown, read
from research_agent.models.adapters.minilm import MiniLM
from research_agent.planning.refine.validators import check_kept, check_similarity, first_block
from research_agent.text.unit_vectors import cosine


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A question, and the queries that were proposed for it."""

    name: str
    set: str
    changed: str
    """What the queries change; "nothing" where they are good."""
    question: str
    queries: tuple[str, ...]


def rewrites() -> Iterator[Rewrite]:
    """Yield those of the committed sets, and those of fields that were never used before."""
    for verdict in ("good", "bad"):
        for row in read(QUESTIONS / f"rewrites_{verdict}.jsonl"):
            changed = row["changed"] if verdict == "bad" else "nothing"
            queries = (str(row["rewrite"]),)
            yield Rewrite(row["id"], "committed", changed, row["question"], queries)
    for row in read(QUESTIONS / "rewrites_fields.jsonl"):
        changed = "nothing" if row["verdict"] == "good" else row["changed"].split()[0]
        yield Rewrite(row["id"], "fields", changed, row["question"], tuple(row["queries"]))


def blocked(known: Sequence[Rewrite]) -> dict[str, str]:
    """Return by name why some query of a rewrite is blocked, empty where none is.

    Parts of a question are not held to the similarity.
    """
    model = MiniLM(threads=1)
    reasons = {}
    for one in known:
        rulings = check_kept(one.question, one.queries)
        if len(one.queries) == 1:
            own, other = model.embed([one.question, *one.queries])
            similarity = cosine(own, other)
            rulings += (check_similarity(one.question, similarity, model=model.name),)
        reasons[f"{one.set} {one.name}"] = first_block(rulings)
    return reasons


def table(known: Sequence[Rewrite], reasons: Mapping[str, str]) -> str:
    """Return how many rewrites are blocked, by set and by what they change."""
    kinds = [(one.set, one.changed, bool(reasons[f"{one.set} {one.name}"])) for one in known]
    of = Counter((name, changed) for name, changed, _ in kinds)
    stopped = Counter((name, changed) for name, changed, block in kinds if block)
    rows = [
        [name, changed, str(n), str(stopped[name, changed])] for (name, changed), n in of.items()
    ]
    return markdown(["set", "changed", "rewrites", "blocked"], rows)


def run() -> str:
    """Judge all rewrites, keep the table and the reasons, and return the table."""
    known = list(rewrites())
    reasons = blocked(known)
    text = table(known, reasons)
    rows = (
        {"set": one.set, "id": one.name, "changed": one.changed, "blocked": reason}
        for one, reason in zip(known, reasons.values(), strict=True)
    )
    keep("rewrites", rows, text)
    return text
