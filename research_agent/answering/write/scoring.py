"""Score passages by a yes or no of the model, one at a time, read as a probability."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from research_agent.answering.write.passages_of_evidence import Passage
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import ChatModel
from research_agent.prompts import PromptTemplate
from research_agent.types import Message
from research_agent.types.budget import NOTHING, Allowance
from research_agent.types.entropy import yes_or_no
from research_agent.types.evidence import attribute, fenced


@dataclass
class PassageJudge:
    """Asks a model whether each of the first passages states a part of the answer.

    The prompt has the question first and the passage last, so a server that keeps what it has
    read reads only the passage anew. A model without log-probabilities is asked once: a bare
    "yes" puts nothing in order.
    """

    question: str
    model: ChatModel
    prompt: PromptTemplate
    meter: Meter
    most: int
    """Passages that are judged at most."""
    kept: Callable[[], Allowance] = lambda: NOTHING
    """What stays in the budget for the calls that come afterwards."""
    sources: dict[str, str] = field(default_factory=dict)
    """Where each key's chunk stands, for the model."""
    notes: tuple[str, ...] = ()
    """Why the ranking decided where the model should have."""

    def scored(self, ranked: Sequence[Passage]) -> tuple[Passage, ...]:
        """Return the first passages with the model's probabilities, best first.

        The same as given, and a note, where the model fails, is not paid or gives no
        log-probabilities.
        """
        judged: list[Passage] = []
        for passage in ranked[: self.most]:
            try:
                probability = self._probability(passage)
            except (ModelError, BudgetError) as error:
                return self._by_ranking(ranked, str(error))
            if probability is None:
                return self._by_ranking(ranked, "the model gave no probability of a yes")
            judged.append(replace(passage, score=probability))
        return tuple(sorted(judged, key=lambda p: (-p.score, p.rank, p.start)))

    def _probability(self, passage: Passage) -> float | None:
        place = attribute(self.sources.get(passage.key, ""))
        shown = f'<chunk from="{place}">\n{fenced(passage.readable)}\n</chunk>'
        content = self.prompt.render(question=self.question, chunk=shown)
        said = self.meter.ask(
            self.model, "verifier", [Message("user", content)], max_tokens=1, kept=self.kept()
        )
        return yes_or_no(said) if said.tokens else None

    def _by_ranking(self, ranked: Sequence[Passage], why: str) -> tuple[Passage, ...]:
        self.notes = (*self.notes, f"answer: passages are in the order of the ranking: {why}")
        return tuple(ranked)
