"""The files of a run in their order, and the next one to be read while another is embedded."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from research_agent.errors import DocumentError
from research_agent.index.update.changes import Change, Changes
from research_agent.types.documents import SourceFile


@dataclass(frozen=True, slots=True)
class Decided:
    """A file, and what it is to the index, or why that cannot be told."""

    file: SourceFile
    outcome: Change | DocumentError

    @property
    def change(self) -> Change:
        """What it is to the index; raises DocumentError."""
        if isinstance(self.outcome, DocumentError):
            raise self.outcome
        return self.outcome

    @property
    def is_read(self) -> bool:
        """Whether it has to be read."""
        return isinstance(self.outcome, Change) and self.outcome.kind in {"changed", "new"}


class Ahead:
    """Decides about file after file, in their order, as far ahead as one that has to be read."""

    def __init__(
        self, files: Iterable[SourceFile], changes: Changes, begin: Callable[[str], None]
    ) -> None:
        """Prepare to tell `begin` the path of each file that will be read next."""
        self._files, self._changes, self._begin = iter(files), changes, begin
        self._decided: deque[Decided] = deque()

    def next(self) -> Decided | None:
        """Return the next file, None where there is none left."""
        return self._decided.popleft() if self._decided else self._decide()

    def look(self) -> None:
        """Begin to read the next file that has to be read, unless that was done."""
        if any(decided.is_read for decided in self._decided):
            return
        while decided := self._decide():
            self._decided.append(decided)
            if decided.is_read:
                self._begin(decided.file.path)
                return

    def _decide(self) -> Decided | None:
        """Decide about one more file."""
        file = next(self._files, None)
        if file is None:
            return None
        try:
            return Decided(file, self._changes.of_file(file))
        except DocumentError as error:
            return Decided(file, error)
