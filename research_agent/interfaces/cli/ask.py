"""The command `ask`."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

import click

from research_agent.answering.draft_redaction import public_result
from research_agent.assembly.connection import Connection
from research_agent.config import load_prompts
from research_agent.errors import ResearchAgentError, StoppedError
from research_agent.interfaces.agent import UNWATCHED, ResearchAgent
from research_agent.interfaces.cli.index import index_for_docs
from research_agent.interfaces.cli.options import (
    CONFIG,
    DOCS,
    INDEX,
    OFFLINE,
    PRESET,
    ROUNDS,
    Limits,
    index_is_named,
    scoped,
)
from research_agent.interfaces.cli.process import INTERRUPTED, ended_by_ctrl_c, opened, start, told
from research_agent.interfaces.cli.terminal import note, result_text, say, say_json
from research_agent.interfaces.cli.trace import tracing
from research_agent.interfaces.events import event_line, step_text
from research_agent.interfaces.report.recording import Recorder, RunRecord
from research_agent.interfaces.report.target import check_target
from research_agent.ports import CallOptions, ChatModel, Ports
from research_agent.stopping import Stop
from research_agent.text.questions import check_question
from research_agent.types import Completion, Message, uncertainty
from research_agent.types.events import Event, Finished, Stopped, Watching
from research_agent.types.evidence import place
from research_agent.types.result import ResearchResult, Usage
from research_agent.types.scope import EVERYTHING, Scope, scope_of

UNREPORTED = 4
"""Exit status where the answer was given, and its report could not be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """What to print beside the answer; the options of `ask` by their names."""

    as_json: bool = False
    events: bool = False
    drafts: bool = False
    evidence: bool = False
    prompt: bool = False
    quiet: bool = False
    report: str = ""
    force: bool = False
    trace: str = ""


@click.command("ask")
@click.argument("question")
@INDEX
@CONFIG
@PRESET
@ROUNDS
@DOCS
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
@click.option("--show-evidence", "evidence", is_flag=True, help="Print the chunks the model read.")
@click.option("--show-prompt", "prompt", is_flag=True, help="Print every message sent to a model.")
@click.option("--quiet", "-q", is_flag=True, help="Do not show the steps.")
@click.option("--events", is_flag=True, help="Print what happens, a line of JSON an event.")
@click.option("--drafts", is_flag=True, help="Events tell drafts too, before they are checked.")
@click.option("--report", default="", metavar="FILE", help="Also write a report to look at (HTML).")
@click.option("--trace", default="", metavar="FOLDER", help="Record the run, to replay it.")
@click.option("--force", is_flag=True, help="The report may replace a file that is no report.")
@OFFLINE
@told
@scoped
def ask_command(
    limits: Limits,
    /,
    *,
    question: str,
    index: str,
    config: str | None,
    docs: tuple[str, ...],
    **given: Any,  # noqa: ANN401 (the fields of Show, checked by click)
) -> int:
    """Answer a question from the indexed documents, or refuse."""
    show = Show(**given)
    if show.as_json and show.events:
        raise click.UsageError("the result is the last of the --events: leave out --json")
    if show.drafts and not show.events:
        raise click.UsageError("--drafts are --events: give both")
    index_is_named(docs)
    question = check_question(question)
    if show.report:
        check_target(show.report, force=show.force)
    settings = start(config, tells_preset=True)
    where = index_for_docs(docs, settings, quiet=show.quiet) if docs else index
    with ExitStack() as stack:
        connection = stack.enter_context(opened(where, settings))
        ports = shown(connection.ports) if show.prompt else connection.ports
        recorder = Recorder()
        watching = Watching(on_step=(recorder.see,))
        if show.trace:
            trace = stack.enter_context(
                tracing(show.trace, question, where, connection, on_problem=note)
            )
            ports = trace.ports(connection, ports)
            watching = Watching(on_event=(trace.tell,), on_step=(recorder.see, trace.step))
        agent = stack.enter_context(ResearchAgent(ports, connection.settings, load_prompts()))
        try:
            result = run(agent, question, show, scope=scope_of(limits), watching=watching)
        except StoppedError:
            return INTERRUPTED
        _print(result, show)
        if show.trace and trace.is_whole:
            note(f"trace: {trace.path}")
        return _report(result, show, connection, recorder.record()) if show.report else 0


