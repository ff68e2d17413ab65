"""One yes or no a hit, read as a probability."""

from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.errors import BudgetError, ModelError
from research_agent.planning.filter.cache_keys import decision_key, read_relevance
from research_agent.planning.filter.judging import Ask, Judgement, Sought, fallback_type, remembered
from research_agent.planning.filter.prompt import head
from research_agent.ports import DecisionCache
from research_agent.prompts import PromptTemplate
from research_agent.settings import FilterSettings
from research_agent.text.excerpts import Count, excerpt
from research_agent.types import Hit, Message
from research_agent.types.entropy import yes_or_no
from research_agent.types.evidence import fenced, readable
from research_agent.types.filtering import ChunkDecision, Fallback


@dataclass(frozen=True, slots=True)
class PointwiseJudge:
    """Asks about the first hits one by one; the prompt has the question first, the chunk last.

    A server that keeps what it has read reads only the chunk anew. The first call that fails, or
    is not paid, or comes too late, is the last. Implements Judge.
    """

    settings: FilterSettings
    prompt: PromptTemplate
    count: Count
    cache: DecisionCache | None = None

    def __call__(self, sought: Sought, hits: Sequence[Hit], ask: Ask) -> Judgement:
        """Return a decision on each hit by the query; those after `filter.max_judged` have none."""
        query = sought.query
        texts = [self._shown(query, hit) for hit in hits]
        keys = [decision_key(self.prompt.text, query, text) for text in texts]
        decisions = remembered(hits, keys, self.cache, self._read)
        kind: Fallback = ""
        fallback, fresh = "", dict[str, str]()
        asked = [i for i in range(len(hits)) if i not in decisions][: self.settings.max_judged]
        for i in asked:
            decision = ChunkDecision(hits[i].chunk.chunk_id, why="failed")
            try:
                relevance = None if fallback else self._relevance(query, texts[i], ask)
            except (ModelError, BudgetError) as error:
                fallback, kind = str(error), fallback_type(error)
            else:
                if relevance is not None:
                    fresh[keys[i]] = f"{relevance:.6f}"
                decision = decision if fallback else self._decided(relevance, decision.chunk_id)
            decisions[i] = decision
        if asked and not fallback and all(decisions[i].why == "not_mentioned" for i in asked):
            fallback, kind = "no reply of the model says yes or no", "unreadable"
        if self.cache and fresh:
            self.cache.put(fresh)
        rest = (ChunkDecision(hit.chunk.chunk_id, why="not_asked") for hit in hits)
        return Judgement(
            tuple(decisions.get(i, other) for i, other in enumerate(rest)),
            fallback=fallback,
            fallback_type=kind,
        )

    def _relevance(self, query: str, text: str, ask: Ask) -> float | None:
        content = self.prompt.render(question=query, chunk=text)
        return yes_or_no(ask([Message("user", content)], max_tokens=1))

    def _shown(self, query: str, hit: Hit) -> str:
        """Return a hit as the model sees it: without its score, which would decide for it."""
        text = fenced(readable(hit.chunk))
        short = excerpt(text, query, self.settings.passage_tokens, self.count)
        return f"{head('k1', Hit(hit.chunk))}\n{short}\n</chunk>"

    def _read(self, kept: str) -> ChunkDecision | None:
        relevance = read_relevance(kept)
        return None if relevance is None else self._decided(relevance, "")

    def _decided(self, relevance: float | None, chunk_id: str) -> ChunkDecision:
        if relevance is None:
            return ChunkDecision(chunk_id, why="not_mentioned")
        helps = relevance >= self.settings.min_relevance
        return ChunkDecision(chunk_id, "keep" if helps else "discard", "model", relevance)
