"""Asks the question under a fault, and judges what comes of it."""

import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from benchmarks.faults.good import ANSWER, PRIVATE, QUESTION, Row, Terms, settings
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.errors import ResearchAgentError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.models.adapters.minilm import CrossEncoder, MiniLM
from research_agent.types import REFUSAL
from research_agent.types.result import ResearchResult

SLACK = 1.0
"""Seconds that a row may take above its deadline on a busy machine."""
PORT = re.compile(r"127\.0\.0\.1:\d{3,5}")
CREDENTIALS: Mapping[str, str] = {
    "AWS_ACCESS_KEY_ID": "made-up",
    "AWS_SECRET_ACCESS_KEY": "sk-private-key",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": "/nowhere",
    "AWS_SHARED_CREDENTIALS_FILE": "/nowhere",
}
"""Made-up ones, and no look at those of the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a user gets under a fault."""

    provider: str
    fault: str
    place: str
    outcome: str
    """The result's status with the reason of a refusal, or the error's class."""
    message: str = ""
    retryable: bool | None = None
    hint: str = ""
    warnings: tuple[str, ...] = ()
    failed_calls: int = 0
    retries: int = 0
    seconds: float
    """From the question to the result or the error."""
    deadline: float
    """`budget.seconds`."""
    broken: tuple[str, ...]
    """Which of the rules the row breaks; none should."""

    @property
    def in_time(self) -> bool:
        """Return whether it came before the deadline, but for a little."""
        return self.seconds <= self.deadline + SLACK


class Ended(NamedTuple):
    """How a question ended, and when."""

    seconds: float
    result: ResearchResult | None = None
    error: Exception | None = None


def ask_all(
    rows: Sequence[Row], index: str, embedder: MiniLM, terms: Terms, *, first: Sequence[Row] = ()
) -> list[Outcome]:
    """Ask under each fault, some at a time; faults of the whole process come first.

    Before that under those that come `first`: the libraries are loaded, which takes seconds.
    What ended late is asked once more, alone: the machine may have stood still.
    """
    pairs = CrossEncoder(embedder)

    def run(row: Row, seconds: float = terms.seconds) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            own = replace(terms, seconds=seconds, folder=Path(folder))
            return _plain(judged(row, _ended(row, index, (embedder, pairs), own), seconds), folder)

    with _made_up_credentials():
        for row in first:
            run(row, 60.0)
        alone = {row.name: run(row) for row in rows if row.alone}
        with ThreadPoolExecutor(terms.threads) as pool:
            others = [row for row in rows if not row.alone]
            beside = dict(zip([r.name for r in others], pool.map(run, others), strict=True))
        found = {**alone, **beside}
        late = {row.name: run(row) for row in rows if not found[row.name].in_time}
    return [{**found, **late}[row.name] for row in rows]


@contextmanager
def _made_up_credentials() -> Iterator[None]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    with patch.dict(os.environ, {**kept, **CREDENTIALS}, clear=True):
        yield


def _ended(row: Row, index: str, shared: tuple[MiniLM, CrossEncoder], terms: Terms) -> Ended:
    """Ask, from the settings to the result. Packaged models are shared: they take long to load."""
    begun = time.monotonic()
    environment = {**row.environment, "RESEARCH_AGENT_CACHE": str(terms.folder / "cache")}
    try:
        with ExitStack() as opened:
            chosen = settings(opened.enter_context(row.opened(terms)), terms.seconds)
            connection = opened.enter_context(connect(index, chosen, environment))
            ports = replace(connection.ports, embedder=shared[0], pairs=shared[1])
            agent = opened.enter_context(ResearchAgent(ports, chosen, load_prompts()))
            begun = time.monotonic()
            try:
                result, failed = agent.ask(QUESTION), None
            except ResearchAgentError as error:
                result, failed = None, error
            return Ended(time.monotonic() - begun, result, failed)
    except Exception as error:  # noqa: BLE001 (an error of any other kind is what is looked for)
        return Ended(time.monotonic() - begun, error=error)


def judged(row: Row, ended: Ended, deadline: float) -> Outcome:
    """Return what is told of a row, with the rules that it breaks."""
    late = ["later than its deadline"] if ended.seconds > deadline + SLACK else []
    outcome = Outcome(
        provider=row.provider,
        fault=row.fault,
        place=row.place,
        outcome=type(ended.error).__name__,
        message=str(ended.error),
        retryable=getattr(ended.error, "retryable", None),
        hint=getattr(ended.error, "hint", ""),
        seconds=round(ended.seconds, 2),
        deadline=deadline,
        broken=(),
    )
    if result := ended.result:
        reason = f": {result.refusal_reason}" if result.refusal_reason else ""
        outcome = replace(
            outcome,
            outcome=f"{result.status}{reason}",
            message=f"stop_reason {result.stop_reason}",
            warnings=result.warnings,
            failed_calls=result.usage.failed_calls,
            retries=result.usage.retries,
        )
        broken = broken_by_result(result, row.named_by)
    else:
        broken = broken_by_error(ended.error)
    private = repeated(" ".join((outcome.message, outcome.hint, *outcome.warnings)))
    return replace(outcome, broken=(*broken, *private, *late))


def _plain(done: Outcome, folder: str) -> Outcome:
    """Return what is told without what is another one in each run: ports and folders."""

    def plain(text: str) -> str:
        short = text.replace(folder, "FOLDER").replace(f"{Path.cwd()}{os.sep}", "")
        return PORT.sub("127.0.0.1:PORT", short)

    warnings = tuple(plain(warning) for warning in done.warnings)
    return replace(done, message=plain(done.message), hint=plain(done.hint), warnings=warnings)


def broken_by_error(error: Exception | None) -> Sequence[str]:
    """Return what is wrong with an error: it has to be ours, and to say what to do.

    >>> from research_agent.errors import ModelError
    >>> broken_by_error(KeyError("x")), broken_by_error(ModelError("down"))
    (['a bare KeyError'], ['no hint'])
    """
    if not isinstance(error, ResearchAgentError):
        return [f"a bare {type(error).__name__}"]
    return [] if error.hint else ["no hint"]


def broken_by_result(result: ResearchResult, named_by: str) -> Sequence[str]:
    """Return what is wrong with a result.

    An answer has to be the whole reply of the good server with evidence for all of it, or to say
    that it was cut; a refusal has to say why; and both have to name what went wrong.
    """
    usage = result.usage
    named = named_by == "nothing" or result.warnings or usage.retries or usage.failed_calls
    if named_by == "uncertainty":
        named = named or result.uncertainty.source != "logprobs"
    broken = [] if named else ["the result does not say what happened"]
    if result.status == "refused":
        explained = result.answer == REFUSAL and result.refusal_reason and result.warnings
        return broken if explained else [*broken, "a refusal without a reason"]
    texts = {item.key: item.hit.chunk.text for item in result.evidence}
    quoted = all(citation.quote in texts.get(citation.key, "") for citation in result.citations)
    if not result.citations or not quoted:
        broken.append("an answer without evidence")
    if result.answer != ANSWER and not any("cut" in warning for warning in result.warnings):
        broken.append("an incomplete reply is shown as complete")
    return broken


def repeated(text: str) -> Sequence[str]:
    """Return what a message gives away: the key, a document's text, the server's own words.

    >>> repeated("401 for sk-private-key"), repeated("401 (invalid_api_key)")
    (['repeats sk-private-key'], [])
    """
    return [f"repeats {found}" for found in PRIVATE.findall(text)]
