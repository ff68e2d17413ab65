"""One prompt with all hits, one verdict a hit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from research_agent.core.filtering import ChunkDecision, Why
from research_agent.core.filtering_keys import chunk_content, decision_key, read_verdict
from research_agent.core.filtering_prompt import Count, Shown, shown_chunks
from research_agent.core.filtering_verdicts import Verdicts, decision_schema, read_verdicts
from research_agent.core.types import Hit, Message
from research_agent.errors import BudgetError, ModelError
from research_agent.ports import DecisionCache
from research_agent.prompts import PromptTemplate
from research_agent.settings import FilterSettings
from research_agent.steps.filter.judging import Ask, Judgement, remembered
from research_agent.steps.filter.references import References, titles

TOKENS_A_VERDICT, LEAST_A_VERDICT, AROUND = 14, 6, 24
"""Tokens of a reply."""


@dataclass(frozen=True, slots=True)
class TogetherJudge:
    """Asks about all hits at once that have no verdict yet. Implements Judge."""

    settings: FilterSettings
    prompt: PromptTemplate
    count: Count
    references: References
    cache: DecisionCache | None = None

    def __call__(self, query: str, hits: Sequence[Hit], ask: Ask) -> Judgement:
        """Return a decision on each hit; those that the prompt has no room for are undecided."""
        names = titles(self.references([hit.chunk.chunk_id for hit in hits]))
        keys = [self._key(query, hit, names) for hit in hits]
        decisions = remembered(hits, keys, self.cache, _read)
        open_places = [i for i in range(len(hits)) if i not in decisions]
        if not open_places:
            return Judgement(tuple(decisions[i] for i in range(len(hits))))
        asked = [hits[i] for i in open_places]
        shown = self._shown(query, asked, names)
        judged = self._asked(query, asked, shown, names, ask)
        for i, decision in zip(open_places, judged.decisions, strict=True):
            decisions[i] = decision
        if self.cache:
            said = {i: d.verdict for i, d in decisions.items() if d.why == "model"}
            self.cache.put({keys[i]: verdict for i, verdict in said.items()})
        return replace(judged, decisions=tuple(decisions[i] for i in range(len(hits))))

    def _asked(
        self,
        query: str,
        hits: Sequence[Hit],
        shown: Shown,
        names: Mapping[str, Sequence[str]],
        ask: Ask,
    ) -> Judgement:
        """Ask about `hits`; a reply that says nothing of any of them is a failure too."""
        said, fallback = Verdicts({}), "filter.max_prompt_tokens has no room for any chunk"
        unreadable = 0
        if shown.aliases:
            ids = {alias: hits[i].chunk.chunk_id for alias, i in shown.aliases.items()}
            expandable = {alias: bool(names.get(ids[alias])) for alias in ids}
            try:
                said = self._said(query, shown.text, expandable, ask)
                fallback = "" if said.by_alias else "the reply has no verdict on any chunk"
                unreadable = int(not said.by_alias)
            except (ModelError, BudgetError) as error:
                fallback = str(error)
        decisions = [ChunkDecision(hit.chunk.chunk_id, why="no_room") for hit in hits]
        for alias, i in shown.aliases.items():
            verdict = said.by_alias.get(alias)
            why: Why = "model" if verdict else "failed" if fallback else "not_mentioned"
            decisions[i] = replace(decisions[i], verdict=verdict or "undecided", why=why)
        return Judgement(tuple(decisions), said.unknown, said.repeated, fallback, unreadable)

    def _said(self, query: str, chunks: str, expandable: Mapping[str, bool], ask: Ask) -> Verdicts:
        content = self.prompt.render(question=query, chunks=chunks)
        reply = ask(
            [Message("user", content)],
            max_tokens=TOKENS_A_VERDICT * len(expandable) + AROUND,
            least_tokens=LEAST_A_VERDICT * len(expandable),
            schema=decision_schema(expandable),
        )
        return read_verdicts(reply.text, expandable)

    def _shown(self, query: str, hits: Sequence[Hit], names: Mapping[str, Sequence[str]]) -> Shown:
        frame = self.count(self.prompt.render(question=query, chunks=""))
        room = self.settings.max_prompt_tokens - frame
        return shown_chunks(query, hits, names, room=room, count=self.count)

    def _key(self, query: str, hit: Hit, names: Mapping[str, Sequence[str]]) -> str:
        content = chunk_content(hit.chunk, names.get(hit.chunk.chunk_id, ()))
        return decision_key(self.prompt.text, query, content)


def _read(kept: str) -> ChunkDecision | None:
    verdict = read_verdict(kept)
    return ChunkDecision("", verdict) if verdict else None