def _print(result: ResearchResult, show: Show) -> None:
    """Print an answer, as text with what it cost, or as JSON; events are printed already."""
    if show.events:
        return
    if show.as_json:
        from research_agent.interfaces.own_graphs import state

        say_json(state.RESULT.dump_python(public_result(result), mode="json"))
        return
    if show.evidence:
        say(evidence_text(result))
    say(result_text(result))
    if result.advice:
        say(result.advice, error=True)
    if result.unsure:
        say(uncertainty.told(result.unsure), dim=True, error=True)
    unfinished = result.stop_reason == "error" or result.stop_reason.startswith("budget_")
    for warning in result.warnings if not show.quiet or unfinished else ():
        note(warning)
    say(cost_line(result), dim=True, error=True)


def _report(result: ResearchResult, show: Show, connection: Connection, record: RunRecord) -> int:
    """Write the report; an error is printed below the answer."""
    from research_agent.interfaces.report.writing import write_report

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
        note(f"no report was written: {error} {error.hint}")
        return UNREPORTED
    note(f"report: {show.report}")
    return 0


def run(
    agent: ResearchAgent,
    question: str,
    show: Show,
    *,
    scope: Scope = EVERYTHING,
    watching: Watching = UNWATCHED,
) -> ResearchResult:
    """Answer a question, telling what happens meanwhile; Ctrl-C ends it with StoppedError."""
    result: ResearchResult | None = None
    stop = Stop()
    with ended_by_ctrl_c(stop):
        asked = partial(agent.stream, question, scope=scope, drafts=show.drafts)
        for event in asked(stop=stop, watching=watching):
            if isinstance(event, Finished):
                result = event.result
            if show.events:
                click.echo(event_line(event))
            if not show.quiet or isinstance(event, Stopped):
                _tell(event, local=agent.local)
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
    ending = f"{result.status} ({result.stop_reason}) in {usage.elapsed_seconds:.1f} s"
    return f"{ending}: {rounds_text(result.rounds)}, {usage_text(usage)}"


def rounds_text(rounds: int) -> str:
    """Return how many rounds there were, in words.

    >>> rounds_text(1), rounds_text(2)
    ('1 round', '2 rounds')
    """
    return f"{rounds} round" if rounds == 1 else f"{rounds} rounds"


def usage_text(usage: Usage) -> str:
    """Return what was spent, in words.

    >>> from research_agent.types.result import usage_of
    >>> usage_text(usage_of(()))
    '0 model calls, 0 tokens read (0 cached), 0 written'
    """
    parts = (
        f"{usage.llm_calls} model calls",
        f"{usage.failed_calls} failed" if usage.failed_calls else "",
        f"{usage.retries} tried again" if usage.retries else "",
        f"{usage.reused_calls} replies reused" if usage.reused_calls else "",
        f"{usage.prompt_tokens} tokens read ({usage.cached_tokens} cached)",
        f"{usage.completion_tokens} written",
        f"cost {usage.cost:.4g}" if usage.cost else "",
    )
    return ", ".join(filter(None, parts))


def _tell(event: Event, *, local: bool) -> None:
    """Print one line for a step that ended, a slow one that begins, or a question that was ended.

    What went wrong with a question is told by the command itself.
    """
    line = step_text(event, local=local)
    if isinstance(event, Stopped) and event.reason == "cancelled":
        line = f"stopped after {event.at:.1f} s: {usage_text(event.usage)}"
    if line:
        say(line, dim=True, error=True)


class ShownChat:
    """Prints what is sent to a model and what comes back, to stderr."""

    def __init__(self, model: ChatModel) -> None:
        """Stand in front of `model`."""
        self._model = model

    def complete(
        self, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
    ) -> Completion:
        """Print the messages, ask the model, print its reply."""
        for message in messages:
            say(f"--- to {role} ({message.role}):\n{message.text}", error=True)
        reply = self._model.complete(role, messages, **asked)
        say(f"--- from {role}:\n{reply.text}", error=True)
        return reply
