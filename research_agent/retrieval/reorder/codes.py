"""How well the topic labels of query and chunks agree: by patterns, or by a chat model."""

import json
from collections.abc import Callable, Sequence

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError
from research_agent.retrieval.reorder import topic_labels
from research_agent.retrieval.reorder.blend import POOL
from research_agent.retrieval.reorder.order import best_first
from research_agent.types import Hit, Message, chunk_header
from research_agent.types.evidence import fenced

MAX_CHARS = 1500
"""Characters of a text that a model reads to give it a code."""
MAX_TOKENS, LEAST_TOKENS = 60, 40
"""Of a code as JSON; a shorter reply would be cut in the middle."""


def code_agreement(
    query: str,
    hits: Sequence[Hit],
    *,
    better: Callable[[str], topic_labels.Code | None] = lambda _: None,
    judged: int = 0,
) -> dict[str, float]:
    """Return how well the codes of query and chunk agree, by chunk id, for hits to be blended.

    Query and the first `judged` hits get the `better` codes, such as a model's, where there are
    any; the others those of the patterns. A query without any label has nothing to agree with.
    """
    asked = better(query) or topic_labels.code_of(query, question=True)
    agreement: dict[str, float] = {}
    for at, hit in enumerate(best_first(hits)[:POOL] if asked != topic_labels.Code() else ()):
        text = f"{chunk_header(hit.chunk)}\n{hit.chunk.text}"
        code = (better(text) if at < judged else None) or topic_labels.code_of(text)
        agreement[hit.chunk.chunk_id] = topic_labels.code_similarity(asked, code) or 0.0
    return agreement


class ModelCodes:
    """Asks the filter model for codes until its first fault: a fault may take long."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._fault: ModelError | BudgetError | None = None
        self._failed = 0

    def __call__(self, text: str) -> topic_labels.Code | None:
        """Return the code of a text; None where the model gives no label or cannot be asked."""
        code = self._asked(text) if self._fault is None else None
        if code in (None, topic_labels.Code()):
            self._failed += 1
            return None
        return code

    def notes(self) -> tuple[str, ...]:
        """Return what the model did not do."""
        why = f" ({self._fault})" if self._fault else ""
        what = f"blend: no code from the model for {self._failed} texts{why}"
        return (f"{what}; patterns gave theirs",) if self._failed else ()

    def _asked(self, text: str) -> topic_labels.Code | None:
        names = {f"{facet}s": ", ".join(known) for facet, known in topic_labels.labels().items()}
        prompt = self._context.prompts.code.render(**names, text=fenced(text[:MAX_CHARS]))
        try:
            reply = self._context.meter.ask(
                self._context.ports.filterer,
                "filter",
                [Message("user", prompt)],
                max_tokens=MAX_TOKENS,
                least_tokens=LEAST_TOKENS,
                schema=topic_labels.code_schema(),
            )
            given = json.loads(reply.text)
        except (ModelError, BudgetError) as error:
            self._fault = error
            return None
        except ValueError:
            return None
        return topic_labels.checked(given) if isinstance(given, dict) else None
