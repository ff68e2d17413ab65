"""A reader that reads one file ahead, while its caller does something else."""

from collections.abc import Callable
from threading import Thread

from research_agent.closeable import Closing
from research_agent.documents.adapters.sandbox.reader import SandboxedReader
from research_agent.errors import DocumentError
from research_agent.types.documents import ParsedDocument

_PATIENCE = 0.05  # seconds between two attempts to end a read


class EagerReader(Closing):
    """Reads like the reader below it, and begins with one file before it is asked for.

    One document is held at most, besides those that were handed over. For one thread.
    """

    def __init__(self, reader: SandboxedReader) -> None:
        """Read with `reader`, which is closed with this one."""
        self._reader = reader
        self._begun: _Begun | None = None

    def begin(self, path: str) -> None:
        """Begin to read a file that will be asked for next; does nothing while one is begun."""
        if self._begun is None:
            self._begun = _Begun(path, self._reader.read)

    def read(self, path: str) -> ParsedDocument:
        """Return the document in a file; raises DocumentError, whatever the file holds."""
        begun = self._begun
        if begun is None:
            return self._reader.read(path)
        if begun.path != path:
            self.close()
            return self._reader.read(path)
        begun.join()
        self._begun = None
        return begun.result()

    def close(self) -> None:
        """End the child and what was begun; `read` may be called again all the same."""
        begun, self._begun = self._begun, None
        while begun and begun.is_alive():
            self._reader.stop()
            begun.join(_PATIENCE)
        self._reader.close()


class _Begun(Thread):
    """One file that is being read."""

    def __init__(self, path: str, read: Callable[[str], ParsedDocument]) -> None:
        super().__init__(name="reading ahead", daemon=True)
        self.path = path
        self._read = read
        self._outcome: ParsedDocument | BaseException = DocumentError("reading it was ended")
        self.start()

    def run(self) -> None:
        """Read the file, and keep whatever comes of it for who asks."""
        try:
            self._outcome = self._read(self.path)
        except BaseException as error:  # noqa: BLE001 (it is raised where the file is asked for)
            self._outcome = error

    def result(self) -> ParsedDocument:
        """Return the document; raises what prevented it."""
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome
