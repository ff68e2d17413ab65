"""One session in the browser: one question at a time, seen by everybody who has it open."""

from collections.abc import Generator
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import Any

from research_agent.errors import ResearchAgentError, SessionError, StoppedError
from research_agent.interfaces.chat.conversation import Conversation
from research_agent.interfaces.own_graphs import chat
from research_agent.interfaces.report.recording import RunRecord
from research_agent.interfaces.steps import begun_text, step_text
from research_agent.interfaces.web.fragments import turn_html
from research_agent.stopping import Stop
from research_agent.text.replies import check_question
from research_agent.types.conversation import Choices, Turn
from research_agent.types.events import Event, Hits
from research_agent.types.result import ResearchResult

FIRST_HITS = 3
"""Places that are shown as soon as the first search has ended."""
UNANSWERED = "This question has no answer yet."


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a browser asks for: a new question, a choice that was asked for, or an open question."""

    text: str = ""
    choice: str = ""
    again: bool = False
    """Go on with the question that has no answer yet."""
    scope: chat.Limits = field(default_factory=chat.Limits)
    preset: str = ""


class Feed:
    """Numbered entries of the last question; threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: list[dict[str, Any]] = []
        self.start = 0
        """The number before the first entry that is kept."""

    def begin(self, kind: str, **values: object) -> None:
        """Forget the question before, and add the first entry of another one."""
        with self._lock:
            self.start += len(self._entries)
            self._entries = []
        self.add(kind, **values)

    def add(self, kind: str, **values: object) -> None:
        """Add an entry."""
        with self._lock:
            number = self.start + len(self._entries) + 1
            self._entries.append({"n": number, "kind": kind, **values})

    def since(self, after: int) -> list[dict[str, Any]]:
        """Return the entries behind number `after`; "reload" for a reader who has missed some."""
        with self._lock:
            last = self.start + len(self._entries)
            if not self.start <= after <= last:
                return [{"n": last, "kind": "reload"}]
            return self._entries[after - self.start :]


class Talk:
    """A conversation that this process has open."""

    def __init__(self, conversation: Conversation) -> None:
        """Show what waits for the person; raises SessionError where it cannot be read."""
        self.conversation = conversation
        self._records: dict[int, RunRecord] = {}
        self._running, self._stop = Lock(), Stop()
        self.feed = Feed()
        pending = conversation.pending()
        if pending.text:
            self.feed.begin("asked", text=pending.text)
            self._tell_pending(UNANSWERED)

    @property
    def busy(self) -> bool:
        """Whether a question is being answered."""
        return self._running.locked()

    def turn(self, number: int) -> Turn:
        """Return a turn (from 0); raises SessionError where there is none."""
        turns = self.conversation.turns()
        if not 0 <= number < len(turns):
            raise SessionError("there is no such answer", hint="Load the page again.")
        return turns[number]

    def result(self, number: int) -> tuple[ResearchResult, RunRecord]:
        """Return the whole result of a turn and what was seen of it; raises SessionError."""
        self.turn(number)
        return self.conversation.result(number), self._records.get(number, RunRecord())

    def ask(self, question: Question) -> None:
        """Begin to answer; what happens comes in `feed`. Raises SessionError, QuestionError."""
        if question.text:
            check_question(question.text)
        if not self._running.acquire(blocking=False):
            raise SessionError(
                "a question is being answered in this session, perhaps for another browser",
                hint="Wait for its answer, or stop it.",
            )
        try:
            events = self._events(question)
        except BaseException:
            self._running.release()
            raise
        Thread(target=self._run, args=(events,), daemon=True).start()

    def limit(self, scope: chat.Limits) -> None:
        """Keep what the next questions may read; raises SessionError while one is answered."""
        if not self._running.acquire(blocking=False):
            raise SessionError(
                "a question is being answered in this session",
                hint="The limits are saved with the next question.",
            )
        try:
            self.conversation.limit(scope, dict(self.conversation.state().rejected or {}))
            if self.conversation.pending().text:  # (it can be asked anew; its choices are gone)
                self._tell_pending(UNANSWERED)
        finally:
            self._running.release()

    def stop(self) -> None:
        """End the question that is being answered, if there is one."""
        self._stop.end()

    def close(self) -> None:
        """End the question, and wait for it."""
        self.stop()
        with self._running:
            pass

    def _events(self, question: Question) -> Generator[Event, None, None]:
        talk = self.conversation
        pending = talk.pending()
        self._stop, talk.preset, talk.last = Stop(), question.preset, None
        if question.again or question.choice:
            if not pending.text:
                raise SessionError("no question waits for an answer", hint="Ask one.")
            self.feed.begin("asked", text=pending.text)
            if question.choice:
                return talk.choose(question.choice, stop=self._stop)
            return talk.resume(stop=self._stop)
        check_question(question.text)
        self.feed.begin("asked", text=question.text)
        rejected = dict(talk.state().rejected or {})
        return talk.ask(question.text, stop=self._stop, limits=question.scope, rejected=rejected)

    def _run(self, events: Generator[Event, None, None]) -> None:
        message, hint = "", ""
        try:
            for event in events:
                for line in lines_of(event):
                    self.feed.add("step", text=line)
        except StoppedError:
            message = "Stopped."
        except ResearchAgentError as error:
            message, hint = str(error), error.hint
        except Exception as error:  # noqa: BLE001 (a fault of ours is told in words too)
            message, hint = f"unexpected {type(error).__name__}: {error}", "Please report it."
        self._running.release()  # (who sees the answer may ask the next question at once)
        if self.conversation.last and not message:
            self._tell_answer()
        else:
            self._tell_pending(message or UNANSWERED, hint=hint)

    def _tell_answer(self) -> None:
        number = len(self.conversation.turns()) - 1
        self._records[number] = self.conversation.record
        self.feed.add("turn", turn=number, html=turn_html(number, self.turn(number)))

    def _tell_pending(self, message: str, *, hint: str = "") -> None:
        """Say why there is no answer, with what the person can choose from."""
        try:
            choices = self.conversation.pending().choices
        except SessionError as error:  # (what cannot be read has no choices)
            choices, message, hint = Choices(), message or str(error), hint or error.hint
        self.feed.add(
            "waits",
            text="" if choices.options else message,
            hint=hint,
            question=choices.question,
            options=list(choices.options),
        )


def lines_of(event: Event) -> list[str]:
    """Return what is shown of an event while a question is being answered."""
    if isinstance(event, Hits) and event.step == "retrieve":
        return [f"found: {hit.place}" for hit in event.hits[:FIRST_HITS]]
    return [line] if (line := begun_text(event) or step_text(event)) else []
