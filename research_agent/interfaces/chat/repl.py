"""What a person does in a conversation: asks, chooses, and gives commands."""

import shlex
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from research_agent.conversation.ambiguity import chosen
from research_agent.conversation.sessions import SessionInfo, check_name
from research_agent.conversation.turns import citation_status, outdated
from research_agent.errors import (
    PathError,
    ResearchAgentError,
    SessionError,
    StoppedError,
    ToolInputError,
)
from research_agent.interfaces.chat import text
from research_agent.interfaces.chat.conversation import Conversation, Opened
from research_agent.interfaces.chat.lines import Lines
from research_agent.interfaces.cli.process import ended_by_ctrl_c, tell_error
from research_agent.interfaces.cli.rendering import (
    address,
    edited_note,
    open_page,
    print_result,
    told_warnings,
)
from research_agent.interfaces.cli.terminal import Steps, note, say
from research_agent.interfaces.own_graphs import chat
from research_agent.interfaces.report.content import every_quote
from research_agent.interfaces.report.recording import RunRecord
from research_agent.interfaces.report.writing import check_target, write_report
from research_agent.kept_replies import asking_anew
from research_agent.private_files import replace_text
from research_agent.stopping import Stop
from research_agent.text.alignment import PageSpan
from research_agent.text.replies import check_question
from research_agent.types import Chunk
from research_agent.types.conversation import Choices, Cited, Turn
from research_agent.types.events import Event
from research_agent.types.scope import check_scope, limits_text, scope_of
from research_agent.types.uncertainty import told

HELP = """Type a question; follow-ups such as "and for the other one?" work too.
/sources            the places that the last answer cites, and whether they have changed
/evidence 2         what the last answer quotes of source 2, within the text of its page
/open 2             open that page in the browser
/why                what was searched, kept and dropped, and how sure the answer is
/retry [QUESTION]   ask the last question again, or in other words; earlier answers stay
/reject 2 ...       do not read these chunks again; /reject none: read them again
/docs [GLOB ...]    read only these documents (* and ? work); /docs all: all of them
/history            the questions and answers so far
/export FILE        write the conversation as Markdown; FILE.html: as an HTML report;
                    FILE --force: also over a file that is no report
/sessions           list them; /sessions rename OLD NEW; /sessions delete NAME
/help, /quit        Ctrl-C stops an answer, twice leaves; Alt-Enter starts a new line"""
_LINES = [line for line in HELP.splitlines()[:-1] if line.startswith("/")]
COMMANDS = [line.partition(" ")[0] for line in _LINES] + ["/help", "/quit"]
HTML = (".html", ".htm")
FORCE = "--force"


