"""Addresses among the paths to index: fetched where they are named, kept, and read like files."""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from mimetypes import guess_extension
from pathlib import Path, PurePosixPath
from time import time_ns

from research_agent.assembly.parsing import READABLE
from research_agent.assembly.scanned_pages import ScanReader
from research_agent.closeable import Closing
from research_agent.documents.adapters.sandbox import EagerReader, SandboxedFunction
from research_agent.errors import DocumentError
from research_agent.index.ports import FileSource
from research_agent.private_files import make_folder, replace_text
from research_agent.settings import DocumentSettings
from research_agent.text.addresses import is_web, without_anchor
from research_agent.text.paths import added_id
from research_agent.types.documents import FileReport, FoundFiles, ParsedDocument, SourceFile

HTML = {"text/html", "application/xhtml+xml"}
"""Types that are right whatever the address ends with."""
OFFLINE = "not fetched: the program runs offline (--offline, models.offline)"


class WebPages(Closing):
    """Files, and addresses that are fetched once a run; implements FileSource.

    A reply is kept in a folder beside what its server said of its version, so that the next run
    asks only whether it has changed.
    """

    def __init__(
        self,
        files: FileSource,
        wanted: Collection[str],
        folder: Path,
        settings: DocumentSettings,
        *,
        offline: bool,
        own: bool = False,
    ) -> None:
        """Fetch the addresses in `wanted` and no others; `own` admits this machine, for tests."""
        self._files, self._folder = files, folder
        self._wanted = frozenset(map(without_anchor, wanted))
        self._offline, self._own = offline, own
        self._max_bytes = int(settings.max_file_mb * 1e6)
        self._fetch = SandboxedFunction(
            "research_agent.documents.adapters.web:fetch",
            seconds=settings.parse_seconds,
            memory_mb=settings.parse_memory_mb,
        )
        self._found: dict[str, SourceFile | FileReport] = {}

    def find(self, paths: Collection[str]) -> FoundFiles:
        """Return the files below `paths`, and the addresses among them that could be fetched."""
        local = [path for path in paths if not is_web(path)]
        found = self._files.find(local) if local else FoundFiles()
        pages = [self._page(url) for url in paths if is_web(url) and url in self._wanted]
        fetched = [page for page in pages if isinstance(page, SourceFile)]
        failed = [page for page in pages if isinstance(page, FileReport)]
        return FoundFiles((*found.files, *fetched), (*found.skipped, *failed))

    def digest(self, path: str) -> str:
        """Return the SHA-256 of a file's content, or of what an address held."""
        return self._files.digest(self.local(path))

    def local(self, path: str) -> str:
        """Return the file that holds a path's content: itself, or what was fetched."""
        return str(self._base(path)) + self._known(path)["ending"] if is_web(path) else path

    def close(self) -> None:
        """End the child that fetches."""
        self._fetch.close()

    def _page(self, url: str) -> SourceFile | FileReport:
        if url not in self._found:
            try:
                self._found[url] = self._fetched(url)
            except DocumentError as error:
                reason = f"{error} ({error.hint})" if error.hint else str(error)
                self._found[url] = FileReport(url, "failed", reason)
            except OSError as error:
                self._found[url] = FileReport(url, "failed", f"cannot be kept: {error.strerror}")
        return self._found[url]

    def _fetched(self, url: str) -> SourceFile:
        if self._offline:
            raise DocumentError(OFFLINE)
        make_folder(self._folder)
        known, base = self._known(url), self._base(url)
        new = base.with_name(f"{base.name}.new")
        request = {"url": url, "file": str(new), "max_bytes": self._max_bytes, "own": self._own}
        request |= {"etag": known["etag"], "modified": known["modified"]}
        try:
            said = self._fetch.call(json.dumps(request))["value"]
            if isinstance(said, dict) and said:
                known = self._keep(url, new, said)
        finally:
            new.unlink(missing_ok=True)
        size = Path(self.local(url)).stat().st_size
        return SourceFile(url, url, size, int(known["seen"]))

    def _keep(self, url: str, new: Path, said: Mapping[str, str]) -> dict[str, str]:
        """Put a reply in the place of the one before; its time changes with its content alone."""
        kind, ending = said["kind"], PurePosixPath(said["path"]).suffix.lower()
        if kind in HTML:
            ending = ".html"
        elif ending not in READABLE:
            ending = guess_extension(kind) or (".txt" if kind.startswith("text/") else "")
        if ending not in READABLE:
            raise DocumentError(f"no reader for {kind or 'what has no type'}")
        known, digest = self._known(url), sha256(new.read_bytes()).hexdigest()
        seen = known["seen"] if known["digest"] == digest else str(time_ns())
        known = {"ending": ending, "digest": digest, "seen": seen, "url": url}
        known |= {"etag": said["etag"], "modified": said["modified"]}
        base = self._base(url)
        new.replace(f"{base}{ending}")
        replace_text(base.with_name(f"{base.name}.said"), json.dumps(known))
        return known

    def _known(self, url: str) -> dict[str, str]:
        """Return what is known of the last reply; of one that is not there nothing."""
        base, nothing = self._base(url), dict.fromkeys(("etag", "modified", "digest", "seen"), "")
        try:
            known = json.loads(base.with_name(f"{base.name}.said").read_text("utf-8"))
            kept = sha256(Path(f"{base}{known['ending']}").read_bytes()).hexdigest()
        except (OSError, ValueError, KeyError, TypeError):
            return nothing | {"ending": ""}
        return known if kept == known["digest"] else nothing | {"ending": known["ending"]}

    def _base(self, url: str) -> Path:
        return self._folder / sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def absolute_paths(paths: Sequence[str]) -> list[str]:
    """Return paths from the root on; links, addresses and added texts stay as they are."""
    return [
        without_anchor(path) if is_web(path) else path if added_id(path) else os.path.abspath(path)  # noqa: PTH100 (it would follow links)
        for path in paths
    ]


class WebReader:
    """Reads files, and what was fetched of addresses; implements DocumentReader and ReadsAhead."""

    def __init__(self, reader: EagerReader | ScanReader, pages: WebPages) -> None:
        """Read with `reader`, which its owner closes."""
        self._reader, self._pages = reader, pages
        self.reads_scans = isinstance(reader, ScanReader)

    def begin(self, path: str) -> None:
        """Begin to read what will be asked for next."""
        self._reader.begin(self._pages.local(path))

    def read(self, path: str) -> ParsedDocument:
        """Return the document in a file or at an address; raises DocumentError."""
        return self._reader.read(self._pages.local(path))
