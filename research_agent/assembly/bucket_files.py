"""Objects of buckets as files to index."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from research_agent.assembly.shared import storage_of
from research_agent.closeable import Closing
from research_agent.documents.adapters.files import LocalFiles
from research_agent.errors import DocumentError, IndexingError, PathError
from research_agent.index.adapters.shared.storage import Storage
from research_agent.types.documents import FileReport, FoundFiles, SourceFile

KEPT = 3  # objects on this machine at a time: one is read, and the next one is begun


class BucketFiles(Closing):
    """Objects of buckets, which are fetched while they are read."""

    def __init__(self, files: LocalFiles, *, offline: bool) -> None:
        """Take what `files` would take; `offline` allows servers on this machine alone."""
        self._files, self._offline = files, offline
        self._tags: dict[str, str] = {}
        self._fetched: dict[str, Path] = {}
        self._folder: TemporaryDirectory[str] | None = None

    def find(self, root: str) -> FoundFiles:
        """Return the objects below `root`, or the one it names; raises PathError for none."""
        storage, name = self._place(root)
        try:
            listed = storage.objects(name)
        except IndexingError as error:
            return FoundFiles((), (FileReport(root, "failed", f"cannot be read: {error}"),))
        if not listed:
            raise PathError(f"{root}: there is no such object", hint="Look at bucket and name.")
        files, skipped = [], []
        for one in sorted(listed, key=lambda one: str(one["path"])):
            path, size = f"{storage.url}/{one['path']}", int(one["size"])
            changed = int(1e9 * one["last_modified"].timestamp())
            self._tags[path] = one["e_tag"] or f"{size} {changed}"
            if reason := self._files.excluded(path, root) or self._files.reason(path, size):
                skipped.append(FileReport(path, "skipped", reason))
            else:
                files.append(SourceFile(path, root, size, changed))
        return FoundFiles(tuple(files), tuple(skipped))

    def digest(self, path: str) -> str:
        """Return the SHA-256 of what the bucket says of an object's version, not of its content."""
        return sha256(self._tags[path].encode()).hexdigest()

    def local(self, path: str) -> str:
        """Return the file that an object is fetched to; raises DocumentError."""
        if path in self._fetched:
            return str(self._fetched[path])
        storage, name = self._place(path)
        try:
            content = storage.get(name)
        except IndexingError as error:
            raise DocumentError(f"cannot be fetched: {error}", hint=error.hint) from error
        if content is None:
            raise DocumentError("it has vanished")
        self._folder = self._folder or TemporaryDirectory(prefix="research-agent-")
        named = sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        file = Path(self._folder.name) / f"{named}{PurePosixPath(path).suffix}"
        file.write_bytes(content)
        self._fetched[path] = file
        for old in [*self._fetched][:-KEPT]:
            self._fetched.pop(old).unlink()
        return str(file)

    def close(self) -> None:
        """Delete what was fetched."""
        if self._folder:
            self._folder.cleanup()

    def _place(self, path: str) -> tuple[Storage, str]:
        scheme, _, rest = path.partition("://")
        bucket, _, name = rest.partition("/")
        storage = storage_of(f"{scheme}://{bucket}/documents", offline=self._offline)
        return replace(storage, url=f"{scheme}://{bucket}", label=path), name.rstrip("/")
