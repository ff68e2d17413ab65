"""The command `ask`."""

import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Unpack
from uuid import uuid4

import click
from pydantic_core import to_jsonable_python

from research_agent.answering.draft_redaction import public_result
from research_agent.assembly.connection import Connection
from research_agent.assembly.index import list_indexes
from research_agent.assembly.shared import full_location
from research_agent.assembly.traces import TraceFile, header, recorded_ports
from research_agent.config import load_prompts
from research_agent.errors import ResearchAgentError, StoppedError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.cli import options, rendering
from research_agent.interfaces.cli.history import keep
from research_agent.interfaces.cli.index import index_for_docs, update
from research_agent.interfaces.cli.options import Limits, index_is_named, scoped
from research_agent.interfaces.cli.process import INTERRUPTED, ended_by_ctrl_c, exits, opened, start
from research_agent.interfaces.cli.terminal import Steps, note, say, say_json
from research_agent.interfaces.events import event_json, event_line
from research_agent.interfaces.own_graphs import resuming, state
from research_agent.interfaces.report.recording import RunRecord
from research_agent.interfaces.report.writing import check_target, write_report
from research_agent.ports import CallOptions, ChatModel
from research_agent.settings import Settings
from research_agent.stopping import Stop
from research_agent.text.replies import check_question
from research_agent.types import Completion, Message, uncertainty
from research_agent.types.events import Event, Finished, Watching
from research_agent.types.result import ResearchResult
from research_agent.types.scope import scope_of

