"""What all browsers share: the index and its models, the sessions, the indexing that runs."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from threading import Lock, Thread

from research_agent import errors
from research_agent.assembly.connection import Connection
from research_agent.assembly.page_pictures import PagePictures
from research_agent.assembly.sessions import session_place
from research_agent.assembly.uploads import upload_folder
from research_agent.closeable import Closing
from research_agent.config import load_prompts
from research_agent.conversation.sessions import SessionInfo, check_name
from research_agent.interfaces.chat.conversation import Opened
from research_agent.interfaces.cli.index import report_lines, update
from research_agent.interfaces.cli.process import opened
from research_agent.interfaces.web.talk import Talk
from research_agent.settings import Settings
from research_agent.types.documents import PagePicture, PageRequest


@dataclass(frozen=True, slots=True)
class Job:
    """What became of the last indexing, or how far it is."""

    running: bool = False
    file: str = ""
    done: int = 0
    total: int = 0
    lines: tuple[str, ...] = ()
    """What was indexed, skipped or failed, when it has ended."""
    error: str = ""
    hint: str = ""


class Workspace(Closing):
    """One index with its sessions; threads may share it. Close it."""

    def __init__(self, settings: Settings, index: str) -> None:
        """Open the index, if it is there; raises IndexingError, SessionError, ConfigError."""
        self.settings, self.index, self.job = settings, index, Job()
        self._lock, self._drawing = Lock(), Lock()
        self._talks: dict[str, Talk] = {}
        self._opened: Opened | None = None
        with ExitStack() as stack:
            self._place = session_place(settings.sessions, os.environ)
            self._table = stack.enter_context(self._place.table())
            self._pictures = stack.enter_context(PagePictures(settings.documents))
            self._stack = stack.pop_all()
        try:
            self._open()
        except errors.IndexMissingError:  # (documents come in through the page)
            pass
        except BaseException:
            self._stack.close()
            raise

    def _open(self) -> None:
        connection = self._stack.enter_context(opened(self.index, self.settings))
        prompts = load_prompts()
        self._opened = Opened(self._place, self._table, connection, prompts, interactive=True)
        self._opened.expire()

    @property
    def empty(self) -> bool:
        """Whether there is no index yet."""
        return self._opened is None

    @property
    def connection(self) -> Connection:
        """The index and the models; raises IndexMissingError."""
        return self._shared().connection

    def _shared(self) -> Opened:
        if self._opened is None:
            raise errors.IndexMissingError(
                "nothing is indexed yet", hint="Add files, or name a folder, under Documents."
            )
        return self._opened

    def sessions(self) -> list[SessionInfo]:
        """Return the sessions over this index, the one used last first."""
        return [session for session in self._table.all() if session.index == self.index]

    def first_session(self) -> str:
        """Return the session that was used last, else a name that is free."""
        taken = {session.name for session in self._table.all()}
        free = (f"default {number}".removesuffix(" 1") for number in count(1))
        own = next(iter(self.sessions()), None)
        return own.name if own else next(name for name in free if name not in taken)

    def talk(self, name: str) -> Talk:
        """Return a session, which stays open here; raises SessionError, SessionLockedError."""
        name, shared = check_name(name), self._shared()
        with self._lock:
            known = self._table.get(name)
            if known and known.index != self.index:
                raise errors.SessionError(
                    f"the session {name} is over the index {known.index}",
                    hint=f"Begin another one, or: research-agent web --index {known.index}",
                )
            if name not in self._talks:
                with ExitStack() as stack:
                    talk = Talk(shared.conversation(name, self.index, stack))
                    self._stack.push(stack.pop_all())
                self._talks[name] = talk
            return self._talks[name]

    def draw(self, request: PageRequest) -> PagePicture:
        """Return a page's picture; raises DocumentError."""
        with self._drawing:
            return self._pictures.draw(request)

    def uploads(self) -> Path:
        """Return the folder of uploaded documents; raises PathError."""
        return upload_folder(self.index)

    def start_indexing(self, paths: Sequence[str]) -> None:
        """Begin to index; `job` has the progress. Raises ToolInputError, IndexLockedError."""
        named = [os.path.expanduser(path) for path in paths]  # noqa: PTH111 (~nobody stays)
        for path in named:
            if not Path(path).is_absolute():
                raise errors.ToolInputError(
                    f"{path} is not a whole path", hint="Name it from / or ~ on."
                )
        with self._lock:
            if self.job.running:
                raise errors.IndexLockedError(
                    "documents are being indexed", hint="Wait until it is done."
                )
            self.job = Job(running=True)
            Thread(target=self._index, args=(named,), daemon=True).start()

    def _index(self, paths: list[str]) -> None:
        def show(what: str, done: int, total: int) -> None:
            self.job = Job(running=True, file=what, done=done, total=total)

        try:
            report = update(self.index, paths, self.settings, shown=show)
            if self._opened is None:
                self._open()
            self.job = Job(lines=tuple(report_lines(report)))
        except errors.ResearchAgentError as error:
            self.job = Job(error=str(error), hint=error.hint)
        except Exception as error:  # noqa: BLE001 (a fault of ours is told in words too)
            self.job = Job(error=f"unexpected {type(error).__name__}: {error}")
        self.job = replace(self.job, running=False)

    def close(self) -> None:
        """End everything, wait for it, and close it."""
        for talk in tuple(self._talks.values()):
            talk.close()
        self._stack.close()
