"""Asking a reranker, and the chat model as one."""

import math
from collections.abc import Callable, Sequence

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError
from research_agent.ports import Clock, Reranker, SentencePairs
from research_agent.retrieval.reorder.order import best_first, by_verdicts
from research_agent.types import Hit, Message, Outcome, TraceEvent, chunk_header
from research_agent.types.evidence import Evidence, readable, render_evidence


def passage(hit: Hit) -> str:
    """Return a hit as a rerank server reads it: title and headings, then the text."""
    header = chunk_header(hit.chunk)
    text = readable(hit.chunk)
    return f"{header}\n{text}" if header else text


def fenced_chunk(hit: Hit) -> str:
    """Return a hit as chat models read it; its text cannot close the fence around it."""
    return render_evidence([Evidence("k1", hit)])


def rerank(
    query: str,
    hits: Sequence[Hit],
    reranker: Reranker,
    *,
    candidates: int,
    text_of: Callable[[Hit], str] = passage,
    seconds: float = math.inf,
) -> Outcome[tuple[Hit, ...]]:
    """Order the first `candidates` hits by the reranker's verdicts; the rest follows as it was.

    A hit without a verdict keeps its rank. Where the reranker fails or the budget is spent, the
    hits stay as they were, and the event says so.
    """
    given = best_first(hits)
    try:
        texts = [text_of(hit) for hit in given[:candidates]]
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


class YesNoReranker:
    """A chat model as a reranker: how sure it is that a chunk helps. Implements Reranker.

    One token a chunk. The prompt has the question first and the chunk last, so a server that
    keeps what it has read (llama.cpp does) reads only the chunk anew.
    """

    def __init__(self, context: StepContext) -> None:
        self._context = context

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> tuple[float | None, ...]:
        """Return P(yes) / (P(yes) + P(no)) for each text, which has to be fenced already.

        None where the model said neither, and for every text from the one on that a fault, the
        budget or `seconds` left no call for. Raises what the first call raises.
        """
        meter, ports = self._context.meter, self._context.ports
        until = ports.clock.seconds() + seconds
        found: list[float | None] = []
        for text in texts:
            if found and ports.clock.seconds() >= until:
                break
            prompt = self._context.prompts.relevant.render(question=query, chunk=text)
            try:
                asked = meter.ask_yes_no(ports.filterer, "filter", [Message("user", prompt)])
            except (ModelError, BudgetError):
                if not found:
                    raise
                break
            found.append(asked.probability)
        return (*found, *[None] * (len(texts) - len(found)))
