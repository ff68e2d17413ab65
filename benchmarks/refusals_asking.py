"""Questions with passages: the draft of a model, and how sure it is that they support the draft.

The evidence is cut and rendered, and the draft asked for, as the product does it. Each check is
one token over the same beginning, so a server reads the evidence once. Replies are recorded one by
one, and an interrupted run goes on where it stopped.
"""

import random
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.answers import arm as answering
from benchmarks.models import opened_models
from benchmarks.questions import Row
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from research_agent.answering.select_evidence.step import with_hits
from research_agent.config import load_prompts
from research_agent.models.adapters.tokens import Cl100k
from research_agent.ports import ChatModel
from research_agent.prompts import PromptTemplate
from research_agent.settings import Settings
from research_agent.types import Chunk, Hit, Message
from research_agent.types.entropy import yes_or_no
from research_agent.types.evidence import Evidence, render_evidence

SEED = 17
MAX_TOKENS = 120
"""Of a draft: short answers are enough here."""
BEGINNING = "$evidence\n\nQuestion: $question\n\nProposed answer: $answer\n\n"
ONE_WORD = " Reply with one word, yes or no."
WORDINGS: Mapping[str, str] = {
    "before": "Do the chunks answer exactly this question?",
    "support": "Do the chunks support this proposed answer to this question?",
    "correct": (
        "Judge the proposed answer: going by the chunks alone, is it a correct answer to exactly"
        " this question?"
    ),
}
"""The checks, written before any was asked. "before" was the product's until now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is to be asked."""

    weights: str = "1.5b"
    live: bool = False
    """Ask the model for what is not recorded."""
    minutes: float = 45.0
    """No row is begun after that."""
    limit: int = 0
    """Only the first rows; 0: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A row with the model's draft and its checks."""

    row: Row
    draft: str
    yes: Mapping[str, float | None]
    """P(yes) for each wording; None where the model said neither yes nor no."""
    evidence_tokens: int
    seconds: float
    """Of all calls, when they were recorded."""

    @property
    def source(self) -> str:
        """The source without the part after its first hyphen, as the sets are grouped."""
        return str(self.row["source"]).partition("-")[0]


def ordered(rows: Sequence[Row]) -> list[Row]:
    """Return the rows so that every prefix holds each source and kind by its share.

    >>> rows = [{"id": i, "source": "ab"[i % 2], "answerable": i < 4} for i in range(8)]
    >>> first = ordered(rows)[:4]
    >>> sorted((row["source"], row["answerable"]) for row in first)
    [('a', False), ('a', True), ('b', False), ('b', True)]
    """
    strata = defaultdict[tuple[str, bool], list[Row]](list)
    for row in sorted(rows, key=lambda row: str(row["id"])):
        strata[row["source"], row["answerable"]].append(row)
    dice = random.Random(SEED)  # noqa: S311 (an order, no secret)
    placed = list[tuple[float, float, Row]]()
    for _, group in sorted(strata.items()):
        dice.shuffle(group)
        placed += [((i + 0.5) / len(group), dice.random(), row) for i, row in enumerate(group)]
    return [row for _, _, row in sorted(placed, key=lambda item: item[:2])]


def evidence_of(row: Row) -> tuple[Evidence, ...]:
    """Return the passages of a row as the product would put them into a prompt, best first."""
    passages = row["passages"]
    hits = [
        Hit(Chunk(f"{row['id']}-{i}", f"document {i}", text), len(passages) - float(i))
        for i, text in enumerate(passages, 1)
    ]
    return with_hits(hits, (), Settings().evidence, Cl100k().count)


def ask(rows: Sequence[Row], recordings: Path, chosen: Chosen) -> list[Asked]:
    """Return what is recorded of the rows, and with `live` what the model says in time."""
    recordings.parent.mkdir(exist_ok=True)
    kept = Recordings(recordings, chosen.weights)
    until = time.monotonic() + 60 * chosen.minutes
    with ExitStack() as opened:
        model = None
        if chosen.live:
            settings = answering(chosen.weights, "", Settings()).settings
            model = opened.enter_context(opened_models(settings)).answerer
        return list(_asked(ordered(rows)[: chosen.limit or None], model, kept, chosen, until))


def _asked(
    rows: Sequence[Row], model: ChatModel | None, kept: Recordings, chosen: Chosen, until: float
) -> Iterator[Asked]:
    for row in rows:
        in_time = model if time.monotonic() < until else None
        chat = RecordedChat(in_time, kept, chosen.weights)
        try:
            asked = one(row, chat)
        except MissingRecordingError:
            continue
        if in_time:
            print(f"{row['id']}: {asked.seconds:.1f} s", flush=True)
        yield asked


def one(row: Row, chat: RecordedChat) -> Asked:
    """Ask for the draft and for its checks; raises MissingRecordingError, ModelError."""
    prompts = load_prompts()
    system = Message("system", prompts.answer_system.render())
    shown, question = render_evidence(evidence_of(row)), str(row["question"])
    user = prompts.answer_user.render(evidence=shown, question=question)
    written = chat.complete("answer", [system, Message("user", user)], max_tokens=MAX_TOKENS)
    draft, yes = written.text.strip(), dict[str, float | None]()
    for name, wording in WORDINGS.items():
        check = PromptTemplate("answerable", f"{BEGINNING}{wording}{ONE_WORD}")
        asked = check.render(evidence=shown, question=question, answer=draft)
        yes[name] = yes_or_no(
            chat.complete("verifier", [system, Message("user", asked)], max_tokens=1)
        )
    tokens = Cl100k().count(shown)
    return Asked(row=row, draft=draft, yes=yes, evidence_tokens=tokens, seconds=chat.seconds)
