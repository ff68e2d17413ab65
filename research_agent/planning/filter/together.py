"""One prompt with all hits; one reply with a reason and a verdict for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from research_agent.errors import BudgetError, ModelError
from research_agent.planning.filter.cache_keys import (
    chunk_content,
    decision_key,
    kept_verdict,
    read_verdict,
)
from research_agent.planning.filter.judging import (
    Ask,
    Judgement,
    Sought,
    fallback_type,
    remembered,
)
from research_agent.planning.filter.prompt import Shown, shown_chunks
from research_agent.planning.filter.references import Expand, References, reaches
from research_agent.planning.filter.verdicts import Verdicts, decision_schema, read_verdicts
from research_agent.ports import DecisionCache
from research_agent.prompts import PromptTemplate
from research_agent.settings import FilterSettings
from research_agent.text.excerpts import Count
from research_agent.types import Hit, Message
from research_agent.types.filtering import ChunkDecision, Fallback, Why
from research_agent.types.referring import Reach

TOKENS_A_VERDICT, LEAST_A_VERDICT, AROUND = 24, 10, 24
"""Tokens of a reply: at most and at least a chunk, with its reason, and for the whole."""
NOTHING = Reach()


@dataclass(frozen=True, slots=True)
class TogetherJudge:
    """Asks about all hits at once that have no verdict yet. Implements Judge."""

    settings: FilterSettings
    prompt: PromptTemplate
    count: Count
    references: References
    expand: Expand
    cache: DecisionCache | None = None

    def __call__(self, sought: Sought, hits: Sequence[Hit], ask: Ask) -> Judgement:
        """Return a decision on each hit; those that the prompt has no room for are undecided."""
        reach = reaches([hit.chunk.chunk_id for hit in hits], self.references, self.expand)
        keys = [self._key(sought, hit, reach) for hit in hits]
        decisions = remembered(hits, keys, self.cache, read_verdict)
        open_places = [i for i in range(len(hits)) if i not in decisions]
        if not open_places:
            return Judgement(tuple(decisions[i] for i in range(len(hits))))
        judged = self._asked(sought, [hits[i] for i in open_places], reach, ask)
        for i, decision in zip(open_places, judged.decisions, strict=True):
            decisions[i] = decision
        if self.cache:
            said = {i: kept_verdict(d) for i, d in decisions.items() if d.why == "model"}
            self.cache.put({keys[i]: verdict for i, verdict in said.items()})
        return replace(judged, decisions=tuple(decisions[i] for i in range(len(hits))))

    def _asked(
        self, sought: Sought, hits: Sequence[Hit], reach: Mapping[str, Reach], ask: Ask
    ) -> Judgement:
        """Ask about `hits`; a reply that says nothing of any of them is a failure too."""
        shown = self._shown(sought, hits, reach)
        kind: Fallback = "no_room"
        said, fallback = Verdicts({}), "filter.max_prompt_tokens has no room for any chunk"
        if shown.aliases:
            ids = {alias: hits[i].chunk.chunk_id for alias, i in shown.aliases.items()}
            steps = {alias: reach.get(ids[alias], NOTHING).steps for alias in ids}
            try:
                said = self._said(sought, shown.text, steps, ask)
                unread = not said.by_alias
                fallback = "the reply has no verdict on any chunk" if unread else ""
                kind = "unreadable" if unread else ""
            except (ModelError, BudgetError) as error:
                fallback, kind = str(error), fallback_type(error)
        decisions = [ChunkDecision(hit.chunk.chunk_id, why="no_room") for hit in hits]
        for alias, i in shown.aliases.items():
            verdict = said.by_alias.get(alias)
            why: Why = "model" if verdict else "failed" if fallback else "not_mentioned"
            decisions[i] = replace(
                decisions[i],
                verdict=verdict or "undecided",
                why=why,
                reason=said.reasons.get(alias, ""),
            )
        return Judgement(tuple(decisions), said.unknown, said.repeated, fallback, kind)

    def _said(
        self, sought: Sought, chunks: str, steps: Mapping[str, Sequence[int]], ask: Ask
    ) -> Verdicts:
        reply = ask(
            [Message("user", self._prompt(sought, chunks))],
            max_tokens=TOKENS_A_VERDICT * len(steps) + AROUND,
            least_tokens=LEAST_A_VERDICT * len(steps),
            schema=decision_schema(steps),
        )
        return read_verdicts(reply.text, steps)

    def _prompt(self, sought: Sought, chunks: str) -> str:
        """Return the prompt; it names the search where that is not the question itself."""
        search = "" if sought.query == sought.question else f"This search: {sought.query}\n"
        return self.prompt.render(question=sought.question, search=search, chunks=chunks)

    def _shown(self, sought: Sought, hits: Sequence[Hit], reach: Mapping[str, Reach]) -> Shown:
        room = self.settings.max_prompt_tokens - self.count(self._prompt(sought, ""))
        told = {chunk_id: found.told for chunk_id, found in reach.items()}
        asked = f"{sought.question} {sought.query}"
        return shown_chunks(asked, hits, told, room=room, count=self.count)

    def _key(self, sought: Sought, hit: Hit, reach: Mapping[str, Reach]) -> str:
        content = chunk_content(hit.chunk, reach.get(hit.chunk.chunk_id, NOTHING).names)
        return decision_key(self.prompt.text, f"{sought.question}\0{sought.query}", content)
