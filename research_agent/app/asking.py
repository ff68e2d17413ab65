"""`research-agent ask`."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from research_agent.app.agent import ResearchAgent
from research_agent.app.events import StepEvent
from research_agent.app.indexing import index_for_docs
from research_agent.app.report import Recorder, RunRecord, check_target
from research_agent.app.shown import ShownChat
from research_agent.app.starting import start
from research_agent.app.terminal import progress_bar, result_text, say, say_json
from research_agent.assembly.connection import Connection, connect
from research_agent.config import load_prompts
from research_agent.core.evidence import place
from research_agent.core.questions import check_question
from research_agent.core.result import ResearchResult
from research_agent.errors import ResearchAgentError
from research_agent.ports import Ports
from research_agent.settings import Settings

BEGINNINGS = {"answer": "reading the evidence and writing"}
UNREPORTED = 4
"""Exit status where the answer was given, and its report could not be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """What to print beside the answer."""

    as_json: bool = False
    evidence: bool = False
    prompt: bool = False
    steps: bool = True
    report: str = ""
    """The file of a report; empty where none is wanted."""
    force: bool = False
    """The report replaces whatever file is there."""


def ask(question: str, *, index: str, config: str | None, docs: Sequence[str], show: Show) -> int:
    """Answer a question and print it; steps go to stderr, the answer to stdout.

    Return 4 where the answer is there, and its report could not be written.
    """
    question = check_question(question)
    if show.report:
        check_target(show.report, force=show.force)
    settings = start(config)
    prompts = load_prompts()
    where = index_for_docs(docs, settings, quiet=not show.steps) if docs else index
    with ExitStack() as stack:
        show_progress = stack.enter_context(progress_bar())
        joining = partial(show_progress, "joining the weights")
        connection = stack.enter_context(
            connect(where, settings, os.environ, on_bytes=joining, on_note=_note)
        )
        ports = shown(connection.ports) if show.prompt else connection.ports
        agent = stack.enter_context(ResearchAgent(ports, connection.settings, prompts))
        recorder = Recorder()
        result = run(agent, question, settings, steps=show.steps, watching=recorder.watching)
        _print(result, show)
        if show.report:
            return _report(result, show, connection, recorder.record())
    return 0


def _print(result: ResearchResult, show: Show) -> None:
    """Print an answer, as text with what it cost, or as JSON."""
    if show.as_json:
        from research_agent.app.own_graphs import state

        say_json(state.RESULT.dump_python(result, mode="json"))
        return
    if show.evidence:
        say(evidence_text(result))
    say(result_text(result))
    unfinished = result.stop_reason == "error" or result.stop_reason.startswith("budget_")
    for warning in result.warnings if show.steps or unfinished else ():
        _note(warning)
    say(cost_line(result), dim=True, error=True)


def _report(result: ResearchResult, show: Show, connection: Connection, record: RunRecord) -> int:
    """Write the report; what prevents it is told, and does not take the answer back."""
    from research_agent.app.report.writing import write_report

    try:
        write_report(
            result,
            show.report,
            chunks=connection.ports.chunks,
            settings=connection.settings,
            record=record,
            force=show.force,
        )
    except ResearchAgentError as error:
        _note(f"no report was written: {error} {error.hint}")
        return UNREPORTED
    _note(f"report: {show.report}")
    return 0


def run(
    agent: ResearchAgent,
    question: str,
    settings: Settings,
    *,
    steps: bool,
    watching: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> ResearchResult:
    """Answer a question, telling each step as it ends."""
    result: ResearchResult | None = None
    for event in agent.steps(question, watching=watching):
        result = event.result or result
        if steps:
            _tell(event, settings)
    if result is None:
        raise RuntimeError("the graph ended without a report")
    return result


def shown(ports: Ports) -> Ports:
    """Return the ports with every chat model's messages printed to stderr."""
    return replace(
        ports,
        answerer=ShownChat(ports.answerer),
        planner=ShownChat(ports.planner),
        filterer=ShownChat(ports.filterer),
        verifier=ShownChat(ports.verifier),
    )


def evidence_text(result: ResearchResult) -> str:
    """Return every chunk that the model read, with its key and place."""
    return "".join(
        f"--- [{item.key}] {place(item.hit.chunk)}\n{item.hit.chunk.text}\n\n"
        for item in result.evidence
    )


def cost_line(result: ResearchResult) -> str:
    """Return how the question ended and what it cost, in one line.

    Failed calls, further tries, reused replies and the cost are told where there are any.
    """
    usage = result.usage
    parts = (
        f"{result.rounds} rounds",
        f"{usage.llm_calls} model calls",
        f"{usage.failed_calls} failed" if usage.failed_calls else "",
        f"{usage.retries} tried again" if usage.retries else "",
        f"{usage.reused_calls} replies reused" if usage.reused_calls else "",
        f"{usage.prompt_tokens} tokens read ({usage.cached_tokens} cached)",
        f"{usage.completion_tokens} written",
        f"cost {usage.cost:.4g}" if usage.cost else "",
    )
    ending = f"{result.status} ({result.stop_reason}) in {usage.elapsed_seconds:.1f} s"
    return f"{ending}: {', '.join(filter(None, parts))}"


def _note(text: str) -> None:
    say(f"note: {text}", dim=True, error=True)


def _tell(event: StepEvent, settings: Settings) -> None:
    """Print one line for a step that ended, or for a slow one that begins."""
    if event.done and event.line:
        say(f"{event.step}: {event.line}", dim=True, error=True)
    elif not event.done and event.step in BEGINNINGS and settings.models.chat.provider == "local":
        say(f"{event.step}: {BEGINNINGS[event.step]} …", dim=True, error=True)