UNREPORTED = 4
"""Exit status where the answer was given, and its report could not be written."""
UNANSWERED = 5
"""Exit status of --fail-on-refusal where the documents do not bear out any answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """What to print beside the answer; the options of `ask` by their names."""

    as_json: bool = False
    events: bool = False
    drafts: bool = False
    evidence: bool = False
    prompt: bool = False
    quiet: bool = False
    verbose: bool = False
    opens: bool = False
    fails: bool = False
    forgets: bool = False
    report: str | None = None
    force: bool = False
    trace: str | None = None

    def check(self) -> None:
        """Raise UsageError or PathError for what cannot be shown together, or written."""
        if self.as_json and self.events:
            raise click.UsageError("the result is the last of the --events: leave out --json")
        if self.drafts and not self.events:
            raise click.UsageError("--drafts are --events: give both")
        if self.quiet and self.verbose:
            raise click.UsageError("--quiet or --verbose: leave out one")
        if self.report:
            check_target(self.report, force=self.force)


@click.command("ask")
@options.words("question", required=False)
@options.INDEX
@options.DOCS
@options.ASKING
@options.ROUNDS
@options.JSON
@options.QUIET
@options.VERBOSE
@click.option("--open", "opens", is_flag=True, help="Open the first cited page in the browser.")
@click.option("--report", metavar="FILE", help="Also write an HTML report.")
@click.option("--force", is_flag=True, help="Let --report replace a file that is not a report.")
@click.option("--fail-on-refusal", "fails", is_flag=True, help="Exit with 5 if not answered.")
@click.option("--no-history", "forgets", is_flag=True, help="Do not keep it in `history`.")
@click.option("--show-evidence", "evidence", is_flag=True, help="Print the chunks the model read.")
@click.option("--show-prompt", "prompt", is_flag=True, help="Print every message sent to a model.")
@click.option("--events", is_flag=True, help="Print events as JSON, one a line.")
@click.option("--drafts", is_flag=True, help="Include unchecked drafts in the events.")
@click.option("--trace", metavar="FOLDER", help="Record the run, for `replay`.")
@options.OFFLINE
@exits
@scoped
def ask_command(
    limits: Limits,
    /,
    *,
    question: str | None,
    index: str,
    config: str | None,
    docs: tuple[str, ...],
    **given: Any,  # noqa: ANN401 (the fields of Show, checked by click)
) -> int:
    """Answer a question from the indexed documents, or refuse.

    "-" reads the question from stdin. Without a question, the command asks for one.
    """
    show = Show(**given)
    show.check()
    is_named = index_is_named(docs)
    asks = question is None and sys.stdin.isatty()
    asked = question or ""
    if question in (None, "-") and not asks:
        asked = sys.stdin.read()
    asked = "" if asks else check_question(asked)
    settings = start(config, tells_preset=show.verbose, quiet=show.quiet)
    where = (
        index_for_docs(docs, settings, verbose=show.verbose, quiet=show.quiet) if docs else index
    )
    if not docs and not is_named and sys.stdin.isatty():
        _made_here(where, settings)
    with ExitStack() as stack:
        connection = stack.enter_context(opened(where, settings))
        asked = asked or check_question(str(click.prompt("Question", err=True)))
        record = RunRecord()
        try:
            result = _answered(asked, where, connection, record, show=show, limits=limits)
        except StoppedError:
            return INTERRUPTED
        print_answer(result, show)
        if edited := rendering.edited_note(result.citations, connection.edited):
            note(edited)
        if show.opens:
            rendering.open_first(result)
        if not show.forgets:
            keep(result, where, settings.sessions)
        if show.report and (status := _report(result, show, connection, record)):
            return status
    return UNANSWERED if show.fails and not result.supported else 0


def _answered(
    question: str,
    where: str,
    connection: Connection,
    record: RunRecord,
    *,
    show: Show,
    limits: Limits,
) -> ResearchResult:
    ports, watching = connection.ports, Watching(on_step=(record.see,))
    if show.prompt:
        roles = ("answerer", "planner", "filterer", "verifier")
        chats: dict[str, Any] = {role: ShownChat(getattr(ports, role)) for role in roles}
        ports = replace(ports, **chats)
    stop, steps = Stop(), Steps(verbose=show.verbose, quiet=show.quiet or show.events)
    with ExitStack() as stack:
        if show.trace:
            tracer = tracing(show.trace, question, where, connection)
            trace, watched = stack.enter_context(tracer)
            ports = recorded_ports(ports, connection.settings, trace.write)
            watching = replace(watched, on_step=(record.see, *watched.on_step))
        agent = stack.enter_context(ResearchAgent(ports, connection.settings, load_prompts()))
        asked = partial(agent.stream, question, scope=scope_of(limits), drafts=show.drafts)
        with ended_by_ctrl_c(stop), steps.shown() as see:
            for event in asked(stop=stop, watching=watching):
                if show.events:
                    click.echo(event_line(event))
                see(event)
    if not isinstance(event, Finished):
        raise TypeError("the graph ended without a report")
    return event.result


@contextmanager
def tracing(
    folder: str, question: str, location: str, connection: Connection
) -> Iterator[tuple[TraceFile, Watching]]:
    """Give the trace of a question and what writes its steps and events; raises PathError."""
    begun = datetime.now(UTC)
    name = f"{begun:%Y%m%dT%H%M%S}-{uuid4().hex[:8]}.jsonl"
    with TraceFile(folder, name, on_problem=note) as file:
        file.write(
            header(
                connection.settings,
                question=question,
                begun=begun.isoformat(timespec="seconds"),
                version=version("research-agent"),
                python=platform.python_version(),
                index=full_location(location),
                fingerprint=asdict(connection.header()),
            )
        )

        def on_event(event: Event) -> None:
            file.write({"line": "event", **event_json(event)})

        def on_step(step: str, round_: int, wrote: Mapping[str, Any]) -> None:
            if step in resuming.NODES:  # (what the search's own nodes wrote is in its result)
                line = {"line": "step", "step": step, "round": round_}
                file.write({**line, "wrote": to_jsonable_python(wrote)})

        yield file, Watching(on_event=(on_event,), on_step=(on_step,))
        if file.is_whole:
            note(f"trace: {file.path}")


def _made_here(where: str, settings: Settings) -> None:
    if any(found.name == where for found in list_indexes()):
        return
    folder = Path.cwd()
    if click.confirm(f"Nothing is indexed yet. Read {folder}?", default=True, err=True):
        report = update(where, [str(folder)], settings)
        note(f"{report.documents} documents, {report.chunks} chunks", mark="")


def print_answer(result: ResearchResult, show: Show) -> None:
    """Print a result as text or as JSON; with events it was printed already."""
    if show.events:
        return
    if show.as_json:
        say_json(state.RESULT.dump_python(public_result(result), mode="json"))
        return
    if show.evidence:
        say(rendering.evidence_text(result))
    rendering.print_result(result)
    if result.advice:
        say(result.advice, error=True)
    if result.unsure and not show.quiet:
        say(uncertainty.told(result.unsure), dim=True, error=True)
    told = rendering.told_warnings(result.warnings, result.stop_reason)
    for warning in result.warnings if show.verbose else told:
        note(warning)
    if not show.quiet:
        say(rendering.cost_line(result, short=not show.verbose), dim=True, error=True)


def _report(result: ResearchResult, show: Show, connection: Connection, record: RunRecord) -> int:
    try:
        write = partial(write_report, result, str(show.report), record=record, force=show.force)
        write(chunks=connection.ports.chunks, settings=connection.settings)
    except ResearchAgentError as error:
        note(f"no report was written: {error} {error.hint}")
        return UNREPORTED
    note(f"report: {show.report}")
    return 0


class ShownChat:
    """Prints what is sent to a model and what comes back, to stderr."""

    def __init__(self, model: ChatModel) -> None:
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
