"""Whether a model tells altered sentences from true ones where the checks of claims pass both.

It is asked what `verify.judge: model` asks, but about every sentence that passes: so it is known
what asking about more or fewer of them, or another limit, would do. Replies are recorded one by
one; a sentence that is not recorded is left out.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from benchmarks import claims, keeping
from benchmarks.answers import arm as answering
from benchmarks.claims_judging_table import Asked, rows, table
from benchmarks.claims_sets import COLLECTIONS, Case, Collection
from benchmarks.claims_table import Judged
from benchmarks.models import opened_models
from benchmarks.places import RECORDINGS
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from research_agent.adapters.system import SystemClock
from research_agent.adapters.tokens import Cl100k
from research_agent.config import load_prompts
from research_agent.core.budget import Allowance
from research_agent.core.claims import Claim, is_shown
from research_agent.metering import Meter
from research_agent.ports import ChatModel
from research_agent.settings import Settings
from research_agent.steps.verify.judging import ClaimJudge, is_asked_about

PLENTY = Allowance(llm_calls=10, tool_calls=10, tokens=100_000, seconds=900.0)
Read = tuple[Case, Claim | None]
"""A case and the worst claim of its answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is to be asked."""

    weights: str = "1.5b"
    live: bool = False
    """Ask the model for what is not recorded."""
    minutes: float = 45.0
    """Nothing is begun after that."""


def run(chosen: Chosen) -> str:
    """Ask what can be asked, keep rows and tables, and return the tables."""
    RECORDINGS.mkdir(exist_ok=True)
    read = {collection: read_cases(collection) for collection in COLLECTIONS}
    with ExitStack() as opened:
        model = None
        if chosen.live:
            settings = answering(chosen.weights, "", Settings()).settings
            model = opened.enter_context(opened_models(settings)).verifier
        found = [
            one
            for collection in COLLECTIONS
            for one in asked(chosen, model, collection, read[collection])
        ]
    after = {of: judged(read[of], [one for one in found if one.collection == of]) for of in read}
    text = f"{table(found)}\n\n# All sentences, with the judge\n\n{claims.tables(after)}"
    keeping.keep("claims-judged", rows(found), text)
    return text


def read_cases(collection: Collection) -> list[Read]:
    """Return every case with what the checks say of it."""
    return [(case, claims.worst_claim(case)) for case in claims.every_case(collection)]


def asked(
    chosen: Chosen, model: ChatModel | None, collection: Collection, read: Sequence[Read]
) -> Iterator[Asked]:
    """Yield what is recorded of the sentences that pass, and what the model says in time."""
    until = time.monotonic() + 60 * chosen.minutes
    kept = Recordings(RECORDINGS / f"claims-{chosen.weights}.jsonl", chosen.weights)
    prompt = load_prompts().supported
    for case, claim in passing(read):
        chat = RecordedChat(model if time.monotonic() < until else None, kept, chosen.weights)
        meter = Meter(PLENTY, tokenizer=Cl100k(), clock=SystemClock())
        judge = ClaimJudge(model=chat, prompt=prompt, meter=meter, min_yes=0.0)
        chunks = {item.key: item.hit.chunk for item in case.evidence}
        try:
            yes = judge.probability(claim, chunks)
        except MissingRecordingError:
            continue
        if yes is not None:
            yield Asked(
                judged=claims.told(case, claim),
                collection=collection,
                support=claim.support,
                is_asked_about=is_asked_about(claim),
                yes=yes,
                seconds=chat.seconds,
            )


def passing(read: Sequence[Read]) -> list[tuple[Case, Claim]]:
    """Return the cases whose sentence passes; those of one source together, so it is read once."""
    found = [(case, claim) for case, claim in read if claim and is_shown(claim)]
    return sorted(found, key=lambda pair: _sources(*pair))


def judged(read: Sequence[Read], found: Sequence[Asked]) -> tuple[Judged, ...]:
    """Return the verdicts on all cases where the product has the model judge them."""
    least = Settings().verify.min_yes
    denied = {one.judged.case.id for one in found if one.is_asked_about and one.yes < least}
    every = (claims.told(case, claim) for case, claim in read)
    return tuple(
        replace(one, verdict="unsupported") if one.case.id in denied else one for one in every
    )


def _sources(case: Case, claim: Claim) -> tuple[str, ...]:
    ids = {item.key: item.hit.chunk.chunk_id for item in case.evidence}
    return (*(ids[key] for key in claim.keys if key in ids), case.id)