class Repl:
    """A conversation at a terminal, or at the end of a pipe."""

    def __init__(
        self, opened: Opened, talk: Conversation, lines: Lines, *, limits: chat.Limits, steps: Steps
    ) -> None:
        """Continue a conversation within `limits`; empty: within those that it had."""
        self._opened, self._talk, self._lines, self._steps = opened, talk, lines, steps
        kept = talk.state()
        self._limits: chat.Limits = limits or kept.scope or {}
        self._rejected = dict(kept.rejected or {})
        self._unread = ""
        """A command that was given where a choice was asked for."""

    def _greet(self) -> None:
        turns, pending = self._talk.turns(), self._talk.pending()
        note(f"session {self._talk.info.name}, {len(turns)} turns; /help lists the commands")
        self._tell_limits()
        numbered = enumerate(turns, start=1)
        lines = [f"turn {n}: {told}" for n, turn in numbered for told in self._problems(turn)]
        for line in (*lines, *self._edited(*turns)):
            note(line)
        if pending.choices.options:
            self._trying(partial(self._decide, pending.choices))
        elif pending.text:
            note(f"this question has no answer yet, /retry asks it again: {pending.text}")

    def _tell_limits(self) -> None:
        scope = replace(scope_of(self._limits), exclude=frozenset(self._rejected))
        ends = ["/docs all"] * bool(self._limits) + ["/reject none"] * bool(self._rejected)
        if limits := limits_text(scope):
            note(f"this session is limited to: {limits} ({', '.join(ends)}: no limit)")

    def run(self) -> int:
        """Greet, answer and obey line by line until the person leaves; return the exit status."""
        self._greet()
        while (line := self._unread or self._lines.next("> ")) is not None:
            said, self._unread = line.strip(), ""
            if said in ("/quit", "/exit"):
                return 0
            obey = self._command if said.startswith("/") else self._ask
            if said:
                self._trying(partial(obey, said))
        return self._lines.status

    def _trying(self, what: Callable[[], None]) -> None:
        try:
            what()
        except StoppedError:
            note("the answer was stopped; /retry asks again")
        except ResearchAgentError as error:
            tell_error(str(error), error.hint)

    def _command(self, line: str) -> None:
        name, _, argument = line[1:].partition(" ")
        commands = self._commands()
        if name not in commands:
            raise SessionError(f"there is no command /{name}", hint="/help lists them")
        commands[name](argument.strip())

    def _commands(self) -> Mapping[str, Callable[[str], None]]:
        return {
            "help": lambda _: say(HELP),
            "sources": lambda _: self._sources(self._last()),
            "evidence": self._evidence,
            "open": self._open,
            "why": lambda _: say(text.why_text(self._last())),
            "retry": self._retry,
            "reject": self._reject,
            "docs": self._docs,
            "history": self._history,
            "export": self._export,
            "sessions": self._sessions,
        }

    def _ask(self, question: str) -> None:
        check_question(question)  # (before the session keeps it as one that waits)
        ask = partial(self._talk.ask, question, limits=self._limits, rejected=self._rejected)
        self._follow(ask)

    def _follow(self, begin: Callable[..., Generator[Event, None, None]]) -> None:
        before, stop = len(self._talk.turns()), Stop()
        with ended_by_ctrl_c(stop), self._steps.shown() as see:
            for event in begin(stop=stop):
                see(event)
        turns, pending = self._talk.turns(), self._talk.pending()
        if len(turns) > before:
            self._show(turns[-1])
        elif pending.choices.options:
            self._decide(pending.choices)

    def _decide(self, choices: Choices) -> None:
        say(text.choices_text(choices))
        reply = self._lines.next("? ")
        if reply is not None and reply.strip().startswith("/") and not chosen(choices, reply):
            self._unread = reply.strip()
            note("nothing was chosen; /retry asks again")
        elif reply is not None:
            self._follow(partial(self._talk.choose, reply.strip() or "all"))

    def _show(self, turn: Turn) -> None:
        if how := text.understood(turn):
            note(how, mark="")
        if self._talk.last:
            print_result(self._talk.last.result)
            if self._talk.last.result.advice:
                say(self._talk.last.result.advice, error=True)
        else:
            say(text.answer_with_lacks(turn))
        if turn.status in ("partial", "refused"):
            self._tell_limits()
        verbose, quiet = self._steps.verbose, self._steps.quiet
        if turn.unsure and not quiet:
            note(told(turn.unsure), mark="")
        always = told_warnings(turn.warnings, turn.stop_reason)
        for warning in (*(turn.warnings if verbose else always), *self._edited(turn)):
            note(warning)
        if not quiet:
            note(text.cost_text(turn, short=not verbose), mark="")

    def _retry(self, question: str) -> None:
        if not question and self._talk.pending().text:
            self._follow(self._talk.resume)
            return
        with asking_anew():  # (a kept reply would be the same answer)
            self._ask(question or self._last().question)

    def _last(self) -> Turn:
        turns = self._talk.turns()
        if not turns:
            raise SessionError("nothing was answered yet", hint="Ask a question first.")
        return turns[-1]

    def _cited(self, key: str) -> Cited:
        turn = self._last()
        cited = dict(text.cited(turn))
        if found := cited.get(key.strip("[]")):
            return found
        has = f"It has {', '.join(cited) or 'nothing'}."
        raise SessionError(f"the last answer has no {key or 'such key'}", hint=has)

    def _problems(self, turn: Turn) -> tuple[str, ...]:
        if not turn.citations:
            return ()
        ports = self._opened.connection.ports
        documents = {document.doc_id for document in ports.documents()}
        cited = tuple(replace(item, key=number) for number, item in text.cited(turn))
        chunks = ports.chunks.chunks([item.chunk_id for item in cited])
        return outdated(cited, citation_status(cited, chunks, documents))

    def _edited(self, *turns: Turn) -> tuple[str, ...]:
        cited = [item for turn in turns for item in turn.citations]
        told = edited_note(cited, self._opened.connection.edited)
        return (told,) if told else ()

    def _sources(self, turn: Turn) -> None:
        say(text.sources_text(turn, (*self._problems(turn), *self._edited(turn))))

    def _evidence(self, key: str) -> None:
        item = self._cited(key)
        chunks = self._opened.connection.ports.chunks
        found = chunks.chunks([item.chunk_id])
        if not found:
            raise SessionError(
                f"{item.place} is no longer in the index as it was cited",
                hint=f'The quote was: "{item.quote}"',
            )
        shown = []
        for page, places in sorted(self._places(item, found[0]).items()):
            around = chunks.page_text(item.chunk_id, page) if page else found[0].text
            spans = tuple(PageSpan(page, *place) for place in places) if page else ()
            own = replace(item, spans=spans)
            shown.append(text.quotes_in(around, own, key, places, found[0].text))
        say("\n\n".join(shown))

    def _places(self, item: Cited, chunk: Chunk) -> Mapping[int, list[tuple[int, int]]]:
        """Return start and end of each quote of a citation by page; by 0 those in its chunk."""
        chunks = self._opened.connection.ports.chunks
        quotes = [(item.quote, item.spans)]  # (all that an older version kept)
        with suppress(SessionError):
            result = self._talk.result(len(self._talk.turns()) - 1)
            every = every_quote(result, chunks)
            own = [one for one in every if one.chunk_id == item.chunk_id]
            quotes = [(one.quote, one.page_spans) for one in own] or quotes
        return text.quote_places(quotes, chunk, chunks)

    def _open(self, key: str) -> None:
        item = self._cited(key or "1")
        open_page(address(item.source, item.quoted_page))

    def _reject(self, argument: str) -> None:
        if argument == "none":
            self._rejected = {}
        else:
            cited = [self._cited(key) for key in words(argument)]
            self._rejected |= {item.chunk_id: item.digest for item in cited}
        self._talk.limit(self._limits, self._rejected)
        note(f"{len(self._rejected)} chunks are not read; /retry asks again without them")

    def _docs(self, argument: str) -> None:
        known = self._opened.connection.ports.documents()
        if argument:
            wanted: chat.Limits = {}
            if argument != "all":
                wanted = {**self._limits, "documents": words(argument)}
            try:
                check_scope(scope_of(wanted), lambda: known)
            except ToolInputError as error:
                hint = f"/docs all: no limit. {error.hint}"
                raise ToolInputError(str(error), hint=hint) from error
            self._limits = wanted
            self._talk.limit(self._limits, self._rejected)
        scope = scope_of(self._limits)
        read = [scope.admits_document(one.doc_id, one.source, one.date) for one in known]
        marks = ("*" if inside else " " for inside in read)
        say("\n".join(f"{mark} {one.doc_id}" for mark, one in zip(marks, known, strict=True)))
        note(f"{sum(read)} of {len(known)} documents are read (*)", mark="")

    def _history(self, _: str) -> None:
        for number, turn in enumerate(self._talk.turns(), start=1):
            say(f"{number}. {turn.text}\n{text.answer_with_lacks(turn)}")
            for problem in self._problems(turn):
                note(problem)

    def _sessions(self, argument: str) -> None:
        table, mine = self._opened.table, self._talk.info.thread
        match words(argument):
            case []:
                for session in table.all():
                    say(text.session_line(session, mine))
            case ["rename", old, new]:
                self._session(old)
                table.rename(old, check_name(new))
                say(f"{old} is {new} now")
            case ["delete", name]:
                session = self._session(name)
                if session.thread == mine:
                    raise SessionError("this session is open", hint="Delete it from another one.")
                self._opened.delete(session)
                say(f"deleted {name}")
            case _:
                raise SessionError(f"/sessions does not know {argument}", hint="/help")

    def _session(self, name: str) -> SessionInfo:
        sessions = {session.name: session for session in self._opened.table.all()}
        if name not in sessions:
            hint = f"There are: {', '.join(sessions)}"
            raise SessionError(f"there is no session {name}", hint=hint)
        return sessions[name]

    def _export(self, argument: str) -> None:
        forced = argument.endswith(f" {FORCE}")
        argument = argument.removesuffix(FORCE).rstrip() if forced else argument
        quoted = len(argument) > 1 and argument[0] == argument[-1] and argument[0] in "\"'"
        path = argument[1:-1] if quoted else argument  # (either may have spaces)
        if not path:
            raise PathError("no file is named", hint="/export notes.md, or /export answer.html")
        self._last()
        try:
            path = str(Path(path).expanduser())
        except RuntimeError as error:  # (nobody has this home)
            raise PathError(f"{path}: {error}", hint="Write the folder's path in full.") from error
        if path.lower().endswith(HTML):
            self._report(path, force=forced)
        else:
            check_target(path, force=forced)
            replace_text(Path(path), text.markdown(self._talk.name, self._talk.turns()))
        note(f"written: {path}")

    def _report(self, path: str, *, force: bool) -> None:
        result = self._talk.result(len(self._talk.turns()) - 1)
        connection = self._opened.connection
        record = self._talk.record if self._talk.last else RunRecord()
        record = replace(record, earlier=text.earlier(self._talk.turns()[:-1]))
        chunks, settings = connection.ports.chunks, connection.settings
        write = partial(write_report, chunks=chunks, settings=settings, record=record)
        write(result, path, force=force)


def words(argument: str) -> list[str]:
    """Return the words of a command, quoted ones in one."""
    try:
        return shlex.split(argument)
    except ValueError as error:
        raise SessionError(f"{error} in {argument}", hint="Close the quotation mark.") from error
