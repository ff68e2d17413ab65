"""Passages in the place of drafts that say little but what their question says.

The drafts are those of HotpotQA that `uncertainty` has recorded, with their evidence. Passages are
chosen as mode "extractive" does. Two rules for when they take a draft's place are compared: where
less than half of its words are new, and the product's own, which asks for that only of answers to
questions that want an explanation.
"""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.answers import arm as answering
from benchmarks.keeping import keep
from benchmarks.loop_sets import SETS, index_for
from benchmarks.places import RECORDINGS
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from benchmarks.refinement_arms import changed
from benchmarks.tables import markdown
from benchmarks.uncertainty import outcome
from benchmarks.uncertainty_asking import Asked, recorded, recording
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.core.asked_value import asked_value
from research_agent.core.budget import Allowance
from research_agent.core.claims import bare
from research_agent.core.passages import explains_nothing
from research_agent.core.sentences import sentence_spans
from research_agent.core.support import content_words
from research_agent.core.verification import Answer
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.steps.answer import answer_question

HALF = 0.5
EXTRACTIVE = changed(Settings(), answer={"mode": "extractive"})
PLENTY = Allowance(llm_calls=100, tool_calls=100, tokens=100_000, seconds=900.0)
HEADS = ("passages where", "drafts", "right as drafted", "right as passages", "calls", "seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Circle:
    """One draft of which less than half is new, and what passages would say."""

    qid: str
    by_rule: bool
    """The product's own rule has passages take its place."""
    draft: str
    passages: str
    """Outcomes by the key."""
    calls: int
    seconds: float


def run(weights: str, *, live: bool, minutes: float, cache: str) -> str:
    """Ask what can be asked, keep rows and table, and return the table."""
    until = time.monotonic() + 60 * minutes
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        found = list(_circles(weights, live=live, until=until, cache=place))
    text = table(found)
    keep("circles", map(asdict, found), text)
    return text


def table(found: Sequence[Circle]) -> str:
    """Return a row for each rule."""
    ruled = [one for one in found if one.by_rule]
    return markdown(HEADS, [_line("less than half is new", found), _line("the rule", ruled)])


def _line(name: str, of: Sequence[Circle]) -> list[str]:
    count = len(of) or 1
    return [
        name,
        str(len(of)),
        str(sum(one.draft == "right" for one in of)),
        str(sum(one.passages == "right" for one in of)),
        f"{sum(one.calls for one in of) / count:.1f}",
        f"{sum(one.seconds for one in of) / count:.0f}",
    ]


def is_half_old(question: str, text: str) -> bool:
    """Return whether less than half of the words of an answer are new beside its question.

    >>> is_half_old("Who won in Rome?", "Ann won in Rome.")
    True
    >>> is_half_old("Who won in Rome?", "Ann and Bob did it.")
    False
    """
    said = content_words(bare(text))
    return bool(said) and len(said - content_words(question)) < HALF * len(said)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of an answer without their keys."""
    return [bare(text[start:end]) for start, end in sentence_spans(text)]


def _circles(weights: str, *, live: bool, until: float, cache: Path) -> Iterator[Circle]:
    of = SETS["hotpotqa"]
    settings = answering(weights, "", EXTRACTIVE).settings
    drafts = [one for one in recorded(recording(weights)) if one.source == of.name]
    with connect(index_for(of, weights, cache), settings, os.environ) as connection:
        known = Recordings(RECORDINGS / f"circles-{weights}.jsonl", weights)
        chat = RecordedChat(connection.ports.verifier if live else None, known, weights)
        ports = replace(connection.ports, answerer=chat, verifier=chat)
        for one in drafts:
            value = asked_value(one.question)
            if value or not is_half_old(one.question, one.answer.text):
                continue
            if time.monotonic() > until:
                return
            before = chat.seconds
            try:
                passages, calls = _passages(one, ports, settings)
            except MissingRecordingError:
                continue
            sentences = sentences_of(one.answer.text)
            yield Circle(
                qid=one.qid,
                by_rule=explains_nothing(one.question, sentences, least=settings.answer.min_new),
                draft=outcome(one, bare(one.answer.text)),
                passages=outcome(one, bare(passages)),
                calls=calls,
                seconds=round(chat.seconds - before, 2),
            )


def _passages(asked: Asked, ports: Ports, settings: Settings) -> tuple[str, int]:
    """Return the passages chosen for a question, and how many calls they took."""
    done = answer_question(
        asked.question,
        asked.evidence,
        Answer(),
        allowance=PLENTY,
        ports=ports,
        prompts=load_prompts(),
        settings=settings.answer,
    )
    return done.value.text, len(done.event.calls)
