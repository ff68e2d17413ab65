"""A folder or bucket that holds a shared index: its small files, its tables, its faults.

Small files are read and written with obstore, tables with LanceDB; both wait and try again by
themselves while a server fails, `RETRY_SECONDS` at most.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from research_agent.errors import (
    ConfigError,
    IndexDamagedError,
    IndexingError,
    IndexMissingError,
    IndexUnavailableError,
    PathError,
    ResearchAgentError,
)
from research_agent.text.loopback import is_loopback
from research_agent.text.paths import LOCAL

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.db import DBConnection
    from lancedb.table import LanceTable

RETRIES, RETRY_SECONDS = 12, 90
CACHE_BYTES, METADATA_BYTES = 256_000_000, 64_000_000
"""Parts of search indexes, and descriptions of files, that one process keeps in memory."""
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_MISSING = ("NoSuchBucket", "bucket does not exist", "ContainerNotFound")
_REFUSED = (
    "RequestTimeTooSkewed", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken",
    "InvalidToken", "401 ", "get_credentials", "no providers in chain", "Unable to locate",
    "169.254.169.254", "AccessDenied", "403 Forbidden", "ermission denied", "Read-only",
    "AllAccessDisabled",
)  # fmt: skip
_DOWN = ("SlowDown", " 500 ", " 502 ", " 503 ", " 504 ", "error sending request", "timed out")
_GONE = ("not found", "Not found", "NotFound", "No such file")


@dataclass(frozen=True)
class Storage:
    """Where a shared index is. Threads may share it."""

    url: str
    label: str  # what users call it

    @classmethod
    def at(cls, location: str) -> "Storage":
        """Return the storage at `s3://bucket/name`, `gs://…`, `az://…` or `lance:/path`.

        Raises PathError for a location without a name, ConfigError without the extra `cluster`.
        """
        try:
            import lancedb  # noqa: F401
            import obstore  # noqa: F401
        except ImportError as error:
            raise ConfigError(
                f"The index {location} needs a package that is not installed: {error.name}.",
                hint='Install it: pip install "research-agent[cluster]"',
            ) from error
        if location.startswith(LOCAL):
            path = Path(location.removeprefix(LOCAL)).expanduser().absolute()
            return cls(path.as_uri(), location)
        bucket, _, name = location.partition("://")[2].partition("/")
        parts = name.rstrip("/").split("/")
        if not bucket or not all(parts) or {".", ".."} & set(parts):
            raise PathError(
                f"{location} names no index.", hint="Write bucket and name: s3://bucket/name"
            )
        return cls(location.rstrip("/"), location)

    @property
    def endpoint(self) -> str:
        """The server that is asked instead of the provider's own; empty: none."""
        named = (os.environ.get(name, "") for name in _ENDPOINTS)
        return next(filter(None, named), "") if self.url.startswith("s3://") else ""

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine: a folder, or a server on loopback."""
        return self.url.startswith("file://") or is_loopback(self.endpoint)

    @cached_property
    def _store(self) -> Any:  # noqa: ANN401 (obstore's classes have no common public base)
        from obstore.store import from_url

        wait = timedelta(seconds=RETRY_SECONDS)
        options: dict[str, Any] = {"retry_config": {"max_retries": RETRIES, "retry_timeout": wait}}
        with faults(self.label):
            if self.url.startswith("file://"):
                return from_url(self.url, mkdir=True)
            if self.endpoint:
                options["endpoint"] = self.endpoint
                options["client_options"] = {"allow_http": self.endpoint.startswith("http://")}
            if self.url.startswith("s3://") and "AWS_ACCESS_KEY_ID" not in os.environ:
                from obstore.auth.boto3 import Boto3CredentialProvider

                options["credential_provider"] = Boto3CredentialProvider()
            return from_url(self.url, **options)

    @cached_property
    def _tables(self) -> "DBConnection":
        import lancedb

        options: dict[str, Any] = {
            "client_max_retries": RETRIES,
            "client_retry_timeout": RETRY_SECONDS,
        }
        if self.endpoint:
            options["endpoint"] = self.endpoint
            options["allow_http"] = str(self.endpoint.startswith("http://")).lower()
        is_file = self.url.startswith("file://")
        where = unquote(self.url.removeprefix("file://")) if is_file else self.url
        session = lancedb.Session(CACHE_BYTES, METADATA_BYTES)
        written = None if is_file else {name: str(value) for name, value in options.items()}
        return lancedb.connect(where, storage_options=written, session=session)

    def get(self, name: str) -> bytes | None:
        """Return the content of a small file; None where there is none."""
        import obstore

        with faults(self.label):
            try:
                return bytes(obstore.get(self._store, name).bytes())
            except FileNotFoundError as error:
                if any(sign in str(error) for sign in _MISSING):
                    raise
                return None

    def create(self, name: str, content: bytes) -> bool:
        """Write a small file unless there is one; returns whether it was written."""
        import obstore

        with faults(self.label):
            try:
                obstore.put(self._store, name, content, mode="create")
            except obstore.exceptions.AlreadyExistsError:
                return False
            return True

    def put(self, name: str, content: bytes) -> None:
        """Write a small file over what was there."""
        import obstore

        with faults(self.label):
            obstore.put(self._store, name, content)

    def names(self, prefix: str = "") -> list[str]:
        """Return the names of the files below `prefix`, in order."""
        import obstore

        with faults(self.label):
            found = obstore.list(self._store, prefix=prefix or None).collect()
        return sorted(str(one["path"]) for one in found)

    def objects(self, name: str) -> list[Any]:
        """Return what is known of the files below a name, or of the one that has it."""
        import obstore

        with faults(self.label):
            try:
                found = obstore.list(self._store, prefix=name or None).collect()
                return list(found) or [obstore.head(self._store, name)]
            except FileNotFoundError:
                return []

    def bytes_on_disk(self) -> int:
        """Return how much room the index takes."""
        import obstore

        with faults(self.label):
            return sum(int(one["size"]) for one in obstore.list(self._store).collect())

    def delete(self, names: list[str]) -> None:
        """Delete files; one that is gone already is passed over."""
        import obstore

        with faults(self.label):
            for start in range(0, len(names), 500):
                try:
                    obstore.delete(self._store, names[start : start + 500])
                except FileNotFoundError:
                    continue

    def table(self, name: str, version: int | None = None) -> "LanceTable":
        """Open a table, at a version or at its latest."""
        with faults(self.label):
            table: Any = self._tables.open_table(name)
            if version is not None:
                table.checkout(version)
            return table  # type: ignore[no-any-return]

    def make_table(self, name: str, schema: "pa.Schema") -> "LanceTable":
        """Open a table, made empty where there is none."""
        with faults(self.label):
            made: Any = self._tables.create_table(name, schema=schema, exist_ok=True)
            return made  # type: ignore[no-any-return]


@contextmanager
def faults(label: str) -> Iterator[None]:
    """Turn the storage's errors into ours; they come as a dozen classes with long texts."""
    from obstore.exceptions import BaseError

    try:
        yield
    except ResearchAgentError:
        raise
    except (BaseError, OSError, RuntimeError, ValueError) as error:
        raise _fault(label, str(error)) from error


def _fault(label: str, text: str) -> IndexingError:
    short = text.strip().partition("\n")[0][:300]
    cures: Mapping[tuple[str, ...], tuple[type[IndexingError], str, str]] = {
        _MISSING: (IndexMissingError, "its bucket does not exist", "Make it, or name another."),
        _REFUSED: (
            IndexingError,
            "its storage refuses access",
            "Look at the key (AWS_ACCESS_KEY_ID and its like), its rights, and the clock.",
        ),
        _DOWN: (
            IndexUnavailableError,
            f"its storage does not answer, after {RETRY_SECONDS} seconds of trying",
            "Try again later; what was written stays, and the next run goes on.",
        ),
        _GONE: (
            IndexDamagedError,
            "a file of it is gone",
            "Open it again: it may have been compacted meanwhile.",
        ),
    }
    for signs, (kind, what, cure) in cures.items():
        if any(sign in text for sign in signs):
            return kind(f"The index {label} cannot be used: {what}. ({short})", hint=cure)
    return IndexDamagedError(
        f"The index {label} cannot be used: {short}", hint="Look at it: research-agent doctor"
    )
