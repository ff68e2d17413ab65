"""What indexing reads from: files, web pages that are named, and scanned pages by OCR.

Addresses are fetched where they are named, kept, and read like files.
"""

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from mimetypes import guess_extension
from pathlib import Path, PurePosixPath

from research_agent.assembly.bucket_files import BucketFiles
from research_agent.assembly.known_vectors import kept_folder
from research_agent.assembly.parsing import READABLE, local_files, reader
from research_agent.assembly.scanned_pages import ScanReader, can_read_scans
from research_agent.closeable import Closing
from research_agent.documents.adapters.sandbox import SandboxedFunction, SandboxedReader
from research_agent.errors import DocumentError
from research_agent.private_files import make_folder, replace_text
from research_agent.settings import Settings
from research_agent.text.addresses import is_web, without_anchor
from research_agent.text.paths import added_id, is_bucket
from research_agent.types.documents import FileReport, FoundFiles, ParsedDocument, SourceFile

HTML = {"text/html", "application/xhtml+xml"}
"""Types that are right whatever the address ends with."""
OFFLINE = "not fetched: the program runs offline (--offline, models.offline)"


class Sources(Closing):
    """Files, and addresses that are fetched once a run; finds and reads.

    A reply is kept in a folder beside what its server said of its version, so that the next run
    asks only whether it has changed.
    """

    def __init__(
        self,
        read: SandboxedReader | ScanReader,
        wanted: Collection[str],
        folder: Path,
        settings: Settings,
        *,
        own: bool = False,
    ) -> None:
        """Read with `read`, which its owner closes; fetch the addresses in `wanted` alone.

        `own` admits this machine, for tests.
        """
        documents = settings.documents
        self.reads_scans = isinstance(read, ScanReader)
        self._files, self._reader, self._folder = local_files(documents), read, folder
        self._buckets = BucketFiles(self._files, offline=settings.models.offline)
        self._wanted = frozenset(map(without_anchor, wanted))
        self._offline = settings.models.offline
        self._request = {"max_bytes": int(documents.max_file_mb * 1e6), "own": own}
        self._fetch = SandboxedFunction(
            "research_agent.documents.adapters.web:fetch",
            seconds=documents.parse_seconds,
            memory_mb=documents.parse_memory_mb,
        )
        self._found: dict[str, SourceFile | FileReport] = {}

    def find(self, paths: Collection[str]) -> FoundFiles:
        """Return the files below `paths`, and the addresses among them that could be fetched."""
        local = [path for path in paths if not (is_web(path) or is_bucket(path))]
        parts = [self._buckets.find(path) for path in paths if is_bucket(path)]
        parts += [self._files.find(local)] * bool(local)
        pages = [self._page(url) for url in paths if is_web(url) and url in self._wanted]
        fetched = [page for page in pages if isinstance(page, SourceFile)]
        failed = [page for page in pages if isinstance(page, FileReport)]
        files = [file for part in parts for file in part.files]
        skipped = [report for part in parts for report in part.skipped]
        return FoundFiles((*files, *fetched), (*skipped, *failed))

    def digest(self, path: str) -> str:
        """Return the SHA-256 of a file's content, or of what an address held."""
        if is_bucket(path):
            return self._buckets.digest(path)
        return self._files.digest(self.local(path))

    def read(self, path: str) -> ParsedDocument:
        """Return the document in a file or at an address; raises DocumentError."""
        return self._reader.read(self.local(path))

    def local(self, path: str) -> str:
        """Return the file that holds a path's content, itself or fetched; raises DocumentError."""
        if is_bucket(path):
            return self._buckets.local(path)
        return f"{self._base(path)}{self._known(path).get('ending')}" if is_web(path) else path

    def close(self) -> None:
        """End the child that fetches, and delete what was fetched of buckets."""
        self._buckets.close()
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
        base, known = self._base(url), self._known(url)
        new = Path(f"{base}.new")
        version = {name: known.get(name, "") for name in ("etag", "modified")}
        request = self._request | version | {"url": url, "file": str(new)}
        try:
            reply = self._fetch.call(json.dumps(request))["value"]
            if isinstance(reply, dict) and reply:
                kept = {"ending": _ending(reply["kind"], reply["path"]), "size": new.stat().st_size}
                new.replace(f"{base}{kept['ending']}")
                replace_text(Path(f"{base}.said"), json.dumps(reply | kept))
        finally:
            new.unlink(missing_ok=True)
        there = Path(self.local(url)).stat()
        return SourceFile(url, url, there.st_size, there.st_mtime_ns)

    def _known(self, url: str) -> dict[str, str]:
        """Return what is known of the last reply; of one that is not there, or torn, nothing."""
        try:
            known = json.loads(Path(f"{self._base(url)}.said").read_text("utf-8"))
            size = Path(f"{self._base(url)}{known['ending']}").stat().st_size
            return known if size == known["size"] else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def _base(self, url: str) -> Path:
        return self._folder / sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _ending(kind: str, path: str) -> str:
    ending = ".html" if kind in HTML else PurePosixPath(path).suffix.lower()
    if ending not in READABLE:
        ending = guess_extension(kind) or (".txt" if kind.startswith("text/") else "")
    if ending not in READABLE:
        raise DocumentError(f"no reader for {kind or 'what has no type'}")
    return ending


def absolute_paths(paths: Sequence[str]) -> list[str]:
    """Return paths from the root on; links, addresses and added texts stay as they are."""

    def absolute(path: str) -> str:
        if is_web(path):
            return without_anchor(path)
        return path if is_bucket(path) or added_id(path) else os.path.abspath(path)  # noqa: PTH100 (it would follow links)

    return list(map(absolute, paths))


@contextmanager
def sources(
    paths: Sequence[str], settings: Settings, environment: Mapping[str, str]
) -> Iterator[tuple[Sources, ScanReader]]:
    """Open what a run over `paths` reads from; of addresses those among them are fetched.

    The second's `on_page` hears of pages that OCR reads.
    """
    folder, by_ocr = kept_folder(environment), can_read_scans()
    with (
        reader(settings.documents, scans=by_ocr) as parses,
        ScanReader(parses, folder / "ocr", settings.documents) as scans,
        Sources(scans if by_ocr else parses, paths, folder / "web", settings) as found,
    ):
        yield found, scans
