"""Generations of a shared index, and who may write the next one.

A generation is a small file that names the versions of all tables, written only where there is none
of its number. A writer also holds a lease, a file that it changes every few seconds; waiting is
measured by the clock of the process that waits, so clocks need not agree.
"""

import json
import os
import socket
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any

from research_agent import errors
from research_agent.closeable import Closing
from research_agent.index.adapters.shared.storage import Storage
from research_agent.index.adapters.shared.tables import FORMAT
from research_agent.index.messages import missing, rebuild_hint, unfinished
from research_agent.text.paths import INDEX_MARK
from research_agent.types.records import IndexHeader

BEAT, SILENCE = 3.0, 15.0
"""Seconds between two changes of a lease, and without one until its holder counts as gone."""
KEPT = 10  # generations whose names are kept by `compact`


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One published state of an index."""

    number: int = 0  # 0: nothing was published yet
    session: int = 0  # the writer's lease: what has a larger one was put, but is not published
    edition: int = 0  # counts rebuilds: each has tables of its own
    versions: dict[str, int] = field(default_factory=dict)  # of each table
    model: str = ""
    dimension: int = 0
    records: int = 0  # documents, also those that could not be read
    documents: int = 0
    chunks: int = 0
    vectors: int = 0
    trained: int = 0  # vectors there were when the search index was made; 0: there is none
    changed: str = ""
    linking: int = 0
    format: int = FORMAT

    @property
    def header(self) -> IndexHeader:
        """What the index says about itself."""
        return IndexHeader(
            model=self.model,
            dimension=self.dimension,
            generation=self.number,
            documents=self.documents,
            chunks=self.chunks,
            changed=self.changed,
        )


def table_name(table: str, edition: int) -> str:
    """Return the name of a table of an edition."""
    return f"{table}-{edition}"


def exists(storage: Storage) -> bool:
    """Return whether there is an index of ours."""
    return storage.get(INDEX_MARK) is not None


def create(storage: Storage) -> None:
    """Mark a place as an index; raises PathError where it is used otherwise."""
    if exists(storage):
        return
    if other := storage.names():
        raise errors.PathError(
            f"{storage.label} is no index, and holds other files, such as {other[0]}.",
            hint="Name an empty or a new place after --index.",
        )
    storage.create(INDEX_MARK, json.dumps({"format": FORMAT}).encode())


def latest(storage: Storage) -> Generation:
    """Return the generation that was published last; number 0 where none was."""
    found = storage.names("generations/")
    return _read(storage, found[-1]) if found else Generation()


def published(storage: Storage) -> Generation:
    """Return the last generation; raises IndexMissingError, IndexMismatchError (newer program)."""
    found = latest(storage)
    if not found.number:
        raise unfinished(storage.label) if exists(storage) else missing(storage.label)
    return found


def publish(storage: Storage, generation: Generation) -> None:
    """Show readers a generation; raises IndexLockedError where another writer was faster."""
    text = json.dumps(asdict(generation), indent=1, sort_keys=True)
    if not storage.create(f"generations/{generation.number:010}.json", text.encode()):
        raise errors.IndexLockedError(
            f"The index {storage.label} was published by another writer meanwhile.",
            hint="Give the command again: what was read and embedded is kept.",
        )


def forget_old(storage: Storage) -> None:
    """Delete the names of all but the last generations."""
    storage.delete(storage.names("generations/")[:-KEPT])


def _read(storage: Storage, name: str) -> Generation:
    content = storage.get(name)
    try:
        kept: Any = json.loads(content or b"")
        if kept["format"] > FORMAT:
            raise errors.IndexMismatchError(
                f"The index {storage.label} has tables of version {kept['format']}, this program "
                f"reads {FORMAT}.",
                hint="Use the newer version of research-agent that wrote it.",
            )
        return Generation(**kept)
    except (ValueError, TypeError, KeyError) as error:
        raise errors.IndexDamagedError(
            f"The file {name} of the index {storage.label} is damaged: {error}.",
            hint=rebuild_hint(storage.label),
        ) from error


class Lease(Closing):
    """The right to write to an index, until it is closed."""

    def __init__(self, storage: Storage) -> None:
        """Take it, also from a silent holder; raises IndexLockedError, which names who has it."""
        self._storage, self._done = storage, Event()
        self._lost = False
        while True:
            held = storage.names("writer/")
            for name in held:
                self._see_it_silent(name)
            before = max([latest(storage).session, *(int(Path(n).stem) for n in held)])
            self.session = before + 1
            self._name = f"writer/{self.session:010}.json"
            if not storage.create(self._name, self._said(0)):
                self._see_it_silent(self._name)
                continue
            if latest(storage).session < self.session:
                break
            storage.delete([self._name])  # (somebody has published under this number meanwhile)
        storage.delete(held)
        self._beating = Thread(target=self._beat, daemon=True, name="lease of an index")
        self._beating.start()

    def check(self) -> None:
        """Raise IndexLockedError where another writer has taken over."""
        self._lost = self._lost or self._storage.names("writer/")[-1:] != [self._name]
        if self._lost:
            raise errors.IndexLockedError(
                f"The index {self._storage.label} was taken over by another writer, because this "
                f"process was silent for {SILENCE:g} seconds.",
                hint="Give the command again when the other one has ended.",
            )

    def close(self) -> None:
        """Give it back."""
        if not self._done.is_set():
            self._done.set()
            self._beating.join()
            with suppress(errors.IndexingError):  # (it ends by itself after some seconds)
                self._storage.delete([self._name])

    def _beat(self) -> None:
        beats = 0
        while not self._done.wait(BEAT):
            beats += 1
            with suppress(errors.IndexingError):  # (told by the next call of the writer's own)
                if self._storage.get(self._name) is None:
                    self._lost = True
                    return
                self._storage.put(self._name, self._said(beats))

    def _said(self, beats: int) -> bytes:
        me = f"process {os.getpid()} on {socket.gethostname()} ({' '.join(sys.argv)[:200]})"
        return json.dumps({"holder": me, "beats": beats}).encode()

    def _see_it_silent(self, name: str) -> None:
        first, until = self._storage.get(name), time.monotonic() + SILENCE
        while first is not None and time.monotonic() < until:
            time.sleep(min(BEAT / 6, 0.5))
            now = self._storage.get(name)
            if now is None:
                return
            if now != first:
                raise errors.IndexLockedError(
                    f"The index {self._storage.label} is being written by {_holder(now)}.",
                    hint="Wait for it, or end it, and give the command again.",
                )


def holder(storage: Storage) -> str:
    """Return who holds the lease, alive or not; empty where nobody does."""
    found = storage.names("writer/")
    content = storage.get(found[-1]) if found else None
    return _holder(content) if content else ""


def _holder(content: bytes) -> str:
    try:
        return str(json.loads(content)["holder"])
    except (ValueError, KeyError, TypeError):
        return "another process"
