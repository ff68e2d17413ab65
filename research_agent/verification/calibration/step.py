"""Calibrate: ask questions with a known answer, and see what the confidence of each was worth."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.prompts import PromptTemplate
from research_agent.types import Chunk, Hit, Message, Outcome, TraceEvent
from research_agent.types.budget import Allowance
from research_agent.types.evidence import fenced
from research_agent.types.question_words import QuestionWords
from research_agent.types.scope import EVERYTHING, Scope
from research_agent.verification.calibration.fitted import Observation
from research_agent.verification.calibration.made_questions import (
    SCHEMA,
    MadeQuestion,
    answering,
    by_rules,
    can_be_asked_about,
    read_question,
)

MAX_TOKENS = 80
LEAST_TOKENS = 40
SHOWN_CHARS = 2000
"""Of a chunk, to the model that writes a question about it."""
NEAR = 10
"""Chunks before and after one that may belong to its section."""

Search = Callable[[str, Scope], Sequence[Hit]]
Assess = Callable[[str, Sequence[Hit]], float]
"""The confidence in what a question has found."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that was made, and what came of it."""

    question: MadeQuestion
    observed: Observation
    left_out: float
    """The confidence when the chunks that answer it were left out of the search."""


def calibrate(  # noqa: PLR0913 (keyword-only collaborators)
    chunks: Sequence[Chunk],
    *,
    most: int,
    first: int,
    by_model: bool,
    words: Sequence[QuestionWords],
    search: Search,
    assess: Assess,
    allowance: Allowance,
    ports: Ports,
    prompt: PromptTemplate,
    on_progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Outcome[tuple[AskedQuestion, ...]]:
    """Make up to `most` questions from `chunks`, in their order, and ask each of them twice.

    It is right where one of the first `first` hits is a chunk that answers it; then it is asked
    without those chunks. With `by_model` the planner model writes the questions; the first call
    that fails or is not paid is its last, and the rest are made by rules. It ends early where the
    time of `allowance` is over.
    """
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    writing = _Writing(meter, ports, prompt, words, by_model=by_model)
    asked: list[AskedQuestion] = []
    seen: set[str] = set()
    for chunk in filter(can_be_asked_about, chunks):
        if len(asked) >= most or meter.left().seconds <= 0:
            break
        made = writing.question(chunk)
        if made is None or made.text in seen:
            continue
        seen.add(made.text)
        asked.append(_asked(made, first, search, assess))
        on_progress(len(asked), most)
    notes = writing.notes
    if len(asked) < most and meter.left().seconds <= 0:
        notes = (*notes, f"calibrate: the time was over after {len(asked)} questions")
    return Outcome(tuple(asked), TraceEvent(meter.calls, notes))


class _Writing:
    """Who writes the questions: the model as long as it can, else the rules."""

    def __init__(
        self,
        meter: Meter,
        ports: Ports,
        prompt: PromptTemplate,
        words: Sequence[QuestionWords],
        *,
        by_model: bool,
    ) -> None:
        self._meter, self._ports, self._prompt, self._words = meter, ports, prompt, words
        self._by_model = by_model
        self.notes: tuple[str, ...] = ()

    def question(self, chunk: Chunk) -> MadeQuestion | None:
        """Return a question that the chunk answers; None where none can be made."""
        golds = answering(chunk, self._ports.chunks.around(chunk.chunk_id, window=NEAR))
        if self._by_model:
            try:
                return read_question(golds, self._reply(chunk))
            except (ModelError, BudgetError) as error:
                if self._meter.left().seconds <= 0:
                    return None
                self._by_model = False
                self.notes = (f"calibrate: {error}; further questions were made by rules",)
        return by_rules(chunk, golds, self._words)

    def _reply(self, chunk: Chunk) -> str:
        text = self._prompt.render(text=fenced(chunk.text[:SHOWN_CHARS]))
        reply = self._meter.ask(
            self._ports.planner,
            "planner",
            [Message("user", text)],
            max_tokens=MAX_TOKENS,
            least_tokens=LEAST_TOKENS,
            schema=SCHEMA,
        )
        return reply.text


def _asked(made: MadeQuestion, first: int, search: Search, assess: Assess) -> AskedQuestion:
    """Ask a question with and without the chunks that answer it."""
    found = search(made.text, EVERYTHING)
    right = any(hit.chunk.chunk_id in made.golds for hit in found[:first])
    without = search(made.text, Scope(exclude=made.golds))
    observed = Observation(assess(made.text, found), right)
    return AskedQuestion(made, observed, assess(made.text, without))
