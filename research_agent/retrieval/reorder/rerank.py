"""Asking a reranker, and the packaged cross-encoder as one."""

import math
from collections.abc import Sequence

from research_agent.errors import BudgetError, ModelError
from research_agent.ports import Clock, Reranker, SentencePairs
from research_agent.types import Hit, Outcome, TraceEvent, chunk_header
from research_agent.types.evidence import readable
from research_agent.types.fusion import best_first, reordered


def passage(hit: Hit) -> str:
    """Return a hit as a rerank server reads it: title and headings, then the text."""
    header = chunk_header(hit.chunk)
    text = readable(hit.chunk)
    return f"{header}\n{text}" if header else text


def rerank(
    query: str,
    hits: Sequence[Hit],
    reranker: Reranker,
    *,
    candidates: int,
    seconds: float = math.inf,
) -> Outcome[tuple[Hit, ...]]:
    """Order the first `candidates` hits by the reranker's verdicts; the rest follows as it was.

    Where the reranker fails or the budget is spent, the order stays, and the event says so.
    """
    given = best_first(hits)
    try:
        texts = [passage(hit) for hit in given[:candidates]]
        verdicts = reranker.scores(query, texts, seconds=seconds)
    except (ModelError, BudgetError) as error:
        cure = "" if error.retryable or not error.hint else f". {error.hint}"
        return Outcome(given, TraceEvent(notes=(f"rerank: {error}; the order was kept{cure}",)))
    missing = sum(verdict is None for verdict in verdicts)
    notes = (f"rerank: no verdict on {missing} of {len(verdicts)} hits",) if missing else ()
    return Outcome(by_verdicts(given, verdicts), TraceEvent(notes=notes))


class PairReranker:
    """The packaged cross-encoder as a reranker. Implements Reranker."""

    def __init__(self, pairs: SentencePairs, clock: Clock) -> None:
        self._pairs, self._clock = pairs, clock

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> tuple[float | None, ...]:
        """Return the logit of each text; None for those that `seconds` left no time for.

        Raises ModelMissingError.
        """
        until = self._clock.seconds() + seconds
        found: list[float | None] = []
        for text in texts:
            late = self._clock.seconds() >= until
            found.append(None if late else self._pairs.relevance(query, [text])[0])
        return tuple(found)


def by_verdicts(hits: Sequence[Hit], verdicts: Sequence[float | None]) -> tuple[Hit, ...]:
    """Order hits by a reranker's verdicts, the highest first; a hit without one keeps its rank."""
    given = dict(enumerate(verdicts[: len(hits)]))
    known = {at: verdict for at, verdict in given.items() if verdict is not None}
    order = list(range(len(hits)))
    for place, at in zip(known, sorted(known, key=lambda at: (-known[at], at)), strict=True):
        order[place] = at
    return reordered(hits, order)
