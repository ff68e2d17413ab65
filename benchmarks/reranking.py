"""Rerankers over the product's ranking: what each gains, and at which price.

The chat model as a reranker is scored from recordings; `live` asks it for what is missing and
records that, question by question, so an interrupted run goes on where it stopped.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.answers import arm as answering
from benchmarks.datasets import data_set
from benchmarks.places import RECORDINGS
from benchmarks.product import place_of
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from benchmarks.reorders import Pools, Row, arm, compared, keep, pools, unchanged
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.models.adapters.system_clock import SystemClock
from research_agent.ports import ChatModel, Reranker
from research_agent.retrieval.adapters.rerank_http import Form, HttpReranker, RerankEndpoint
from research_agent.retrieval.reorder.promotion import promote
from research_agent.retrieval.reorder.reranking import YesNoReranker, fenced_chunk, passage
from research_agent.settings import Settings
from research_agent.types import Completion, Hit, Message
from research_agent.types.reordering import by_verdicts


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is measured beside the arms that need no model."""

    candidates: int
    """Hits that a reranker judges."""
    weights: str
    """The embedded model whose recordings are used."""
    live: bool
    """Ask it for what is not recorded."""
    minutes: float
    """Begin no further question after this long."""
    url: str = ""
    """A server with a `/rerank` endpoint; none without it."""
    form: Form = "llama.cpp"


def run(names: Sequence[str], chosen: Chosen, *, cache: str) -> Iterator[list[Row]]:
    """Measure each data set, keep rows and tables, and yield the rows."""
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        for name in names:
            given = pools(data_set(name), place, Settings())
            rows = lexical(given)
            keep(f"reranking-{name}", rows)
            yield rows
            yield from judging(given, chosen, place)


def lexical(given: Pools) -> list[Row]:
    """Return the arms that need no model: none, and promotion behind each kind's gates."""
    top_k = given.data.ks[-1]
    arms = [
        arm("none", given, unchanged),
        arm("promotion, general", given, lambda q, h: promote(q, h, top_k=top_k).hits),
        arm(
            "promotion, definition",
            given,
            lambda q, h: promote(q, h, top_k=top_k, kind="definition").hits,
        ),
    ]
    return compared(given.data, arms)


def judging(given: Pools, chosen: Chosen, cache: Path) -> Iterator[list[Row]]:
    """Yield the rows of the rerankers that judge texts, each over the questions it has judged."""
    if chosen.url:
        endpoint = RerankEndpoint(base_url=chosen.url, form=chosen.form, trust_env=False)
        yield _rows(given, f"{chosen.form} server", HttpReranker(endpoint), chosen, passage)
    path = RECORDINGS / f"reranking-{chosen.weights}.jsonl"
    if not (chosen.live or path.exists()):
        return
    with ExitStack() as opened:
        model: ChatModel | None = None
        if chosen.live:
            settings = answering(chosen.weights, "", Settings()).settings
            index = str(place_of(given.data, cache))
            model = opened.enter_context(connect(index, settings, {})).ports.filterer
        chat = RecordedChat(model, Recordings(path, chosen.weights), chosen.weights)
        judged = judged_questions(given, chat, chosen)
        if judged:
            name = f"yes/no, {chosen.weights}"
            rows = _rows(given.only(judged), name, _yes_no(chat), chosen, fenced_chunk)
            keep(f"reranking-{given.data.name}-{chosen.weights}", rows)
            yield rows


def judged_questions(given: Pools, chat: RecordedChat, chosen: Chosen) -> list[str]:
    """Return the questions whose candidates all have a verdict, asking where that is allowed."""
    until = time.monotonic() + 60 * chosen.minutes
    judged = []
    for question in given.data.questions:
        if chosen.live and time.monotonic() > until:
            break
        hits = given.hits[question.qid][: chosen.candidates]
        try:
            for hit in hits:
                _yes_no(chat).scores(question.text, [fenced_chunk(hit)])
        except MissingRecordingError:
            continue
        judged.append(question.qid)
    return judged


def _yes_no(chat: RecordedChat) -> YesNoReranker:
    def ask(messages: Sequence[Message]) -> Completion:
        return chat.complete("filter", messages, max_tokens=1)

    return YesNoReranker(ask, load_prompts().relevant, SystemClock())


def _rows(
    given: Pools, name: str, reranker: Reranker, chosen: Chosen, text_of: Callable[[Hit], str]
) -> list[Row]:
    """Return the rows without and with a reranker; a fault of its ends the run."""

    def reorder(query: str, hits: Sequence[Hit]) -> Sequence[Hit]:
        texts = [text_of(hit) for hit in hits[: chosen.candidates]]
        return by_verdicts(hits, reranker.scores(query, texts)).hits

    arms = [
        arm("none", given, unchanged),
        arm(f"{name}, {chosen.candidates}", given, reorder),
    ]
    return compared(given.data, arms)
