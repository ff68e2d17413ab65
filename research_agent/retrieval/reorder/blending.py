"""The stage that blends a second opinion into the order of hits."""

from collections.abc import Sequence

from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import ChatModel, JsonSchema, Ports
from research_agent.prompts import PromptTemplate
from research_agent.retrieval.reorder.blending_scales import Scale
from research_agent.retrieval.reorder.codes import Careful, ModelCodes, PatternCodes, blend_codes
from research_agent.retrieval.reorder.topic_labels import CodeCache
from research_agent.retrieval.reorder.topic_labels_english import ENGLISH
from research_agent.settings import BlendSettings
from research_agent.types import Completion, Hit, Message, Outcome, TraceEvent
from research_agent.types.blending import Blended, BlendRule, blend, pool_size

MAX_TOKENS, LEAST_TOKENS = 60, 40
"""Of a code as JSON; a shorter reply would be cut in the middle."""


class Blending:
    """Blends codes or the word search's scores, as the settings say. Threads may share it.

    A code is found once a text, and kept as long as this object.
    """

    def __init__(
        self, ports: Ports, settings: BlendSettings, prompt: PromptTemplate, *, candidates: int
    ) -> None:
        """Ask the filter model, where it is asked, about the query and `candidates` hits."""
        self._ports, self._settings, self._prompt = ports, settings, prompt
        self._candidates = candidates
        self._cache = CodeCache()

    def __call__(
        self, query: str, hits: Sequence[Hit], *, top_k: int, meter: Meter
    ) -> Outcome[tuple[Hit, ...]]:
        """Return the hits in their new order; the event tells where the model failed."""
        rule = self._rule(top_k, len(hits))
        notes: tuple[str, ...] = ()
        if self._settings.mode == "words":
            scores = {h.chunk.chunk_id: h.lexical for h in hits if h.lexical is not None}
            blended = blend(hits, scores, rule)
        else:
            blended, notes = self._by_codes(query, hits, rule, meter)
        if self._ports.blend_log:
            self._ports.blend_log.put(query, blended.diagnostics)
        return Outcome(blended.hits, TraceEvent(notes=notes))

    def _rule(self, top_k: int, found: int) -> BlendRule:
        settings = self._settings
        pool = pool_size(
            top_k, multiplier=settings.multiplier, largest=settings.largest, corpus=found
        )
        scale = Scale(settings.scale, settings.temperature)
        return BlendRule(alpha=settings.alpha, top_k=top_k, pool=pool, scale=scale)

    def _by_codes(
        self, query: str, hits: Sequence[Hit], rule: BlendRule, meter: Meter
    ) -> tuple[Blended, tuple[str, ...]]:
        """Return what the codes make of the hits, and a note where patterns had to stand in."""
        patterns = PatternCodes(ENGLISH, self._cache)
        if self._settings.codes == "patterns":
            return blend_codes(query, hits, patterns, rule), ()
        asking = _Asking(meter, self._ports.filterer)
        codes = ModelCodes(asking, self._prompt, ENGLISH, self._cache, model="filter")
        careful = Careful(codes, self._candidates)
        blended = blend_codes(query, hits, patterns, rule, careful=careful)
        if not codes.failed:
            return blended, ()
        why = f" ({asking.fault})" if asking.fault else ""
        what = f"blend: no code from the model for {codes.failed} texts{why}"
        return blended, (f"{what}; patterns gave theirs",)


class _Asking:
    """Asks a model until its first fault, which it repeats from then on: a fault may take long."""

    def __init__(self, meter: Meter, model: ChatModel) -> None:
        self._meter, self._model = meter, model
        self.fault: ModelError | BudgetError | None = None

    def __call__(self, messages: Sequence[Message], schema: JsonSchema) -> Completion:
        if self.fault is not None:
            raise self.fault
        try:
            return self._meter.ask(
                self._model,
                "filter",
                messages,
                max_tokens=MAX_TOKENS,
                least_tokens=LEAST_TOKENS,
                schema=schema,
            )
        except (ModelError, BudgetError) as error:
            self.fault = error
            raise
