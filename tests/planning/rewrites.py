"""Rewritten questions, good ones and ones that change something, and what validators say of them.

Three sets of `benchmarks/questions`, none with an index behind it: kept words and similarity speak,
retrieval does not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.common import QUESTIONS, read
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
